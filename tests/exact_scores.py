"""The definitions of measures of scores and of class scores, in exact arithmetic.

Nothing here shares code with the library. Every function takes the truth and the scores row by
row, in any order: truths are 0 or 1, or the places of classes; scores are whole numbers or
fractions, or a tuple of them for each class.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Rows = Sequence[tuple[Fraction, ...]]


def auc(truth: Sequence[int], scores: Sequence[Fraction]) -> Fraction:
    """Return the share of pairs of a positive and a negative in order, ties counting half."""
    pairs = [
        Fraction((one > other) - (one < other) + 1, 2)
        for is_one, one in zip(truth, scores, strict=True)
        for is_other, other in zip(truth, scores, strict=True)
        if is_one and not is_other
    ]
    return sum(pairs, Fraction()) / len(pairs)


def average_precision(truth: Sequence[int], scores: Sequence[Fraction]) -> Fraction:
    """Return the precision at the score of each positive, averaged over the positives."""
    total = Fraction()
    for is_positive, cut in zip(truth, scores, strict=True):
        if is_positive:
            total += precision_from(truth, scores, cut)
    return total / sum(truth)


def precision_from(truth: Sequence[int], scores: Sequence[Fraction], cut: Fraction) -> Fraction:
    """Return the share of positives among the rows with at least a score."""
    chosen = [is_positive for is_positive, score in zip(truth, scores, strict=True) if score >= cut]
    return Fraction(sum(chosen), len(chosen))


def positives_in_top(truth: Sequence[int], scores: Sequence[Fraction], k: int) -> Fraction:
    """Return the expected number of positives among the k highest scores, ties broken at random."""
    ranked = sorted(scores, reverse=True)
    cut = ranked[k - 1]
    above = [t for t, score in zip(truth, scores, strict=True) if score > cut]
    tied = [t for t, score in zip(truth, scores, strict=True) if score == cut]
    return sum(above) + Fraction((k - len(above)) * sum(tied), len(tied))


def brier(truth: Sequence[int], scores: Sequence[Fraction]) -> Fraction:
    """Return the mean squared difference of truth and probability."""
    return sum(((t - p) ** 2 for t, p in zip(truth, scores, strict=True)), Fraction()) / len(truth)


def class_brier(truth: Sequence[int], rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return the mean over rows of the squared distance between truth and probabilities."""
    return sum(
        (
            ((place == t) - p) ** 2
            for t, row in zip(truth, rows, strict=True)
            for place, p in enumerate(row)
        ),
        Fraction(),
    ) / len(truth)


def block_means(scores: Sequence[Fraction], of_position: Sequence[Fraction]) -> list[Fraction]:
    """Return, for each row, the average over the positions that its block of equal scores has.

    Positions are numbered from the highest score down.
    """
    ranked = sorted(scores, reverse=True)
    means = {}
    for score in set(scores):
        first, count = ranked.index(score), ranked.count(score)
        means[score] = sum(of_position[first : first + count], Fraction()) / count
    return [means[score] for score in scores]


@lru_cache
def discounts(total: int, k: int) -> list[Fraction]:
    """Return 1 / log2(position + 1) for each position, to 40 digits; 0 beyond the first k."""
    found = []
    for position in range(1, total + 1):
        exact = 1 / mpmath.log(position + 1, 2) if position <= k else mpmath.mpf(0)
        found.append(Fraction(int(mpmath.nint(exact * 10**40)), 10**40))
    return found


def ndcg(truth: Sequence[int], scores: Sequence[Fraction], k: int) -> Fraction:
    """Return the discounted gain of a ranking over the best one, ties sharing their positions."""
    each = discounts(len(truth), k)
    gained = sum((t * d for t, d in zip(truth, block_means(scores, each), strict=True)), Fraction())
    return gained / sum(each[: sum(truth)], Fraction())


def class_log_loss(truth: Sequence[int], rows: Sequence[Sequence[Fraction]]) -> mpmath.mpf:
    """Return the mean of minus the logarithm of the true class's probability, none of them 0."""
    return -mpmath.fsum(mpmath.log(_real(row[t])) for t, row in _paired(truth, rows)) / len(truth)


def class_spherical(truth: Sequence[int], rows: Sequence[Sequence[Fraction]]) -> mpmath.mpf:
    """Return the mean of the true class's probability, divided by the length of its row."""
    lengths = [mpmath.sqrt(_real(sum(p * p for p in row))) for row in rows]
    shares = (_real(row[t]) / length for t, row, length in zip(truth, rows, lengths, strict=True))
    return mpmath.fsum(shares) / len(truth)


