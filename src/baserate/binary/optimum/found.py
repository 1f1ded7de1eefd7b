"""What a search of the best and the worst draw finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from baserate.binary.theta import Counts


class Found(NamedTuple):
    """An extreme value of the expectation, the P̂ that attain it, and whether that is certain."""

    value: float
    counts: Counts
    exact: bool
