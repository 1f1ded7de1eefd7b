"""Scorers for scikit-learn: a score, or its worth against the baseline of the same fold."""

from __future__ import annotations

import contextlib
import math
import warnings
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from baserate.arguments import as_float, is_number
from baserate.baselines.dutch_scaler import Scaler
from baserate.core.measure import Direction
from baserate.core.observed import Rows, Weights
from baserate.data.labels import require_plain
from baserate.data.weights import require_kind, require_weights
from baserate.evaluation.evaluate import ask_weighed
from baserate.evaluation.request import Request
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidScoresError,
    MissingDependencyError,
    UndefinedMeasureError,
    UndefinedMeasureWarning,
)
from baserate.formatting import shown
from baserate.task import task_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate.core.measure import Measure
    from baserate.core.observed import Observed
    from baserate.data.columns import Labels
    from baserate.data.weights import Kind
    from baserate.task import Task

Worth: TypeAlias = Literal["rescaled", "dutch_scaler", "margin"]
"""How to express a score relative to its baseline."""

# What scikit-learn's own scorers of rankings ask for, in this order.
_RANKING = ("decision_function", "predict_proba")
_WORTHS: tuple[Worth, ...] = ("rescaled", "dutch_scaler", "margin")


def make_scorer(
    measure: str | Measure[Any],
    *,
    scaled: bool | Worth = False,
    pos_label: object = None,
    undefined: float | None = None,
    weights: Kind | None = None,
) -> Any:
    """Return a scorer for scikit-learn's `cross_validate`, `GridSearchCV` and the like.

    A measure of labels asks an estimator for labels. One of scores asks for its decision function
    or, where it has none, for the probability of the positive class, as scikit-learn's scorers do;
    one of probabilities for that only.

    Each fold is compared with its own baseline. Greater is better: as in scikit-learn, the plain
    score of a measure to minimize is negated.

    A name that is known for two classes and for several, such as accuracy, serves both. A fold of
    labels 0/1, -1/1 or booleans is then one of two classes, also if other folds have more: the
    score is the same number either way, and so is its worth where at least two classes occur.

    Parameters
    ----------
    measure
        A measure or its name.
    scaled
        False for the score itself; True or ``"rescaled"`` for the rescaled score;
        ``"dutch_scaler"`` for the Dutch Scaler, of two classes; ``"margin"`` for the lead over the
        baseline.
    pos_label
        The positive class, for measures of two classes. It may be left out when the labels are
        0/1, -1/1 or booleans.
    undefined
        What to return if the score, the baseline or the Dutch Scaler (below the baseline) does
        not exist; an `UndefinedMeasureWarning` says so. By default it is a number that a search
        can rank: the score that scikit-learn gives, such as 0 for the F1 of a model that predicts
        nothing positive; where it gives none, the expected score of the worst guess; or
        the worst end of the codomain if none has a score. Such a score is worth no more than the
        baseline, and the Dutch Scaler is 0 below it.
    weights
        What the `sample_weight` of a fold means, if scikit-learn passes one: ``"frequency"`` if a
        weight says how often an observation was seen, ``"importance"`` if it says how much one
        observation matters.

    Returns
    -------
    callable
        A scikit-learn scorer, ``scorer(estimator, X, y)``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], [8, 4])
    >>> model = LogisticRegression().fit(X, y == 1)
    >>> model.predict(X).astype(int)
    array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    >>> make_scorer("mcc", scaled=True)(model, X, np.roll(y, 1))
    0.625
    >>> animals = np.repeat(["cat", "dog", "eel"], 4)
    >>> model = LogisticRegression().fit(X, animals)
    >>> scorer = make_scorer("f1_macro", scaled=True)
    >>> scorer(model, X, animals), round(scorer(model, X, np.roll(animals, 1)), 3)
    (1.0, 0.625)
    >>> model = LogisticRegression().fit(X, y)
    >>> scorer = make_scorer("AUC", scaled=True)
    >>> scorer(model, X, y), round(scorer(model, X, np.roll(y, 1)), 3)
    (1.0, 0.5)
    """
    try:
        from sklearn import metrics
    except ModuleNotFoundError:
        raise MissingDependencyError.package("scikit-learn", "make_scorer") from None
    worth, undefined = _require_worth(scaled), _require_undefined(undefined)
    measures = _of_each_task(measure, worth, pos_label)
    # A name that two tasks have is of one measure, so that its direction is the same.
    direction = next(iter(measures.values())).direction
    is_negated = worth is None and direction is Direction.MINIMIZE
    return metrics.make_scorer(
        fold_score,
        response_method=_response(measures),
        greater_is_better=not is_negated,
        measures=measures,
        worth=worth,
        pos_label=require_plain(pos_label),
        # scikit-learn negates whatever this returns.
        undefined=-undefined if is_negated and undefined is not None else undefined,
        weights=require_kind(weights),
    )


