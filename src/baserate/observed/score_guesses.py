"""Guesses of scores in words, their baselines, and the scale around them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from baserate.core.scale import Scale, TwoEnds
from baserate.formatting import number_format

if TYPE_CHECKING:
    from baserate.core.measure import AnyMeasure
    from baserate.observed.base_rate import BaseRate


RANDOM = "a random ranking"
EQUAL = "the same score for everyone"
ANY = "any guess"
BASE_RATE = "the base rate for everyone"


@dataclass(frozen=True)
class ScoreOptimum:
    """An extreme of the expected score, and the decks that attain it, in words.

    Parameters
    ----------
    value
        The expected score.
    decks
        What is predicted, in words.
    exact
        Whether this is certain.

    Examples
    --------
    >>> import baserate as br
    >>> best = br.baseline(br.BaseRate(positives=2, total=20), "AUC").best
    >>> best.value, best.decks
    (0.5, 'any guess')
    """

    value: float
    decks: Any
    exact: bool = True


@dataclass(frozen=True)
class ScoreBaseline(TwoEnds[ScoreOptimum]):
    """What a measure of scores gives away on a test set.

    Parameters
    ----------
    measure
        The measure.
    base_rate
        The test set.
    max, min
        The largest and the smallest expected score of any deck.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.baseline(br.BaseRate(positives=2, total=20), "AUC"))
    AUC baseline 0.500: what any guess expects
    (20 observations, 2 positive)
    """

    measure: AnyMeasure[Any]
    base_rate: BaseRate
    max: ScoreOptimum
    min: ScoreOptimum

    def __str__(self) -> str:
        write = number_format((self.max.value, self.min.value))
        best, worst = self.best, self.worst
        other = "" if best == worst else f"; {worst.decks} expects {write(worst.value)}"
        rate = self.base_rate
        return (
            f"{self.measure.key} baseline {write(best.value)}: what {best.decks} expects{other}\n"
            f"({rate.total:,} observations, {rate.positives:,} positive)"
        )


@dataclass(frozen=True)
class ScoreYardstick:
    """How scores are read on a test set.

    Parameters
    ----------
    base
        The baseline.
    perfect
        The score of a prediction without errors; nan if it is not known.
    """

    base: TwoEnds[Any]
    perfect: float

    theta_star = math.nan

    @property
    def measure(self) -> Any:
        """The measure."""
        return self.base.measure

    @cached_property
    def scale(self) -> Scale:
        """The worst deck, the best one and perfection."""
        return Scale.of(self.base, self.perfect)

    @property
    def reference(self) -> str:
        """The best deck in words."""
        return str(self.base.best.decks)

    def oracle_weight(self, score: float, margin: float) -> float:  # noqa: ARG002
        """Return nan: a Dutch Scaler is of labels."""
        return math.nan
