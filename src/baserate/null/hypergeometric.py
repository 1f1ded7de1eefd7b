"""The hypergeometric distribution of the true positives, to full relative precision at any size.

Shuffle predictions over rows of two classes: with P positives, N negatives and P̂ positive
predictions, the number of true positives TP is hypergeometric, and it decides every measure.

Why not `scipy.stats.hypergeom`? Three standard deviations out, it agrees to 14 digits with 10⁵
rows, to 11 with 10⁶, to 8 with 10⁸ and to 4 with 10¹²: differences of log-gammas lose a digit for
every digit of M. And importing `scipy.stats` takes a second, longer than judging a model. Here
log-factorials have 50 digits, and a tail is a sum of at most 1,000 ratios, whatever M is.
docs/decisions/0003-hypergeometric.md has the errors.

In Loader's form, log x! is split into √(2πx) (x/e)^x and a small error, and the powers combine to a
sum of deviances, each of them positive (C. Loader, Fast and accurate computation of binomial
probabilities, 2000).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# log M! of M = 10¹⁸ has 20 digits before the point; 30 more after it are plenty.
# Trap nothing, whatever the user's own decimal context does.
CONTEXT = Context(prec=50, traps=[])
# B₂ₙ / (2n (2n - 1)) for n = 1, 2, …: the coefficients of Stirling's series.
_BERNOULLI = (
    "1/6 -1/30 1/42 -1/30 5/66 -691/2730 7/6 -3617/510 43867/798 -174611/330 "
    "854513/138 -236364091/2730 8553103/6 -23749461029/870 8615841276005/14322"
)
_SERIES = tuple(
    Fraction(number) / (2 * n * (2 * n - 1)) for n, number in enumerate(_BERNOULLI.split(), 1)
)
_FLOAT_SERIES = tuple(float(coefficient) for coefficient in _SERIES[:7])
# Up to this relative change, a series compares factorials.
_NEAR = 0.1
# From here on, fifteen terms of the series are right to 10⁻³⁰.
_LARGE = 128
# How TP, FP, FN and TN change when TP grows by one.
_SIGNS = (1, -1, -1, 1)
# Terms below exp(-42) = 6e-19 of the largest are negligible.
_NEGLIGIBLE = 42.0
# The longest tail to sum term by term; Gregory's formula sums longer ones.
_SHORT_TAIL = 1000
# Gregory's coefficients: Σ g(j) from 0 on is the integral plus Σ cₘ Δᵐg(0).
_GREGORY = (
    1 / 2, -1 / 12, 1 / 24, -19 / 720, 3 / 160, -863 / 60480, 275 / 24192, -33953 / 3628800,
    8183 / 1036800, -3250433 / 479001600, 4671 / 788480,
)  # fmt: skip
_DIFFERENCES = np.array(
    [
        [(-1) ** (order - j) * math.comb(order, j) for j in range(len(_GREGORY))]
        for order in range(len(_GREGORY))
    ]
)
_BOUNDARY = np.array(_GREGORY) @ _DIFFERENCES
# As many masses of several distributions at once as fit in a processor's cache.
_CACHED = 2**16
# The number of masses found by recurrence before one is computed afresh.
_RUN = 4096


@dataclass(frozen=True)
class Hypergeometric:
    """The distribution of TP when `drawn` of all rows are predicted positive at random.

    Examples
    --------
    >>> tp = Hypergeometric(positives=2, negatives=2, drawn=2)
    >>> [round(tp.pmf(count), 4) for count in range(tp.low, tp.high + 1)]
    [0.1667, 0.6667, 0.1667]
    >>> round(tp.sf(0), 4), round(tp.cdf(0), 4), tp.ppf(0.9)
    (0.8333, 0.1667, 2)
    """

    positives: int
    negatives: int
    drawn: int

    @property
    def total(self) -> int:
        """The number of rows, M."""
        return self.positives + self.negatives

    @property
    def low(self) -> int:
        """The smallest possible TP."""
        return max(0, self.drawn - self.negatives)

    @property
    def high(self) -> int:
        """The largest possible TP."""
        return min(self.positives, self.drawn)

    @property
    def size(self) -> int:
        """The number of possible TP."""
        return self.high - self.low + 1

    @property
    def opposite(self) -> Hypergeometric:
        """The distribution of FN: the TP of all predictions turned around."""
        return Hypergeometric(self.positives, self.negatives, self.total - self.drawn)

    @property
    def mean(self) -> Fraction:
        """E[TP] = P·P̂/M."""
        return Fraction(self.positives * self.drawn, self.total)

    @cached_property
    def variance(self) -> Fraction:
        """Var[TP] = P·N·P̂·N̂ / (M²(M - 1))."""
        if self.total == 1:
            return Fraction(0)
        product = self.positives * self.negatives * self.drawn * (self.total - self.drawn)
        return Fraction(product, self.total * self.total * (self.total - 1))

    @property
    def sd(self) -> float:
        """The standard deviation of TP."""
        return math.sqrt(self.variance)

    @property
    def mode(self) -> int:
        """The most likely TP."""
        return (self.positives + 1) * (self.drawn + 1) // (self.total + 2)

    def cells(self, tp: Any) -> tuple[Any, Any, Any, Any]:
        """Return (tp, fp, fn, tn), eqs. (B1) to (B4)."""
        return tp, self.drawn - tp, self.positives - tp, self.negatives - self.drawn + tp

    def pmf(self, tp: int) -> float:
        """Return P(TP = tp)."""
        if not self.low <= tp <= self.high:
            return 0.0
        with localcontext(CONTEXT):
            # With factorials to 50 digits, 30 digits of the probability survive cancellation.
            return float((self._log_margins - sum(map(log_factorial, self.cells(tp)))).exp())

    @cached_property
    def _log_margins(self) -> Decimal:
        margins = (self.positives, self.negatives, self.drawn, self.total - self.drawn)
        with localcontext(CONTEXT):
            return sum(map(log_factorial, margins)) - log_factorial(self.total)

    def _runs(self, tp: int, outward: int) -> Iterator[tuple[int, Floats]]:
        """Yield the masses from tp outwards in runs, each with its first tp, until they underflow.

        Each mass is found from the one before it, and the first of a run afresh.
        """
        while self.low <= tp <= self.high:
            losing, gaining = _exchange(self.cells(tp), outward)
            masses = self.pmf(tp) * _outward_ratios(losing, gaining, min(_RUN, min(losing) + 1))
            masses = masses[: np.count_nonzero(masses)]
            if not masses.size:
                return
            yield tp, masses
            tp += outward * masses.size

    def masses(self) -> tuple[int, Floats]:
        """Return the first tp whose probability does not underflow, and all such masses."""
        sides = [
            np.concatenate([np.empty(0), *(masses for _, masses in self._runs(tp, outward))])
            for tp, outward in ((self.mode - 1, -1), (self.mode, 1))
        ]
        return self.mode - sides[0].size, np.concatenate([sides[0][::-1], sides[1]])

    def expectation(self, kernel: Callable[..., Floats], reach: float = math.inf) -> float:
        """Return the mean score over all tables with mass; nan if one of them has no score.

        If they are summed so far from the mode only, it is infinite where farther ones matter.
        """
        sums, edge = np.zeros(3), 0.0
        for start, outward in ((self.mode - 1, -1), (self.mode, 1)):
            terms = np.zeros(1)
            for tp, masses in self._runs(start, outward):
                if abs(tp - start) > reach:
                    break
                counts = tp + outward * np.arange(masses.size, dtype=float)
                with np.errstate(over="ignore", invalid="ignore"):
                    terms = masses * kernel(*self.cells(counts))
                    sums += masses.sum(), terms.sum(), np.abs(terms).sum()
            edge = max(edge, abs(terms[-1]))
        if math.isfinite(reach) and edge > 1e-15 * sums[2]:
            return math.inf
        mean = float(sums[1] / sums[0])
        return mean if math.isfinite(mean) else math.nan

    def cdf(self, tp: int) -> float:
        """Return P(TP ≤ tp), with full relative precision in the lower tail."""
        if tp >= self.high:
            return 1.0
        if tp < self.mode:
            return self._tail(tp, outward=-1)
        return 1.0 - self._tail(tp + 1, outward=1)

    def sf(self, tp: int) -> float:
        """Return P(TP > tp), with full relative precision in the upper tail."""
        if tp < self.low:
            return 1.0
        if tp < self.mode:
            return 1.0 - self._tail(tp, outward=-1)
        return self._tail(tp + 1, outward=1)

    def ppf(self, q: float) -> int:
        """Return the smallest tp with P(TP ≤ tp) ≥ q."""
        if q >= 1:
            return self.high
        below, above = self._bracket(q)
        while above - below > 1:
            middle = (below + above) // 2
            if self.cdf(middle) >= q:
                above = middle
            else:
                below = middle
        return above

    def _bracket(self, q: float) -> tuple[int, int]:
        """Return a tp with cdf < q and one with cdf ≥ q, stepping out from the normal quantile."""
        sd = self.sd
        guess = NormalDist().inv_cdf(min(max(q, 1e-300), 1 - 1e-16))
        start = min(max(round(self.mean) + round(guess * sd), self.low), self.high)
        step = max(1, round(sd / 1000))
        below = above = start
        while below >= self.low and self.cdf(below) >= q:
            above, below = below, below - step
            step *= 2
        while above < self.high and self.cdf(above) < q:
            below, above = above, above + step
            step *= 2
        return max(below, self.low - 1), min(above, self.high)

    def _tail(self, tp: int, outward: int) -> float:
        """Return the probability of tp and of all counts further from the mode."""
        if not self.low <= tp <= self.high:
            return 0.0
        return self.pmf(tp) * self._tail_ratio(tp, outward)

    def _tail_ratio(self, tp: int, outward: int) -> float:
        """Return Σ P(TP = tp ± j) / P(TP = tp) over j ≥ 0, away from the mode."""
        losing, gaining = _exchange(self.cells(tp), outward)
        ratio = losing[0] * losing[1] / ((gaining[0] + 1) * (gaining[1] + 1))
        if ratio == 0:
            return 1.0
        # Ratios fall outwards (log-concavity), so a geometric and a normal tail bound the terms.
        slow = 9.5 * self.sd + 40
        terms = math.ceil(min(_NEGLIGIBLE / max(-math.log(ratio), 1e-300), slow))
        if terms <= _SHORT_TAIL:
            return float(_outward_ratios(losing, gaining, min(terms, *losing) + 1).sum())
        return self._gregory(tp, outward, terms)

    def _gregory(self, tp: int, outward: int, terms: int) -> float:
        """Sum a long tail on a coarse grid, with end corrections for both grids."""
        step = terms / _SHORT_TAIL
        coarse = np.exp(self.log_ratio(tp, outward * step * np.arange(_SHORT_TAIL + 1)))
        fine = np.exp(self.log_ratio(tp, outward * np.arange(len(_GREGORY))))
        boundary = step * float(_BOUNDARY @ coarse[: len(_GREGORY)])
        return step * float(coarse.sum()) - boundary + float(_BOUNDARY @ fine)

    def log_ratio(self, tp: int, steps: NDArray[Any]) -> Floats:
        """Return log(P(TP = tp + steps) / P(TP = tp)), for cells that stay above 15."""
        cells = self.cells(tp)
        total = -_log_odds(cells) * steps
        for cell, sign in zip(cells, _SIGNS, strict=True):
            total -= log_factorial_excess(float(cell), sign * steps)
            total += _stirling_error(np.float64(cell))
        return np.asarray(total)


def _log_odds(cells: tuple[int, int, int, int]) -> float:
    """Return log(TP·TN / (FP·FN)) from exact products; zero at the mean."""
    tp, fp, fn, tn = cells
    return math.log1p((tp * tn - fp * fn) / (fp * fn))


def _exchange(cells: tuple[Any, ...], outward: int) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return the cells that lose a row with each step, and those that gain one."""
    tp, fp, fn, tn = cells
    return ((fp, fn), (tp, tn)) if outward > 0 else ((tp, tn), (fp, fn))