def of_positive(scores: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Return rows of two classes from the probabilities of the positive one."""
    return [(1 - score, score) for score in scores]


def calibration_error(truth: Sequence[int], scores: Sequence[Fraction], bins: int = 15) -> Fraction:
    """Return the expected calibration error, a bin holding its upper end."""
    total = Fraction()
    for place in range(bins):
        inside = [
            t - score
            for t, score in zip(truth, scores, strict=True)
            if Fraction(place, bins) < score <= Fraction(place + 1, bins)
            or (not place and not score)
        ]
        total += abs(sum(inside, Fraction()))
    return total / len(truth)


def top_calibration_error(truth: Sequence[int], rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return the calibration error of the most likely class, the first of several."""
    tops = [list(row).index(max(row)) for row in rows]
    is_right = [int(top == t) for top, t in zip(tops, truth, strict=True)]
    return calibration_error(is_right, [max(row) for row in rows])


def _paired(
    truth: Sequence[int], rows: Sequence[Sequence[Fraction]]
) -> Iterator[tuple[int, Sequence[Fraction]]]:
    return zip(truth, rows, strict=True)


def _real(number: Fraction) -> mpmath.mpf:
    number = Fraction(number)
    return mpmath.mpf(number.numerator) / number.denominator


def partial_auc(
    truth: Sequence[int], scores: Sequence[Fraction], max_fpr: Fraction = Fraction(1)
) -> Fraction:
    """Return the area under the ROC curve up to a false positive rate, standardised (McClish)."""
    positives, negatives = sum(truth), len(truth) - sum(truth)
    area, fpr, tpr = Fraction(), Fraction(), Fraction()
    for cut in sorted(set(scores), reverse=True):
        tied = [t for t, score in zip(truth, scores, strict=True) if score == cut]
        width, height = Fraction(tied.count(0), negatives), Fraction(sum(tied), positives)
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
    return lambda truth, rows: 1 - loss(truth, rows) / loss(truth, [base(truth, rows)] * len(truth))


def _base_rate(truth: Sequence[int], _: Any) -> Fraction:
    return Fraction(sum(truth), len(truth))


def _shares(truth: Sequence[int], rows: Rows) -> tuple[Fraction, ...]:
    return tuple(Fraction(list(truth).count(k), len(truth)) for k in range(len(rows[0])))


def _of_two(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule of several classes for probabilities of the positive one."""
    return lambda truth, scores: rule(truth, of_positive(scores))


def _halved_brier(truth: Sequence[int], rows: Rows) -> Fraction:
    score = class_brier(truth, rows)
    return score / 2 if len(rows[0]) == 2 else score


def _area(rows: Rows, column: int, first: list[int], second: list[int]) -> Fraction:
    """Return the share of pairs that a column puts in order, the first class above the second."""
    pairs = [(rows[i][column], rows[j][column]) for i, j in product(first, second)]
    return sum((Fraction(a > b) + Fraction(a == b, 2) for a, b in pairs), Fraction(0)) / len(pairs)


def _class_auc(*, one_vs_one: bool, weighted: bool) -> Callable[..., Fraction]:
    """Return an average of areas as scikit-learn defines it."""

    def score(truth: Sequence[int], rows: Rows) -> Fraction:
        of = [[i for i, t in enumerate(truth) if t == k] for k in range(len(rows[0]))]
        if one_vs_one:
            pairs = list(combinations(range(len(of)), 2))
            areas = [
                (_area(rows, a, of[a], of[b]) + _area(rows, b, of[b], of[a])) / 2 for a, b in pairs
            ]
            weights = [len(of[a]) + len(of[b]) if weighted else 1 for a, b in pairs]
        else:
            rest = [[i for i in range(len(truth)) if i not in each] for each in of]
            areas = [_area(rows, k, of[k], rest[k]) for k in range(len(of))]
            weights = [len(each) if weighted else 1 for each in of]
        total = sum((w * a for w, a in zip(weights, areas, strict=True)), Fraction(0))
        return total / sum(weights)

    return score


def _top(k: int) -> Callable[..., Fraction]:
    """Return top-k accuracy: of equal scores the later class is higher."""

    def score(truth: Sequence[int], rows: Rows) -> Fraction:
        order = [sorted(range(len(row)), key=lambda c, row=row: (row[c], c)) for row in rows]
        return Fraction(sum(t in o[-k:] for t, o in zip(truth, order, strict=True)), len(rows))

    return score


RANKINGS: dict[str, Callable[..., Any]] = {
    "AUC": auc,
    "Gini": lambda truth, scores: 2 * auc(truth, scores) - 1,
    "AP": average_precision,
    "NDCG": lambda truth, scores: ndcg(truth, scores, len(truth)),
    "NDCG@3": partial(ndcg, k=3),
    "precision@2": lambda truth, scores: positives_in_top(truth, scores, 2) / 2,
    "recall@2": lambda truth, scores: positives_in_top(truth, scores, 2) / sum(truth),
    "lift@2": lambda truth, scores: (
        positives_in_top(truth, scores, 2) * Fraction(len(truth), 2 * sum(truth))
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
