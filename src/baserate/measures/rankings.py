"""Measures of rankings."""

from __future__ import annotations

import math
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import is_probability, whole_number
from baserate.core.baseline import ANY, EQUAL, RANDOM, Optimum
from baserate.core.measure import COUNT, SIGNED, UNIT, Direction, SklearnCall, folded
from baserate.exceptions import InvalidCountError, InvalidProbabilityError
from baserate.formatting import shown
from baserate.measures.scores_record import Extremes, ScoreMeasure
from baserate.null.rankings import null_of_areas, null_of_counts, null_of_top
from baserate.null.sums import two_levels
from baserate.observed.scores import alone, areas, average_precisions, positives_in_tops

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from baserate.null.distribution import NullDistribution
    from baserate.observed.base_rate import BaseRate
    from baserate.observed.scores import Counts, RankedScores, ScoreLevels

    Floats = NDArray[np.float64]


def auc(scores: RankedScores) -> float:
    """Return how many pairs of a positive and a negative are in order, ties counting half."""
    # Floats: the number of pairs may have more than 64 bits.
    pairs = float(scores.positives.sum()) * float(scores.negatives.sum())
    return scores.pairs_in_order / pairs


def without_both(rate: BaseRate) -> str:
    """Say which class is missing, if one is."""
    if not rate.positives:
        return "there are no positives"
    return "" if rate.negatives else "there are no negatives"


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
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=r"\frac{1}{P N} \sum_{i:\, y_i=1} \sum_{j:\, y_j=0} "
    r"\left( [s_i > s_j] + \tfrac{1}{2} [s_i = s_j] \right)",
    kernel=auc,
    many=areas,
    null=null_of_areas,
    extremes=lambda _: Extremes.same(0.5),
    perfect=lambda _: 1.0,
    missing=without_both,
    monotone=True,
)  # fmt: skip
GINI = ScoreMeasure(
    key="Gini",
    name="Gini Coefficient",
    aliases=("gini coefficient", "Somers' D", "accuracy ratio"),
    meaning="Twice the AUC minus 1: 0 for a random ranking, 1 for a perfect one.",
    pitfall="It is the AUC on another scale, and 0.5 of it is an AUC of 0.75.",
    direction=Direction.MAXIMIZE,
    codomain=SIGNED,
    definition=r"2 \cdot \text{AUC} - 1",
    many=lambda counts: 2 * areas(counts) - 1,
    kernel=lambda scores: 2 * auc(scores) - 1,
    null=lambda rate, levels: null_of_areas(rate, levels, slope=2.0, intercept=-1.0),
    extremes=lambda _: Extremes.same(0.0),
    perfect=lambda _: 1.0,
    missing=without_both,
    monotone=True,
)
AREAS = (AUC, GINI)


# As many blocks as stay in the processor's cache: several times faster than all at once.
_CHUNK = 1 << 15
# From here on the series of the harmonic numbers is exact up to rounding.
_MANY = 40


def average_precision(scores: RankedScores) -> float:
    """Return the precision down to the score of each positive, averaged over the positives."""
    found, seen, area = 0.0, 0.0, 0.0
    for start in range(0, scores.values.size, _CHUNK):
        positives = scores.positives[start : start + _CHUNK].astype(float)
        upto = np.cumsum(positives)
        drawn = np.cumsum(scores.negatives[start : start + _CHUNK], dtype=float)
        drawn += upto
        upto += found
        drawn += seen
        found, seen = float(upto[-1]), float(drawn[-1])
        # Weights may be 0, and then nothing is drawn above the first that is not.
        np.maximum(drawn, np.finfo(float).tiny, out=drawn)
        upto /= drawn
        area += float(positives @ upto)
    # Without an error it is 1, not almost 1.
    return min(area / found, 1.0)


def harmonic(number: int) -> float:
    """Return 1 + 1/2 + … + 1/number.

    Examples
    --------
    >>> round(harmonic(3), 4), round(harmonic(10**9), 4)
    (1.8333, 21.3005)
    """
    if number < _MANY:
        return math.fsum(1 / term for term in range(1, number + 1))
    inverse = 1 / number
    series = inverse / 2 - inverse**2 / 12 + inverse**4 / 120 - inverse**6 / 252
    return math.log(number) + float(np.euler_gamma) + series


