"""The binomial moments of the number of right answers, to as many digits as it takes.

They are B_j = (M - j)! / M! · [y^j] ∏_k Σ_i C(n_k, i) C(m_k, i) i! yⁱ. The probabilities that
follow from them are alternating sums, of which hundreds of leading digits may cancel. So every
rounding error is bounded beforehand, and there are so many digits that none of them is seen.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The smallest probability that a float holds with all its digits is 1e-308, and it has 17.
_DIGITS = 308 + 17
# The most moments; and the most digits of the longest product, which takes about half a second.
_MOST_MOMENTS, _MOST_DIGITS = 20_000, 9_000_000
# Products of so many digits and classes take about a second; some classes' worth is always needed.
_MOST_WORK, _FIXED_PAIRS = 2 * 10**8, 20
# Which multiples of M to try as a unit of y.
_UNITS = tuple(2.0**-i for i in np.arange(0, 10, 0.5))
_LOG_2 = math.log10(2)
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


@dataclass(frozen=True)
class Plan:
    """How many moments and decimal places are needed.

    With 10^-P for the last place, truncating moves a coefficient of a class by at most J places
    times the largest one, and merging polynomials adds at most their sums times each other's
    errors. So with F the product of the sums of all polynomials, no coefficient of the product is
    off by more than K·J·F places. Its moment is off by that times unit^j / (M)_j, and a tail of T
    by the sum over j of that times C(j, t) ≤ 2^j. All this is a factor that costs so many digits.

    Parameters
    ----------
    pairs
        n and m of each class that is both true and predicted somewhere, and how often.
    total
        M.
    moments
        The largest j whose moment matters, J.
    unit
        The unit of y: polynomials are in y / unit.
    places
        The number of decimal places, P.
    whole
        The number of digits before the point of any coefficient.
    smallest
        The number of zeros after the point of the smallest unit^j / (M)_j.
    """

    pairs: Counter[tuple[int, int]]
    total: int
    moments: int
    unit: int
    places: int
    whole: int
    smallest: int

    @classmethod
    def of(
        cls, n: Sequence[int], m: Sequence[int], total: int, most: int = _MOST_MOMENTS
    ) -> Plan | None:
        """Return a plan with the fewest digits, or None if even those are too many.

        Parameters
        ----------
        n, m
            How often some classes occur, and how often they are predicted.
        total
            The number of observations, and of cards; those of other classes never match.
        most
            The last moment that is asked for, if not all are.
        """
        pairs = Counter((a, b) for a, b in zip(n, m, strict=True) if a and b)
        last = _last_moment(pairs, total, most)
        if last is None:
            return None
        units = sorted({max(1, round(total * share)) for share in _UNITS})
        sums = np.array(
            [
                sum(count * _log_sum(*pair, unit, last) for pair, count in pairs.items())
                for unit in units
            ]
        )
        j = np.arange(last + 1)
        falling = np.append(0.0, np.cumsum(np.log10(float(total) - j[:-1])))
        # unit^j / (M)_j is how a coefficient of the product becomes a moment.
        factors = np.log10(units)[:, np.newaxis] * j - falling
        moments = _cut((sums[:, np.newaxis] + factors).min(axis=0) + j * _LOG_2)
        grown = (factors + j * _LOG_2)[:, : moments + 1].max(axis=1)
        best = int((sums + grown).argmin())
        spare = math.log10((pairs.total() + 1) * (moments + 2.0) ** 3) + 2
        plan = cls(
            pairs=pairs,
            total=total,
            moments=moments,
            unit=units[best],
            places=math.ceil(_DIGITS + sums[best] + grown[best] + spare),
            whole=math.ceil(sums[best]) + 2,
            smallest=math.ceil(-factors[best, : moments + 1].min()) + 1,
        )
        return plan if plan.digits <= _MOST_DIGITS else None

    @property
    def takes_a_second(self) -> bool:
        """Whether the moments take about a second, and not several."""
        return self.digits * (len(self.pairs) + _FIXED_PAIRS) <= _MOST_WORK

    @property
    def slot(self) -> int:
        """The number of digits of a coefficient of a product, before it is rounded."""
        return 2 * (self.places + self.whole) + len(str(self.moments))

    @property
    def digits(self) -> int:
        """The number of digits of the longest product."""
        return self.slot * (self.moments + 1)

    @property
    def unseen(self) -> int:
        """The smallest mass that is not rounding error, in the unit of `binomial_moments`."""
        unseen: int = 10 ** (self.places - _DIGITS)
        return unseen << self.extra_bits

    @property
    def extra_bits(self) -> int:
        """How many bits a moment has beyond the places, as 2^j multiplies its last rounding."""
        spare = math.floor((self.places - _DIGITS) / _LOG_2)
        return max(0, self.moments + 2 * self.moments.bit_length() + 4 - spare)


def _cut(bounds: Floats) -> int:
    """Return the last moment that matters, from the logarithms of bounds of what each adds."""
    matters = bounds + math.log10(bounds.size) >= -_DIGITS - 3
    return int(np.flatnonzero(matters)[-1])


def _last_moment(pairs: Counter[tuple[int, int]], total: int, most: int) -> int | None:
    """Return a moment after which none matters, or None if there are too many.

    B_j ≤ F unit^j / (M)_j with F ≤ e^(Σ n_k m_k / unit), and (M)_j ≥ (M/e)^j. So with M/8 for the
    unit, 2^j B_j ≤ e^(8 E T) (e/4)^j.
    """
    last = sum(min(pair) * count for pair, count in pairs.items())
    if last <= _MOST_MOMENTS or most < _MOST_MOMENTS:
        return min(last, most)
    mean = sum(a * b * count for (a, b), count in pairs.items()) / total
    bound = 8 * mean + _MOST_MOMENTS * (1 - math.log(4))
    return _MOST_MOMENTS if bound < -(_DIGITS + 5) * math.log(10) else None


def _log_sum(a: int, b: int, unit: int, moments: int) -> float:
    """Return the logarithm of Σ_i C(a, i) C(b, i) i! / unit^i, to base 10."""
    i = np.arange(min(a, b, moments))
    steps = np.log((a - i.astype(float)) * (float(b) - i) / ((i + 1.0) * unit))
    logs = np.append(0.0, np.cumsum(steps))
    largest = float(logs.max())
    return (largest + math.log(float(np.exp(logs - largest).sum()))) / math.log(10)


def binomial_moments(plan: Plan) -> list[int]:
    """Return B_0, B_1, …, as integers.

    They are in units of 10^-P, or of a smaller one if that would round too much.
    """
    # The factor unit^j / (M)_j, with so many places that its rounding does not matter.
    places = plan.places + 2 * plan.whole + 2 * plan.smallest + 10
    shift = math.ceil(places / _LOG_2) + plan.extra_bits
    factor, moments = 1 << shift, []
    for j, coefficient in enumerate(_product(plan)):
        moments.append(int(coefficient) * factor >> (shift - plan.extra_bits))
        factor = factor * plan.unit // max(plan.total - j, 1)
    return moments


def _product(plan: Plan) -> list[Decimal]:
    """Return the product of the polynomials of all classes, the shortest first."""
    powers = [_power(_of_class(*pair, plan), count, plan) for pair, count in plan.pairs.items()]
    heap = [(len(power), place, power) for place, power in enumerate(powers)]
    heapq.heapify(heap)
    for place in range(len(powers), 2 * len(powers) - 1):
        first, second = heapq.heappop(heap)[2], heapq.heappop(heap)[2]
        both = _times(first, second, plan)
        heapq.heappush(heap, (len(both), place, both))
    return heap[0][2] if heap else [Decimal(10**plan.places)]


def _power(one: list[Decimal], count: int, plan: Plan) -> list[Decimal]:
    if count == 1:
        return one
    half = _power(one, count // 2, plan)
    square = _times(half, half, plan)
    return _times(square, one, plan) if count % 2 else square


def _of_class(a: int, b: int, plan: Plan) -> list[Decimal]:
    """Return the polynomial of a class, C(a, i) C(b, i) i! / unit^i for i = 0, 1 and so on."""
    value = 10**plan.places
    values = [value]
    for i in range(min(a, b, plan.moments)):
        value = value * ((a - i) * (b - i)) // ((i + 1) * plan.unit)
        values.append(value)
    return [Decimal(each) for each in values]


def _times(first: Iterable[Decimal], second: Iterable[Decimal], plan: Plan) -> list[Decimal]:
    """Multiply two polynomials as two long numbers, with room between the coefficients.

    The decimal module multiplies numbers of millions of digits by a number-theoretic transform,
    and cutting them into coefficients is cutting a text.
    """
    slot = plan.slot
    digits = str(_EXACT.multiply(_packed(first, slot), _packed(second, slot)))
    digits = digits.zfill(-(-len(digits) // slot) * slot)
    ends = range(len(digits), 0, -slot)
    cut = [digits[end - slot : end - plan.places] for end in ends]
    return [Decimal(text) for text in cut[: plan.moments + 1]]


def _packed(coefficients: Iterable[Decimal], slot: int) -> Decimal:
    texts = [str(each).zfill(slot) for each in coefficients]
    return _EXACT.create_decimal("".join(reversed(texts)))
