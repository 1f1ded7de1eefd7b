"""What a task answers, so that its scores can be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from baserate.core.law import Tails
    from baserate.core.optimum import Baseline
    from baserate.core.scale import Scale

S_contra = TypeVar("S_contra", contravariant=True)


class Null(Protocol):
    """What a model's own predictions score when they are dealt at random."""

    def tails(self, measure: Any, score: float) -> Tails:
        """Return the chance of a score as good, and of one as bad, nan if it is not known."""

    def luck_interval(self, measure: Any) -> tuple[float, float]:
        """Return between which scores luck stays, nan if it is not known."""


class Uncertainty(Protocol):
    """How sure a score is, over test sets like the one that was observed."""

    def score(self, measure: Any) -> tuple[float, float]:
        """Return the limits of the score, nan if they are not known."""

    def margin(self, yardstick: Any) -> tuple[float, float]:
        """Return the limits of how much better it is than the baseline, nan if not known."""


class Yardstick(Protocol):
    """A measure on a test set: its baseline, and the scale around it."""

    @property
    def base(self) -> Baseline[Any]:
        """The baseline."""

    @property
    def scale(self) -> Scale:
        """The worst baseline, the best one and perfection."""

    @property
    def theta_star(self) -> float:
        """The fraction that the best reference predicts positive; nan if it has none."""

    def oracle_weight(self, score: float, margin: float) -> float:
        """Return the weight of an oracle that explains a score, nan if there is none."""


class Task(Protocol[S_contra]):
    """A kind of prediction, and how chance does on it."""

    def test_set(self, observed: S_contra) -> Hashable:
        """Return the test set that something was observed on."""

    def yardstick(self, test_set: Any, measure: Any) -> Yardstick:
        """Return how scores are read on a test set, or raise if the measure has no baseline."""

    def nulls(self, observed: Sequence[S_contra], levels: tuple[float, float]) -> Sequence[Null]:
        """Return the null of each observation, with the quantiles between which luck stays."""

    def tails(self, observed: Sequence[S_contra]) -> Sequence[Tails]:
        """Return the chances of each observation that all monotone measures share."""

    def uncertainty(self, observed: S_contra, alpha: float) -> Uncertainty:
        """Return how sure the scores of an observation are, with limits at 1 - alpha."""
