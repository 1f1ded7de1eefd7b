"""The distribution of a score when predictions are shuffled, of any kind of prediction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from baserate.arguments import is_number
from baserate.evaluation.arguments import require_one_measure
from baserate.evaluation.calls import measured, require_test_set, warn_of_unseen_classes
from baserate.evaluation.choice import Asked, answered, is_counted
from baserate.exceptions import InvalidPredictionsError, UndefinedMeasureError
from baserate.kinds.two_classes.null import DutchDraw
from baserate.task import is_measure
from baserate.tasks import task_observed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.core.measure import AnyMeasure
    from baserate.data.columns import Labels
    from baserate.kinds.class_scores.observed import ClassProbabilities
    from baserate.null.distribution import NullDistribution
    from baserate.observed.base_rate import BaseRate
    from baserate.observed.classes import ClassCounts, ConfusionMatrix
    from baserate.observed.numbers import Numbers
    from baserate.observed.scores import Scores
    from baserate.observed.two_classes import Confusion


@overload
def null_distribution(
    y_true: Labels,
    y_pred: Labels | DutchDraw | int | Mapping[Any, int],
    measure: str | AnyMeasure[Any],
    *,
    pos_label: object = None,
) -> NullDistribution: ...
@overload
def null_distribution(
    test_set: BaseRate | ClassCounts | Numbers,
    guess: DutchDraw | int | Mapping[Any, int] | Sequence[Any] | NDArray[Any],
    measure: str | AnyMeasure[Any],
    /,
) -> NullDistribution: ...
@overload
def null_distribution(
    table: Confusion | ConfusionMatrix | Scores | ClassProbabilities,
    measure: str | AnyMeasure[Any],
    /,
) -> NullDistribution: ...
def null_distribution(
    y_true: Any = None, y_pred: Any = None, measure: Any = None, *, pos_label: object = None
) -> NullDistribution:
    """Return the distribution of a score when predictions are shuffled over the rows.

    Parameters
    ----------
    y_true
        The true labels or numbers, or a test set: a `BaseRate`, a `ClassCounts` or `Numbers`.
    y_pred
        The predictions, of any kind. Or a guess of your own: the number of positives or a
        `DutchDraw` with two classes; how often each class is predicted, as a mapping, with several;
        how often each answer or number is, as a mapping. Beside a test set, which has no rows: the
        counts of the classes in their order, or all scores, probabilities or numbers in any order.
        A table, `Scores` or a `Fit` may take the place of `y_true` and `y_pred`.
    measure
        A measure or its name.
    pos_label
        The positive class. It may be left out when the labels are 0/1, -1/1 or booleans, and if
        there are several classes.

    Returns
    -------
    NullDistribution
        Its `mean`, `var`, `sf` and `cdf` (both include the score itself), `ppf` and `interval`;
        `method` says how they are found, and `error` how far off they may be.

    Examples
    --------
    >>> null = null_distribution([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0], "F1")
    >>> null
    <null distribution of F1: mean 0.3429, 95% within 0 to 0.8, exact>
    >>> round(null.sf(0.8), 4)
    0.1429
    >>> from baserate import BaseRate, ClassCounts, DutchDraw
    >>> rate = BaseRate(positives=139, total=303)
    >>> null_distribution(rate, DutchDraw(rate, theta=0.3), "F1")
    <null distribution of F1: mean 0.363, 95% within 0.2957 to 0.4348, exact>
    >>> counts = ClassCounts({"a": 70, "b": 20, "c": 10})
    >>> null_distribution(counts, {"a": 62, "b": 28, "c": 10}, "macro F1")
    <null distribution of macro F1: mean 0.3303, 95% within 0.2449 to 0.429, exact>
    >>> null_distribution(BaseRate(positives=2, total=4), [0.1, 0.2, 0.2, 0.7], "AUC").interval(0.9)
    (0.125, 0.875)
    """
    require_one_measure("null_distribution", measure)
    found, chosen = (
        _null_of_guess(y_true, y_pred, measure, pos_label)
        if _is_guess(y_true, y_pred)
        else _null_of_predictions((y_true, y_pred, measure), pos_label)
    )
    found.score_of = chosen.key
    return found


def _is_guess(y_true: Any, y_pred: Any) -> bool:
    """Return whether predictions are given without their order."""
    if y_pred is None or is_measure(y_pred) or is_counted(y_pred):
        return False
    return is_number(y_pred) or isinstance(y_pred, DutchDraw | Mapping) or is_counted(y_true)


def _null_of_guess(
    y_true: Any, guess: Any, measure: Any, pos_label: object
) -> tuple[NullDistribution, AnyMeasure[Any]]:
    test_set = guess.base_rate if y_true is None and isinstance(guess, DutchDraw) else y_true
    require_test_set(test_set, pos_label)
    asked = Asked.of(None, [measure], test_set, pos_label)
    task, counted = answered(asked, lambda each: each.test_set_of(test_set, pos_label))
    (chosen,) = task.chosen([measure])
    if isinstance(guess, DutchDraw):
        if guess.base_rate != counted:
            raise InvalidPredictionsError(
                f"must be a draw on the test set (got one on {guess.base_rate})",
                parameter="y_pred",
            )
        guess = guess.predicted_positives
    return task.null_of_guess(chosen, counted, guess), chosen


def _null_of_predictions(
    asked: tuple[Any, Any, Any], pos_label: object
) -> tuple[NullDistribution, AnyMeasure[Any]]:
    table, chosen = measured("null_distribution", asked, pos_label=pos_label)
    warn_of_unseen_classes({"y_pred": table})
    _, reason = chosen.score_or_reason(table)
    if reason:
        raise UndefinedMeasureError(f"{chosen.key} is undefined: {reason}")
    return task_observed(table.task).null_of(chosen, table), chosen
