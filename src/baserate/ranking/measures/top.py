"""Precision, recall and lift among the k highest scores."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from baserate.arguments import whole_number
from baserate.core.codomain import COUNT, UNIT
from baserate.core.direction import Direction
from baserate.exceptions import InvalidCountError
from baserate.ranking.many import alone, positives_in_tops
from baserate.ranking.measures.record import Extremes, ScoreMeasure
from baserate.ranking.null import null_of_top

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.ranking.many import Counts

    Floats = NDArray[np.float64]

_TIES = "Of observations tied at the k-th place, as many count as are expected by drawing lots."


def precision_at(k: int) -> ScoreMeasure:
    """Return the precision among the k highest scores.

    Examples
    --------
    >>> precision_at(10)
    <Measure precision@10: Precision at 10>
    """
    return _precision(require_k(k))


def recall_at(k: int) -> ScoreMeasure:
    """Return the share of all positives that are among the k highest scores.

    Examples
    --------
    >>> recall_at(10)
    <Measure recall@10: Recall at 10>
    """
    return _recall(require_k(k))


def lift_at(k: int) -> ScoreMeasure:
    """Return how many times more positives the k highest scores have than k random ones.

    Examples
    --------
    >>> lift_at(10)
    <Measure lift@10: Lift at 10>
    """
    return _lift(require_k(k))


def require_k(k: Any) -> int:
    """Return the number of highest scores as an int, or raise if it is none."""
    count = whole_number("k", k)
    if count < 1:
        raise InvalidCountError(
            f"must be at least 1 (got {count}): how many of the highest scores count",
            parameter="k",
        )
    return count


@lru_cache(maxsize=256)
def _precision(k: int) -> ScoreMeasure:
    return _measure(
        k,
        "precision",
        aliases=(f"P@{k}", f"prec@{k}"),
        meaning=f"The share of positives among the {k} highest scores. {_TIES}",
        pitfall="It cannot reach 1 if there are fewer positives than k.",
        unit=lambda _: 1 / k,
        needs_positives=False,
    )


@lru_cache(maxsize=256)
def _recall(k: int) -> ScoreMeasure:
    return _measure(
        k,
        "recall",
        aliases=(f"R@{k}", f"sensitivity@{k}"),
        meaning=f"The share of all positives that are among the {k} highest scores. {_TIES}",
        pitfall="It cannot reach 1 if there are more positives than k.",
        unit=lambda rate: 1 / rate.positives,
        needs_positives=True,
    )


@lru_cache(maxsize=256)
def _lift(k: int) -> ScoreMeasure:
    return _measure(
        k,
        "lift",
        aliases=(),
        meaning=(
            f"How many times more positives are among the {k} highest scores than among as many "
            f"random ones. {_TIES}"
        ),
        pitfall="Its largest value depends on the base rate: compare it within one test set only.",
        unit=lambda rate: rate.total / (k * rate.positives),
        needs_positives=True,
    )


def _measure(
    k: int,
    word: str,
    *,
    aliases: tuple[str, ...],
    meaning: str,
    pitfall: str,
    unit: Callable[[BaseRate], float],
    needs_positives: bool,
) -> ScoreMeasure:
    """Return a measure that gives each positive in the top the same unit."""

    def missing(rate: BaseRate) -> str:
        if k > rate.total:
            return f"there are fewer than {k} observations"
        return "there are no positives" if needs_positives and not rate.positives else ""

    def extremes(rate: BaseRate) -> Extremes:
        return Extremes.same(unit(rate) * k * rate.positives / rate.total)

    many = _KERNELS[word](k)
    return ScoreMeasure(
        key=f"{word}@{k}",
        name=f"{word.capitalize()} at {k}",
        aliases=(f"{word} at {k}", f"top {k} {word}", *aliases),
        meaning=meaning,
        pitfall=pitfall,
        direction=Direction.MAXIMIZE,
        codomain=COUNT if word == "lift" else UNIT,
        definition=_FORMULAS[word].format(top=_TOP.format(k=k), k=k),
        kernel=alone(many),
        many=many,
        law=lambda rate, deck: null_of_top(rate, deck, k, unit(rate)),
        extremes=extremes,
        perfect=lambda rate: unit(rate) * min(k, rate.positives),
        missing=missing,
    )


_TOP = r"\#\{{i \text{{ in the top }} {k}:\, y_i = 1\}}"
_FORMULAS = {
    "precision": r"\frac{{{top}}}{{{k}}}",
    "recall": r"\frac{{{top}}}{{P}}",
    "lift": r"\frac{{{top} / {k}}}{{P / M}}",
}
_KERNELS: dict[str, Callable[[int], Callable[[Counts], Floats]]] = {
    "precision": lambda k: lambda counts: positives_in_tops(counts, k) / k,
    "recall": lambda k: lambda counts: positives_in_tops(counts, k) / counts.positives.sum(axis=-1),
    "lift": lambda k: (
        lambda counts: (
            positives_in_tops(counts, k)
            / k
            * (counts.positives.sum(axis=-1) + counts.negatives.sum(axis=-1))
            / counts.positives.sum(axis=-1)
        )
    ),
}
