"""The parts of scores that have some, in one line each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.formatting import printable
from baserate.tasks import task_observed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from baserate.report.panels import Panel
    from baserate.verdicts.verdict import Verdict


def details(panel: Panel) -> tuple[str, ...]:
    """Return a line for each score of a panel that has parts, and for each p-value that is shared.

    A p-value has one if its title does not say whose it is.
    """
    return (*_lines(panel), *(row.note for row in panel.p_values if row.note))


def _lines(panel: Panel) -> Iterator[str]:
    for row in panel.rows:
        for verdict, score in zip(row.verdicts, row.scores, strict=True):
            parts = _parts(verdict)
            if verdict is not None and parts:
                whole = f"{printable(verdict.measure)} of {printable(verdict.model)} {score}"
                yield f"{whole} = {written(parts, row.write)}"


def _parts(verdict: Verdict | None) -> tuple[tuple[str, float], ...]:
    """Return the parts of a score, if its measure knows some."""
    if verdict is None or math.isnan(verdict.score):
        return ()
    table = verdict.performance.table
    measure = task_observed(table.task).named(verdict.measure)
    return () if measure is None else measure.parts(table)


def written(parts: tuple[tuple[str, float], ...], write: Callable[[float], str]) -> str:
    """Write parts as a sum; what is negative is taken away.

    Examples
    --------
    >>> parts = ("miscalibration", 0.012), ("discrimination", -0.08), ("uncertainty", 0.21)
    >>> written(parts, "{:.3f}".format)
    'miscalibration 0.012 − discrimination 0.080 + uncertainty 0.210'
    """
    signs = ["−" if math.copysign(1, value) < 0 else "+" for _, value in parts]
    terms = [f"{name} {write(abs(value))}" for name, value in parts]
    first, *others = (f"{sign} {term}" for sign, term in zip(signs, terms, strict=True))
    return " ".join([first.removeprefix("+ "), *others])
