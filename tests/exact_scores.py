"""The definitions of measures of scores, enumerated in exact arithmetic.

Nothing here shares code with the library. Every function takes the truth and the scores row by
row, in any order: truths are 0 or 1, scores are whole numbers or fractions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import comb
from typing import TYPE_CHECKING

import mpmath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Score = Callable[[Sequence[int], Sequence[Fraction]], Fraction]


def compositions(total: int) -> Iterator[tuple[int, ...]]:
    """Yield the sizes of all blocks of equal scores, the highest block first."""
    if not total:
        yield ()
    for first in range(1, total + 1):
        for rest in compositions(total - first):
            yield (first, *rest)


def scores_of(sizes: Sequence[int]) -> list[int]:
    """Return a score per row for blocks of these sizes, descending."""
    return [len(sizes) - place for place, size in enumerate(sizes) for _ in range(size)]


def truths(total: int, positives: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to place the positives on the rows."""
    for places in combinations(range(total), positives):
        yield tuple(int(row in places) for row in range(total))


def null(score: Score, scores: Sequence[Fraction], positives: int) -> dict[Fraction, Fraction]:
    """Return the distribution of a score when the scores are dealt at random."""
    found: dict[Fraction, Fraction] = {}
    every = list(truths(len(scores), positives))
    for truth in every:
        value = score(truth, scores)
        found[value] = found.get(value, Fraction()) + Fraction(1, len(every))
    return found


def shuffled_law(
    score: Callable[[Sequence[int], Sequence[Sequence[Fraction]]], Fraction],
    truth: Sequence[int],
    rows: Sequence[Sequence[Fraction]],
) -> dict[Fraction, Fraction]:
    """Return the distribution of a score over all shuffles of the truth: for several classes."""
    found: dict[Fraction, Fraction] = {}
    every = list(permutations(truth))
    for shuffled in every:
        value = score(shuffled, rows)
        found[value] = found.get(value, Fraction()) + Fraction(1, len(every))
    return found


def mean(distribution: dict[Fraction, Fraction]) -> Fraction:
    """Return the expectation of a distribution."""
    return sum((value * chance for value, chance in distribution.items()), Fraction())


def variance(distribution: dict[Fraction, Fraction]) -> Fraction:
    """Return the variance of a distribution."""
    centre = mean(distribution)
    return sum(
        ((value - centre) ** 2 * chance for value, chance in distribution.items()), Fraction()
    )


def at_least(distribution: dict[Fraction, Fraction], score: Fraction) -> Fraction:
    """Return the probability of a score of at least so much."""
    return sum((chance for value, chance in distribution.items() if value >= score), Fraction())


def at_most(distribution: dict[Fraction, Fraction], score: Fraction) -> Fraction:
    """Return the probability of a score of at most so much."""
    return sum((chance for value, chance in distribution.items() if value <= score), Fraction())


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


def best_cut_off(
    truth: Sequence[int],
    scores: Sequence[Fraction],
    measure: Callable[[int, int, int, int], Fraction | None],
    better: Callable[..., Fraction] = max,
) -> Fraction:
    """Return the best value of a measure of labels over all cut-offs, also above every score.

    A measure of tp, fp, fn and tn is None where it has no score.
    """
    found = []
    for cut in [None, *set(scores)]:
        called = [cut is not None and score >= cut for score in scores]
        tp = sum(t and c for t, c in zip(truth, called, strict=True))
        fp = sum(called) - tp
        fn = sum(truth) - tp
        value = measure(tp, fp, fn, len(truth) - tp - fp - fn)
        if value is not None:
            found.append(value)
    return better(found)


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
    """Return the distribution of the best value over all cut-offs of scores dealt at random.

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
