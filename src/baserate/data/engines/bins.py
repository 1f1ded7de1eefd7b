"""Where the bins of scores end, if there are too many distinct ones to hand over.

Bins are equally wide on a scale that is stretched where the scores are: as they come, or as
log-odds if they are probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    Floats = NDArray[Any]

# A spread of floats that can still be divided by.
_WIDEST = 2.0**1000
# What is farther away than this is in one bin.
_FARTHEST = 1e300
# Scores beyond this are infinite, or nearly so.
_LARGEST = 1.797e308
# Log-odds of floats are between these.
_LOWEST, _HIGHEST = -750.0, 750.0


@dataclass(frozen=True)
class Scale:
    """How a score becomes the number of a bin; a higher score never has a lower one.

    Parameters
    ----------
    centre, spread
        The median and the interquartile range of some scores, or of their log-odds.
    steps
        How many bins there are per unit of the scale.
    odds
        Whether scores are probabilities.
    border
        A score that no bin reaches across: scores from it on are in other bins.
    """

    centre: float
    spread: float
    steps: float
    odds: bool
    border: float | None = None

    @classmethod
    def of(cls, sample: Floats, bins: int, border: float | None = None) -> Scale:
        """Return a scale with about so many bins, for scores like some of them."""
        odds = bool(sample.min() >= 0 and sample.max() <= 1)
        inside = sample[(sample > 0) & (sample < 1)] if odds else sample
        units = np.log(inside) - np.log1p(-inside) if odds else inside
        low, centre, high = np.quantile(units, [0.25, 0.5, 0.75])
        # Round numbers, so that another sample of the same scores gives the same bins.
        spread = _power(min(high - low or max(abs(centre), 1.0), _WIDEST))
        plain = cls(float(np.rint(centre / spread)) * spread, spread, 1.0, odds, border)
        ends = [plain._stretched(each) for each in (units.min(), units.max())]
        return replace(plain, steps=_power(bins / max(ends[1] - ends[0], 1.0)))

    def coarser(self) -> Scale:
        """Return a scale with an eighth as many bins."""
        return replace(self, steps=self.steps / 8)

    def keys(self, score: nw.Expr) -> dict[str, nw.Expr]:
        """Return the number of each score's bin, and on which side of the border it is.

        Infinite scores have sides of their own.
        """
        import narwhals.stable.v2 as nw

        unit = self._odds(score) if self.odds else score
        away = (unit - self.centre) / self.spread
        # Some engines make a whole number of what they round, and know no infinite one.
        far = nw.when(away.abs() < _FARTHEST).then(away.abs()).otherwise(nw.lit(_FARTHEST))
        size = (far + 1.0).log() * self.steps
        place = nw.when(away < 0).then(size * -1.0).otherwise(size).floor()
        side = nw.lit(0)
        if self.border is not None:
            side = nw.when(score >= self.border).then(nw.lit(1)).otherwise(side)
        side = nw.when(score > _LARGEST).then(nw.lit(2)).otherwise(side)
        side = nw.when(score < -_LARGEST).then(nw.lit(-1)).otherwise(side)
        return {"bin": place, "side": side}

    def _odds(self, score: nw.Expr) -> nw.Expr:
        """Return the log-odds of probabilities; other scores lie beyond them, in their order."""
        import narwhals.stable.v2 as nw

        # An engine may take the logarithm in rows where it is not asked for.
        inside = nw.when((score > 0) & (score < 1)).then(score).otherwise(nw.lit(0.5))
        below = nw.when(score <= 0).then(score * -1.0).otherwise(nw.lit(0.0))
        above = nw.when(score >= 1).then(score - 1.0).otherwise(nw.lit(0.0))
        odds = inside.log() - (1.0 - inside).log()
        outside = nw.when(score >= 1).then(_HIGHEST + (above + 1.0).log())
        beyond = outside.otherwise(_LOWEST - (below + 1.0).log())
        return nw.when((score > 0) & (score < 1)).then(odds).otherwise(beyond)

    def _stretched(self, unit: Any) -> float:
        away = (float(unit) - self.centre) / self.spread
        return float(np.sign(away) * np.log1p(abs(away)))


def _power(number: float) -> float:
    """Return the next lower power of 2."""
    return float(2.0 ** np.floor(np.log2(number)))
