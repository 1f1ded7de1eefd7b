"""Pictures of results, in the form of scikit-learn's displays.

Most are one call away: `report.plot()`, `comparison.plot()`, `threshold_curve(…).plot()`,
`reliability_curve(…).plot()`, `null_distribution(…).plot()` and `baseline(…).plot()`. Each is a
display, which has the axes, ``ax_``, the ``figure_``, and the data that are drawn, ``frame()``.
"""

from baserate.plots.null import BaselineDisplay, NullDistributionDisplay
from baserate.plots.predictions import RankingDisplay, ResidualDisplay
from baserate.plots.scores import ReliabilityDisplay, ThresholdDisplay
from baserate.plots.strips import ComparisonDisplay, ReportDisplay

__all__ = [
    "BaselineDisplay",
    "ComparisonDisplay",
    "NullDistributionDisplay",
    "RankingDisplay",
    "ReliabilityDisplay",
    "ReportDisplay",
    "ResidualDisplay",
    "ThresholdDisplay",
]
