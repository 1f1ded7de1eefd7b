"""Measures of rankings, and what shuffled rankings score."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.baseline import EQUAL, RANDOM, Optimum
from baserate.core.measure import COUNT, SIGNED, UNIT, Codomain, SklearnCall, folded
from baserate.data.score_counts import first_places, pieces
from baserate.formatting import p_equals
from baserate.measures.scores import Guesses, ScoreMeasure, without_both, without_positives
from baserate.null.distribution import Listed
from baserate.null.permutations import Permuted, RandomBlocks, all_tables
from baserate.null.sums import MAX_BLOCKS, MAX_FINE_BLOCKS, two_levels
from baserate.observed.curves import expected_average_precision
from baserate.observed.labels import BaseRate
from baserate.observed.scores import Counts, ScoreLevels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution

    Floats = NDArray[np.float64]
    Ints = NDArray[Any]


# --- Any score of blocks --------------------------------------------------------------------------


def null_of_counts(
    rate: BaseRate,
    levels: ScoreLevels,
    scores: Callable[[Counts], Floats],
    mean: Callable[[Ints], float] | None = None,
) -> NullDistribution:
    """Return the distribution of any score of the positives and negatives in blocks.

    All ways to place the positives are scored if they are few, and permutations otherwise.
    """
    values, sizes = _fewer(levels)

    def scored(positives: NDArray[Any]) -> Floats:
        counts = positives.astype(float)
        np.subtract(sizes, positives, out=positives)  # new memory takes as long as all else
        return np.asarray(scores(Counts(values, counts, positives, sizes)), dtype=float)

    every = all_tables([rate.positives, rate.negatives], sizes.tolist())
    if every is not None:
        return Listed(scored(every[0][:, 0]), every[1], size=1.0)
    blocks = RandomBlocks(rate.positives, sizes)
    expected = None if mean is None else mean(levels.sizes)
    # What merging changes of the mean.
    shift = 0.0 if mean is None or expected is None else expected - mean(sizes)
    return Permuted(
        lambda rng, number: scored(blocks(rng, number)) + shift, blocks.cells, mean=expected
    )


def _fewer(levels: ScoreLevels) -> tuple[Floats, Ints]:
    """Return scores and sizes of at most 1,024 blocks: neighbours merged, the fewest at the top."""
    if levels.sizes.size <= MAX_BLOCKS:
        return levels.values.astype(float), levels.sizes.astype(np.int64)
    half, total = MAX_BLOCKS // 2, float(levels.total)
    ranks = np.append(total ** (np.arange(1, half) / half), total * np.arange(1, half) / half)
    starts = _starting(levels.sizes, ranks)
    sizes = np.add.reduceat(levels.sizes, starts).astype(np.int64)
    return levels.values[starts].astype(float), sizes


def _starting(sizes: Ints, ranks: Floats) -> Ints:
    """Return the first block, and those in which ranks are."""
    starts = np.unique(np.append(0, first_places([sizes], ranks)))
    return starts[starts < sizes.size]


# --- Areas under the ROC curve --------------------------------------------------------------------


def areas(counts: Counts) -> Floats:
    """Return how many pairs of a positive and a negative are in order, ties counting half."""
    found, in_order = np.zeros((2, *np.shape(counts.positives)[:-1]))
    for part in _pieces(counts):
        positives = counts.positives[..., part]
        middle = np.cumsum(positives, axis=-1, dtype=float)
        middle += found[..., np.newaxis]
        found = middle[..., -1].copy()
        middle -= positives / 2
        middle *= counts.negatives[..., part]
        in_order += middle.sum(axis=-1)
    return np.asarray(in_order / (found * counts.negatives.sum(axis=-1)))


def _pieces(counts: Counts) -> Iterator[slice]:
    """Yield parts of the blocks, so that memory is bounded by the counts themselves."""
    *test_sets, blocks = np.shape(counts.positives)
    return pieces(blocks, math.prod(test_sets))


def null_of_areas(
    rate: BaseRate, levels: ScoreLevels, slope: float = 1.0, intercept: float = 0.0
) -> NullDistribution:
    """Return the distribution of intercept + slope · AUC (Mann and Whitney 1947)."""
    sizes = levels.sizes
    if sizes.size > MAX_FINE_BLOCKS:  # neighbours have the middle of their positions, as ties do
        ranks = rate.total * np.arange(1, MAX_FINE_BLOCKS) / MAX_FINE_BLOCKS
        sizes = np.add.reduceat(sizes, _starting(sizes, ranks))
    # Positions from below, ties in the middle; less those among the positives.
    below = sizes / 2 + rate.total - np.cumsum(sizes)
    start = intercept - slope * rate.positives / (2 * rate.negatives)
    pairs = float(rate.positives) * float(rate.negatives)
    return two_levels(rate.positives, sizes, below, slope / pairs, start)


AUC = ScoreMeasure(
    key="AUC",
    name="Area under the ROC Curve",
    aliases=(
        "ROC AUC", "roc_auc", "roc_auc_score", "AUROC", "area under the curve", "AUC ROC",
        "c-statistic", "c-index",
    ),
    meaning="The probability that a positive has a higher score than a negative; a tie is half.",
    pitfall=(
        "It counts all pairs alike, also those far from where a rare positive is looked for: a "
        "high AUC and a poor top of the list go together."
    ),
    sklearn=SklearnCall("roc_auc_score", argument="y_score"),
    definition=r"\frac{1}{P N} \sum_{i:\, y_i=1} \sum_{j:\, y_j=0} "
    r"\left( [s_i > s_j] + \tfrac{1}{2} [s_i = s_j] \right)",
    many=areas,
    null=null_of_areas,
    guesses=lambda _: Guesses.same(0.5),
    missing=without_both,
    monotone=True,
)  # fmt: skip
GINI = ScoreMeasure(
    key="Gini",
    name="Gini Coefficient",
    aliases=("gini coefficient", "Somers' D", "accuracy ratio"),
    meaning="Twice the AUC minus 1: 0 for a random ranking, 1 for a perfect one.",
    pitfall="It is the AUC on another scale, and 0.5 of it is an AUC of 0.75.",
    codomain=SIGNED,
    definition=r"2 \cdot \text{AUC} - 1",
    many=lambda counts: 2 * areas(counts) - 1,
    null=partial(null_of_areas, slope=2.0, intercept=-1.0),
    guesses=lambda _: Guesses.same(0.0),
    missing=without_both,
    monotone=True,
)


@dataclass(frozen=True)
class Ranking:
    """How many pairs of a positive and a negative observation are in the right order."""

    # The numbers of each in every group of equal scores, best group first.
    positives: Ints
    negatives: Ints

    def reversed(self) -> Ranking:
        """Return the ranking in reverse order."""
        return Ranking(self.positives[::-1], self.negatives[::-1])

    @cached_property
    def null(self) -> NullDistribution | None:
        """The distribution of the AUC of shuffled scores; None if a class is missing."""
        sizes = self.positives + self.negatives
        rate = BaseRate(positives=int(self.positives.sum()), total=int(sizes.sum()))
        sizes = sizes[sizes > 0]
        levels = ScoreLevels(-np.arange(float(sizes.size)), sizes)
        return None if without_both(rate) else null_of_areas(rate, levels)

    @property
    def auc(self) -> float:
        """The probability that a positive ranks above a negative, ties counting half; or nan."""
        if self.null is None:
            return math.nan
        return float(areas(Counts(np.empty(0), self.positives, self.negatives)))

    @property
    def p_value(self) -> float:
        """The chance that a random ranking with these ties is as good (Mann and Whitney 1947)."""
        return 1.0 if self.null is None else self.null.sf(self.auc)

    def __str__(self) -> str:
        if self.null is None:
            return "there is one class only"
        p = p_equals(self.p_value, exact=self.null.exact, floor=self.null.floor)
        return f"AUC {self.auc:.3f}, {p}"


# A folded name keeps no dot, so that this one is read as it is written.
_PARTIAL_AUC = re.compile(
    r"(?:p?auc\s*@|partial[\s_-]*auc(?:\s*(?:@|up\s+to))?)\s*([0-9.eE-]+)", re.IGNORECASE
)


def partial_areas(counts: Counts, max_fpr: float) -> Floats:
    """Return standardised areas under the ROC curve up to a false positive rate."""
    positives, negatives = counts.positives, counts.negatives
    below = np.cumsum(negatives, axis=-1, dtype=float)
    used = np.clip(max_fpr * below[..., -1:] - (below - negatives), 0.0, negatives)
    parts = np.divide(used, negatives, out=np.zeros_like(used), where=negatives > 0)
    heights = np.cumsum(positives, axis=-1) - positives * (1 - parts / 2)
    found = (used * heights).sum(axis=-1) / (below[..., -1] * positives.sum(axis=-1))
    return np.asarray(_standardised(found, max_fpr))


def _standardised(area: Any, max_fpr: float) -> Any:
    """Return an area on McClish's scale."""
    least = max_fpr**2 / 2
    return (1 + (area - least) / (max_fpr - least)) / 2


