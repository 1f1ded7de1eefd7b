"""The front door: `evaluate` and `assert_beats_baseline`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from baserate.binary.calls import measured
from baserate.binary.measures.catalogue import chosen_measures
from baserate.binary.predictions import count_tables, named_columns, tables_of
from baserate.binary.task import BINARY
from baserate.core.confidence import ALPHA
from baserate.data.engines.frames import count_frame, drops_missing
from baserate.evaluation.arguments import require_places
from baserate.evaluation.gate import Gate
from baserate.report import Report
from baserate.verdicts.judge import verdicts
from baserate.verdicts.standard import Standard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from baserate.binary.confusion import Confusion
    from baserate.binary.measures.record import Measure
    from baserate.binary.predictions import Predictions
    from baserate.core.many_looks import Adjustment
    from baserate.data.labels import Labels


def evaluate(
    y_true: Labels | None = None,
    predictions: Predictions = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    truth: str | None = None,
    pos_label: object = None,
    by: Labels | None = None,
    missing: Literal["error", "drop"] = "error",
    alpha: float = ALPHA,
    adjust: Adjustment = None,
    tries: int = 1,
) -> Report:
    """Say what the scores of one or more models are worth.

    Parameters
    ----------
    y_true
        The true labels. They may be left out, or None, if all predictions are `Confusion` tables.
        With `truth`, the data frame that holds all columns: pandas, polars, pyarrow, DuckDB, Dask,
        Spark, or from `scan`. A lazy frame stays lazy: only counts leave it.
    predictions
        The predicted labels of one model; a mapping from model names to predicted labels; a data
        frame with one column per model; or `Confusion` tables in place of labels. Lists, numpy,
        pandas, polars and pyarrow may be mixed. With `truth`, the names of columns.
    measures
        The measures, or their names. By default those that people report, and ``"all"`` is all
        of `MEASURES`.
    truth
        The name of the column of true labels, if the first argument is a data frame.
    pos_label
        The positive class, against the rest. It may be left out for labels 0/1, -1/1 or booleans.
    by
        The group of each observation, such as a hospital or a year; with `truth`, the name of
        that column. Each group is judged by its own base rate, next to the whole test set.
    missing
        ``"drop"`` leaves out observations with a missing label, for all models alike, and the
        report says how many; otherwise a missing label is an error.
    alpha
        How often a false claim may be made: intervals are at 1 - alpha, and evidence is a p-value
        below it.
    adjust
        How p-values are adjusted for the many models and groups of one report: ``"holm"``, so
        that a model that learned nothing is said to have learned, anywhere, as rarely as alpha;
        or ``"bh"``, so that at most a share alpha of all that is said to have learned did not.
        The interval of each margin stays that of one verdict by itself.
    tries
        How many attempts each model is the best of: p-values and luck are then those of the best
        of as many draws.

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
    F1 of good: 0.800 is better than the baseline 0.462 of the draw θ* = 1, but not surely: the
    margin is 0.338 (95% interval -0.423 to 0.781; p = 0.067).
    MCC of good: 0.764 is better than the baseline 0.000 of any draw, but not surely: the margin is
    0.764 (95% interval 0.003 to 0.994; p = 0.067).
    F1 of poor: 0.286 is below the baseline 0.462 of the draw θ* = 1, and there is no evidence of
    learning (p = 0.833).
    MCC of poor: -0.089 is below the baseline 0.000 of any draw, and there is no evidence of
    learning (p = 0.833).
    """
    if truth is None:
        require_places("evaluate", y_true, predictions, measures, pos_label)
    chosen, standard = chosen_measures(measures), Standard(alpha, adjust, tries)
    drop = drops_missing(missing)
    if truth is None:
        tables, dropped = count_tables(y_true, predictions, pos_label, by, drop=drop)
        name = getattr(by, "name", None)
    else:
        models, name = named_columns(predictions), by
        counts, dropped = count_frame(y_true, truth, models, by=by, pos_label=pos_label, drop=drop)
        tables = tables_of(counts)
    by_name = name if isinstance(name, str) else None
    found = verdicts(BINARY, tables, chosen, standard)
    return Report(found, by=by_name, dropped=dropped, standard=standard)


def assert_beats_baseline(
    y_true: Labels | Confusion | None,
    y_pred: Labels | Confusion | str | Measure,
    measure: str | Measure | None = None,
    *,
    margin: float = 0,
    alpha: float | None = ALPHA,
    tries: int = 1,
    pos_label: object = None,
) -> None:
    """Raise unless there is evidence that a model beats the baseline; made for test suites.

    Parameters
    ----------
    y_true, y_pred
        The true and the predicted labels, or a `Confusion` in place of both.
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

    Raises
    ------
    AssertionError
        With the verdict as its message.

    Examples
    --------
    >>> from baserate import Confusion
    >>> assert_beats_baseline(Confusion(tp=120, fp=30, fn=19, tn=134), "F1")
    >>> assert_beats_baseline(Confusion(tp=98, fp=62, fn=41, tn=102), "F1")
    Traceback (most recent call last):
        ...
    AssertionError: F1 of model: 0.656 is better than the baseline 0.629 of the draw θ* = 1, but not
    surely: the margin is 0.027 (95% interval -0.038 to 0.085; p = 9.5e-09).
    >>> assert_beats_baseline(Confusion(tp=98, fp=62, fn=41, tn=102), "F1", alpha=None)
    """
    gate = Gate(margin, alpha)
    asked = (y_true, y_pred, measure)
    table, chosen = measured("assert_beats_baseline", asked, pos_label=pos_label)
    (verdict,) = evaluate(None, table, chosen, alpha=ALPHA if alpha is None else alpha, tries=tries)
    why = gate.shortfall(verdict)
    if why:
        raise AssertionError(why)
