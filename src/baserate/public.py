"""All public names, which `import baserate` loads on first use."""

from baserate import datasets, exceptions, plots
from baserate.binary.base_rate import BaseRate
from baserate.binary.confusion import Confusion
from baserate.binary.draw import DutchDraw
from baserate.binary.expectation import expected_score
from baserate.binary.measures.catalogue import MEASURES
from baserate.binary.measures.f_score import fbeta
from baserate.binary.measures.record import Measure
from baserate.binary.optimum.baseline import Baseline, Optimum
from baserate.binary.stream import ConfusionStream
from baserate.binary.theta import ThetaInterval, ThetaSet
from baserate.class_scores.baseline import ClassScoreBaseline
from baserate.class_scores.measures import CLASS_SCORE_MEASURES, ClassScoreMeasure
from baserate.class_scores.observed import ClassProbabilities
from baserate.core.codomain import Codomain
from baserate.core.direction import Direction
from baserate.data.files import scan
from baserate.evaluation.compare import compare
from baserate.evaluation.diagnosis import Diagnosis
from baserate.evaluation.evaluate import assert_beats_baseline, evaluate
from baserate.evaluation.interval import Interval, interval
from baserate.evaluation.null_distribution import null_distribution
from baserate.evaluation.reliability import ReliabilityCurve, reliability_curve
from baserate.evaluation.reliability_diagnosis import ReliabilityDiagnosis
from baserate.evaluation.rows_needed import rows_needed
from baserate.evaluation.single import baseline, dutch_scaler, p_value, rescaled_score
from baserate.evaluation.threshold import CutOff, ThresholdCurve, threshold_curve
from baserate.multiclass.class_counts import ClassCounts
from baserate.multiclass.matrix import ConfusionMatrix
from baserate.multiclass.measures.catalogue import CLASS_MEASURES
from baserate.multiclass.measures.record import ClassMeasure
from baserate.multiclass.optimum.baseline import ClassBaseline
from baserate.multiclass.optimum.decks import DeckSet
from baserate.multiclass.optimum.found import ClassOptimum
from baserate.multiple_choice.distribution import GuessDistribution, chance
from baserate.null.distribution import NullDistribution
from baserate.probability.decomposition import Decomposition
from baserate.ranking.measures.record import ScoreMeasure
from baserate.ranking.optimum import ScoreBaseline, ScoreOptimum
from baserate.ranking.scores import Scores
from baserate.regression.constants import ConstantSet, NumberOptimum
from baserate.regression.fit import Fit
from baserate.regression.measures.catalogue import NUMBER_MEASURES
from baserate.regression.measures.record import NumberMeasure
from baserate.regression.numbers import Numbers
from baserate.regression.optimum import NumberBaseline
from baserate.report import Report
from baserate.report.comparison import Comparison
from baserate.scores.catalogue import SCORE_MEASURES
from baserate.sklearn.scorers import make_scorer, scorers
from baserate.tasks import get_measure
from baserate.verdicts.difference import Better, Difference
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.verdict import Performance, Verdict

__all__ = [
    "CLASS_MEASURES",
    "CLASS_SCORE_MEASURES",
    "MEASURES",
    "NUMBER_MEASURES",
    "SCORE_MEASURES",
    "BaseRate",
    "Baseline",
    "Better",
    "ClassBaseline",
    "ClassCounts",
    "ClassMeasure",
    "ClassOptimum",
    "ClassProbabilities",
    "ClassScoreBaseline",
    "ClassScoreMeasure",
    "Codomain",
    "Comparison",
    "Confusion",
    "ConfusionMatrix",
    "ConfusionStream",
    "ConstantSet",
    "CutOff",
    "DeckSet",
    "Decomposition",
    "Diagnosis",
    "Difference",
    "Direction",
    "DutchDraw",
    "Fit",
    "GuessDistribution",
    "Interval",
    "Measure",
    "NullDistribution",
    "NumberBaseline",
    "NumberMeasure",
    "NumberOptimum",
    "Numbers",
    "Optimum",
    "Outcome",
    "Performance",
    "ReliabilityCurve",
    "ReliabilityDiagnosis",
    "Report",
    "ScoreBaseline",
    "ScoreMeasure",
    "ScoreOptimum",
    "Scores",
    "ThetaInterval",
    "ThetaSet",
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