@lru_cache(maxsize=256)
def partial_auc(max_fpr: float) -> ScoreMeasure:
    """Return the partial AUC up to a false positive rate, standardised as by McClish."""
    rate, many = f"{max_fpr:.12g}", partial(partial_areas, max_fpr=max_fpr)
    return ScoreMeasure(
        key=f"AUC@{rate}",
        name=f"Partial AUC up to a false positive rate of {rate}",
        aliases=(f"partial AUC {rate}", f"pAUC@{rate}", f"partial_auc_{rate}"),
        meaning=(
            f"The area under the ROC curve up to a false positive rate of {rate}, on a scale on "
            "which the diagonal has 0.5 and a perfect ranking 1 (McClish)."
        ),
        pitfall=(
            "Ties are a straight line in the ROC curve, and a random ranking a staircase: it "
            "expects more than 0.5, the more the fewer negatives the rate leaves."
        ),
        sklearn=SklearnCall("roc_auc_score", {"max_fpr": max_fpr}, argument="y_score"),
        definition=rf"\frac{{1}}{{2}} \left( 1 + \frac{{A - {rate}^2/2}}{{{rate} - {rate}^2/2}} "
        rf"\right), \quad A = \int_0^{{{rate}}} \text{{TPR}} \, d\,\text{{FPR}}",
        many=many,
        null=lambda test_set, levels: null_of_counts(test_set, levels, many),
        guesses=partial(_partial_guesses, max_fpr=max_fpr),
        missing=without_both,
    )


