"""The possible outcomes of a verdict."""

from __future__ import annotations

import enum

# A p-value below this is called evidence that a model learned something.
SIGNIFICANT = 0.05


class Outcome(enum.StrEnum):
    """The outcome of a verdict: a stable code, which `sentence` puts in words.

    Examples
    --------
    >>> Outcome("learned").sentence
    'below the baseline, but it learned something'
    >>> [outcome.value for outcome in Outcome if outcome.fails]
    ['learned', 'no_evidence', 'worse']
    """

    CLEARS = "clears"
    LEARNED = "learned"
    NO_EVIDENCE = "no_evidence"
    WORSE = "worse"
    UNINFORMATIVE = "uninformative"
    UNDEFINED = "undefined"

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        return _SENTENCES[self]

    @property
    def mark(self) -> str:
        """A sign for tables that works without colour; a blank if all is well."""
        return _MARKS[self]

    @property
    def fails(self) -> bool:
        """Whether the model should have done better."""
        return self in (Outcome.LEARNED, Outcome.NO_EVIDENCE, Outcome.WORSE)


_SENTENCES = {
    Outcome.CLEARS: "clears the baseline",
    Outcome.LEARNED: "below the baseline, but it learned something",
    Outcome.NO_EVIDENCE: "below the baseline, no evidence of learning",
    Outcome.WORSE: "worse than every draw",
    Outcome.UNINFORMATIVE: "uninformative measure",
    Outcome.UNDEFINED: "undefined",
}
_MARKS = {
    Outcome.CLEARS: "",
    Outcome.LEARNED: "▽",
    Outcome.NO_EVIDENCE: "✗",
    Outcome.WORSE: "‼",
    Outcome.UNINFORMATIVE: "·",
    Outcome.UNDEFINED: "?",
}
