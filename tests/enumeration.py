"""The oracle: all shuffles and all swaps of a few rows, scored by the definitions of measures.

Nothing here comes from the library. A score is a function of the truth, the predictions and the
weights of rows, and a number of 50 digits (see conftest.py); a ZeroDivisionError says that there
is none. Scores are equal if they agree to 35 digits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import groupby, permutations, product
from typing import TYPE_CHECKING, Any

import mpmath

import exact
import exact_numbers
import exact_scores
import exact_tables
from exact_numbers import real

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Rows = Sequence[Any]
    Score = Callable[[Rows, Rows, Rows], Any]
    Law = dict[mpmath.mpf, Fraction]

_NEAR = mpmath.mpf(10) ** -35


@cache
def _orders(predicted: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return list(set(permutations(predicted)))


def shuffled(score: Score, truth: Rows, predicted: Rows, weights: Rows) -> Law | None:
    """Return the distribution of a score over all orders of predictions; None if one has none."""
    orders = _orders(tuple(predicted))
    try:
        scores = sorted(real(score(truth, order, weights)) for order in orders)
    except ZeroDivisionError:
        return None
    law: Law = {}
    last = None
    for each in scores:
        last = each if last is None or each - last > _NEAR else last
        law[last] = law.get(last, Fraction()) + Fraction(1, len(orders))
    return law


def mean(law: Law) -> mpmath.mpf:
    """Return the expected score."""
    return mpmath.fsum(score * real(chance) for score, chance in law.items())


def variance(law: Law) -> mpmath.mpf:
    """Return the variance of the score."""
    centre = mean(law)
    return mpmath.fsum((score - centre) ** 2 * real(chance) for score, chance in law.items())


def at_least(law: Law, score: mpmath.mpf) -> Fraction:
    """Return the chance of a score of at least so much."""
    return sum((chance for each, chance in law.items() if each >= score - _NEAR), Fraction())


def at_most(law: Law, score: mpmath.mpf) -> Fraction:
    """Return the chance of a score of at most so much."""
    return sum((chance for each, chance in law.items() if each <= score + _NEAR), Fraction())


def swapped(
    score: Score, truth: Rows, models: tuple[Rows, Rows], weights: Rows, units: Sequence[int] = ()
) -> Fraction | None:
    """Return the share of all swaps of units, or of rows, that are as far apart as the models.

    Swaps that leave a model without a score count; None if the models themselves have none.
    """

    def apart(swap: Sequence[bool]) -> mpmath.mpf | None:
        turned = [swap[unit] for unit in units or range(len(truth))]
        one = [b if s else a for a, b, s in zip(*models, turned, strict=True)]
        other = [a if s else b for a, b, s in zip(*models, turned, strict=True)]
        try:
            return abs(real(score(truth, one, weights)) - real(score(truth, other, weights)))
        except ZeroDivisionError:
            return None

    ways = list(product((False, True), repeat=max(units or range(len(truth))) + 1))
    size = apart(ways[0])
    if size is None:
        return None
    found = map(apart, ways)
    return Fraction(sum(each is None or each >= size - _NEAR for each in found), len(ways))


def mean_ranks(scores: Rows) -> list[Any]:
    """Return the mean rank of each score, or of each column of rows of scores."""
    if not isinstance(scores[0], tuple):
        return exact_numbers.ranks(scores)
    columns = [exact_numbers.ranks(column) for column in zip(*scores, strict=True)]
    return list(zip(*columns, strict=True))


# --- scores as functions of rows ------------------------------------------------------------------


def of_counts(definition: Callable[..., Any]) -> Score:
    """Return the score of rows of two classes, from a function of (tp, fp, fn, tn)."""

    def score(truth: Rows, predicted: Rows, weights: Rows) -> Any:
        cells = {(1, 1): 0, (0, 1): 0, (1, 0): 0, (0, 0): 0}
        for label, answer, weight in zip(truth, predicted, weights, strict=True):
            cells[label, answer] += weight
        value = definition(*cells.values())
        return exact.real(value) if isinstance(value, exact.Root) else value

    return score


def of_table(definition: Callable[..., Any]) -> Score:
    """Return the score of rows of several classes, from a function of their table."""
    return lambda truth, predicted, weights: definition(
        _table(tuple(truth), tuple(predicted), tuple(weights))
    )


@cache
def _table(
    truth: tuple[int, ...], predicted: tuple[int, ...], weights: tuple[Any, ...]
) -> tuple[tuple[Any, ...], ...]:
    classes, cells = range(max(truth) + 1), list(zip(truth, predicted, weights, strict=True))
    return tuple(
        tuple(sum(w for t, p, w in cells if (t, p) == (k, j)) for j in classes) for k in classes
    )


def _each(definitions: dict[str, Any], made: Callable[[Any], Score]) -> dict[str, Score]:
    return {key: made(definition) for key, definition in definitions.items()}


DEFINED: dict[str, dict[str, Score]] = {
    "two classes": _each(exact.DEFINITIONS, of_counts),
    "several classes": _each(exact_tables.DEFINITIONS, of_table),
    "rankings": exact_scores.RANKINGS,
    "probabilities": exact_scores.PROBABILITIES,
    "class rankings": exact_scores.CLASS_RANKINGS,
    "class probabilities": exact_scores.CLASS_PROBABILITIES,
    "numbers": exact_numbers.DEFINITIONS,
}


# --- all guesses ----------------------------------------------------------------------------------


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write a total as a sum of some whole numbers, zeros included."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in compositions(total - first, parts - 1):
            yield first, *rest


def class_mixes(truth: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield predictions with each number of each class that occurs."""
    classes = range(max(truth) + 1)
    for counts in compositions(len(truth), len(classes)):
        if all(k in truth or not count for k, count in enumerate(counts)):
            yield tuple(k for k in classes for _ in range(counts[k]))


def rankings(truth: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield scores with all ties of neighbours."""
    for same in product((0, 1), repeat=len(truth) - 1):
        yield tuple(sum(same[:place]) for place in range(len(truth)))


def extremes(score: Score, truth: Rows, guesses: Iterator[Rows], weights: Rows) -> Any:
    """Return the highest and the lowest expected score of guesses, each with those that have it."""
    means = {}
    for guess in guesses:
        law = shuffled(score, truth, guess, weights)
        if law is not None:
            means[tuple(guess)] = mean(law)
    ends = max(means.values(), default=None), min(means.values(), default=None)
    return [
        (end, [guess for guess, each in means.items() if abs(each - end) < _NEAR]) for end in ends
    ]


def counted(guess: Sequence[int], classes: int) -> tuple[int, ...]:
    """Return how often each class is guessed."""
    found = {k: len(list(rows)) for k, rows in groupby(sorted(guess))}
    return tuple(found.get(k, 0) for k in range(classes))
