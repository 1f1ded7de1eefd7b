"""The front door for two models side by side: `compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from baserate.core.multiple_testing import ALPHA
from baserate.core.observed import Rows
from baserate.data.engines.frames import drops_missing
from baserate.data.rows import named_columns, named_models
from baserate.evaluation.asked import Asked, answered, require_places, warn_of_unseen_classes
from baserate.evaluation.evaluate import group_title, truth_alone
from baserate.evaluation.rows import (
    ClusteredTask,
    ClusterKey,
    ask_weighed,
    clustered,
    pairs_of_models,
    require_rows,
    require_truth,
    weighed,
    weights_of,
)
from baserate.exceptions import InvalidPredictionsError
from baserate.report.comparison import Comparison
from baserate.verdicts.judge import differences
from baserate.verdicts.verdict import Standard

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from baserate.core.measure import Measure
    from baserate.core.multiple_testing import Adjustment
    from baserate.core.observed import JointObservations
    from baserate.data.columns import Labels
    from baserate.data.weights import Kind
    from baserate.task import Task


def compare(
    y_true: Labels,
    predictions: Any,
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
        The true labels or numbers. With `truth`, the data frame that holds all columns: pandas,
        polars, pyarrow, DuckDB, Dask, Spark, or from `scan`. A lazy frame stays lazy: only counts
        leave it; of numbers the columns that are asked for, or sums and a sample if there are many.
    predictions
        A mapping from model names to predicted labels or numbers, or a data frame with one column
        per model; at least two of them. Scores or probabilities may take the place of labels. With
        `truth`, the names of columns. A table does not say on which rows a model is right, so it
        cannot be compared.
    measures
        The measures, or their names. By default those that people report, and ``"all"`` is all
        of `MEASURES`, of `CLASS_MEASURES` if there are several classes, of `SCORE_MEASURES` if
        predictions are scores, or of `NUMBER_MEASURES` if the truth has fractions. True numbers
        that are all whole could be classes: name measures, or set ``task="regression"``.
    task
        ``"binary"``, ``"multiclass"``, ``"scores"`` (of two classes), ``"class-scores"`` (a column
        per class) or ``"regression"``. It may be left out: the measures and the data say so.
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
        that column. Models are compared in each group, next to the whole test set.
    clusters
        The cluster of each observation, such as a patient with several rows; with `truth`, the
        name of that column. Rows of a cluster resemble each other, so whole clusters are drawn
        for intervals and swapped for p-values.
    missing
        ``"drop"`` leaves out observations with a missing label or number, for all models alike,
        and the comparison says how many; otherwise it is an error.
    sample_weight
        How much each observation counts: a number for each, or, with `truth`, the name of that
        column. `weights` must say what it means.
    weights
        ``"frequency"`` if a weight says how often an observation was seen: 3 stands for three equal
        rows. ``"importance"`` if it says how much one observation matters; labels of two classes
        and numbers take these.
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
    if truth is None:
        require_places("compare", y_true, predictions, measures, pos_label)
    asked = Asked.of(task, measures, predictions, pos_label, threshold)
    standard = Standard(alpha, adjust)
    weighing = weights_of(sample_weight, weights, truth, None)
    rows = Rows(by, pos_label, drops_missing(missing), weighing, measures=asked.measures)
    models: dict[str, Any] = (
        named_models(predictions) if truth is None else named_columns(predictions)
    )
    _require_two(models)
    together = ClusterKey.of(clusters, by, y_true, truth, weighing)
    source = y_true if together is None else together.source
    if truth is None:
        require_rows(models, "predictions")
        require_truth(y_true)

    def observe(task: Task[Any], rows: Rows) -> JointObservations:
        if truth is None:
            return task.observe_pairs(source, models, rows)
        return task.observe_frame_pairs(source, truth, models, rows)

    seen = clustered(observe, together)
    named, counted = answered(
        asked, lambda each: ask_weighed(each, rows, seen), truth_alone(y_true, truth, rows)
    )
    chosen = weighed(named, weighing)
    pairs = list(pairs_of_models(counted))
    whole = [pair.plain for pair in pairs if pair.group is None]
    warn_of_unseen_classes(
        {pair.first: pair.table.first for pair in whole}
        | {pair.second: pair.table.second for pair in whole}
    )
    judged: Any = chosen if together is None else ClusteredTask(chosen)
    found = differences(judged, pairs, asked.of_task(chosen), standard)
    return Comparison(found, by=group_title(by), dropped=counted.dropped, standard=standard)


def _require_two(models: Collection[str]) -> None:
    if len(models) < 2:
        raise InvalidPredictionsError(
            f"must have at least two models to compare (got {len(models)}); name another one, or "
            "use evaluate for a single model",
            parameter="predictions",
        )
