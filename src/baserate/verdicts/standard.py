"""The standard of evidence that a claim must meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.core.multiple_testing import ALPHA, adjusted, require_alpha, require_tries

if TYPE_CHECKING:
    from baserate.core.multiple_testing import Adjustment


@dataclass(frozen=True)
class Standard:
    """How often claims may be wrong, and how many were tried.

    Parameters
    ----------
    alpha
        The significance level of each claim.
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
        object.__setattr__(self, "tries", require_tries(self.tries))

    def of_each(self, claims: int) -> float:
        """Return the level of the strictest of some claims, and of one try of several."""
        return self.alpha / self.tries / (1 if self.adjust is None else max(claims, 1))
