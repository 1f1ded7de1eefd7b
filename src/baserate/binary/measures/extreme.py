"""The extremes of an expectation, as a measure declares them (the paper's Table 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.binary.base_rate import BaseRate
    from baserate.binary.theta import Counts
    from baserate.core.formula import Formula


@dataclass(frozen=True)
class Place:
    """A set of draws, as a function of the test set and the allowed draws."""

    latex: str
    counts: Callable[[BaseRate, range], Counts] = field(repr=False)


@dataclass(frozen=True)
class Condition:
    """A condition on the test set."""

    latex: str
    holds: Callable[[BaseRate], bool] = field(repr=False)


@dataclass(frozen=True)
class Extreme:
    """A maximum or minimum of Table 4: its value, and where it is attained.

    Parameters
    ----------
    value
        The value, as a function of the base rate.
    place
        The θ* that attain it, unless the expectation is constant; see `UnderDraw.constant`.
    """

    value: Formula
    place: Place


def _single(count: int) -> Counts:
    return (range(count, count + 1),)


def _ends(total: int) -> Counts:
    return (range(1), range(total, total + 1))


EVERYWHERE = Place(r"\Theta^*", lambda _, allowed: (allowed,))
ALL_POSITIVE = Place(r"\{1\}", lambda rate, _: _single(rate.total))
ALL_NEGATIVE = Place(r"\{0\}", lambda _, __: _single(0))
ONE_POSITIVE = Place(r"\{\frac{1}{M}\}", lambda _, __: _single(1))
EITHER_END = Place(r"\{0, 1\}", lambda rate, _: _ends(rate.total))
# Table 4 swaps these two brackets; appendix A.16 has them right.
MAJORITY_CLASS = Place(
    r"\{[P > \frac{M}{2}]\}",
    lambda rate, _: _single(rate.total if rate.positives > rate.negatives else 0),
)
MINORITY_CLASS = Place(
    r"\{[P < \frac{M}{2}]\}",
    lambda rate, _: _single(rate.total if rate.positives < rate.negatives else 0),
)
# Table 4 omits the case P = 1, which appendix A.23 derives.
ALL_POSITIVE_OR_ANY_IF_ALONE = Place(
    r"\{1\},\ \Theta^* \setminus \{0\} \text{ if } P = 1",
    lambda rate, _: (range(1, rate.total + 1),) if rate.positives == 1 else _single(rate.total),
)

ALWAYS = Condition(r"\text{always}", lambda _: True)
NEVER = Condition(r"\text{never}", lambda _: False)
NO_POSITIVES = Condition("P = 0", lambda rate: rate.positives == 0)
NO_NEGATIVES = Condition("P = M", lambda rate: rate.negatives == 0)
BALANCED = Condition(r"P = \frac{M}{2}", lambda rate: rate.positives == rate.negatives)
