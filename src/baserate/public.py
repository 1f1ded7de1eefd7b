"""All public names, which `import baserate` loads on first use."""

from baserate import datasets, exceptions
from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion
from baserate.binary.draw import DutchDraw
from baserate.binary.dutch_scaler import dutch_scaler
from baserate.binary.law.chance import p_value
from baserate.binary.law.expectation import expected_score
from baserate.binary.law.score_distribution import ScoreDistribution
from baserate.binary.measures import (
    MEASURES,
    Codomain,
    Direction,
    Measure,
    fbeta,
    get_measure,
)
from baserate.binary.optimum.baseline import Baseline, Optimum, baseline
from baserate.binary.rescaling import rescaled_score
from baserate.binary.stream import ConfusionStream
from baserate.binary.theta import ThetaInterval, ThetaSet
from baserate.data.files import scan
from baserate.displays import (
    BaselineDisplay,
    ComparisonDisplay,
    DifferenceDisplay,
    MatrixDisplay,
    ScoreDistributionDisplay,
    ThresholdDisplay,
)
from baserate.evaluation.compare import compare
from baserate.evaluation.diagnosis import Diagnosis
from baserate.evaluation.evaluate import assert_beats_baseline, evaluate
from baserate.evaluation.interval import Interval, interval
from baserate.evaluation.threshold import CutOff, ThresholdCurve, threshold_curve
from baserate.multiple_choice.distribution import GuessDistribution, chance
from baserate.report import Report
from baserate.report.comparison import Comparison
from baserate.sklearn.scorers import make_scorer, scorers
from baserate.verdicts.difference import Better, Difference
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.verdict import Performance, Verdict

__all__ = [
    "MEASURES",
    "BaseRate",
    "Baseline",
    "BaselineDisplay",
    "Better",
    "Codomain",
    "Comparison",
    "ComparisonDisplay",
    "Confusion",
    "ConfusionStream",
    "CutOff",
    "Diagnosis",
    "Difference",
    "DifferenceDisplay",
    "Direction",
    "DutchDraw",
    "GuessDistribution",
    "Interval",
    "MatrixDisplay",
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
    "chance",
    "compare",
    "datasets",
    "dutch_scaler",
    "evaluate",
    "exceptions",
    "expected_score",
    "fbeta",
    "get_measure",
    "interval",
    "make_scorer",
    "p_value",
    "rescaled_score",
    "scan",
    "scorers",
    "threshold_curve",
]
