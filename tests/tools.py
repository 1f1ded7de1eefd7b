"""What several test files need."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import baserate as br


def members(theta_stars: br.ThetaSet) -> list[int]:
    """The P̂ of a set of θ*, laid out."""
    return [count for part in theta_stars.counts for count in part]
