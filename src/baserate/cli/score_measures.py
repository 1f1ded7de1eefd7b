"""The facts of a measure of scores, for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.cli.mathtext import plain
from baserate.core.direction import Direction
from baserate.support.formatting import number_format

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.class_scores.measures import ClassScoreMeasure
    from baserate.ranking.measures.record import ScoreMeasure

SYMBOLS = (
    "M observations, of which P are positive and N negative; observation i has the score sᵢ and "
    "the truth yᵢ. A deck is the scores that are given, whatever the input."
)

CLASS_SYMBOLS = "A guess is the same row of scores for everyone, whatever the input."


def score_facts(measure: ScoreMeasure) -> Iterator[tuple[str, str]]:
    """Yield the facts of a measure and what they are called."""
    yield "also called", ", ".join(measure.aliases)
    yield "formula", plain(measure.definition)
    yield "values", f"{measure.codomain}, {measure.direction.better} is better"
    numbers = "any numbers, higher for what is likelier positive"
    yield "takes", "probabilities of the positive class" if measure.probabilities else numbers
    yield from _decks(measure)
    if measure.sklearn is not None:
        yield "scikit-learn", str(measure.sklearn)
    yield "misleads", measure.pitfall


def _decks(measure: ScoreMeasure) -> Iterator[tuple[str, str]]:
    """Yield the best and the worst deck, and what they expect on one test set."""
    from baserate.binary.base_rate import BaseRate

    rate = BaseRate(positives=10, total=100)
    if measure.missing(rate):
        return
    found = measure.extremes(rate)
    ends = (found.max, found.min)
    best, worst = ends if measure.direction is Direction.MAXIMIZE else ends[::-1]
    write = number_format([best.value, worst.value])
    yield "best deck", f"{best.decks}: {write(best.value)} for 10 positives among 100"
    if (worst.value, worst.decks) != (best.value, best.decks):
        yield "worst deck", f"{worst.decks}: {write(worst.value)}"


def class_score_facts(measure: ClassScoreMeasure) -> Iterator[tuple[str, str]]:
    """Yield the facts of a measure of class scores and what they are called."""
    from baserate.class_scores.task import CLASS_SCORES
    from baserate.multiclass.class_counts import ClassCounts

    yield "also called", ", ".join(measure.aliases)
    yield "values", f"{measure.codomain}, {measure.direction.better} is better"
    probabilities = "probabilities of all classes: a column for each, and rows that sum to 1"
    scores = "scores of all classes: any numbers, a column for each"
    yield "takes", probabilities if measure.probabilities else scores
    base = CLASS_SCORES.yardstick(ClassCounts({"a": 70, "b": 20, "c": 10}), measure).base
    write = number_format([base.best.value, base.worst.value])
    yield "best guess", f"{base.best.decks}: {write(base.best.value)} for 70 a, 20 b and 10 c"
    if base.best != base.worst:
        yield "worst guess", f"{base.worst.decks}: {write(base.worst.value)}"
    if measure.sklearn is not None:
        yield "scikit-learn", str(measure.sklearn)
    yield "misleads", measure.pitfall
