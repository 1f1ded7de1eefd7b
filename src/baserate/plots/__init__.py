"""Pictures of results, in the form of scikit-learn's displays.

Most are one call away: `.plot()` of a report, comparison, verdict, difference, threshold curve,
reliability curve, null distribution and baseline of two classes. Each is a display, which has the
axes, ``ax_``, the ``figure_``, and the data that are drawn, ``frame()``.
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
