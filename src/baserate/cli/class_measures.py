"""The facts of a measure of several classes, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.cli.mathtext import plain
from baserate.core.direction import Direction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.multiclass.measures.record import ClassMeasure

SYMBOLS = (
    "M observations of K classes; class k occurs n_k times, is predicted m_k times, and C_jk of "
    "class j are predicted as k. A deck is how often each class is predicted."
)


def class_facts(measure: ClassMeasure) -> Iterator[tuple[str, str]]:
    """Yield the facts of a measure and what they are called."""
    yield "also called", ", ".join(measure.aliases)
    yield "formula", plain(measure.definition.latex)
    yield "values", f"{measure.codomain}, {measure.direction.better} is better"
    if measure.zero_division:
        yield "0/0", measure.zero_division
    maximize = measure.direction is Direction.MAXIMIZE
    yield "best deck", (measure.maximum if maximize else measure.minimum).value
    yield "worst deck", (measure.minimum if maximize else measure.maximum).value
    yield "misleads", measure.pitfall
