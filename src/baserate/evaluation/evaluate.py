"""The front door: `evaluate`, and `compare` for two models side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from baserate.core.multiple_testing import ALPHA
from baserate.core.observed import Rows
from baserate.data.rows import DEFAULT_NAME, drops_missing, named_columns, named_models
from baserate.data.weights import require_weights
from baserate.evaluation.request import (
    Request,
    by_either_name,
    require_places,
    settled,
    warn_of_unseen_classes,
    without_name_of_truth,
)
from baserate.evaluation.rows import ClusterKey, require_rows, with_reference
from baserate.exceptions import InvalidPredictionsError, InvalidWeightsError
from baserate.report import Comparison, Report
from baserate.task import is_counted, weighted_task
from baserate.verdicts.judge import differences, verdicts, verdicts_against
from baserate.verdicts.verdict import Pair, Significance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from baserate.core.measure import Measure
    from baserate.core.multiple_testing import Adjustment
    from baserate.core.observed import Weights
    from baserate.data.columns import Labels
    from baserate.data.weights import Kind
    from baserate.task import Task
    from baserate.verdicts.verdict import Verdict

T = TypeVar("T")


def evaluate(
    y_true: Labels | None = None,
    y_pred: Any = None,
    measures: str | Measure[Any] | Iterable[str | Measure[Any]] | None = None,
    *,
    y_score: Any = None,
    task: str | None = None,
    truth: str | None = None,
    pos_label: object = None,
    threshold: float | None = None,
    by: Labels | None = None,
    clusters: Labels | None = None,
    missing: Literal["error", "drop"] = "error",
    sample_weight: Any = None,
    weights: Kind | None = None,
    alpha: float = ALPHA,
    adjust: Adjustment = None,
    tries: int = 1,
    reference: Any = None,
) -> Report:
    """Say what the scores of one or more models are worth.

    Parameters
    ----------
    y_true
        The true labels, of two classes or of several, or true numbers. They may be left out, or
        None, if all predictions are tables: `ConfusionMatrix`, `RankedScores`,
        `ClassProbabilities` or `NumericPredictions`.
        With `truth`, the data frame that holds all columns: pandas, polars, pyarrow, DuckDB, Dask,
        Spark, or from `scan`. A lazy frame stays lazy: only counts leave it; of
        numbers the columns that are asked for, or sums and a sample if there are many.
    y_pred, y_score
        The predicted labels or numbers of one model; a mapping from model names to these; a data
        frame with one column per model; or tables in place of labels. Lists, numpy, pandas, polars
        and pyarrow may be mixed. With `truth`, the names of columns.
        In place of labels, scores, by either name: a number for each observation, higher for what
        is likelier positive; or, of several classes, a table with a column per class.
    measures
        The measures, or their names. By default those that people report, and ``"all"`` is all
        of `MEASURES` that this kind of prediction has. True numbers that are all whole could be
        classes: name measures, or set ``task="regression"``.
    task
        ``"binary"``, ``"multiclass"``, ``"scores"`` (of two classes), ``"class-scores"`` (a column
        per class) or ``"regression"``. It may be left out: the measures and the data say so. Names
        that several have, such as accuracy or log loss, are of several classes if there are more
        than two.
    truth
        The name of the column of true labels or numbers, if the first argument is a data frame.
    pos_label
        The positive class: one class against all others. It may be left out when the labels are
        0/1, -1/1 or booleans, and if there are several classes.
    threshold
        The lowest score that is predicted positive: with scores as predictions, measures of
        labels such as F1 are then known beside those of scores.
    by
        The group of each observation, such as a hospital or a year; with `truth`, the name of
        that column. Each group is judged by its own base rate, next to the whole test set.
    clusters
        The cluster of each observation, such as a patient with several rows; with `truth`, the
        name of that column. Rows of a cluster resemble each other, so whole clusters are drawn
        for intervals and tested for p-values.
    missing
        ``"drop"`` leaves out observations with a missing label or number, for all models alike,
        and the report says how many; otherwise it is an error.
    sample_weight
        How much each observation counts: a number for each, or, with `truth`, the name of that
        column. `weights` must say what it means.
    weights
        ``"frequency"`` if a weight says how often an observation was seen: 3 stands for three equal
        rows. ``"importance"`` if it says how much one observation matters.
    alpha
        The significance level of each claim: intervals are at 1 - alpha, and evidence is a p-value
        below it.
    adjust
        How the many claims of one report are judged together: ``"holm"``, so that any of them is
        false as rarely as alpha, which makes p-values larger and intervals of margins wider; or
        ``"bh"``, about p-values alone, so that of all that is said to have learned at most a share
        alpha did not.
    tries
        How many attempts each model is the best of: p-values and chance are then those of the best
        of as many draws.
    reference
        The predictions of another model, such as the last value of a time series: models are then
        judged against it, on the same rows, and not against the best guess. It may be a
        mapping from its name to them, or the name of one of the models; with `truth`, the name of a
        column.

    Returns
    -------
    Report
        One verdict per model, group and measure: a table in a terminal, HTML in a notebook.

    Examples
    --------
    >>> y_true = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    >>> good, poor = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 1, 1, 0, 1]
    >>> report = evaluate(y_true, {"good": good, "poor": poor}, ["F1", "MCC"])
    >>> for verdict in report:
    ...     print(verdict)
    F1 of good: 0.800 exceeds the baseline of 0.462 (everyone positive), but not significantly: the
    margin is 0.338 (95% CI -0.420 to 0.764; p = 0.067). About 51 more rows like these would settle
    it (80% power).
    MCC of good: 0.764 exceeds the baseline of 0.000 (any guess), but not significantly: the margin
    is 0.764 (95% CI -0.012 to 0.993; p = 0.067). About 20 more rows like these would settle it
    (80% power).
    F1 of poor: 0.286 is below the baseline of 0.462 (everyone positive), with no evidence of
    learning (p = 0.833).
    MCC of poor: -0.089 is below the baseline of 0.000 (any guess), with no evidence of learning (p
    = 0.833).
    >>> scores = [0.9, 0.8, 0.3, 0.4, 0.2, 0.1, 0.2, 0.3, 0.1, 0.2]
    >>> print(evaluate(y_true, {"forest": scores}, "AUC")["forest", "AUC"])
    AUC of forest: 0.929 exceeds the baseline of 0.500 (any guess), but not significantly: the
    margin is 0.429 (95% CI -0.247 to 0.499; p = 0.025). About 20 more rows like these would settle
    it (80% power).
    >>> print(evaluate(y_true, {"good": good}, "F1", reference={"rule": poor})["good", "F1"])
    F1 of good: 0.800 exceeds the 0.286 of rule, but not significantly: the margin is 0.514 (95% CI
    -0.381 to 0.929; p = 0.125). About 26 more rows like these would settle it (80% power).
    >>> price, ridge = [1.5, 2, 3, 5, 8, 9, 12, 14], [2, 2, 3, 6, 7, 9, 11, 15]
    >>> print(evaluate(price, {"ridge": ridge}, "MAE")["ridge", "MAE"])
    MAE of ridge: 0.562 beats the baseline of 3.938 (any constant from 5 to 8): the margin is 3.375
    (95% CI 1.409 to 5.212; p = 5.0e-05).
    """
    y_pred = by_either_name(y_pred, y_score)
    if truth is None:
        require_places("evaluate", y_true, y_pred, measures, pos_label)
        y_pred = without_name_of_truth(y_pred, y_true, DEFAULT_NAME)
    if reference is not None:
        y_pred = with_reference(y_pred, reference, y_true, truth)
    significance = Significance(alpha, adjust, tries)
    asked = _observed(
        y_true,
        y_pred,
        measures,
        in_pairs=None if reference is None else "with first",
        task=task,
        truth=truth,
        pos_label=pos_label,
        threshold=threshold,
        by=by,
        clusters=clusters,
        missing=missing,
        sample_weight=sample_weight,
        weights=weights,
    )
    judge: Callable[..., tuple[Verdict, ...]] = verdicts if reference is None else verdicts_against
    found = judge(*asked[:3], significance)
    whole = [each.performance for each in found if each.group is None]
    warn_of_unseen_classes({each.model: each.table for each in whole})
    return Report(found, by=_group_title(by), dropped=asked[3], significance=significance)


def _observed(
    y_true: Any,
    predictions: Any,
    measures: Any,
    *,
    in_pairs: Literal["all", "with first"] | None,
    task: str | None,
    truth: str | None,
    pos_label: object,
    threshold: float | None,
    by: Any,
    clusters: Any,
    missing: str,
    sample_weight: Any,
    weights: Any,
) -> tuple[Task[Any], Any, tuple[Any, ...], int]:
    """Return the task of a call, what its rows show, the measures, and how many were dropped."""
    asked = Request.of(task, measures, predictions, pos_label, threshold)
    weighing = None
    if sample_weight is not None or weights is not None:
        weighing = _weights(sample_weight, weights, None if in_pairs else predictions)
    rows = Rows(by, pos_label, drops_missing(missing), weighing, in_pairs, asked.measures)
    together = None
    if clusters is not None:
        together = ClusterKey.of(clusters, by, y_true, truth)
    source = y_true if together is None else together.source
    models = named_columns(predictions) if truth is not None else predictions
    if truth is None and (in_pairs or together):
        models = named_models(predictions)
        require_rows(models, "y_pred")
    if in_pairs:
        _require_pair(models, y_true)

    def read(task: Task[Any], rows: Rows) -> Any:
        if truth is None:
            return task.observe(source, models, rows)
        return task.observe_frame(source, truth, models, rows)

    def look() -> tuple[Any, Sequence[Any]]:
        if truth is None:
            return y_true, [] if models is None else list(named_models(models).values())
        from baserate.data.engines.query import first_rows

        return first_rows(source, truth, models, rows) if asked.is_open else ([], [])

    see = read if together is None else together.reader(read)
    chosen, (found, dropped) = ask_weighed(asked.kind(look), rows, see)
    chosen = settled(chosen, next(iter(next(iter(found.values())).values())))
    if in_pairs:
        found = [
            Pair(first=first, second=second, group=group, table=table)
            for (first, second), of_groups in found.items()
            for group, table in of_groups.items()
        ]
    return chosen, found, asked.of_task(chosen), dropped


def _weights(sample_weight: Any, kind: Any, predictions: Any) -> Weights | None:
    """Return the weights of a call, or raise unless it has rows, and says what weights mean."""
    weights = require_weights(sample_weight, kind)
    models = predictions if isinstance(predictions, Mapping) else {"": predictions}
    for table in models.values():
        if is_counted(table):
            raise InvalidWeightsError(
                f"must come with a prediction per row (got a {type(table).__name__}, which has no "
                "rows to weigh)",
                parameter="sample_weight",
            )
    return weights


def ask_weighed(
    task: Task[Any], rows: Rows, ask: Callable[[Task[Any], Rows], T]
) -> tuple[Task[Any], T]:
    """Ask the task of rows with such weights: frequencies only repeat rows."""
    if rows.weights is not None and rows.weights.kind == "importance":
        task = weighted_task(task)
    return task, ask(task, rows)


def _require_pair(models: Mapping[str, object], y_true: object) -> None:
    """Raise unless there are two models, and a truth to score them by."""
    if len(models) < 2:
        raise InvalidPredictionsError(
            f"must have at least two models to compare (got {len(models)}); name another one, or "
            "use evaluate for a single model",
            parameter="y_pred",
        )
    if y_true is None:
        raise InvalidPredictionsError(
            "must be given to compare models (got None)", parameter="y_true"
        )


def _group_title(by: Any) -> str | None:
    """Return the name of a grouping: that of a column, or of a Series."""
    name = by if isinstance(by, str) else getattr(by, "name", None)
    return name if isinstance(name, str) else None


def compare(
    y_true: Labels,
    y_pred: Any = None,
    measures: str | Measure[Any] | Iterable[str | Measure[Any]] | None = None,
    *,
    y_score: Any = None,
    task: str | None = None,
    truth: str | None = None,
    pos_label: object = None,
    threshold: float | None = None,
    by: Labels | None = None,
    clusters: Labels | None = None,
    missing: Literal["error", "drop"] = "error",
    sample_weight: Any = None,
    weights: Kind | None = None,
    alpha: float = ALPHA,
    adjust: Adjustment = None,
) -> Comparison:
    """Say whether one model is better than another, on the same observations.

    Every pair of models is compared by every measure: the score of the first minus that of the
    second, its interval over test sets like this one, and the two-sided p-value of swapping their
    answers at random, row by row. For accuracy this is McNemar's exact test. Where a p-value is
    not exact, as for more than a few numbers, it is written with ≈, and `Difference.exact` is
    false.

    Parameters
    ----------
    y_true
        The true labels or numbers, or the data frame that holds all columns, as in `evaluate`.
    y_pred, y_score
        A mapping from model names to predicted labels or numbers, or a data frame with one column
        per model; at least two of them. Scores or probabilities may take the place of labels. With
        `truth`, the names of columns. A table does not say on which rows a model is right, so it
        cannot be compared.
    measures, task, truth, pos_label, threshold
        What is asked of which columns, as in `evaluate`.
    by
        The group of each observation, such as a hospital or a year; with `truth`, the name of
        that column. Models are compared in each group, next to the whole test set.
    clusters
        The cluster of each observation, such as a patient with several rows; with `truth`, the
        name of that column. Rows of a cluster resemble each other, so whole clusters are drawn
        for intervals and swapped for p-values.
    missing, sample_weight, weights
        Which observations count, and how much, as in `evaluate`.
    alpha
        The significance level of each claim: intervals are at 1 - alpha, and a model is called
        better if the p-value is below it and the interval does not hold 0.
    adjust
        How the many claims of one comparison are judged together: ``"holm"``, so that any of them
        is false as rarely as alpha, which makes p-values larger and intervals wider; or ``"bh"``,
        about p-values alone, so that at most a share alpha of all that are called different are
        alike.

    Returns
    -------
    Comparison
        One difference per pair, group and measure: sentences in a terminal, HTML in a notebook.

    Examples
    --------
    >>> y_true = [1] * 20 + [0] * 20
    >>> tree, forest = [1] * 10 + [0] * 30, [1] * 18 + [0] * 22
    >>> print(compare(y_true, {"tree": tree, "forest": forest}, "ACC")["tree", "forest", "ACC"])
    forest is better than tree by accuracy: tree 0.750, forest 0.950, a difference of -0.200 (95%
    CI -0.356 to -0.045; p = 0.008).
    """
    y_pred = by_either_name(y_pred, y_score)
    if truth is None:
        require_places("compare", y_true, y_pred, measures, pos_label)
    significance = Significance(alpha, adjust)
    asked = _observed(
        y_true,
        y_pred,
        measures,
        in_pairs="all",
        task=task,
        truth=truth,
        pos_label=pos_label,
        threshold=threshold,
        by=by,
        clusters=clusters,
        missing=missing,
        sample_weight=sample_weight,
        weights=weights,
    )
    found = differences(*asked[:3], significance)
    whole = [each.pair for each in found if each.group is None]
    warn_of_unseen_classes(
        {pair.first: pair.table.first for pair in whole}
        | {pair.second: pair.table.second for pair in whole}
    )
    return Comparison(found, by=_group_title(by), dropped=asked[3], significance=significance)
