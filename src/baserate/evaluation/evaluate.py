"""The front door: `evaluate` and `assert_beats_baseline`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from baserate.core.multiple_testing import ALPHA
from baserate.core.observed import Rows
from baserate.data.engines.frames import drops_missing
from baserate.data.rows import DEFAULT_NAME, named_columns, named_models
from baserate.evaluation.asked import (
    Asked,
    answered,
    measured,
    require_places,
    warn_of_unseen_classes,
    without_name_of_truth,
)
from baserate.evaluation.gate import Gate, Status
from baserate.evaluation.rows import (
    ClusteredTask,
    ClusterKey,
    ask_weighed,
    clustered,
    paired_with_reference,
    require_rows,
    row_by_row,
    weighed,
    weights_of,
    with_reference,
)
from baserate.report import Report
from baserate.verdicts.judge import verdicts, verdicts_against
from baserate.verdicts.verdict import Standard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from baserate.core.measure import Measure
    from baserate.core.multiple_testing import Adjustment
    from baserate.core.observed import Observations
    from baserate.data.columns import Labels
    from baserate.data.weights import Kind
    from baserate.task import Task
    from baserate.verdicts.verdict import Verdict


def evaluate(
    y_true: Labels | None = None,
    predictions: Any = None,
    measures: str | Measure[Any] | Iterable[str | Measure[Any]] | None = None,
    *,
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
        None, if all predictions are tables: `Confusion`, `ConfusionMatrix`, `RankedScores`,
        `ClassProbabilities` or `NumericPredictions`.
        With `truth`, the data frame that holds all columns: pandas, polars, pyarrow, DuckDB, Dask,
        Spark, or from `scan`. A lazy frame stays lazy: only counts leave it; of
        numbers the columns that are asked for, or sums and a sample if there are many.
    predictions
        The predicted labels or numbers of one model; a mapping from model names to these; a data
        frame with one column per model; or tables in place of labels. Lists, numpy, pandas, polars
        and pyarrow may be mixed. With `truth`, the names of columns.
        In place of labels, scores: a number for each observation, higher for what is likelier
        positive; or, of several classes, a table with a column per class.
    measures
        The measures, or their names. By default those that people report, and ``"all"`` is all
        of `MEASURES`, of `CLASS_MEASURES` if there are several classes, of `SCORE_MEASURES` if
        predictions are scores, or of `NUMBER_MEASURES` if the truth has fractions. True numbers
        that are all whole could be classes: name measures, or set ``task="regression"``.
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
        rows. ``"importance"`` if it says how much one observation matters; labels of two classes
        and numbers take these.
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
    if truth is None:
        require_places("evaluate", y_true, predictions, measures, pos_label)
        predictions = without_name_of_truth(predictions, y_true, DEFAULT_NAME)
    if reference is not None:
        predictions = with_reference(predictions, reference, y_true, truth)
    asked = Asked.of(task, measures, predictions, pos_label, threshold)
    standard = Standard(alpha, adjust, tries)
    weighing = weights_of(sample_weight, weights, truth, predictions)
    rows = Rows(by, pos_label, drops_missing(missing), weighing, measures=asked.measures)
    together = ClusterKey.of(clusters, by, y_true, truth, weighing)
    source = y_true if together is None else together.source
    columns = {} if truth is None else named_columns(predictions)
    if together is not None and truth is None:
        require_rows(named_models(predictions), "predictions")

    def observe(task: Task[Any], rows: Rows) -> Observations:
        if truth is None:
            return task.observe(source, predictions, rows)
        return task.observe_frame(source, truth, columns, rows)

    seen: Callable[[Task[Any], Rows], tuple[Any, int]] = (
        clustered(observe, together)
        if reference is None
        else paired_with_reference(source, truth, predictions, together)
    )
    named, (tables, dropped) = answered(
        asked, lambda each: ask_weighed(each, rows, seen), truth_alone(y_true, truth, rows)
    )
    chosen = weighed(named, weighing)
    judge: Callable[..., tuple[Verdict, ...]] = verdicts if reference is None else verdicts_against
    judged: Any = chosen if together is None else ClusteredTask(chosen)
    found = judge(judged, tables, asked.of_task(chosen), standard)
    whole = [each.performance for each in found if each.group is None]
    warn_of_unseen_classes({each.model: each.table for each in whole})
    return Report(found, by=group_title(by), dropped=dropped, standard=standard)


def truth_alone(y_true: Any, truth: str | None, rows: Rows) -> Callable[[Task[Any]], Any]:
    """Return what counts the truth alone, in arrays or in a data frame."""

    def count(task: Task[Any], rows: Rows) -> Any:
        if truth is None:
            return task.observe(y_true, {"y_true": y_true}, rows._replace(by=None))
        return task.count_column(y_true, truth, rows)

    return lambda task: ask_weighed(task, rows, count)


def group_title(by: Any) -> str | None:
    """Return the name of a grouping: that of a column, or of a Series."""
    name = by if isinstance(by, str) else getattr(by, "name", None)
    return name if isinstance(name, str) else None


def assert_beats_baseline(
    y_true: Any,
    y_pred: Any,
    measure: str | Measure[Any] | None = None,
    *,
    margin: float = 0,
    alpha: float | None = ALPHA,
    tries: int = 1,
    pos_label: object = None,
    threshold: float | None = None,
    by: Labels | None = None,
    clusters: Labels | None = None,
    reference: Any = None,
    sample_weight: Any = None,
    weights: Kind | None = None,
) -> None:
    """Raise unless there is evidence that a model beats the baseline; made for test suites.

    Parameters
    ----------
    y_true, y_pred
        The true and the predicted labels or numbers of one model; scores in place of predicted
        labels; or a table in place of both.
    measure
        A measure or its name.
    margin
        How much better than the baseline the model must be, in the measure's direction.
    alpha
        How often a model may pass by chance: its verdict must be that it clears the baseline, and
        the lower limit of its margin must reach `margin`. None compares the numbers only, as the
        paper does: half of all coin flips pass.
    tries
        How many attempts the model is the best of.
    pos_label
        The positive class, against the rest.
    threshold
        The lowest score that is predicted positive: scores then have measures of labels, too.
    by
        The group of each observation: the model must pass on the whole test set and in each group
        that can be judged.
    clusters
        The cluster of each observation, if several belong together; see `evaluate`.
    reference
        The predictions of another model to beat, in place of the baseline; see `evaluate`.
    sample_weight, weights
        How much each observation counts, and whether that is a frequency or an importance, as in
        `evaluate`.

    Raises
    ------
    AssertionError
        With the verdict as its message; with groups, with that of each that fails.

    Examples
    --------
    >>> from baserate import Confusion
    >>> assert_beats_baseline(Confusion(tp=120, fp=30, fn=19, tn=134), "F1")
    >>> assert_beats_baseline(Confusion(tp=98, fp=62, fn=41, tn=102), "F1")
    Traceback (most recent call last):
        ...
    AssertionError: F1 of model misses the bar: the lower limit of the margin is -0.0376624, and
    must be above 0. 0.656 exceeds the baseline of 0.629 (everyone positive), but not
    significantly: the margin is 0.027 (95% CI -0.038 to 0.084; p = 9.5e-09). About 2,900 more rows
    like these would settle it (80% power).
    >>> assert_beats_baseline(Confusion(tp=98, fp=62, fn=41, tn=102), "F1", alpha=None)
    """
    __tracebackhide__ = True  # pytest shows the line of the test, and the sentence
    gate = Gate(margin, alpha)
    level: Any = {"alpha": ALPHA if alpha is None else alpha, "tries": tries}
    asked = (y_true, y_pred, measure)
    rows: Any = {
        "threshold": threshold,
        "by": by,
        "clusters": clusters,
        "reference": reference,
        "sample_weight": sample_weight,
        "weights": weights,
    }
    if all(each is None for each in rows.values()):
        table, chosen = measured("assert_beats_baseline", asked, pos_label=pos_label)
        report = evaluate(None, table, chosen, task=table.task, **level)
    else:
        truth, predicted, named = row_by_row("assert_beats_baseline", asked)
        # In a list, so that "all" is the name of a measure that there is not.
        report = evaluate(truth, predicted, [named], pos_label=pos_label, **rows, **level)
    failed = [each.sentence for each in gate.rulings(report) if each.status is Status.FAILED]
    if failed:
        raise AssertionError("\n".join(failed))
