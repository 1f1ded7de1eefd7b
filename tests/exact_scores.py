"""The definitions of measures of scores and of class scores, in exact arithmetic.

Nothing here shares code with the library. Every function takes the truth and the scores row by
row, in any order: truths are 0 or 1, or the places of classes; scores are whole numbers or
fractions, or a tuple of them for each class; weights have a mean of 1, and are 1 if left out.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Rows = Sequence[tuple[Fraction, ...]]
    Weights = Sequence[Fraction]


def _each(weights: Weights, truth: Sequence[int]) -> Weights:
    return weights or (Fraction(1),) * len(truth)


def mean(of_rows: Iterable[Any], weights: Weights = ()) -> Any:
    """Return the mean of what rows have."""
    rows = list(of_rows)
    heavy = _each(weights, rows)
    if isinstance(rows[0], mpmath.mpf):
        heavy = [_real(weight) for weight in heavy]
    return sum(weight * row for weight, row in zip(heavy, rows, strict=True)) / len(rows)


def auc(truth: Sequence[int], scores: Sequence[Fraction], weights: Weights = ()) -> Fraction:
    """Return the share of pairs of a positive and a negative in order, ties counting half."""
    heavy = _each(weights, truth)
    pairs = [
        (w * v, Fraction((one > other) - (one < other) + 1, 2))
        for is_one, one, w in zip(truth, scores, heavy, strict=True)
        for is_other, other, v in zip(truth, scores, heavy, strict=True)
        if is_one and not is_other
    ]
    in_order = sum((weight * share for weight, share in pairs), Fraction())
    return in_order / sum((weight for weight, _ in pairs), Fraction())


def average_precision(
    truth: Sequence[int], scores: Sequence[Fraction], weights: Weights = ()
) -> Fraction:
    """Return the precision at the score of each positive, averaged over the positives."""
    heavy = _each(weights, truth)
    total = Fraction()
    for is_positive, cut, weight in zip(truth, scores, heavy, strict=True):
        if is_positive:
            total += weight * precision_from(truth, scores, cut, heavy)
    return total / _positives(truth, heavy)


def _positives(truth: Sequence[int], weights: Weights) -> Fraction:
    return sum((t * w for t, w in zip(truth, _each(weights, truth), strict=True)), Fraction())


def precision_from(
    truth: Sequence[int], scores: Sequence[Fraction], cut: Fraction, weights: Weights
) -> Fraction:
    """Return the share of positives among the rows with at least a score."""
    chosen = [place for place, score in enumerate(scores) if score >= cut]
    every = sum((weights[place] for place in chosen), Fraction())
    return sum((truth[place] * weights[place] for place in chosen), Fraction()) / every


def positives_in_top(
    truth: Sequence[int], scores: Sequence[Fraction], k: int, weights: Weights = ()
) -> Fraction:
    """Return the expected number of positives among the k highest scores, ties broken at random."""
    total, left, heavy = Fraction(), Fraction(k), _each(weights, truth)
    for cut in sorted(set(scores), reverse=True):
        tied = [place for place, score in enumerate(scores) if score == cut]
        size = sum((heavy[place] for place in tied), Fraction())
        share = min(size, left) / size
        total += share * sum((truth[place] * heavy[place] for place in tied), Fraction())
        left -= share * size
    return total


def brier(truth: Sequence[int], scores: Sequence[Fraction], weights: Weights = ()) -> Fraction:
    """Return the mean squared difference of truth and probability."""
    found: Fraction = mean(((t - p) ** 2 for t, p in zip(truth, scores, strict=True)), weights)
    return found


def class_brier(truth: Sequence[int], rows: Rows, weights: Weights = ()) -> Fraction:
    """Return the mean over rows of the squared distance between truth and probabilities."""
    found: Fraction = mean(
        (
            sum(((place == t) - p) ** 2 for place, p in enumerate(row))
            for t, row in zip(truth, rows, strict=True)
        ),
        weights,
    )
    return found


def block_means(
    scores: Sequence[Fraction], of_position: Sequence[Fraction], weights: Weights = ()
) -> list[Fraction]:
    """Return, for each row, the average over the positions that its block of equal scores has.

    Positions are numbered from the highest score down; a weight has as many, and parts of some.
    """

    def upto(end: Fraction) -> Fraction:
        whole = int(end)
        part = (end - whole) * of_position[whole] if end > whole else Fraction()
        return sum(of_position[:whole], Fraction()) + part

    heavy, means, first = _each(weights, scores), {}, Fraction()
    for cut in sorted(set(scores), reverse=True):
        pairs = zip(scores, heavy, strict=True)
        last = first + sum((weight for score, weight in pairs if score == cut), Fraction())
        means[cut] = (upto(last) - upto(first)) / (last - first)
        first = last
    return [means[score] for score in scores]


@lru_cache
def discounts(total: int, k: int) -> list[Fraction]:
    """Return 1 / log2(position + 1) for each position, to 40 digits; 0 beyond the first k."""
    found = []
    for position in range(1, total + 1):
        exact = 1 / mpmath.log(position + 1, 2) if position <= k else mpmath.mpf(0)
        found.append(Fraction(int(mpmath.nint(exact * 10**40)), 10**40))
    return found


def ndcg(
    truth: Sequence[int], scores: Sequence[Fraction], weights: Weights = (), k: int = 0
) -> Fraction:
    """Return the discounted gain of a ranking over the best one, ties sharing their positions."""
    each, heavy = discounts(len(truth), k or len(truth)), _each(weights, truth)

    def gained(scores: Sequence[Fraction]) -> Fraction:
        rows = zip(truth, heavy, block_means(scores, each, heavy), strict=True)
        return sum((t * w * d for t, w, d in rows), Fraction())

    return gained(scores) / gained([Fraction(t) for t in truth])


def class_log_loss(truth: Sequence[int], rows: Rows, weights: Weights = ()) -> mpmath.mpf:
    """Return the mean of minus the logarithm of the true class's probability, none of them 0."""
    return mean((-mpmath.log(_real(row[t])) for t, row in _paired(truth, rows)), weights)


