"""Guesses of several classes, and what they are expected to score."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, islice, pairwise
from math import comb, log10
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.formatting import shown
from baserate.measures.classes_record import OfDiagonal, OfProduct, OfTable, OfTrace, Place
from baserate.null.tables import MOST_CELLS, all_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from baserate.measures.classes_record import ClassMeasure, OfDistance
    from baserate.observed.classes import ClassCounts

    Floats = NDArray[np.float64]


# The most classes that are named.
_MOST_NAMED = 4


def mixes_in_words(mixes: MixSet, test_set: ClassCounts) -> str:
    """Return some mixes on a test set in words.

    Examples
    --------
    >>> from baserate.observed.classes import ClassCounts
    >>> counts = ClassCounts({"a": 40, "b": 40, "c": 20})
    >>> print(mixes_in_words(MixSet.over(counts.counts, [0, 1]), counts))
    always 'a' or 'b'
    >>> print(mixes_in_words(MixSet.of([(90, 10, 0)]), counts))
    90 'a', 10 'b' at random
    """
    n, every = test_set.counts, MixSet.over(test_set.counts)
    if mixes.size == every.size > 1:
        return "any guess"
    classes = mixes.classes
    if _has_constants(mixes, n, classes):
        return f"always {_or([shown(test_set.labels[k]) for k in classes])}"
    if mixes.size == 1 and n in mixes:
        return "each class as often as it occurs"
    at_least_once = MixSet.over(n, least=1)
    if mixes.size == at_least_once.size and at_least_once.first in mixes:
        return "each class at least once"
    such_as = "" if mixes.size == 1 else "for example "
    return f"{such_as}{_counts(mixes.first, test_set)} at random"


def _has_constants(mixes: MixSet, n: Mix, classes: tuple[int, ...]) -> bool:
    """Return whether each class of some mixes may as well be predicted alone."""
    total = sum(n)
    return all(tuple(total if j == k else 0 for j in range(len(n))) in mixes for k in classes)


def _or(names: list[str]) -> str:
    named = names if len(names) <= _MOST_NAMED else names[:_MOST_NAMED]
    if len(names) > _MOST_NAMED:
        return f"{', '.join(named)} or {len(names) - _MOST_NAMED:,} more"
    return " or ".join(named)


def _counts(mix: Mix, test_set: ClassCounts) -> str:
    """Return how often each class is predicted; those that never are do not count."""
    named = [
        f"{count:,} {shown(label)}"
        for label, count in zip(test_set.labels, mix, strict=True)
        if count
    ]
    more = f" … and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
    return ", ".join(named[:_MOST_NAMED]) + more


Mix: TypeAlias = tuple[int, ...]
"""How often each class is predicted, in the order of the labels of the test set."""

# A set of more mixes prints its first one and their number, and a longer mix its first counts.
_MOST_SHOWN, _MOST_CLASSES, _MOST_WRITTEN = 4, 12, 10**15


@dataclass(frozen=True)
class Box:
    """All mixes of a size with limits for each class."""

    low: Mix
    high: Mix
    total: int

    @cached_property
    def size(self) -> int:
        """The number of mixes.

        Classes without a limit share what is left like stars and bars. Those with one are added
        one by one to the ways of filling them, which takes as many steps as their limits allow.
        """
        left = self.total - sum(self.low)
        room = [high - low for low, high in zip(self.low, self.high, strict=True)]
        limits = [each for each in room if 0 < each < left]
        free = sum(each >= left for each in room) if left else 1
        ways = [1]
        for limit in limits:
            ways = _with_one_more(ways, limit, left)
        if not free:
            return ways[left] if left < len(ways) else 0
        return sum(way * comb(left - used + free - 1, free - 1) for used, way in enumerate(ways))

    def __contains__(self, mix: Mix) -> bool:
        inside = all(
            low <= count <= high for low, count, high in zip(self.low, mix, self.high, strict=True)
        )
        return inside and sum(mix) == self.total

    def __iter__(self) -> Iterator[Mix]:
        mix = list(self.low)
        _fill(mix, self.high, 0, self.total - sum(mix))
        while True:
            yield tuple(mix)
            last = self._last_that_gives(mix)
            if last < 0:
                return
            given = 1 + sum(mix[last + 1 :]) - sum(self.low[last + 1 :])
            mix[last:] = [mix[last] - 1, *self.low[last + 1 :]]
            _fill(mix, self.high, last + 1, given)

    def _last_that_gives(self, mix: list[int]) -> int:
        """Return the last class that can have fewer predictions while a later one has more."""
        has_room = False
        for k in range(len(mix) - 1, -1, -1):
            if has_room and mix[k] > self.low[k]:
                return k
            has_room |= mix[k] < self.high[k]
        return -1


def _with_one_more(ways: list[int], limit: int, most: int) -> list[int]:
    """Return the ways to spend 0, 1, 2, … predictions with one more class of some limit."""
    total, found = 0, []
    for used in range(min(len(ways) - 1 + limit, most) + 1):
        total += ways[used] if used < len(ways) else 0
        total -= ways[used - limit - 1] if used > limit else 0
        found.append(total)
    return found


def _fill(mix: list[int], high: Mix, first: int, left: int) -> None:
    """Give what is left to the earliest classes."""
    for k in range(first, len(mix)):
        more = min(left, high[k] - mix[k])
        mix[k] += more
        left -= more


@dataclass(frozen=True)
class MixSet(Collection[Mix]):
    """An exact set of mixes, lazy because there may be too many to list.

    A mix says how often each class is predicted, in the order of the labels of the test set.

    Parameters
    ----------
    boxes
        The mixes, as disjoint sets with limits for each class.

    Examples
    --------
    >>> every = MixSet.over((70, 20, 10))
    >>> every, (0, 60, 40) in every, every.size
    (MixSet({(100, 0, 0), …: 5,151 mixes}), True, 5151)
    >>> MixSet.of([(70, 20, 10)])
    MixSet({(70, 20, 10)})
    """

    boxes: tuple[Box, ...]

    @classmethod
    def of(cls, mixes: Iterable[Mix]) -> MixSet:
        """Return a set of some mixes, each given once."""
        return cls(tuple(Box(mix, mix, sum(mix)) for mix in mixes))

    @classmethod
    def over(cls, counts: Mix, classes: Iterable[int] | None = None, least: int = 0) -> MixSet:
        """Return all mixes over some classes.

        Parameters
        ----------
        counts
            How often each class occurs.
        classes
            The positions of the classes that are predicted, each at least this often; all of them
            if left out.
        least
            How often each of them is predicted at least.
        """
        total = sum(counts)
        chosen = set(range(len(counts)) if classes is None else classes)
        low = tuple(least if k in chosen else 0 for k in range(len(counts)))
        high = tuple(total if k in chosen else 0 for k in range(len(counts)))
        return cls((Box(low, high, total),))

    @classmethod
    def leaving_one_out(cls, counts: Mix) -> MixSet:
        """Return all mixes in which at least one class is never predicted; none for one class."""
        total, classes = sum(counts), len(counts)
        return cls(
            tuple(
                # The first class that is left out is k: the boxes are disjoint.
                Box(
                    low=(1,) * k + (0,) * (classes - k),
                    high=(total,) * k + (0,) + (total,) * (classes - k - 1),
                    total=total,
                )
                for k in range(classes)
                if k <= total and classes > 1
            )
        )

    @classmethod
    def with_ties(cls, base: Mix, more: Mix, total: int) -> MixSet:
        """Return a mix that is too small, filled up in all ways.

        Parameters
        ----------
        base
            The predictions that every mix has.
        more
            How many more of each class there may be.
        total
            The number of predictions.
        """
        return cls((Box(base, tuple(a + b for a, b in zip(base, more, strict=True)), total),))

    @property
    def size(self) -> int:
        """The number of mixes; `len` has it too, up to 2⁶³ - 1."""
        return sum(box.size for box in self.boxes)

    @property
    def first(self) -> Mix:
        """One of the mixes."""
        return next(iter(self))

    @property
    def classes(self) -> tuple[int, ...]:
        """The positions of the classes that some of the mixes predict."""
        highest = [max(column) for column in zip(*(box.high for box in self.boxes), strict=True)]
        return tuple(k for k, high in enumerate(highest) if high)

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        return bool(self.boxes)

    def __iter__(self) -> Iterator[Mix]:
        return chain.from_iterable(self.boxes)

    def __contains__(self, value: object) -> bool:
        if not self.boxes or not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        mix = tuple(value)
        return len(mix) == len(self.boxes[0].low) and any(mix in box for box in self.boxes)

    def __str__(self) -> str:
        few = list(map(_shown, islice(self, 1 if self.size > _MOST_SHOWN else None)))
        if self.size > _MOST_SHOWN:
            few.append(f"…: {_number(self.size)} mixes")
        return f"{{{', '.join(few)}}}"

    def __repr__(self) -> str:
        return f"MixSet({self})"


def _number(size: int) -> str:
    # Python writes no number of more than 4,300 digits, and nobody reads one of twenty.
    return f"{size:,}" if size < _MOST_WRITTEN else f"about 10^{log10(size):.0f}"


def _shown(mix: Mix) -> str:
    if len(mix) <= _MOST_CLASSES:
        return str(mix)
    return f"({', '.join(map(str, mix[:_MOST_CLASSES]))}, …: {len(mix):,} classes)"


# The scores that are averaged have a pole as far beyond the largest value as that is from zero, or
# farther. Then the error falls as (3 + √8)^(-2L): with 14 nodes it is below 10⁻²¹.
NODES = 14


def gauss_rule(marked: NDArray[Any], drawn: NDArray[Any], total: int) -> tuple[Floats, Floats]:
    """Return nodes and weights, of shape (…, nodes), of how many marked ones are drawn."""
    a, b = (np.asarray(each, dtype=float)[..., np.newaxis] for each in (marked, drawn))
    lowest = np.maximum(a + b - total, 0)
    values = np.minimum(a, b) - lowest + 1
    up, down = _recurrence(a, b, float(total), values)
    matrix = np.zeros((*up.shape, NODES))
    here = np.arange(NODES)
    # Beyond the number of values the matrix falls apart: those nodes have no weight.
    matrix[..., here, here] = np.where(here < values, up + down, lowest)
    beside = np.sqrt(np.where(here[1:] < values, up[..., :-1] * down[..., 1:], 0))
    matrix[..., here[1:], here[:-1]] = beside
    nodes, vectors = np.linalg.eigh(matrix)
    return np.clip(nodes, lowest, lowest + values - 1), vectors[..., 0, :] ** 2


def _recurrence(a: Floats, b: Floats, total: float, values: Floats) -> tuple[Floats, Floats]:
    """Return A_i and C_i of Hahn's polynomials (Koekoek and Swarttouw, 1.5.3).

    Their α is -a - 1, their β is -(total - a) - 1, and their N is b.
    """
    i = np.arange(NODES, dtype=float)
    # Where the denominators are not positive, there are no more values.
    width, one_more, two_more = (np.maximum(total - 2 * i + extra, 1) for extra in (0, 1, 2))
    up = (total + 1 - i) * (a - i) * (b - i) / (one_more * width)
    down = i * (total + 1 - a - i) * (total + 1 - b - i) / (two_more * one_more)
    return np.where(i < values, up, 0), np.where(i < values, down, 0)


# With more right answers than this on average, none at all is so unlikely that a root is smooth.
_MANY = 200.0
# How often a mix is improved, and by which fraction its counts are changed to find out how.
_STEPS, _MORE = 8, 0.05


def mean_of_product(form: OfProduct, n: Sequence[int], m: Sequence[int]) -> float:
    """Return the expectation of a product of functions of the right answers of each class.

    It is that of independent classes, with their covariances to first order. See decision 4 for
    the error.
    """
    truth, mix, total = np.array(n, dtype=float), np.array(m, dtype=float), sum(n)
    right, weights, factors = _factors(form, truth, mix, total)
    means = (weights * factors).sum(axis=0)
    if not means.all():
        return 0.0
    expected = truth * (mix / total)
    aside = right - expected
    variances = (weights * aside * aside).sum(axis=0)
    slopes = (weights * aside * factors).sum(axis=0) / np.where(variances == 0, 1, variances)
    # Cov(C_aa, C_bb) = n_a n_b m_a m_b / (M²(M - 1)), summed over the pairs.
    relative = expected * slopes / means
    pairs = float(relative.sum() ** 2 - (relative**2).sum()) / 2
    return math.exp(math.fsum(np.log(means))) * (1 + pairs / (total - 1))


def mix_of_product(form: OfProduct, n: Sequence[int]) -> tuple[int, ...]:
    """Return a mix under which a product expects about the most.

    There, one percent more predictions add the same percentage to the product for each
    prediction, whichever class they are of: each class is predicted in proportion to what a
    percent more would add.
    """
    truth, total = np.array(n, dtype=float), sum(n)

    def log_means(mix: Floats) -> Floats:
        _, weights, factors = _factors(form, truth, mix, total)
        return np.asarray(np.log((weights * factors).sum(axis=0)))

    mix = np.full_like(truth, max(1, total // len(n)))
    for _ in range(_STEPS):
        more = np.minimum(mix + np.maximum(1, np.rint(_MORE * mix)), total)
        less = np.maximum(mix - np.maximum(1, np.rint(_MORE * mix)), 1)
        gains = (log_means(more) - log_means(less)) / (np.log(more) - np.log(less))
        aim = total * gains / gains.sum()
        mix = np.clip(np.rint(np.sqrt(mix * aim)), 1, total)
    return _of_total(mix * (total / mix.sum()), total)


def _of_total(mix: Floats, total: int) -> tuple[int, ...]:
    """Return whole numbers with a total, each at least 1, that are near some numbers."""
    whole = [max(1, int(count)) for count in mix.tolist()]
    by_rest = sorted(range(len(whole)), key=lambda k: whole[k] - mix[k])
    for k in by_rest[: max(0, total - sum(whole))]:
        whole[k] += 1
    # Classes that were raised to 1, and rounding, are paid for by the largest, again and again.
    left = total - sum(whole)
    for _ in range(abs(left)):
        whole[whole.index(max(whole))] += 1 if left > 0 else -1
    return tuple(whole)


def _factors(
    form: OfProduct, truth: Floats, mix: Floats, total: int
) -> tuple[Floats, Floats, Floats]:
    """Return the right answers of each class, their weights, and the factors."""
    right, weights = _laws(truth, mix, total)
    return right, weights, np.asarray(form.factor(right, truth, mix))


def _laws(truth: Floats, mix: Floats, total: int) -> tuple[Floats, Floats]:
    """Return values and weights, of shape (values, K), of the right answers of each class."""
    many = truth * (mix / total) > _MANY
    parts = [
        (~many, *_summed(truth[~many], mix[~many], total)),
        (many, *(each.T for each in gauss_rule(truth[many], mix[many], total))),
    ]
    size = max(len(values) for _, values, _ in parts)
    values, weights = np.zeros((2, size, truth.size))
    for where, found, chances in parts:
        values[: len(found), where], weights[: len(found), where] = found, chances
    return values, weights / weights.sum(axis=0)


def _summed(truth: Floats, mix: Floats, total: int) -> tuple[Floats, Floats]:
    """Return all likely values with weights, each from its neighbour's."""
    expected = truth * (mix / total)
    lowest = np.maximum(truth + mix - total, 0)
    highest = np.minimum(truth, mix)
    ends = np.minimum(highest, np.ceil(expected + 10 * np.sqrt(expected) + 40)) - lowest
    x = np.minimum(lowest + np.arange(1 + int(ends.max(initial=0)))[:, np.newaxis], highest)
    before = x[:-1]
    ratios = (truth - before) * (mix - before) / ((before + 1) * (total - truth - mix + before + 1))
    with np.errstate(divide="ignore"):  # beyond the highest value there is no weight
        logs = np.cumsum(np.log(np.maximum(ratios, 0)), axis=0)
    logs = np.vstack([np.zeros_like(truth), logs])
    return x, np.exp(logs - logs.max(axis=0, initial=0))


