"""Translate the library's messages into the words of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.harmless import shell_word

if TYPE_CHECKING:
    from baserate.exceptions import BaserateError
    from baserate.exceptions.base import Term

# What an error names, and what a shell calls it.
OPTIONS = {
    "adjust": "--adjust",
    "alpha": "--alpha",
    "by": "--by",
    "counts": "--counts",
    "force": "--force",
    "format": "--format",
    "margin": "--margin",
    "measures": "--measure",
    "missing": "--missing",
    "model": "--model",
    "options": "--options",
    "output": "--output",
    "pos_label": "--pos-label",
    "positives": "--positives",
    "predictions": "--model",
    "questions": "--questions",
    "reference": "--reference",
    "sample_weight": "--weight",
    "score": "--score",
    "task": "--task",
    "threshold": "--threshold",
    "total": "--total",
    "tries": "--tries",
    "truth": "--truth",
    "weights": "--weights",
}
_ADVICE = {
    "one of them": "take one of `baserate measures`, such as F1",
    "beta by name": "F2 or F0.5",
    "names": "`baserate measures` lists them all",
}


def in_options(error: BaserateError) -> str:
    """Return an error with options in place of Python's arguments."""
    return error.said(_spelled)


def _spelled(term: Term) -> str:
    option = OPTIONS.get(term.name)
    if option is None:
        return _ADVICE.get(term.name, str(term))
    return option if term.value is None else f"{option} {shell_word(term.value)}"