def mean_precision(rate: BaseRate, shares: float) -> float:
    """Return the expected average precision of ranked scores, given Σ t_b/T_b over its blocks."""
    total, positives = rate.total, rate.positives
    if positives == total:
        return 1.0
    rest = rate.negatives / total * (shares / (total - 1))
    return (positives - 1) / (total - 1) + rest


def without_positives(rate: BaseRate) -> str:
    """Say that there are no positives, if so."""
    return "" if rate.positives else "there are no positives"


def _extremes(rate: BaseRate) -> Extremes:
    """Return what a random ranking expects, which is best, and one score for all, the worst.

    The mean rises with Σ t_b/T_b, and to split a block of ties makes that larger.
    """
    if rate.positives == rate.total:
        return Extremes(Optimum(1.0, ANY), Optimum(1.0, ANY))
    best = mean_precision(rate, harmonic(rate.total))
    return Extremes(Optimum(best, RANDOM), Optimum(rate.rate, EQUAL))


def _null(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
    """Return the distribution of average precision when scores are shuffled."""

    def mean(sizes: NDArray[Any]) -> float:
        seen, found = 0.0, 0.0
        for start in range(0, sizes.size, _CHUNK):
            some = sizes[start : start + _CHUNK]
            upto = np.cumsum(some, dtype=float)
            upto += seen
            seen = float(upto[-1])
            found += float((some / upto).sum())
        return mean_precision(rate, found)

    return null_of_counts(rate, levels, average_precisions, mean)


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
    direction=Direction.MAXIMIZE,
    codomain=UNIT,
    definition=r"\frac{1}{P} \sum_{i:\, y_i=1} "
    r"\frac{\#\{j:\, s_j \ge s_i,\, y_j=1\}}{\#\{j:\, s_j \ge s_i\}}",
    kernel=average_precision,
    many=average_precisions,
    null=_null,
    extremes=_extremes,
    perfect=lambda _: 1.0,
    missing=without_positives,
)  # fmt: skip


_NAME = re.compile(
    r"(?:p?auc\s*@|partial[\s_-]*auc(?:\s*(?:@|up\s+to))?)\s*([0-9.eE-]+)", re.IGNORECASE
)


def partial_auc(max_fpr: float) -> ScoreMeasure:
    """Return the partial AUC up to a false positive rate, standardised as by McClish.

    Parameters
    ----------
    max_fpr
        The largest false positive rate that counts, above 0 and at most 1.

    Examples
    --------
    >>> partial_auc(0.1)
    <Measure AUC@0.1: Partial AUC up to a false positive rate of 0.1>
    """
    if not is_probability(max_fpr) or max_fpr <= 0:
        raise InvalidProbabilityError(
            f"must be above 0 and at most 1 (got {shown(max_fpr)}); 10% is written 0.1",
            parameter="max_fpr",
        )
    return _made(float(max_fpr))


def named_partial_auc(name: str) -> ScoreMeasure | None:
    """Return the partial AUC of a name like AUC@0.1; None if it is not one.

    Examples
    --------
    >>> named_partial_auc("partial AUC 0.05").key
    'AUC@0.05'
    """
    found = _NAME.fullmatch(name.strip())
    if not found:
        return None
    try:
        return partial_auc(float(found[1]))
    except ValueError:
        return None


def partial_areas(counts: Counts, max_fpr: float) -> Floats:
    """Return standardised areas under the ROC curve up to a false positive rate."""
    positives, negatives = counts.positives, counts.negatives
    below = np.cumsum(negatives, axis=-1)
    used = np.clip(max_fpr * below[..., -1:] - (below - negatives), 0.0, negatives)
    parts = np.divide(used, negatives, out=np.zeros_like(used), where=negatives > 0)
    heights = np.cumsum(positives, axis=-1) - positives * (1 - parts / 2)
    areas = (used * heights).sum(axis=-1) / (below[..., -1] * positives.sum(axis=-1))
    return np.asarray(_standardised(areas, max_fpr))


def _standardised(area: Any, max_fpr: float) -> Any:
    """Return an area on McClish's scale."""
    least = max_fpr**2 / 2
    return (1 + (area - least) / (max_fpr - least)) / 2


