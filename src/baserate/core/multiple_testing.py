"""Levels, several claims at once, and the best of several tries."""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from baserate.arguments import as_float, is_number, whole_number
from baserate.exceptions import InvalidCountError, InvalidPredictionsError, InvalidProbabilityError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


ALPHA = 0.05
"""The significance level of each claim, unless told otherwise."""
LEVEL: ContextVar[float] = ContextVar("level", default=ALPHA)
"""P-values are told apart down to a tenth of it, unless that takes too long."""
# Beyond this many tries a chance interval has no digits left.
_MOST_TRIES = 10**9


@contextmanager
def claims_at(level: float) -> Iterator[None]:
    """Let p-values be told apart down to a tenth of a level, unless that takes too long."""
    token = LEVEL.set(level)
    try:
        yield
    finally:
        LEVEL.reset(token)


class Tails(NamedTuple):
    """How likely chance is to do at least as well as a score, and at most as well."""

    better: float  # the upper end, if it is known by a bracket
    worse: float
    least: float = math.nan  # the lower end of that bracket; nan if there is none

    def of_best(self, tries: int) -> Tails:
        """Return the tails of the best of several tries, if this score was the best of them.

        The chance of the best to do at most as well is that of a single try: tries that resemble
        each other are hardly better than one, and to call a model worse than chance because it
        was tried often would be wrong.
        """
        if tries == 1:
            return self
        return Tails(_of_best(self.better, tries), self.worse, _of_best(self.least, tries))


def _of_best(chance: float, tries: int) -> float:
    """Return the chance that the best of several tries has what one of them has."""
    if math.isnan(chance):
        return chance
    return -math.expm1(tries * (math.log1p(-chance) if chance < 1 else -math.inf))


def require_tries(tries: object) -> int:
    """Return a number of tries as an int, or raise if it is none."""
    count = whole_number("tries", tries)
    if not 1 <= count <= _MOST_TRIES:
        raise InvalidCountError(
            f"must be from 1 to {_MOST_TRIES:,} (got {count:,}): how many attempts a score is the "
            "best of",
            parameter="tries",
        )
    return count


def null_levels(alpha: float, tries: int) -> tuple[float, float]:
    """Return the quantiles of one try between which the best of several stays, 1 - alpha of it."""
    return (alpha / 2) ** (1 / tries), (1 - alpha / 2) ** (1 / tries)


Adjustment: TypeAlias = Literal["holm", "bh"] | None
"""How p-values are adjusted: by Holm, by Benjamini and Hochberg, or not at all."""


def _holm(ascending: Floats) -> Floats:
    """Return sorted p-values that hold for a whole family: a false alarm is as rare as alpha.

    The smallest of n is multiplied by n, the next by n - 1, and so on (Holm 1979). It holds
    whatever the p-values have to do with each other.
    """
    factors = np.arange(ascending.size, 0, -1)
    return np.asarray(np.maximum.accumulate(ascending * factors))


def _benjamini_hochberg(ascending: Floats) -> Floats:
    """Return sorted p-values of which, below alpha, a share alpha are false alarms on average.

    The k-th smallest of n is multiplied by n / k (Benjamini and Hochberg 1995). It holds for
    independent p-values and for those that rise together.
    """
    size = ascending.size
    # Rounding must not make a p-value smaller: 0.0275 * 7 / 7 may fall below 0.0275.
    raised = np.maximum(ascending * size / np.arange(1, size + 1), ascending)
    return np.asarray(np.minimum.accumulate(raised[::-1])[::-1])


_WAYS: dict[Adjustment, Callable[[Floats], Floats]] = {
    None: lambda ascending: ascending,
    "holm": _holm,
    "bh": _benjamini_hochberg,
}


def adjusted(p_values: Sequence[float], adjust: Adjustment) -> list[float]:
    """Return the p-values of one family, adjusted in the way that is asked for, or raise.

    A nan stands for no test: it stays nan and does not count.

    Examples
    --------
    >>> adjusted([0.01, 0.04, 0.03], "holm"), adjusted([0.01, 0.04, 0.03], "bh")
    ([0.03, 0.06, 0.06], [0.03, 0.04, 0.04])
    """
    if not isinstance(adjust, str | None) or adjust not in _WAYS:
        raise InvalidPredictionsError(
            f"must be 'holm', 'bh' or None (got {shown(adjust)})", parameter="adjust"
        )
    found = np.array(p_values, dtype=float)
    known = np.flatnonzero(~np.isnan(found))
    order = known[np.argsort(found[known], kind="stable")]
    found[order] = np.minimum(_WAYS[adjust](found[order]), 1.0)
    return list(map(float, found))


def widened(
    number: float, ends: tuple[float, float], rows: int, alpha: float, claims: int
) -> tuple[float, float]:
    """Return an interval that holds together with those of other claims, all of them at 1 - alpha.

    Its ends are as much farther from the number as Student's t is for one of so many (Bonferroni),
    with as many degrees of freedom as there are rows, or clusters of them, less one.
    """
    from scipy.special import stdtrit

    freedom = max(rows - 1, 1)
    alone, together = (stdtrit(freedom, 1 - alpha / 2 / each) for each in (1, max(claims, 1)))
    factor = float(together / alone)
    low, high = (number + factor * (end - number) for end in ends)
    return low, high


_SMALLEST, _LARGEST = 1e-3, 0.5


class Limits(tuple[float, float]):
    """Both ends of a confidence interval; it knows the standard error of the number too."""

    error: float

    def __new__(cls, low: float, high: float, error: float = math.nan) -> Self:
        """Return the ends, lower one first; what is not known is nan."""
        found = super().__new__(cls, (low, high))
        found.error = error
        return found

    def __neg__(self) -> Self:
        """Return the interval of the number with the other sign."""
        return type(self)(-self[1], -self[0], self.error)


def require_alpha(alpha: object) -> float:
    """Return alpha as a float, or raise if claims cannot be made at that level."""
    if not (is_number(alpha) and _SMALLEST <= as_float(alpha) <= _LARGEST):
        raise InvalidProbabilityError(
            f"must be between {_SMALLEST:g} and {_LARGEST:g} (got {shown(alpha)}); 5% is written "
            "0.05",
            parameter="alpha",
        )
    return as_float(alpha)
