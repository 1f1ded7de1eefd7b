"""What a root, a share or a correlation is made of: signal and noise, and the limits of these."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from baserate.regression.uncertainty.draws import Draws, units_of
from baserate.regression.uncertainty.losses import Shape, shape_of
from baserate.regression.uncertainty.means import noise_of, signal_of, whole_of
from baserate.regression.uncertainty.scales import (
    LOSS,
    PLAIN,
    More,
    unseen,
    unseen_of_margin,
)

if TYPE_CHECKING:
    from baserate.regression.fit import Fit
    from baserate.regression.measures.record import NumberMeasure
    from baserate.regression.uncertainty.readings import OfMeans, Reading
    from baserate.regression.uncertainty.scales import Bends

# What few observations hide was measured for limits that are wrong this often.
_MEASURED = 0.05


@dataclass(frozen=True, eq=False)
class Parts:
    """The signal and the noise of a score, and how large they may be.

    Parameters
    ----------
    measure
        The measure.
    fit
        The rows to draw from.
    constant
        The best constant.
    alpha
        How often a pair of limits may be wrong.
    shrunk
        How much nearer limits are than those of these rows, if they are a sample.
    ratio
        The number of all rows divided by that of these rows.

    Examples
    --------
    >>> import numpy as np
    >>> from baserate.regression.fit import Fit
    >>> from baserate.regression.measures.explained import R2
    >>> truth = np.arange(50.0)
    >>> parts = Parts(R2, Fit(truth, truth + 5 * np.sin(truth)), 24.5, alpha=0.05)
    >>> round(parts.as_for_means(-1.0), 1)  # it is better than a constant: at least by so much
    0.2
    """

    measure: NumberMeasure
    fit: Fit
    constant: float
    alpha: float
    shrunk: float = 1.0
    ratio: float = 1.0

    def more(self, bends: Bends, reading: Reading) -> More:
        """Return how much more there may be than so many observations show.

        What is missing among M observations once in 40 times has a share of log(40)/M or less.
        """
        shares = math.log(2 / _MEASURED) / math.log(2 / self.alpha)
        units = units_of(reading) / self.shrunk**2 * shares
        if bends is PLAIN:
            return unseen_of_margin(self.measure, units)
        return More(unseen(self.measure, units), unseen(self.measure, units))

    def noise_and_signal(self, reading: Reading) -> More:
        """Return how much more noise and signal a share or a correlation may have than was seen."""
        more = self.more(LOSS, reading)
        noise = self._grown(LOSS, noise_of(self.measure, self.fit))
        signal = self._grown(PLAIN, signal_of(self.measure, self.fit, self.constant))
        return More(max(more.noise, noise), max(more.signal, signal))

    def as_for_means(self, low: float) -> float:
        """Return a lower limit of a root, ratio or share that says what that of the mean loss says.

        Each is better than the best constant's if and only if the mean loss is. With F for the mean
        loss of the constant and L for that of the model, a share is (F - L) / F, and a difference
        of roots (F - L) / (√F + √L); one of ratios is divided by a mean of the truth. A correlation
        is above 0 if and only if the covariance is.
        """
        signal = signal_of(self.measure, self.fit, self.constant)
        if signal is None or not math.isfinite(signal.observed):
            return low
        lowest = self._limits(PLAIN, signal, self.ratio)[0]
        whole = whole_of(self.measure, self.fit, self.constant)
        if whole is None or not 0 < whole.observed < math.inf:
            return min(low, 0.0) if lowest <= 0 else low
        if lowest <= 0:
            return min(low, lowest / whole.observed)
        least = lowest / self._limits(LOSS, whole)[1]
        return least if shape_of(self.measure) is Shape.ROOT else max(low, least)

    def _limits(self, bends: Bends, part: OfMeans, ratio: float = 1.0) -> tuple[float, float]:
        observed, more = part.observed * ratio, self.more(bends, part)
        return Draws(observed, self.alpha, bends, self.shrunk, more=more).limits(part)

    def _grown(self, bends: Bends, part: OfMeans | None) -> float:
        """Return how much larger a part may be than it was, in units of what it was."""
        if part is None or not 0 < part.observed < math.inf:
            return 0.0
        return self._limits(bends, part)[1] / part.observed - 1