def _partial_guesses(rate: BaseRate, max_fpr: float) -> Guesses:
    """Return what a random ranking expects, which is best, and the diagonal, the worst.

    To break ties at random changes nothing in expectation, except in the block in which the false
    positive rate is reached. If it has x positives and y negatives and there is room for w = m + f
    of these, m whole and f a fraction, the line through the block has the area x w²/(2y), and a
    random order expects x (m + 1)(m/2 + f)/(y + 1). The difference is never negative: y times
    (y + 1) times it, doubled, is at least x w f (1 - f). So no guess expects more.
    """
    if max_fpr == 1:
        return Guesses.same(0.5)
    most = max_fpr * rate.negatives
    whole = math.floor(most)
    area = (whole + 1) * (most - whole / 2) / (rate.negatives + 1) / rate.negatives
    best = float(_standardised(area, max_fpr))
    return Guesses(Optimum(best, RANDOM), Optimum(0.5, EQUAL))


# --- Average precision ----------------------------------------------------------------------------


def average_precisions(counts: Counts) -> Floats:
    """Return the precision down to the score of each positive, averaged over the positives."""
    found = area = np.zeros((*np.shape(counts.positives)[:-1], 1))
    drawn = np.zeros(1)
    for part in _pieces(counts):
        positives, rows = counts.positives[..., part], counts.rows
        upto = np.cumsum(positives, axis=-1, dtype=float)
        upto += found
        sizes = positives + counts.negatives[..., part] if rows is None else rows[part]
        below = drawn + np.cumsum(sizes, axis=-1, dtype=float)
        found, drawn = upto[..., -1:].copy(), below[..., -1:]
        # Weights may be 0, and then nothing is drawn above the first that is not.
        upto *= 1 / np.maximum(below, np.finfo(float).tiny)
        upto *= positives
        area = area + upto.sum(axis=-1, keepdims=True)
    return np.asarray(np.minimum(area / found, 1.0)[..., 0])


