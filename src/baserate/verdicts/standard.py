"""The standard of evidence that a claim must meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.confidence import ALPHA, require_alpha
from baserate.core.many_looks import adjusted
from baserate.exceptions import InvalidCountError
from baserate.exceptions.base import shown

if TYPE_CHECKING:
    from baserate.core.many_looks import Adjustment

# Beyond this many tries a luck interval has no digits left.
_MOST_TRIES = 10**9


@dataclass(frozen=True)
class Standard:
    """How often claims may be wrong, and how many were tried.

    Parameters
    ----------
    alpha
        How often a claim may be wrong.
    adjust
        How p-values are adjusted for many models and groups: ``"holm"``, ``"bh"`` or None.
    tries
        How many attempts each model is the best of.
    """

    alpha: float = ALPHA
    adjust: Adjustment = None
    tries: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", require_alpha(self.alpha))
        adjusted([], self.adjust)  # an unknown way is an error at once
        is_whole = isinstance(self.tries, int) and not isinstance(self.tries, bool)
        if not (is_whole and 1 <= self.tries <= _MOST_TRIES):
            raise InvalidCountError(
                f"must be a whole number from 1 to {_MOST_TRIES:,} (got {shown(self.tries)}): how "
                "many attempts each model is the best of",
                parameter="tries",
            )