@lru_cache(maxsize=256)
def _made(max_fpr: float) -> ScoreMeasure:
    rate = f"{max_fpr:.12g}"
    areas = partial(partial_areas, max_fpr=max_fpr)
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
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=rf"\frac{{1}}{{2}} \left( 1 + \frac{{A - {rate}^2/2}}{{{rate} - {rate}^2/2}} "
        rf"\right), \quad A = \int_0^{{{rate}}} \text{{TPR}} \, d\,\text{{FPR}}",
        kernel=alone(areas),
        many=areas,
        null=lambda test_set, levels: null_of_counts(test_set, levels, areas),
        extremes=lambda test_set: _partial_extremes(test_set, max_fpr),
        perfect=lambda _: 1.0,
        missing=without_both,
    )


def mean_of_ranking(rate: BaseRate, most: float) -> float:
    """Return the expected area of a random ranking, in pairs, up to so many negatives.

    To break ties at random changes nothing in expectation, except in the block in which the false
    positive rate is reached. If it has x positives and y negatives and there is room for w = m + f
    of these, m whole and f a fraction, the line through the block has the area x w²/(2y), and a
    random order expects x (m + 1)(m/2 + f)/(y + 1). The difference is never negative: y times
    (y + 1) times it, doubled, is at least x w f (1 - f). So no guess expects more.
    """
    whole = np.floor(most)
    return float(rate.positives / (rate.negatives + 1) * (whole + 1) * (most - whole / 2))


def _partial_extremes(rate: BaseRate, max_fpr: float) -> Extremes:
    """Return what a random ranking expects, which is best, and the diagonal, the worst."""
    if max_fpr == 1:
        return Extremes(Optimum(0.5, ANY), Optimum(0.5, ANY))
    pairs = float(rate.positives) * rate.negatives
    area = mean_of_ranking(rate, max_fpr * rate.negatives) / pairs
    best = float(_standardised(area, max_fpr))
    return Extremes(Optimum(best, RANDOM), Optimum(0.5, EQUAL))


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
        null=lambda rate, levels: null_of_top(rate, levels, k, unit(rate)),
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

    def null(rate: BaseRate, levels: ScoreLevels) -> NullDistribution:
        discounts = mean_discounts(levels.sizes, most)
        return two_levels(rate.positives, levels.sizes, discounts, 1 / ideal(rate, most))

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
        null=null,
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


_MAKERS: dict[str, Callable[[int], ScoreMeasure]] = {
    "precision": precision_at,
    "recall": recall_at,
    "lift": lift_at,
    "ndcg": ndcg,
}
# A folded name: the word may be before k or, after "top", behind it.
_MEASURE_AT_K = re.compile(r"(?P<word>[a-z]+?)(?:at|score)*(?P<k>[1-9][0-9]{0,14})")
_TOP_K_MEASURE = re.compile(r"top(?P<k>[1-9][0-9]{0,14})(?P<word>[a-z]+)")


def measure_at_k(name: str) -> ScoreMeasure | None:
    """Return the measure of the k highest scores that has a name; None if there is none.

    Examples
    --------
    >>> measure_at_k("precision@10"), measure_at_k("NDCG at 5"), measure_at_k("AUC")
    (<Measure precision@10: Precision at 10>, \
<Measure NDCG@5: Normalised Discounted Cumulative Gain at 5>, None)
    """
    plain = folded(name)
    if not re.search("at|top", plain):  # R2 is no recall
        return None
    found = _MEASURE_AT_K.fullmatch(plain) or _TOP_K_MEASURE.fullmatch(plain)
    if found is None:
        return None
    made = [make(int(found["k"])) for make in _MAKERS.values()]
    names = {folded(each): one for one in made for each in (one.key, one.name, *one.aliases)}
    return names.get(plain)


def with_number(name: str) -> ScoreMeasure | None:
    """Return the measure that a name with a number means; None if it means none.

    Examples
    --------
    >>> with_number("P@5"), with_number("partial AUC 1")
    (<Measure precision@5: Precision at 5>, \
<Measure AUC@1: Partial AUC up to a false positive rate of 1>)
    """
    return measure_at_k(name) or named_partial_auc(name)


RANKING_MEASURES = (
    *AREAS,
    AP,
    partial_auc(0.1),
    precision_at(10),
    recall_at(10),
    lift_at(10),
    ndcg(None),
    ndcg(10),
)
