"""Plots in the form of scikit-learn's displays. They draw results computed elsewhere."""

from baserate.displays.baseline import BaselineDisplay
from baserate.displays.comparison import ComparisonDisplay
from baserate.displays.difference import DifferenceDisplay
from baserate.displays.matrix import MatrixDisplay
from baserate.displays.ranking import RankingDisplay
from baserate.displays.reliability import ReliabilityDisplay
from baserate.displays.residuals import ResidualDisplay
from baserate.displays.score_distribution import ScoreDistributionDisplay
from baserate.displays.threshold import ThresholdDisplay

__all__ = [
    "BaselineDisplay",
    "ComparisonDisplay",
    "DifferenceDisplay",
    "MatrixDisplay",
    "RankingDisplay",
    "ReliabilityDisplay",
    "ResidualDisplay",
    "ScoreDistributionDisplay",
    "ThresholdDisplay",
]
