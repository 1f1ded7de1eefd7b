"""Every public name. `import baserate` has them all, from the first one that is asked for on."""

from baserate import datasets, exceptions
from baserate.base_rate import BaseRate
from baserate.baselines import Baseline, Optimum, baseline
from baserate.confusion import Confusion
from baserate.diagnosis import Diagnosis
from baserate.displays import (
    BaselineDisplay,
    ComparisonDisplay,
    ScoreDistributionDisplay,
    ThresholdDisplay,
)
from baserate.draw import DutchDraw
from baserate.evaluation import assert_beats_baseline, evaluate
from baserate.expectation import expected_score
from baserate.files import scan
from baserate.measures import (
    MEASURES,
    Codomain,
    Direction,
    Measure,
    fbeta,
    get_measure,
)
from baserate.mixture import dutch_scaler
from baserate.outcome import Outcome
from baserate.report import Report
from baserate.scaling import rescaled_score
from baserate.score_distribution import ScoreDistribution
from baserate.scoring import make_scorer, scorers
from baserate.significance import p_value
from baserate.streams import ConfusionStream
from baserate.theta import ThetaInterval, ThetaSet
from baserate.threshold import CutOff, ThresholdCurve, threshold_curve
from baserate.verdict import Performance, Verdict

__all__ = [
    "MEASURES",
    "BaseRate",
    "Baseline",
    "BaselineDisplay",
    "Codomain",
    "ComparisonDisplay",
    "Confusion",
    "ConfusionStream",
    "CutOff",
    "Diagnosis",
    "Direction",
    "DutchDraw",
    "Measure",
    "Optimum",
    "Outcome",
    "Performance",
    "Report",
    "ScoreDistribution",
    "ScoreDistributionDisplay",
    "ThetaInterval",
    "ThetaSet",
    "ThresholdCurve",
    "ThresholdDisplay",
    "Verdict",
    "assert_beats_baseline",
    "baseline",
    "datasets",
    "dutch_scaler",
    "evaluate",
    "exceptions",
    "expected_score",
    "fbeta",
    "get_measure",
    "make_scorer",
    "p_value",
    "rescaled_score",
    "scan",
    "scorers",
    "threshold_curve",
]
