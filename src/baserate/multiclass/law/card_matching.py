"""The exact law of the number of right answers: the card-matching problem (Greville, 1941).

Deal a deck with m_k cards of class k to n_k observations of class k, and let T be the number of
cards that find their class. With its binomial moments B_j = E C(T, j), which are sums of positive
terms, P(T = t) = Σ_j (-1)^(j-t) C(j, t) B_j. The number of digits that cancel grows with E T. If
one class holds nearly all observations, most matches are its own, and follow from the others': then
the law is summed over the number of observations of other classes that get a card of other classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.law.hypergeometric import Hypergeometric
from baserate.multiclass.law.binomial_moments import Plan, binomial_moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# So many digits are cheap; and this many additions take about half a second.
_CHEAP_DIGITS, _MOST_ADDITIONS = 2_000_000, 12_000_000


@dataclass(frozen=True, eq=False)
class Matches:
    """The law of the number of right answers T.

    Parameters
    ----------
    first
        The T that the arrays start with.
    masses
        P(T = t).
    at_least, at_most
        P(T ≥ t) and P(T ≤ t), each with full relative precision down to 1e-300.
    """

    first: int
    masses: Floats
    at_least: Floats
    at_most: Floats


def matches(n: Sequence[int], m: Sequence[int]) -> Matches | None:
    """Return the law of the number of right answers, or None if it would take too long.

    Parameters
    ----------
    n, m
        How often each class occurs, and how often it is predicted.

    Examples
    --------
    >>> matches((2, 1), (1, 2)).masses.round(4)
    array([0.3333, 0.    , 0.6667])
    """
    plan = Plan.of(n, m, sum(n))
    if plan is not None and plan.digits <= _CHEAP_DIGITS and plan.takes_a_second:
        return _directly(plan)
    found = _by_the_rest(n, m)
    if found is None and plan is not None and plan.takes_a_second:
        return _directly(plan)
    return found


def _directly(plan: Plan) -> Matches:
    masses = _masses(binomial_moments(plan), plan.unseen)
    upper = list(accumulate(reversed(masses)))[::-1]
    lower = list(accumulate(masses))
    return Matches(
        0, *(np.array([each / lower[-1] for each in some]) for some in (masses, upper, lower))
    )


def _by_the_rest(n: Sequence[int], m: Sequence[int]) -> Matches | None:
    """Return the law by way of all classes but the largest, or None if it would take too long.

    Q of the N observations of other classes get one of the R cards of other classes. That is
    hypergeometric, and T = M - N - R + Q + the matches of the other classes. Given Q = q, these
    have the moments B_i (q)_i / (min(N, R))_i, where B_i are those of max(N, R) cards, dealt to as
    many observations.
    """
    total = sum(n)
    largest = max(range(len(n)), key=lambda k: n[k] + m[k])
    others, cards = total - n[largest], total - m[largest]
    few = Hypergeometric(BaseRate(positives=others, total=total), cards)
    if few.size > _MOST_ADDITIONS:
        return None
    first, chances = few.masses()
    counts = range(first, first + chances.size)
    # No more than q cards of other classes match, so that no later moment is needed.
    plan = Plan.of(
        [*n[:largest], *n[largest + 1 :]],
        [*m[:largest], *m[largest + 1 :]],
        max(others, cards),
        most=counts[-1],
    )
    if plan is None or sum(min(q, plan.moments) ** 2 for q in counts) > 2 * _MOST_ADDITIONS:
        return None
    moments = binomial_moments(plan)
    law = np.zeros(counts[-1] + min(counts[-1], plan.moments) + 1)
    for q, chance in zip(counts, chances.tolist(), strict=True):
        given, above, below = [], 1, 1
        for i, moment in enumerate(moments[: q + 1]):
            given.append(moment * above // below)
            above, below = above * (q - i), below * (min(others, cards) - i)
        masses = _masses(given, plan.unseen)
        whole = sum(masses)
        law[q : q + len(masses)] += chance * np.array([mass / whole for mass in masses])
    upper, lower = np.cumsum(law[::-1])[::-1], np.cumsum(law)
    return Matches(total - others - cards, law, upper, lower)


def _masses(moments: Sequence[int], unseen: int) -> list[int]:
    """Return P(T = t) from binomial moments, in their unit, without rounding errors.

    These are the coefficients of f(x - 1) = g(-x), where f has the moments for coefficients and
    g(z) = f(-(1 + z)). Adding up again and again shifts by one (Horner).
    """
    rest = [c if j % 2 == 0 else -c for j, c in enumerate(moments)][::-1]
    masses = []
    for t in range(len(moments)):
        rest = list(accumulate(rest))
        mass = rest.pop() * (1 if t % 2 == 0 else -1)
        masses.append(mass if mass > unseen else 0)
    return masses
