"""Discounted cumulative gain of a ranking, normalised: NDCG, with a top of k or without."""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.null.sums import two_levels
from baserate.ranking.many import alone
from baserate.ranking.measures.record import Extremes, ScoreMeasure
from baserate.ranking.measures.top import require_k

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.base_rate import BaseRate
    from baserate.null.distribution import NullDistribution
    from baserate.ranking.deck import ScoreDeck
    from baserate.ranking.many import Counts

    Floats = NDArray[np.float64]

# Up to this many positions discounts are added one by one, and to this many if there are about as
# many blocks; beyond, a formula of Euler and Maclaurin adds them.
_LISTED, _ANCHOR = 2**16, 2**12


def ndcg(k: int | None = None) -> ScoreMeasure:
    """Return the normalised discounted cumulative gain, of the k highest scores or of all.

    Examples
    --------
    >>> ndcg(10), ndcg()
    (<Measure NDCG@10: Normalised Discounted Cumulative Gain at 10>, \
<Measure NDCG: Normalised Discounted Cumulative Gain>)
    """
    return _ndcg(None if k is None else require_k(k))


@lru_cache(maxsize=256)
def _ndcg(k: int | None) -> ScoreMeasure:
    at, words = ("", "") if k is None else (f"@{k}", f" of the {k} highest scores")
    most = math.inf if k is None else k

    def law(rate: BaseRate, deck: ScoreDeck) -> NullDistribution:
        discounts = mean_discounts(deck.sizes, most)
        return two_levels(rate.positives, deck.sizes, discounts, 1 / ideal(rate, most))

    def extremes(rate: BaseRate) -> Extremes:
        every = discount_sum(min(rate.total, most))
        return Extremes.same(rate.positives / rate.total * every / ideal(rate, most))

    many = partial(_scores, most=most)
    name = "Normalised Discounted Cumulative Gain"
    return ScoreMeasure(
        key=f"NDCG{at}",
        name=name if k is None else f"{name} at {k}",
        aliases=("nDCG", "ndcg_score", "normalized discounted cumulative gain")
        if k is None
        else (f"NDCG at {k}", f"normalized discounted cumulative gain at {k}"),
        meaning=(
            f"The gain{words}, where a positive at position r counts 1 / log₂(r + 1), over that "
            "of a perfect ranking; ties share their positions. It is scikit-learn's "
            "ndcg_score([y_true], [y_score]" + ("" if k is None else f", k={k}") + ")."
        ),
        pitfall="A random ranking has a high score: 0.81 for 100 observations, half positive.",
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=_formula(k),
        kernel=alone(many),
        many=many,
        law=law,
        extremes=extremes,
        perfect=lambda _: 1.0,
        missing=lambda rate: "" if rate.positives else "there are no positives",
    )


def _formula(k: int | None) -> str:
    """Return the formula in LaTeX, where r is the position of an observation."""
    of_top = "" if k is None else rf"[r_i \le {k}] \, "
    best = "P" if k is None else rf"\min(P, {k})"
    return (
        rf"\sum_{{i:\, y_i=1}} {of_top}\frac{{1}}{{\log_2(r_i + 1)}} \Big/ "
        rf"\sum_{{r=1}}^{{{best}}} \frac{{1}}{{\log_2(r + 1)}}"
    )


def _scores(counts: Counts, most: float) -> Floats:
    """Return the gain over the ideal one.

    If counts are weights, positions are cumulated weights, and so is k; a part of a position has
    that part of its discount.
    """
    sizes = counts.positives + counts.negatives
    sums = discount_sums(np.minimum(np.cumsum(sizes, axis=-1), most))
    sums = np.diff(sums, prepend=0.0, axis=-1)
    means = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)
    ideals = discount_sums(np.minimum(counts.positives.sum(axis=-1), most))
    return np.asarray((counts.positives * means).sum(axis=-1) / ideals)


def ideal(rate: BaseRate, most: float) -> float:
    """Return the gain of a perfect ranking."""
    return discount_sum(min(rate.positives, most))


def mean_discounts(sizes: NDArray[Any], most: float) -> Floats:
    """Return the discount of each block: the average over its positions, 0 beyond the most."""
    ends = np.cumsum(sizes)
    if float(ends[-1]) == sizes.size and sizes.max() == 1:
        found = 1 / np.log2(np.arange(2.0, sizes.size + 2))
        found[int(min(most, sizes.size)) :] = 0
        return np.asarray(found)
    sums = discount_sums(np.append(0, np.minimum(ends, most)))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.nan_to_num(np.diff(sums) / sizes))


def discount_sum(position: float) -> float:
    """Return the sum of the discounts down to a position."""
    return float(discount_sums(np.array([position]))[0])


def discount_sums(positions: NDArray[Any]) -> Floats:
    """Return Σ 1 / log₂(r + 1) over r = 1 … each position; linear between whole ones.

    Examples
    --------
    >>> discount_sums(np.array([0, 1, 1.5, 3])).round(4).tolist()
    [0.0, 1.0, 1.3155, 2.1309]
    """
    whole = np.asarray(np.floor(positions))
    last = float(whole.max())
    table = _table(int(min(last, max(_LISTED, 2 * positions.size))))
    sums = np.asarray(table[np.minimum(whole, table.size - 1).astype(np.int64)])
    far = np.asarray(whole >= table.size)
    if far.any():
        sums[far] = table[_ANCHOR] + _summed(whole[far]) - _summed(np.array([float(_ANCHOR)]))
    return np.asarray(sums + (positions - whole) / np.log2(whole + 2))


def _table(last: int) -> Floats:
    return np.append(0, np.cumsum(1 / np.log2(np.arange(2.0, last + 2))))


def _summed(position: Floats) -> Floats:
    """Return the sum of discounts to a position up to a constant, by Euler and Maclaurin.

    The discount at r is ln 2 / ln x at x = r + 1, and its integral ln 2 times the logarithmic one.
    """
    from scipy.special import expi

    x = position + 1
    log = np.log(x)
    half, slope = 1 / (2 * log), -1 / (x * log**2)
    third = -(2 / log**2 + 6 / log**3 + 6 / log**4) / x**3
    return np.asarray(math.log(2) * (expi(log) + half + slope / 12 - third / 720))