def _null_of_precision(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
    def mean(sizes: Ints) -> float:
        shares, upto = 0.0, 0.0
        for part in pieces(sizes.size):
            drawn = np.cumsum(sizes[part], dtype=float)
            drawn += upto
            upto = float(drawn[-1])
            shares += float((sizes[part] / drawn).sum())
        return expected_average_precision(rate, shares)

    return null_of_counts(rate, levels, average_precisions, mean)


def _precision_guesses(rate: BaseRate) -> Guesses:
    """Return what a random ranking expects, which is best, and one score for all, the worst.

    The mean rises with Σ t_b/T_b, and to split a block of ties makes that larger.
    """
    if rate.positives == rate.total:
        return Guesses.same(1.0)
    best = expected_average_precision(rate)
    return Guesses(Optimum(best, RANDOM), Optimum(rate.rate, EQUAL))


AP = ScoreMeasure(
    key="AP",
    name="Average Precision",
    aliases=(
        "average_precision", "average_precision_score", "PR AUC", "AUC PR", "AUPRC", "AUCPR",
        "area under the precision-recall curve",
    ),
    meaning=(
        "The precision down to the score of each positive, averaged over the positives: the area "
        "under the steps of the precision-recall curve, as in scikit-learn, without interpolation."
    ),
    pitfall=(
        "Its baseline is not the prevalence: that is what one score for everyone expects, and a "
        "random ranking expects more, much more with few positives."
    ),
    sklearn=SklearnCall("average_precision_score", argument="y_score"),
    definition=r"\frac{1}{P} \sum_{i:\, y_i=1} "
    r"\frac{\#\{j:\, s_j \ge s_i,\, y_j=1\}}{\#\{j:\, s_j \ge s_i\}}",
    many=average_precisions,
    null=_null_of_precision,
    guesses=_precision_guesses,
    missing=without_positives,
)  # fmt: skip


# --- The k highest scores -------------------------------------------------------------------------


def positives_in_tops(counts: Counts, k: float | Floats) -> Floats:
    """Return the number of positives among the k highest scores; of a block, a part may count.

    A k for each test set is of the shape (test sets, 1).
    """
    sizes = counts.positives + counts.negatives
    above = np.cumsum(sizes, axis=-1) - sizes
    taken = np.clip(k - above, 0.0, sizes)
    parts = np.divide(taken, sizes, out=np.zeros_like(taken), where=sizes > 0)
    return np.asarray((counts.positives * parts).sum(axis=-1))


def null_of_top(rate: BaseRate, levels: ScoreLevels, k: int, slope: float) -> NullDistribution:
    """Return the distribution of a score that is linear in the positives among the k highest.

    Of a block of ties at the k-th place, the share that belongs to the top is expected to.
    """
    upto = np.cumsum(levels.sizes[:k])
    place = int(np.searchsorted(upto, k))
    above, tied = int(upto[place - 1]) if place else 0, int(levels.sizes[place])
    sizes = np.array([above, tied, rate.total - above - tied])
    return two_levels(rate.positives, sizes, np.array([1.0, (k - above) / tied, 0.0]), slope)


class _InTop(NamedTuple):
    """What is declared of a measure that gives each positive in the top the same unit."""

    aliases: str
    meaning: str
    pitfall: str
    definition: str
    unit: Callable[[Any, Any, int], Any]  # of P, M and k
    codomain: Codomain = UNIT


_IN_TOP = {
    "precision": _InTop(
        "P@{k} prec@{k}",
        "The share of positives among the {k} highest scores.",
        "It cannot reach 1 if there are fewer positives than k.",
        r"\frac{{{top}}}{{{k}}}",
        lambda p, m, k: 1 / k,  # noqa: ARG005
    ),
    "recall": _InTop(
        "R@{k} sensitivity@{k}",
        "The share of all positives that are among the {k} highest scores.",
        "It cannot reach 1 if there are more positives than k.",
        r"\frac{{{top}}}{{P}}",
        lambda p, m, k: 1 / p,  # noqa: ARG005
    ),
    "lift": _InTop(
        "",
        "How many times more positives are among the {k} highest scores than among as many "
        "random ones.",
        "Its largest value depends on the base rate: compare it within one test set only.",
        r"\frac{{{top} / {k}}}{{P / M}}",
        lambda p, m, k: m / (k * p),
        COUNT,
    ),
}
_TIES = "Of observations tied at the k-th place, as many count as are expected by drawing lots."


@lru_cache(maxsize=256)
def in_top(word: str, k: int) -> ScoreMeasure:
    """Return the precision, the recall or the lift of the k highest scores."""
    told = _IN_TOP[word]

    def unit(rate: BaseRate) -> float:
        return float(told.unit(rate.positives, rate.total, k))

    def many(counts: Counts) -> Floats:
        positives = counts.positives.sum(axis=-1, dtype=float)
        total = positives + counts.negatives.sum(axis=-1)
        return np.asarray(positives_in_tops(counts, k) * told.unit(positives, total, k))

    def missing(rate: BaseRate) -> str:
        if k > rate.total:
            return f"there are fewer than {k} observations"
        return "" if word == "precision" else without_positives(rate)

    top = rf"\#\{{i \text{{ in the top }} {k}:\, y_i = 1\}}"
    return ScoreMeasure(
        key=f"{word}@{k}",
        name=f"{word.capitalize()} at {k}",
        aliases=(f"{word} at {k}", f"top {k} {word}", *told.aliases.format(k=k).split()),
        meaning=f"{told.meaning.format(k=k)} {_TIES}",
        pitfall=told.pitfall,
        codomain=told.codomain,
        definition=told.definition.format(top=top, k=k),
        many=many,
        null=lambda rate, levels: null_of_top(rate, levels, k, unit(rate)),
        guesses=lambda rate: Guesses.same(unit(rate) * k * rate.positives / rate.total),
        perfect=lambda rate: unit(rate) * min(k, rate.positives),
        missing=missing,
    )


# --- Discounted cumulative gain -------------------------------------------------------------------

# Up to this many positions discounts are added one by one; beyond, by Euler and Maclaurin.
_LISTED = 2**12


@lru_cache(maxsize=256)
def ndcg(k: int | None = None) -> ScoreMeasure:
    """Return the normalised discounted cumulative gain, of the k highest scores or of all."""
    most = math.inf if k is None else k
    at, words, option = ("", "", "") if k is None else (f" at {k}", f" of the {k} highest scores",
                                                        f", k={k}")  # fmt: skip

    def ideal(rate: BaseRate) -> float:
        return float(discount_sums(np.array([min(rate.positives, most)]))[0])

    def null(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
        sums = discount_sums(np.minimum(levels.upto, most))
        means = np.diff(sums, prepend=0.0) / levels.sizes
        return two_levels(rate.positives, levels.sizes, means, 1 / ideal(rate))

    def guesses(rate: BaseRate) -> Guesses:
        every = float(discount_sums(np.array([min(rate.total, most)]))[0])
        return Guesses.same(rate.positives / rate.total * every / ideal(rate))

    of_top, best = ("", "P") if k is None else (rf"[r_i \le {k}] \, ", rf"\min(P, {k})")
    written = f"normalized discounted cumulative gain{at}"
    return ScoreMeasure(
        key="NDCG" if k is None else f"NDCG@{k}",
        name=f"Normalised Discounted Cumulative Gain{at}",
        aliases=("nDCG", "ndcg_score", written) if k is None else (f"NDCG{at}", written),
        meaning=(
            f"The gain{words}, where a positive at position r counts 1 / log₂(r + 1), over that "
            "of a perfect ranking; ties share their positions. It is scikit-learn's "
            f"ndcg_score([y_true], [y_score]{option})."
        ),
        pitfall="A random ranking has a high score: 0.81 for 100 observations, half positive.",
        definition=rf"\sum_{{i:\, y_i=1}} {of_top}\frac{{1}}{{\log_2(r_i + 1)}} \Big/ "
        rf"\sum_{{r=1}}^{{{best}}} \frac{{1}}{{\log_2(r + 1)}}",
        many=partial(_gains, most=most),
        null=null,
        guesses=guesses,
        missing=without_positives,
    )


def _gains(counts: Counts, most: float) -> Floats:
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


def discount_sums(positions: NDArray[Any]) -> Floats:
    """Return Σ 1 / log₂(r + 1) over r = 1 … each position; linear between whole ones."""
    whole = np.asarray(np.floor(positions))
    table = np.append(0, np.cumsum(1 / np.log2(np.arange(2.0, _LISTED + 2))))
    sums = np.asarray(table[np.minimum(whole, _LISTED).astype(np.int64)])
    far = np.asarray(whole > _LISTED)
    if far.any():
        sums[far] += _summed(whole[far]) - _summed(np.array([float(_LISTED)]))
    return np.asarray(sums + (positions - whole) / np.log2(whole + 2))


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


# --- Names with a number --------------------------------------------------------------------------

# A folded name: the word may be before k or, after "top", behind it.
_AT_K = re.compile(
    r"(?P<word>[a-z]+?)(?:at|score)*(?P<k>[1-9][0-9]{0,14})"
    r"|top(?P<top>[1-9][0-9]{0,14})(?P<behind>[a-z]+)"
)


def with_number(name: str) -> ScoreMeasure | None:
    """Return the measure that a name with a number means; None if it means none."""
    rate = _PARTIAL_AUC.fullmatch(name.strip())
    if rate is not None:
        try:
            return partial_auc(float(rate[1])) if 0 < float(rate[1]) <= 1 else None
        except ValueError:
            return None
    plain = folded(name)
    found = _AT_K.fullmatch(plain) if re.search("at|top", plain) else None  # R2 is not recall at 2
    if found is None:
        return None
    k = int(found["k"] or found["top"])
    made = [*(in_top(word, k) for word in _IN_TOP), ndcg(k)]
    names = {folded(each): one for one in made for each in (one.key, one.name, *one.aliases)}
    return names.get(plain)


RANKING_MEASURES = (
    AUC,
    GINI,
    AP,
    partial_auc(0.1),
    *(in_top(word, 10) for word in _IN_TOP),
    ndcg(),
    ndcg(10),
)