def _outward_ratios(losing: Any, gaining: Any, size: int) -> Floats:
    """Return 1 and the products of the ratios of neighbouring masses, along the first axis.

    A cell that loses its last row makes a zero, and all later ratios are zero too.
    """
    first, second = (np.asarray(cell, dtype=float) for cell in losing)
    third, fourth = (np.asarray(cell, dtype=float) for cell in gaining)
    j = np.arange(size - 1.0).reshape(-1, *[1] * first.ndim)
    ratios = np.ones((size, *first.shape))
    ratios[1:] = (first - j) * (second - j)
    ratios[1:] /= (third + 1 + j) * (fourth + 1 + j)
    return np.multiply.accumulate(ratios, axis=0, out=ratios)


def many(tables: Ints, widest: float) -> Iterator[tuple[Ints, Ints, Floats, Floats]]:
    """Yield the distributions of TP of many tables, rows of TP, FP, FN and TN, to 12 digits.

    Each time: which tables, the first TP that is listed of each, and P(TP ≤ tp) and P(TP ≥ tp) from
    there on, a column per table. Tables whose standard deviation is above the widest are left out,
    and those that are too far from what is likely to be listed.
    The result for one does not depend on the others: beyond its own reach there are zeros.
    """
    counts = tables.astype(float)
    tp, fp, fn, tn = counts.T
    p, n, drawn, total = tp + fn, fp + tn, tp + fp, counts.sum(axis=1)
    left = total - drawn
    share = p / np.maximum(total, 1) * (n / np.maximum(total, 1))
    sd = np.sqrt(share * drawn * (left / np.maximum(total - 1, 1)))
    mode = np.floor((p + 1) * (drawn + 1) / (total + 2))
    mode = np.clip(mode, np.maximum(drawn - n, 0), np.minimum(p, drawn))  # it may be rounded
    reach = np.minimum(np.ceil(np.abs(tp - mode) + 9.5 * sd + 40), np.min([p, n, drawn, left], 0))
    order = np.argsort(reach, kind="stable")
    order = order[(sd[order] <= widest) & (reach[order] <= _CACHED) & (total[order] < 2**52)]
    while order.size:
        longest = int(reach[order[-1]])
        which = order[-max(1, _CACHED // (longest + 1)) :]
        order = order[: order.size - which.size]
        middle = mode[which]
        cells = middle, drawn[which] - middle, p[which] - middle, n[which] - drawn[which] + middle
        sides = [_outward_ratios(*_exchange(cells, way), longest + 1) for way in (-1, 1)]
        masses = np.concatenate([sides[0][:0:-1], sides[1]])
        masses[np.abs(np.arange(-longest, longest + 1))[:, None] > reach[which]] = 0.0
        below, above = np.cumsum(masses, axis=0), np.cumsum(masses[::-1], axis=0)[::-1]
        first = (middle - longest).astype(np.int64)
        yield which, first, below / below[-1], above / above[0]


def log_factorial_excess(anchor: Any, change: Any) -> Any:
    """Return log (a + c)! - c·log a, up to terms that do not depend on c; for a + c > 15.

    This is the deviance (a + c)·log(1 + c/a) - c, plus ½ log(1 + c/a) of Stirling's root, plus
    Stirling's error. For |c/a| < 0.1 the first two come from one series, which has no
    cancellation and no logarithm.
    """
    u = change / anchor
    if np.abs(u).max(initial=0) < _NEAR:
        excess = _near_excess(anchor, change, u)
    else:
        near = _near_excess(anchor, change, np.clip(u, -_NEAR, _NEAR))
        far = (anchor + change + 0.5) * np.log1p(u) - change
        excess = np.where(np.abs(u) < _NEAR, near, far)
    return excess + _stirling_error(anchor + change)


def _near_excess(anchor: Any, change: Any, u: Any) -> Any:
    """Sum the series: with v = u/(2 + u), log(1 + u) = 2 atanh(v) = 2v (1 + v²/3 + v⁴/5 + …)."""
    v = u / (2 + u)
    tail = _atanh_tail(v * v)
    # c·v + 2(a + c)·v·tail is Loader's deviance, and v + v·tail half the logarithm.
    return v * (change + 1 + (2 * (anchor + change) + 1) * tail)


def _atanh_tail(square: Any) -> Any:
    """Return atanh(v)/v - 1 = v²/3 + v⁴/5 + … for v² < 0.003, to 10⁻¹⁹."""
    total = square * (1 / 15)
    for denominator in (13, 11, 9, 7, 5, 3):
        total += 1 / denominator
        total *= square
    return total


def _stirling_error(x: Any) -> Any:
    """Return log x! - log(√(2πx) (x/e)^x) for x > 15."""
    inverse_square = 1 / (x * x)
    # The fourth term is below 10⁻¹⁷ from x = 100 on.
    terms = 3 if np.min(x, initial=np.inf) > 100 else len(_FLOAT_SERIES)
    series = np.full_like(inverse_square, _FLOAT_SERIES[terms - 1])
    for coefficient in reversed(_FLOAT_SERIES[: terms - 1]):
        series *= inverse_square
        series += coefficient
    return series / x


@cache
def _half_log_two_pi() -> Decimal:
    # 1000! by its definition, minus Stirling's formula for it: no constant to mistype.
    return _exact_log_factorial(1000) - _stirling_powers(1000) - _stirling_series(1000)


@lru_cache(maxsize=2**15)
def log_factorial(n: int) -> Decimal:
    """Return log n! to 50 significant digits."""
    with localcontext(CONTEXT):
        if n < _LARGE:
            return _exact_log_factorial(n)
        return _half_log_two_pi() + _stirling_powers(n) + _stirling_series(n)


def _exact_log_factorial(n: int) -> Decimal:
    return Decimal(math.factorial(n)).ln()


def _stirling_powers(n: int) -> Decimal:
    return (n + Decimal("0.5")) * Decimal(n).ln() - n


def _stirling_series(n: int) -> Decimal:
    total, power, square = Decimal(0), Decimal(n), Decimal(n) ** 2
    for coefficient in _SERIES:
        total += coefficient.numerator / (coefficient.denominator * power)
        power *= square
    return total
