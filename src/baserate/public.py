"""All public names, which `import baserate` loads on first use."""

from baserate import datasets, exceptions, plots, sklearn
from baserate.baselines.expectation import expected_score
from baserate.core.baseline import Baseline
from baserate.core.measure import Measure
from baserate.data.files import scan
from baserate.evaluation.compare import compare
from baserate.evaluation.evaluate import assert_beats_baseline, evaluate
from baserate.evaluation.reliability import ReliabilityCurve, reliability_curve
from baserate.evaluation.rows_needed import rows_needed
from baserate.evaluation.single import (
    baseline,
    confidence_interval,
    dutch_scaler,
    null_distribution,
    p_value,
    rescaled_score,
)
from baserate.evaluation.threshold import ThresholdCurve, threshold_curve
from baserate.kinds.class_scores.observed import ClassProbabilities
from baserate.kinds.two_classes.null import DutchDraw
from baserate.measures.two_classes_rates import fbeta
from baserate.multiple_choice.distribution import chance
from baserate.null.distribution import NullDistribution
from baserate.observed.base_rate import BaseRate
from baserate.observed.classes import ClassCounts, ConfusionMatrix
from baserate.observed.numbers import NumericPredictions
from baserate.observed.scores import RankedScores
from baserate.observed.two_classes import Confusion
from baserate.report import Report
from baserate.report.comparison import Comparison
from baserate.tasks import MEASURES, get_measure
from baserate.verdicts.difference import Difference
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.verdict import Verdict

__all__ = [
    "MEASURES",
    "BaseRate",
    "Baseline",
    "ClassCounts",
    "ClassProbabilities",
    "Comparison",
    "Confusion",
    "ConfusionMatrix",
    "Difference",
    "DutchDraw",
    "Measure",
    "NullDistribution",
    "NumericPredictions",
    "Outcome",
    "RankedScores",
    "ReliabilityCurve",
    "Report",
    "ThresholdCurve",
    "Verdict",
    "assert_beats_baseline",
    "baseline",
    "chance",
    "compare",
    "confidence_interval",
    "datasets",
    "dutch_scaler",
    "evaluate",
    "exceptions",
    "expected_score",
    "fbeta",
    "get_measure",
    "null_distribution",
    "p_value",
    "plots",
    "reliability_curve",
    "rescaled_score",
    "rows_needed",
    "scan",
    "sklearn",
    "threshold_curve",
]
