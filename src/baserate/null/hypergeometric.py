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
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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
# A running sum finds a quantile up to this standard deviation, down to this tail probability, and
# unless it is this close to a step of the sum.
_NARROW = 2000
_FAR_TAIL = 1e-6
_UNDECIDED = 1e-9
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

    def masses(self) -> tuple[int, Floats]:
        """Return the first tp whose probability does not underflow, and all such masses."""
        below = self._side(self.mode - 1, outward=-1)
        return self.mode - below.size, np.concatenate([below[::-1], self._side(self.mode, 1)])

    def _side(self, tp: int, outward: int) -> Floats:
        """Return the masses from tp outwards, until they underflow."""
        runs = [np.empty(0)]
        while self.low <= tp <= self.high:
            runs.append(self._run(tp, outward))
            tp += outward * runs[-1].size
            if runs[-1][-1] == 0:
                break
        side = np.concatenate(runs)
        return side[: np.count_nonzero(side)]

    def expectation(self, kernel: Callable[..., Floats]) -> float:
        """Return the mean score over all tables with mass; nan if one of them has no score."""
        first, masses = self.masses()
        tp = np.arange(first, first + masses.size, dtype=float)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(masses @ kernel(*self.cells(tp)) / masses.sum())
        return mean if math.isfinite(mean) else math.nan

    def _run(self, tp: int, outward: int) -> Floats:
        """Return the masses of some counts from tp outwards, each from the previous one."""
        losing, gaining = self._exchange(self.cells(tp), outward)
        return self.pmf(tp) * outward_ratios(losing, gaining, min(_RUN, min(losing) + 1))

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
        found = self._ppf_by_ratios(q)
        if found is not None:
            return found
        below, above = self._bracket(q)
        while above - below > 1:
            middle = (below + above) // 2
            if self.cdf(middle) >= q:
                above = middle
            else:
                below = middle
        return above

    def _ppf_by_ratios(self, q: float) -> int | None:
        """Return a quantile by a running sum; None if rounding could move it to a neighbour."""
        if not _FAR_TAIL <= q <= 1 - _FAR_TAIL or not self.is_narrow:
            return None
        first, cumulative = self._running_sum
        place = int(np.searchsorted(cumulative, q))
        if np.abs(cumulative[max(place - 1, 0) : place + 1] - q).min() < _UNDECIDED:
            return None
        return first + place

    @cached_property
    def _running_sum(self) -> tuple[int, Floats]:
        """The first tp that matters, and P(TP ≤ tp) from there on, to about 12 digits."""
        first, masses = self.window()
        return first, np.cumsum(masses)

    @property
    def is_narrow(self) -> bool:
        """Whether the counts that matter are few enough to list."""
        return self.variance <= _NARROW**2

    def window(self) -> tuple[int, Floats]:
        """Return the first tp that matters, and the masses from there on, to about 12 digits."""
        terms = math.ceil(9 * self.sd) + 40
        sides = []
        for outward in (-1, 1):
            losing, gaining = self._exchange(self.cells(self.mode), outward)
            sides.append(outward_ratios(losing, gaining, min(terms, *losing) + 1))
        masses = np.concatenate([sides[0][:0:-1], sides[1]])
        return self.mode - sides[0].size + 1, masses / masses.sum()

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
        losing, gaining = self._exchange(self.cells(tp), outward)
        ratio = losing[0] * losing[1] / ((gaining[0] + 1) * (gaining[1] + 1))
        if ratio == 0:
            return 1.0
        # Ratios fall outwards (log-concavity), so a geometric and a normal tail bound the terms.
        slow = 9.5 * self.sd + 40
        terms = math.ceil(min(_NEGLIGIBLE / max(-math.log(ratio), 1e-300), slow))
        if terms <= _SHORT_TAIL:
            return float(outward_ratios(losing, gaining, min(terms, *losing) + 1).sum())
        return self._gregory(tp, outward, terms)

    @staticmethod
    def _exchange(
        cells: tuple[int, int, int, int], outward: int
    ) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the cells that lose a row with each step, and those that gain one."""
        tp, fp, fn, tn = cells
        return ((fp, fn), (tp, tn)) if outward > 0 else ((tp, tn), (fp, fn))

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
            total += stirling_error(np.float64(cell))
        return np.asarray(total)


def _log_odds(cells: tuple[int, int, int, int]) -> float:
    """Return log(TP·TN / (FP·FN)) from exact products; zero at the mean."""
    tp, fp, fn, tn = cells
    return math.log1p((tp * tn - fp * fn) / (fp * fn))


def outward_ratios(losing: Any, gaining: Any, size: int) -> Floats:
    """Return 1 and the cumulative products of the ratios of neighbouring masses, outwards.

    A cell that loses its last row makes a zero, and all later ratios are zero too.
    """
    first, second = (np.asarray(cell, dtype=float) for cell in losing)
    third, fourth = (np.asarray(cell, dtype=float) for cell in gaining)
    j = np.arange(size - 1.0).reshape(-1, *[1] * first.ndim)
    ratios = np.ones((size, *first.shape))
    ratios[1:] = (first - j) * (second - j)
    ratios[1:] /= (third + 1 + j) * (fourth + 1 + j)
    return np.multiply.accumulate(ratios, axis=0, out=ratios)


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
    return excess + stirling_error(anchor + change)


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


def stirling_error(x: Any) -> Any:
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


def log_factorials(counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return log n! of many counts to 30 digits: each as a float and its rounding error."""
    distinct, places = np.unique(counts, return_inverse=True)
    places = places.reshape(counts.shape)
    logs = [log_factorial(n) for n in distinct.tolist()]
    near = [float(log) for log in logs]
    with localcontext(CONTEXT):
        rest = [float(log - Decimal(each)) for log, each in zip(logs, near, strict=True)]
    return np.array(near)[places], np.array(rest)[places]


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
