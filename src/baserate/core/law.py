"""How likely chance is to do as well as a score, and the best of several tries."""

from __future__ import annotations

import math
from typing import NamedTuple

from baserate.arguments import whole_number
from baserate.exceptions import InvalidCountError

# Beyond this many tries a luck interval has no digits left.
_MOST_TRIES = 10**9


class Tails(NamedTuple):
    """How likely chance is to do at least as well as a score, and at most as well.

    Parameters
    ----------
    better, worse
        The two chances. If one is known by a bracket, it is the upper end.
    least
        The lower end of the bracket of `better`; nan if that is not known by a bracket.
    """

    better: float
    worse: float
    least: float = math.nan

    def of_best(self, tries: int) -> Tails:
        """Return the tails of the best of several tries, if this score was the best of them.

        The chance of the best to do at most as well is that of a single try: tries that resemble
        each other are hardly better than one, and to call a model worse than chance because it
        was tried often would be wrong.

        Examples
        --------
        >>> [round(tail, 4) for tail in Tails(better=0.01, worse=0.995).of_best(20)[:2]]
        [0.1821, 0.995]
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


def luck_levels(alpha: float, tries: int) -> tuple[float, float]:
    """Return the quantiles of one try between which the best of several stays, 1 - alpha of it.

    Examples
    --------
    >>> luck_levels(0.05, tries=1)
    (0.025, 0.975)
    >>> [round(level, 4) for level in luck_levels(0.05, tries=20)]
    [0.8316, 0.9987]
    """
    return (alpha / 2) ** (1 / tries), (1 - alpha / 2) ** (1 / tries)