def scorers(
    *names: str,
    pos_label: object = None,
    undefined: float | None = None,
    weights: Kind | None = None,
) -> dict[str, Any]:
    """Return scorers by name, for the `scoring` of scikit-learn's `cross_validate`.

    Parameters
    ----------
    *names
        The name of a measure for its score; with the suffix ``_rescaled``, ``_dutch_scaler`` or
        ``_margin``, such as ``"f1_rescaled"`` or ``"f1_macro_margin"``, for its worth.
    pos_label, undefined, weights
        As in `make_scorer`.

    Returns
    -------
    dict
        The scorers, keyed by the names as given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import cross_validate
    >>> from baserate.sklearn import DutchDrawClassifier
    >>> X, y = np.zeros((30, 1)), np.repeat([0, 1], [20, 10])
    >>> scoring = scorers("f1", "f1_rescaled", "f1_margin")
    >>> scores = cross_validate(DutchDrawClassifier("f1"), X, y, scoring=scoring)
    >>> scores["test_f1"], scores["test_f1_rescaled"]
    (array([0.5, 0.5, 0.5, 0.5, 0.5]), array([0., 0., 0., 0., 0.]))
    """
    options: Any = {"pos_label": pos_label, "undefined": undefined, "weights": weights}
    found = {}
    for name in names:
        worths = (each for each in _WORTHS if isinstance(name, str) and name.endswith(f"_{each}"))
        worth = next(worths, None)
        measure = name if worth is None else name.removesuffix(f"_{worth}")
        found[name] = make_scorer(measure, scaled=worth or False, **options)
    return found


def _of_each_task(measure: Any, worth: Worth | None, pos_label: object) -> dict[str, Measure[Any]]:
    """Return the measure that is meant in each task that has it, or raise if none does."""
    tasks = list(Request.of(None, [measure], None, pos_label).tasks())
    if worth == "dutch_scaler":
        tasks = [task for task in tasks if task.takes_positive and not task.takes_scores]
        if not tasks:
            raise InvalidMeasureError(
                f"must be True, False or 'margin' for {shown(measure)} (got 'dutch_scaler', which "
                "is of labels of two classes, one of them positive)",
                parameter="scaled",
            )
    found: dict[str, Measure[Any]] = {task.name: task.named(measure) for task in tasks}
    if worth is not None:
        for each in found.values():
            each.require_baseline()
    return found


def _response(measures: Mapping[str, Measure[Any]]) -> str | tuple[str, ...]:
    """Return what an estimator is asked for: labels, scores or probabilities."""
    name, measure = next(iter(measures.items()))
    if not task_named(name).takes_scores:
        return "predict"
    return "predict_proba" if getattr(measure, "probabilities", False) else _RANKING


def _require_worth(scaled: Any) -> Worth | None:
    if isinstance(scaled, bool):
        return "rescaled" if scaled else None
    if not isinstance(scaled, str) or scaled not in _WORTHS:
        names = ", ".join(map(repr, _WORTHS))
        raise InvalidMeasureError(
            f"must be True, False or one of {names} (got {shown(scaled)})", parameter="scaled"
        )
    return scaled


def _require_undefined(undefined: Any) -> float | None:
    if undefined is None:
        return None
    if not is_number(undefined):
        raise InvalidMeasureError(
            f"must be a number, or None for one that a search can rank (got {shown(undefined)})",
            parameter="undefined",
        )
    return as_float(undefined)


def fold_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    measures: Mapping[str, Measure[Any]],
    worth: Worth | None,
    pos_label: object,
    undefined: float | None,
    weights: Kind | None = None,
    sample_weight: Any = None,
) -> float:
    """Return the score of a fold or its worth; the measures are keyed by the name of the task."""
    # A scorer that says what weights mean may still be given none.
    weighing = None if sample_weight is None else require_weights(sample_weight, weights)
    if weighing is not None and not np.any(sample_weight):
        value, why = math.nan, "all weights are 0, so that there is nothing to score"
    else:
        rows = Rows(pos_label=pos_label, weights=weighing)
        asked = _counted(y_true, y_pred, measures, rows)
        value, why = ranked_score(*asked) if worth is None else ranked_worth(*asked, worth)
    if not why:
        return value
    standing = f"; {value:.6g} stands in" if undefined is None else ""
    warnings.warn(f"{why}{standing}", UndefinedMeasureWarning, stacklevel=2)
    return value if undefined is None else undefined


