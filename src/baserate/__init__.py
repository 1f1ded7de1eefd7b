"""What is a score worth? The score that a model gets for free, knowing only the base rate."""

from baserate import exceptions
from baserate.base_rate import BaseRate
from baserate.baseline import Baseline, Optimum, baseline
from baserate.confusion import Confusion
from baserate.draw import DutchDraw
from baserate.expectation import expected_score
from baserate.measures import (
    MEASURES,
    Codomain,
    Direction,
    Measure,
    fbeta,
    get_measure,
)
from baserate.score_distribution import ScoreDistribution
from baserate.theta import ThetaInterval, ThetaSet

__all__ = [
    "MEASURES",
    "BaseRate",
    "Baseline",
    "Codomain",
    "Confusion",
    "Direction",
    "DutchDraw",
    "Measure",
    "Optimum",
    "ScoreDistribution",
    "ThetaInterval",
    "ThetaSet",
    "baseline",
    "exceptions",
    "expected_score",
    "fbeta",
    "get_measure",
]

__version__ = "0.1.0.dev0"