@dataclass(frozen=True)
class Effort:
    """How much work an expectation may be. A user's function is called for each table."""

    ways: int
    drawn: int
    cells: int
    seed: int


CAREFUL = Effort(ways=20_000, drawn=2_000, cells=500_000, seed=20_230_318)
"""For an expectation that is reported."""
ROUGH = Effort(ways=200, drawn=100, cells=50_000, seed=20_190_318)
"""For one of hundreds that a search compares."""
# In a larger test set a table is so near the expected one that this stands for all of them; to
# draw tables takes longer there, and fails with a crash from 10¹⁵ observations on (SciPy 1.17).
_MOST_DRAWN_FROM = 10**6


def has_few_tables(n: Sequence[int], m: Sequence[int], effort: Effort = CAREFUL) -> bool:
    """Return whether the tables of a mix are few enough to score them all."""
    columns = sum(map(bool, m))
    most = min(effort.ways, MOST_CELLS // len(n) ** 2)
    ways = 1
    for size in sorted(n)[:-1]:
        ways *= math.comb(size + columns - 1, columns - 1)
        if ways > most:
            return False
    return True


def mean_over_tables(
    measure: ClassMeasure, n: Sequence[int], m: Sequence[int], effort: Effort
) -> float:
    """Return the expected score of a mix; nan if one of its tables has no score."""
    found = all_tables(n, m) if has_few_tables(n, m, effort) else None
    if found is not None:
        tables, chances = found
        return math.fsum(chances * measure.scores(tables.astype(float)))
    if isinstance(measure.form, OfProduct):
        return mean_of_product(measure.form, n, m)
    return float(measure.scores(_drawn(n, m, effort)).mean())


def _drawn(n: Sequence[int], m: Sequence[int], effort: Effort) -> Floats:
    """Return some tables of a mix, or the expected one."""
    from scipy.stats import random_table

    if sum(n) > _MOST_DRAWN_FROM:
        return np.outer(n, np.array(m) / sum(n))[np.newaxis]
    size = max(1, min(effort.drawn, effort.cells // len(n) ** 2))
    tables, random = random_table(np.array(n), np.array(m)), np.random.default_rng(effort.seed)
    # The other method takes as long as there are observations.
    return np.asarray(tables.rvs(size, method="patefield", random_state=random), dtype=float)


# Newton's series of a score of the trace ends after so many terms. Those of the micro Jaccard
# index are positive, and each is less than half of the one before.
_TERMS = 60


def expected_score(
    measure: ClassMeasure, n: Sequence[int], m: Sequence[int], *, effort: Effort = CAREFUL
) -> float:
    """Return the expected score of a mix that is shuffled; nan if it has none.

    Parameters
    ----------
    measure
        The measure.
    n, m
        How often each class occurs, and how often the mix has it.
    effort
        How much work it may be, if the measure has no formula.

    Examples
    --------
    >>> from baserate.measures.classes import get_class_measure
    >>> expected_score(get_class_measure("macro F1"), (70, 20, 10), (70, 20, 10))
    0.3333333333333333
    >>> expected_score(get_class_measure("micro Jaccard"), (2, 2), (2, 2))
    0.3888888888888889
    """
    truth, mix = tuple(map(int, n)), tuple(map(int, m))
    pairs = zip(truth, mix, strict=True)
    if measure.maximum is Place.EVERYWHERE and all(a or not b for a, b in pairs):
        # All mixes expect the same, and the one that is always right or wrong has least rounding.
        largest = truth.index(max(truth))
        mix = tuple(sum(truth) if k == largest else 0 for k in range(len(truth)))
    with np.errstate(all="ignore"):
        if isinstance(measure.form, OfTable):
            return mean_over_tables(measure, truth, mix, effort)
        value = _by_formula(measure.form, truth, mix)
    # A score that may be negative is a difference: what rounding leaves of it is zero.
    return 0.0 if measure.codomain.lower < 0 and abs(value) <= COMPUTATION else value


def is_exact(measure: ClassMeasure, n: Sequence[int], m: Sequence[int]) -> bool:
    """Return whether an expected score is exact up to rounding, and no approximation."""
    return not isinstance(measure.form, OfTable) or has_few_tables(n, m)


def _by_formula(
    form: OfTrace | OfDiagonal | OfDistance, n: tuple[int, ...], m: tuple[int, ...]
) -> float:
    if isinstance(form, OfTrace):
        return _of_trace(form, n, m)
    return _of_diagonal(form, n, m) if isinstance(form, OfDiagonal) else _of_cells(form, n, m)


def _floats(counts: Sequence[int]) -> Floats:
    return np.array(counts, dtype=float)


def _of_trace(form: OfTrace, n: tuple[int, ...], m: tuple[int, ...]) -> float:
    if not form.affine:
        return _newton_series(form, n, m)
    # Products of whole numbers: nothing is rounded before the division.
    right = sum(a * b for a, b in zip(n, m, strict=True)) / sum(n)
    return float(form.score(np.float64(right), _floats(n), _floats(m)))


def _of_cells(form: OfDistance, n: tuple[int, ...], m: tuple[int, ...]) -> float:
    truth, mix = _floats(n), _floats(m)
    weights, added = form.weights(truth, mix)
    return float((weights * np.outer(truth, mix / truth.sum())).sum() + added)


def _of_diagonal(form: OfDiagonal, n: tuple[int, ...], m: tuple[int, ...]) -> float:
    truth, mix, total = _floats(n), _floats(m), sum(n)
    expected = np.array([a * b / total for a, b in zip(n, m, strict=True)])
    if form.linear:
        return math.fsum(form.term(expected, truth, mix))
    # E f(C) = f(0) + E C · E [(f(1 + h) - f(0)) / (1 + h)], where h are the right answers beside
    # one that is known: a rare answer does not drown in the rounding of a weight near 1.
    known = np.flatnonzero((truth > 0) & (mix > 0))
    hits, weights = gauss_rule(truth[known] - 1, mix[known] - 1, total - 1)
    right = np.ones((hits.shape[-1], truth.size))
    right[:, known] += hits.T
    none = form.term(np.zeros_like(truth), truth, mix)
    more = ((form.term(right, truth, mix) - none) / right)[:, known]
    return math.fsum((*none, *(expected[known] * (weights.T * more).sum(axis=0))))


def _newton_series(form: OfTrace, n: tuple[int, ...], m: tuple[int, ...]) -> float:
    """Return Σ_j Δʲf(0) E C(T, j) for a score f of the trace T."""
    total = sum(n)
    last = min(_TERMS, total)
    at = np.array([Fraction(j) for j in range(last + 1)], dtype=object)
    # Python's whole numbers do not overflow.
    whole = partial(np.array, dtype=object)
    values = list(form.score(at, whole(n), whole(m)))
    moments = _scaled_moments(n, m, last)
    terms = [float(values[0])]
    scale = Fraction(1)
    for j in range(1, last + 1):
        values = [after - before for before, after in pairwise(values)]
        scale *= Fraction(total * total, total - j + 1)
        terms.append(float(values[0] * scale) * moments[j])
    return math.fsum(terms)


def _scaled_moments(n: tuple[int, ...], m: tuple[int, ...], last: int) -> list[float]:
    """Return E C(T, j) · (M)_j / M²ʲ for j = 0, 1, …, where T is the trace.

    With falling factorials (n)_i, it is [yʲ] Π_k Σ_i (n_k)_i (m_k)_i / M²ⁱ yⁱ / i! (Greville
    1941), a sum of positive terms.
    """
    total = float(sum(n))
    product = np.zeros(last + 1)
    product[0] = 1
    i = np.arange(float(last))  # floats: products of counts overflow
    for a, b in zip(n, m, strict=True):
        if a and b:
            steps = np.maximum(a - i, 0) * np.maximum(b - i, 0) / (total * total * (i + 1))
            factor = np.append(1, np.cumprod(steps))
            product = np.convolve(product, factor)[: last + 1]
    return [float(each) for each in product]