def _counted(
    y_true: Labels, y_pred: Labels, measures: Mapping[str, Measure[Any]], rows: Rows
) -> tuple[Task[Any], Any, Measure[Any]]:
    """Return the first task that can read the labels, what it counts, and its measure.

    Two classes without an evident positive one may be two of several, which other folds have.
    """

    def counted(name: str) -> tuple[Task[Any], Any, Measure[Any]]:
        task, measure = task_named(name), measures[name]
        if rows.weights is None:
            return task, task.count(y_true, y_pred, rows.pos_label), measure
        known, found = ask_weighed(
            task, rows, lambda each, asked: each.observe(y_true, {"y_pred": y_pred}, asked)
        )
        return known, found.tables["y_pred"][None], known.get(measure)

    *others, last = measures
    for name in others:
        with contextlib.suppress(InvalidLabelsError, InvalidScoresError):
            return counted(name)
    return counted(last)


# Values that a search can rank, also where a score or its worth is undefined.


class Ranked(NamedTuple):
    """A number to rank a model by, and why it only stands in for an undefined one."""

    value: float
    why: str = ""


def ranked_score(task: Task[Any], table: Any, measure: Measure[Any]) -> Ranked:
    """Return the score of a table, or what stands in for it."""
    score, reason = measure.score_or_reason(table)
    if not reason:
        return Ranked(score)
    return Ranked(_stand_in(task, table, measure), f"{measure.key} is undefined: {reason}")


def ranked_worth(task: Task[Any], table: Any, measure: Measure[Any], worth: Worth) -> Ranked:
    """Return what a score is worth, or what stands in for it.

    A score that only stands in is worth at most nothing, and so is every score on a test set
    where no guess can be scored: there is nothing to beat.
    """
    score, why = ranked_score(task, table, measure)
    try:
        baseline: Any = task.baseline(table.test_set, measure)
    except UndefinedMeasureError as error:
        return Ranked(0.0, why or str(error))
    scale = baseline.scale
    margin = scale.advantage(score, scale.best)
    if why:
        margin = min(margin, 0.0)
    if worth == "margin":
        return Ranked(margin, why)
    if worth == "rescaled":
        value = scale.rescaled_margin(margin)
        unknown = (
            f"the rescaled score of {measure.key} is undefined: its perfect score is not known, or "
            "no better than the baseline; give a measure of your own its codomain, or use "
            "scaled='margin'"
        )
        return Ranked(value, unknown if math.isnan(value) else why)
    try:  # below the baseline nobody needs an oracle, so that the Dutch Scaler is 0
        return Ranked(0.0, why) if why else Ranked(Scaler(baseline).weight(score))
    except UndefinedMeasureError as error:
        return Ranked(float(margin > 0), str(error))


def _stand_in(task: Task[Any], table: Any, measure: Measure[Any]) -> float:
    """Return the first score there is: scikit-learn's, the worst reference's, the worst of all."""
    for score in (
        _of_scikit_learn(table, measure),
        _of_worst_reference(task, table, measure),
        _of_wrong_answers(task, table, measure),
    ):
        if math.isfinite(score):
            return score
    maximize = measure.direction is Direction.MAXIMIZE
    end = measure.codomain.lower if maximize else measure.codomain.upper
    if math.isfinite(end):
        return end
    # No model has a score on a single class, so that any number ranks them alike.
    return math.nan if len(set(table.cells.truth)) > 1 else 0.0


def _of_scikit_learn(table: Observed, measure: Measure[Any]) -> float:
    if measure.sklearn is None:
        return math.nan
    truth, predicted, counts = map(np.asarray, table.cells)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the scorer has its own warning
        try:
            return measure.sklearn.score(truth, predicted, sample_weight=counts)
        except ValueError:  # it refuses a single class
            return math.nan


def _of_worst_reference(task: Task[Any], table: Observed, measure: Measure[Any]) -> float:
    try:
        return task.baseline(table.test_set, measure).scale.worst
    except UndefinedMeasureError:
        return math.nan


def _of_wrong_answers(task: Task[Any], table: Observed, measure: Measure[Any]) -> float:
    """Return the score of a prediction that is always wrong, if only one class occurs.

    Kappa has no score there if all is right, and 0 otherwise: what is right must not rank lower.
    """
    first, *others = set(table.cells.truth)
    if others:
        return math.nan
    total: Any = [table.test_set.total]
    rows = Rows(weights=Weights(total, "importance" if task.takes_importance else "frequency"))
    found = task.observe(np.array([first]), {"wrong": np.array([int(not first)])}, rows)
    return float(measure.score_or_reason(found.tables["wrong"][None])[0])
