"""A scoring rule that is not in the library, for tests of what any proper rule can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.codomain import Codomain
from baserate.core.direction import Direction
from baserate.probability.rules import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray


def power_losses(rows: NDArray[Any], _: float = 0.0) -> NDArray[Any]:
    """Return 1 minus the power score with β = 3/2 of each row for each class."""
    return np.asarray(1 - 1.5 * np.sqrt(rows) + 0.5 * (rows**1.5).sum(axis=1, keepdims=True))


POWER_LOSS = Rule(
    key="power loss",
    name="Power Loss",
    aliases=(),
    meaning="A proper loss between the Brier score and log loss.",
    pitfall="",
    direction=Direction.MINIMIZE,
    codomain=Codomain(0, 1.5),
    definition=r"1 - \frac{1}{M} \sum_i s_i",
    of_base_rate=r"1 - \pi^{3/2} - (1 - \pi)^{3/2}",
    points=power_losses,
    free=lambda shares: float(1 - (shares**1.5).sum()),
    perfect=0.0,
)
