"""All public names, which `import baserate` loads on first use."""

from baserate import datasets, exceptions, plots
from baserate.baselines.expectation import expected_score
from baserate.core.baseline import Baseline
from baserate.data.files import scan
from baserate.evaluation.compare import compare
from baserate.evaluation.evaluate import assert_beats_baseline, evaluate
from baserate.evaluation.reliability import ReliabilityCurve, reliability_curve
from baserate.evaluation.rows_needed import rows_needed
from baserate.evaluation.single import (
    baseline,
    dutch_scaler,
    interval,
    null_distribution,
    p_value,
    rescaled_score,
)
from baserate.evaluation.threshold import ThresholdCurve, threshold_curve
from baserate.kinds.class_scores.measures import CLASS_SCORE_MEASURES, ClassScoreMeasure
from baserate.kinds.class_scores.observed import ClassProbabilities
from baserate.kinds.two_classes.null import DutchDraw
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.classes_record import ClassMeasure
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.measures.numbers_record import NumberMeasure
from baserate.measures.scores import SCORE_MEASURES
from baserate.measures.scores_record import ScoreMeasure
from baserate.measures.two_classes import MEASURES
from baserate.measures.two_classes_rates import fbeta
from baserate.measures.two_classes_record import Measure
from baserate.multiple_choice.distribution import chance
from baserate.null.distribution import NullDistribution
from baserate.observed.base_rate import BaseRate
from baserate.observed.classes import ClassCounts, ConfusionMatrix
from baserate.observed.numbers import Fit
from baserate.observed.scores import Scores
from baserate.observed.two_classes import Confusion, ConfusionStream
from baserate.report import Report
from baserate.report.comparison import Comparison
from baserate.sklearn.scorers import make_scorer, scorers
from baserate.tasks import get_measure
from baserate.verdicts.difference import Difference
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.verdict import Verdict

__all__ = [
    "CLASS_MEASURES",
    "CLASS_SCORE_MEASURES",
    "MEASURES",
    "NUMBER_MEASURES",
    "SCORE_MEASURES",
    "BaseRate",
    "Baseline",
    "ClassCounts",
    "ClassMeasure",
    "ClassProbabilities",
    "ClassScoreMeasure",
    "Comparison",
    "Confusion",
    "ConfusionMatrix",
    "ConfusionStream",
    "Difference",
    "DutchDraw",
    "Fit",
    "Measure",
    "NullDistribution",
    "NumberMeasure",
    "Outcome",
    "ReliabilityCurve",
    "Report",
    "ScoreMeasure",
    "Scores",
    "ThresholdCurve",
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
    "null_distribution",
    "p_value",
    "plots",
    "reliability_curve",
    "rescaled_score",
    "rows_needed",
    "scan",
    "scorers",
    "threshold_curve",
]
