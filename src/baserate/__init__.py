"""What is a score worth? Compare it with the score of the best guess.

The eight names that people need, each with examples in its own help:

- `evaluate(y_true, y_pred, measures)`: is it better than the best guess, with what evidence?
- `compare(y_true, models, measures)`: do models differ?
- `assert_beats_baseline(y_true, y_pred, measure)`: the same as a line of a test suite
- `baseline(y_true, measure)`: the best guess, and its score
- `p_value(y_true, y_pred)`: the chance of such a score if predictions are shuffled
- `confidence_interval(y_true, y_pred, measure)`: how far the score may be off
- `rows_needed(measure)`: how many rows a test set needs to show it
- `threshold_curve(y_true, y_score, measure)`: what every threshold of scores is worth

`MEASURES` has all measures by name. Labels, scores, probabilities and numbers are told apart.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate import datasets as datasets
    from baserate import exceptions as exceptions
    from baserate import plots as plots
    from baserate import sklearn as sklearn
    from baserate.baselines.expectation import expected_score as expected_score
    from baserate.core.baseline import Baseline as Baseline
    from baserate.core.measure import Measure as Measure
    from baserate.data.files import scan as scan
    from baserate.evaluation.evaluate import compare as compare
    from baserate.evaluation.evaluate import evaluate as evaluate
    from baserate.evaluation.gate import assert_beats_baseline as assert_beats_baseline
    from baserate.evaluation.reliability import ReliabilityCurve as ReliabilityCurve
    from baserate.evaluation.reliability import reliability_curve as reliability_curve
    from baserate.evaluation.rows_needed import rows_needed as rows_needed
    from baserate.evaluation.single import baseline as baseline
    from baserate.evaluation.single import confidence_interval as confidence_interval
    from baserate.evaluation.single import dutch_scaler as dutch_scaler
    from baserate.evaluation.single import null_distribution as null_distribution
    from baserate.evaluation.single import p_value as p_value
    from baserate.evaluation.single import rescaled_score as rescaled_score
    from baserate.evaluation.threshold import ThresholdCurve as ThresholdCurve
    from baserate.evaluation.threshold import threshold_curve as threshold_curve
    from baserate.kinds.two_classes_null import DutchDraw as DutchDraw
    from baserate.measures.two_classes_rates import fbeta as fbeta
    from baserate.multiple_choice import chance as chance
    from baserate.null.distribution import NullDistribution as NullDistribution
    from baserate.observed.class_scores import ClassProbabilities as ClassProbabilities
    from baserate.observed.labels import BaseRate as BaseRate
    from baserate.observed.labels import ConfusionMatrix as ConfusionMatrix
    from baserate.observed.numbers import NumericPredictions as NumericPredictions
    from baserate.observed.scores import RankedScores as RankedScores
    from baserate.report import Comparison as Comparison
    from baserate.report import Report as Report
    from baserate.task import MEASURES as MEASURES
    from baserate.task import get_measure as get_measure
    from baserate.verdicts.verdict import Difference as Difference
    from baserate.verdicts.verdict import Outcome as Outcome
    from baserate.verdicts.verdict import Verdict as Verdict

__version__ = "0.1.0"

# Where each name is: it is loaded on first use, and with it what it needs.
_WHERE = {
    "baselines.expectation": "expected_score",
    "core.baseline": "Baseline",
    "core.measure": "Measure",
    "data.files": "scan",
    "evaluation.evaluate": "compare evaluate",
    "evaluation.gate": "assert_beats_baseline",
    "evaluation.reliability": "ReliabilityCurve reliability_curve",
    "evaluation.rows_needed": "rows_needed",
    "evaluation.single": (
        "baseline confidence_interval dutch_scaler null_distribution p_value rescaled_score"
    ),
    "evaluation.threshold": "ThresholdCurve threshold_curve",
    "observed.class_scores": "ClassProbabilities",
    "kinds.two_classes_null": "DutchDraw",
    "measures.two_classes_rates": "fbeta",
    "multiple_choice": "chance",
    "null.distribution": "NullDistribution",
    "observed.labels": "BaseRate ConfusionMatrix",
    "observed.numbers": "NumericPredictions",
    "observed.scores": "RankedScores",
    "report": "Comparison Report",
    "task": "MEASURES get_measure",
    "verdicts.verdict": "Difference Outcome Verdict",
}
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names.split()}
_MODULES = ("datasets", "exceptions", "plots", "sklearn")
__all__ = sorted((*_MODULE_OF, *_MODULES))  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"baserate.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"baserate.{_MODULE_OF[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return ["__version__", *__all__]