def class_spherical(truth: Sequence[int], rows: Rows, weights: Weights = ()) -> mpmath.mpf:
    """Return the mean of the true class's probability, divided by the length of its row."""
    lengths = [mpmath.sqrt(_real(sum(p * p for p in row))) for row in rows]
    shares = (_real(row[t]) / length for t, row, length in zip(truth, rows, lengths, strict=True))
    return mean(shares, weights)


def of_positive(scores: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Return rows of two classes from the probabilities of the positive one."""
    return [(1 - score, score) for score in scores]


def calibration_error(
    truth: Sequence[int], scores: Sequence[Fraction], weights: Weights = (), bins: int = 15
) -> Fraction:
    """Return the expected calibration error, a bin holding its upper end."""
    total = Fraction()
    for place in range(bins):
        inside = [
            w * (t - score)
            for t, score, w in zip(truth, scores, _each(weights, truth), strict=True)
            if Fraction(place, bins) < score <= Fraction(place + 1, bins)
            or (not place and not score)
        ]
        total += abs(sum(inside, Fraction()))
    return total / len(truth)


def top_calibration_error(truth: Sequence[int], rows: Rows, weights: Weights = ()) -> Fraction:
    """Return the calibration error of the most likely class, the first of several."""
    tops = [list(row).index(max(row)) for row in rows]
    is_right = [int(top == t) for top, t in zip(tops, truth, strict=True)]
    return calibration_error(is_right, [max(row) for row in rows], weights)


def _paired(
    truth: Sequence[int], rows: Sequence[Sequence[Fraction]]
) -> Iterator[tuple[int, Sequence[Fraction]]]:
    return zip(truth, rows, strict=True)


def _real(number: Fraction) -> mpmath.mpf:
    number = Fraction(number)
    return mpmath.mpf(number.numerator) / number.denominator


def partial_auc(
    truth: Sequence[int],
    scores: Sequence[Fraction],
    weights: Weights = (),
    max_fpr: Fraction = Fraction(1),
) -> Fraction:
    """Return the area under the ROC curve up to a false positive rate, standardised (McClish)."""
    positives = _positives(truth, weights)
    negatives = _positives([1 - t for t in truth], weights)
    area, fpr, tpr = Fraction(), Fraction(), Fraction()
    for cut in sorted(set(scores), reverse=True):
        rows = zip(truth, scores, _each(weights, truth), strict=True)
        tied = [(t, w) for t, score, w in rows if score == cut]
        width = sum(((1 - t) * w for t, w in tied), Fraction()) / negatives
        height = sum((t * w for t, w in tied), Fraction()) / positives
        used = max(min(width, max_fpr - fpr), Fraction())
        if width:
            area += used * (tpr + height * used / width / 2)
        fpr, tpr = fpr + width, tpr + height
    least = max_fpr**2 / 2
    return (1 + (area - least) / (max_fpr - least)) / 2


def best_cut_law(
    sizes: Sequence[int],
    positives: int,
    measure: Callable[[int, int, int, int], Fraction | None],
) -> dict[Fraction | None, Fraction]:
    """Return the distribution of the best value over all cut-offs of shuffled scores.

    Every way to place the positives in the blocks is enumerated, with how many subsets it stands
    for. It is None where no cut-off has a value.
    """
    total = sum(sizes)
    ends = [sum(sizes[:place]) for place in range(len(sizes) + 1)]
    found: dict[Fraction | None, Fraction] = {}

    def place(block: int, hits: int, ways: int, best: Fraction | None) -> None:
        end = ends[block]
        value = measure(hits, end - hits, positives - hits, total - end - positives + hits)
        if value is not None and (best is None or value > best):
            best = value
        if block == len(sizes):
            chance = Fraction(ways, comb(total, positives))
            found[best] = found.get(best, Fraction()) + chance
            return
        left = total - ends[block + 1]
        for more in range(min(sizes[block], positives - hits) + 1):
            if positives - hits - more <= left:
                place(block + 1, hits + more, ways * comb(sizes[block], more), best)

    place(0, 0, 1, None)
    return found


def _skill(loss: Callable[..., Any], base: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loss as a share of that of the class shares for every row, less 1."""

    def score(truth: Sequence[int], rows: Any, weights: Weights = ()) -> Any:
        free = loss(truth, [base(truth, rows, weights)] * len(truth), weights)
        return 1 - loss(truth, rows, weights) / free

    return score


def _base_rate(truth: Sequence[int], _: Any, weights: Weights) -> Fraction:
    return _positives(truth, weights) / len(truth)


def _shares(truth: Sequence[int], rows: Rows, weights: Weights) -> tuple[Fraction, ...]:
    classes = range(len(rows[0]))
    return tuple(_positives([t == k for t in truth], weights) / len(truth) for k in classes)


def _of_two(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule of several classes for probabilities of the positive one."""
    return lambda truth, scores, weights=(): rule(truth, of_positive(scores), weights)


def _halved_brier(truth: Sequence[int], rows: Rows, weights: Weights = ()) -> Fraction:
    score = class_brier(truth, rows, weights)
    return score / 2 if len(rows[0]) == 2 else score


def _area(
    rows: Rows, column: int, first: list[int], second: list[int], weights: Weights
) -> Fraction:
    """Return the share of pairs that a column puts in order, the first class above the second."""
    pairs = list(product(first, second))
    each = [(rows[i][column], rows[j][column], weights[i] * weights[j]) for i, j in pairs]
    found = sum((w * (Fraction(a > b) + Fraction(a == b, 2)) for a, b, w in each), Fraction(0))
    return found / sum((w for _, _, w in each), Fraction(0))


def _class_auc(*, one_vs_one: bool, weighted: bool) -> Callable[..., Fraction]:
    """Return an average of areas as scikit-learn defines it."""

    def score(truth: Sequence[int], rows: Rows, weights: Weights = ()) -> Fraction:
        of = [[i for i, t in enumerate(truth) if t == k] for k in range(len(rows[0]))]
        heavy = _each(weights, truth)
        size = [sum((heavy[i] for i in each), Fraction()) for each in of]
        if one_vs_one:
            pairs = list(combinations(range(len(of)), 2))
            areas = [
                (_area(rows, a, of[a], of[b], heavy) + _area(rows, b, of[b], of[a], heavy)) / 2
                for a, b in pairs
            ]
            parts = [size[a] + size[b] if weighted else Fraction(1) for a, b in pairs]
        else:
            rest = [[i for i in range(len(truth)) if i not in each] for each in of]
            areas = [_area(rows, k, of[k], rest[k], heavy) for k in range(len(of))]
            parts = size if weighted else [Fraction(1)] * len(of)
        total = sum((w * a for w, a in zip(parts, areas, strict=True)), Fraction(0))
        return total / sum(parts)

    return score


def _top(k: int) -> Callable[..., Fraction]:
    """Return top-k accuracy: of equal scores the later class is higher."""

    def score(truth: Sequence[int], rows: Rows, weights: Weights = ()) -> Fraction:
        order = [sorted(range(len(row)), key=lambda c, row=row: (row[c], c)) for row in rows]
        found: Fraction = mean((Fraction(t in o[-k:]) for t, o in _paired(truth, order)), weights)
        return found

    return score


RANKINGS: dict[str, Callable[..., Any]] = {
    "AUC": auc,
    "Gini": lambda truth, scores, weights=(): 2 * auc(truth, scores, weights) - 1,
    "AP": average_precision,
    "NDCG": ndcg,
    "NDCG@3": partial(ndcg, k=3),
    "precision@2": lambda truth, scores, weights=(): (
        positives_in_top(truth, scores, 2, weights) / 2
    ),
    "recall@2": lambda truth, scores, weights=(): (
        positives_in_top(truth, scores, 2, weights) / _positives(truth, weights)
    ),
    "lift@2": lambda truth, scores, weights=(): (
        positives_in_top(truth, scores, 2, weights) * len(truth) / (2 * _positives(truth, weights))
    ),
    "AUC@0.1": partial(partial_auc, max_fpr=Fraction(1, 10)),
    "AUC@0.5": partial(partial_auc, max_fpr=Fraction(1, 2)),
}
PROBABILITIES: dict[str, Callable[..., Any]] = {
    "Brier": brier,
    "log loss": _of_two(class_log_loss),
    "spherical": _of_two(class_spherical),
    "D2 Brier": _skill(brier, _base_rate),
    "D2 log loss": _skill(_of_two(class_log_loss), _base_rate),
    "ECE": calibration_error,
}
CLASS_RANKINGS: dict[str, Callable[..., Any]] = {
    "AUC ovr": _class_auc(one_vs_one=False, weighted=False),
    "AUC ovr weighted": _class_auc(one_vs_one=False, weighted=True),
    "AUC ovo": _class_auc(one_vs_one=True, weighted=False),
    "AUC ovo weighted": _class_auc(one_vs_one=True, weighted=True),
}
CLASS_PROBABILITIES: dict[str, Callable[..., Any]] = {
    "Brier": _halved_brier,
    "log loss": class_log_loss,
    "spherical": class_spherical,
    "D2 Brier": _skill(_halved_brier, _shares),
    "D2 log loss": _skill(class_log_loss, _shares),
    "ECE": top_calibration_error,
    "top-1 accuracy": _top(1),
    "top-2 accuracy": _top(2),
}
