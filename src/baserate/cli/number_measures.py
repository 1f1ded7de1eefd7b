"""The facts of a measure of numbers, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.cli.mathtext import plain
from baserate.support.formatting import number_format

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.regression.measures.record import NumberMeasure

SYMBOLS = (
    "M observations; observation i has the true number yᵢ and the prediction ŷᵢ. The baseline is "
    "the best constant: the same number for every observation."
)
_EXAMPLE = (1.0, 2.0, 3.0, 10.0, 100.0)


def number_facts(measure: NumberMeasure) -> Iterator[tuple[str, str]]:
    """Yield the facts of a measure and what they are called."""
    if measure.aliases:
        yield "also called", ", ".join(measure.aliases)
    yield "formula", plain(measure.definition)
    yield "values", f"{measure.codomain}, {measure.direction.better} is better"
    yield from _best(measure)
    if measure.sklearn is not None:
        yield "scikit-learn", str(measure.sklearn)
    yield "misleads", measure.pitfall


def _best(measure: NumberMeasure) -> Iterator[tuple[str, str]]:
    """Yield the best constant of one test set, and its score."""
    from baserate.regression.numbers import Numbers

    best = measure.best_constant(Numbers(_EXAMPLE))
    write = number_format([best.value])
    yield "best", f"{best.said}: {write(best.value)} for the truth 1, 2, 3, 10, 100"
