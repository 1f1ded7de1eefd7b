"""Numbers are a task like the others: every function, report, frame and command takes them."""

from __future__ import annotations

import itertools
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score

import baserate as br
from baserate.cli.program import program
from baserate.core.observed import Rows
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidPredictionsError,
    InvalidReportError,
    InvalidScoresError,
    InvalidWeightsError,
    MisalignedRowsError,
    TooManyClassesError,
    UndefinedMeasureError,
)
from baserate.kinds.numbers.task import REGRESSION
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.observed.numbers import Numbers
from baserate.tasks import TASKS
from baserate.verdicts.difference import Better
from sklearn import metrics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RANDOM = np.random.default_rng(18)
Y = RANDOM.gamma(2, 3, 40).round(3)
RIDGE = np.abs(Y + RANDOM.normal(0, 1, 40)).round(3)
FOREST = np.abs(0.5 * Y + RANDOM.normal(2, 2, 40)).round(3)
GROUPS = np.repeat(["a", "b"], [15, 25])
MODELS = {"ridge": RIDGE, "forest": FOREST}
MEASURES = ["RMSE", "MAE", "MAPE", "R2"]
FRAME = pd.DataFrame({"y": Y, **MODELS, "region": GROUPS})


@pytest.fixture(scope="module")
def report() -> br.Report:
    """Two models, in groups, by four measures."""
    return br.evaluate(Y, MODELS, MEASURES, by=GROUPS)


def test_scores_and_baselines_are_those_of_scikit_learn(report: br.Report) -> None:
    """The scores are its functions', and the baselines those of its functions of the constant."""
    functions = {
        "RMSE": metrics.root_mean_squared_error,
        "MAE": metrics.mean_absolute_error,
        "MAPE": metrics.mean_absolute_percentage_error,
        "R2": metrics.r2_score,
    }
    for group, model, (key, function) in itertools.product(
        (None, "a", "b"), MODELS, functions.items()
    ):
        rows = slice(None) if group is None else group == GROUPS
        verdict = report[model, key, group] if group else report[model, key]
        constant = br.baseline(Y[rows], key).guesses[0].middle
        assert verdict.score == pytest.approx(function(Y[rows], MODELS[model][rows]))
        free = function(Y[rows], np.full(Y[rows].size, constant))
        assert verdict.baseline == pytest.approx(free, abs=1e-12)


def test_the_example_of_the_issue() -> None:
    """By MAPE the constant 1 is best; the mean and the median are far from it."""
    truth = [1.0, 2, 3, 10, 100]
    best = br.baseline(truth, "MAPE").best
    assert (round(best.value, 3), str(best.guesses)) == (0.611, "always 1")
    assert br.baseline(Numbers(truth), "MAPE").best == best
    assert br.baseline(br.NumericPredictions.of(truth, truth), "MAPE").best == best
    assert str(br.baseline([1, 2, 3, 4], "MAE").guesses) == "any constant from 2 to 3"


def test_one_p_value_is_shared(report: br.Report) -> None:
    """RMSE, R2 and Pearson have the same one."""
    assert report["ridge", "RMSE"].p_value == report["ridge", "R2"].p_value
    assert br.p_value(Y, RIDGE) == br.p_value(Y, RIDGE, "Pearson") == report["ridge", "R2"].p_value
    assert br.p_value(Y, RIDGE, "MAE") == report["ridge", "MAE"].p_value


def test_few_rows_are_exact() -> None:
    """The p-value is the share of all orders that do as well."""
    truth, predicted = np.array([1.0, 2, 2.5, 4, 7]), np.array([2.0, 1, 3, 3, 9])
    (verdict,) = br.evaluate(truth, predicted, "MAE")
    scores = [np.abs(truth - np.array(each)).mean() for each in itertools.permutations(predicted)]
    assert verdict.exact
    assert verdict.p_value == pytest.approx(np.mean(np.array(scores) <= verdict.score + 1e-12))
    law = br.null_distribution(truth, predicted, "MAE")
    assert law.mean() == pytest.approx(np.mean(scores))
    counted = br.null_distribution(truth, {3.0: 2, 1: 1, 2: 1, 9: 1}, "MAE")
    assert counted.mean() == pytest.approx(law.mean())


def test_a_constant_has_no_luck() -> None:
    """Every order of a constant is the same: p = 1, and a correlation is undefined."""
    found = br.evaluate(Y, np.full(40, 3.0), ["RMSE", "Pearson", "Spearman"])
    assert found["model", "RMSE"].p_value == 1
    assert [verdict.outcome.name for verdict in found][1:] == ["UNDEFINED", "UNDEFINED"]
    assert "all predictions are the same" in found["model", "Spearman"].reason


def test_rescaled_scores() -> None:
    """0 at the best constant, 1 without errors; a loss has no worst constant below that."""
    assert br.rescaled_score(Y, Y, "RMSE") == 1
    assert br.rescaled_score(Y, "R2", 0.25) == 0.25
    assert br.rescaled_score(Y, np.full(40, Y.mean()), "RMSE") == pytest.approx(0, abs=1e-12)
    # A loss has no worst: what is worse is counted in the same unit as what is better.
    worse = br.rescaled_score(Y, -Y, "RMSE")
    assert worse == pytest.approx(1 - np.sqrt(np.mean((2 * Y) ** 2)) / Y.std())
    assert br.rescaled_score(Y, -Y, "R2") == pytest.approx(
        br.get_measure("R2").score(br.NumericPredictions.of(Y, -Y))
    )
    assert br.rescaled_score(Y, -Y, "Pearson") == -1


def test_every_format(report: br.Report) -> None:
    """A report and a comparison are written in every format, and JSON is read again."""
    both = br.compare(Y, MODELS, ["RMSE", "Spearman"], by=GROUPS)
    for name in ("to_markdown", "to_latex", "to_html", "to_csv"):
        assert "RMSE" in getattr(report, name)()
        assert "RMSE" in getattr(both, name)()
    assert br.Report.from_json(report.to_json()) == report
    assert br.Comparison.from_json(both.to_json()) == both
    assert report.to_frame("polars", full=True)["observations"].to_list()[0] == 40


@pytest.mark.parametrize("truth", [["1"], [None], 3, [True], [1.0, 2.0], [1e400], []])
def test_json_of_somebody_else(report: br.Report, truth: Any) -> None:
    """What is no list of numbers, one beside each prediction, is refused."""
    document = json.loads(report.to_json())
    document["performances"][0]["truth"] = truth
    with pytest.raises(InvalidReportError):
        br.Report.from_json(json.dumps(document))


def test_two_models() -> None:
    """The difference is that of the scores, and equal models have none."""
    found = br.compare(Y, MODELS | {"twin": RIDGE}, "MAE")
    assert found["ridge", "forest", "MAE"].outcome is Better.FIRST
    twins = found["ridge", "twin", "MAE"]
    assert (twins.difference, twins.p_value) == (0, 1)
    with pytest.raises(InvalidPredictionsError, match="must be given row by row"):
        br.compare(Y, {"a": br.NumericPredictions.of(Y, RIDGE), "b": FOREST}, "MAE")


def test_gates() -> None:
    """A model passes with evidence, and a poor one does not."""
    br.assert_beats_baseline(Y, RIDGE, "RMSE")
    with pytest.raises(AssertionError, match="\\(always "):
        br.assert_beats_baseline(Y, FOREST[::-1], "RMSE")
    found = br.confidence_interval(Y, RIDGE, "MAE")
    assert found.low < found.score < found.high


@pytest.mark.parametrize(
    ("truth", "predicted", "measures", "task"),
    [
        (Y, RIDGE, None, "regression"),
        ([1.0, 2.0, 2.5, 3.0], [1, 2, 3, 4], None, "regression"),  # the fraction is the third class
        ([1, 2, 3, 4], [1, 2, 3, 3], None, "multiclass"),
        ([1, 2, 3, 4], [1, 2, 3, 3], "MAE", "regression"),
        ([0, 1, 1, 0], [0.1, 0.7, 0.8, 0.3], None, "scores"),
        ([0, 1, 1, 0], [0.1, 0.7, 0.8, 0.3], "rmse", "regression"),
        ([0, 1, 1, 0], [0, 1, 1, 0], "neg_mean_squared_error", "regression"),
    ],
)
def test_which_task_it_is(truth: Any, predicted: Any, measures: Any, task: str) -> None:
    """The measures say it, and without them a truth with fractions does."""
    found = br.evaluate(truth, predicted, measures)
    assert found.performances[0].table.task == task


def test_no_other_task_has_its_names() -> None:
    """Every name of a measure of numbers is of numbers only."""
    for measure in NUMBER_MEASURES.values():
        for name in (measure.key, measure.name, *measure.aliases):
            assert [task.name for task in TASKS.values() if task.named(name)] == ["regression"]
            assert br.get_measure(name) is measure


def test_missing_numbers() -> None:
    """They are an error, or left out for all models alike."""
    holes = RIDGE.copy()
    holes[3] = np.nan
    models = {"ridge": holes, "forest": FOREST}
    with pytest.raises(InvalidScoresError, match=r"position 3.*missing='drop'"):
        br.evaluate(Y, models, "MAE")
    found = br.evaluate(Y, models, "MAE", missing="drop", by=GROUPS)
    rest = np.arange(40) != 3
    expected = br.evaluate(
        Y[rest], {"ridge": RIDGE[rest], "forest": FOREST[rest]}, "MAE", by=GROUPS[rest]
    )
    assert found.dropped == 1
    assert found.verdicts == expected.verdicts
    assert br.compare(Y, models, "MAE", missing="drop").dropped == 1


WRONG: dict[str, tuple[type[Exception], str, Callable[[], object]]] = {
    "text": (InvalidScoresError, "must be numbers", lambda: br.evaluate(list("ab"), [1, 2], "MAE")),
    "infinite": (InvalidScoresError, "inf at", lambda: br.evaluate([1, 2], [1, math.inf], "MAE")),
    "short": (InvalidScoresError, "equally long", lambda: br.evaluate(Y, RIDGE[1:], "MAE")),
    "table": (InvalidScoresError, r"y\[:, 0\]", lambda: br.evaluate(Y, Y[:, None], "MAE")),
    "none": (InvalidLabelsError, "at least one", lambda: br.evaluate([], [], "MAE")),
    "no truth": (InvalidPredictionsError, "y_true", lambda: br.evaluate(None, RIDGE, "MAE")),
    "tasks": (InvalidMeasureError, "one task", lambda: br.evaluate(Y, RIDGE, ["MAE", "F1"])),
    "labels": (TooManyClassesError, "two classes", lambda: br.evaluate(Y, RIDGE, "F1")),
    "index": (
        MisalignedRowsError,
        "same index",
        lambda: br.evaluate(pd.Series(Y), pd.Series(RIDGE)[::-1], "MAE"),
    ),
    "truth": (
        InvalidPredictionsError,
        "beside the numbers",
        lambda: br.evaluate(Y[1:], br.NumericPredictions.of(Y, RIDGE), "MAE"),
    ),
    "groups": (
        InvalidPredictionsError,
        "is a Fit",
        lambda: br.evaluate(Y, br.NumericPredictions.of(Y, RIDGE), "MAE", by=GROUPS),
    ),
    "deck": (
        InvalidScoresError,
        "for each of the 40",
        lambda: br.null_distribution(Y, {1.0: 2}, "MAE"),
    ),
    "deviance": (UndefinedMeasureError, "below|above", lambda: br.baseline([-1.5, 2], "Gamma")),
    "threshold": (InvalidMeasureError, "one task", lambda: br.evaluate(Y, Y, "R2", threshold=1)),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong(name: str) -> None:
    """Errors say what is wrong."""
    error, words, call = WRONG[name]
    with pytest.raises(error, match=words):
        call()


def test_a_fit_in_the_place_of_columns() -> None:
    """It has the truth, which may be given beside it."""
    fit = br.NumericPredictions.of(Y, RIDGE)
    assert (
        br.evaluate(Y, {"a": fit, "b": RIDGE}, "MAE").verdicts[0].score
        == br.evaluate(None, fit, "MAE").verdicts[0].score
    )
    assert br.p_value(fit, "MAE") == br.p_value(Y, RIDGE, "MAE")


FRAMES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.from_pandas(frame),
    "lazy": lambda frame, _: pl.from_pandas(frame).lazy(),
    "csv": lambda frame, folder: _written(frame, folder, "csv"),
    "parquet": lambda frame, folder: _written(frame, folder, "parquet"),
}


def _written(frame: pd.DataFrame, folder: Path, suffix: str) -> Any:
    path = folder / f"preds.{suffix}"
    getattr(frame, f"to_{suffix}")(path, index=False)
    return br.scan(path)


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind: str, tmp_path: Path) -> None:
    """A frame of any library has the numbers of arrays, also in groups and in pairs."""
    frame, names = FRAMES[kind](FRAME, tmp_path), {"ridge": "ridge", "forest": "forest"}
    rows = Rows(by=GROUPS)
    found = REGRESSION.observe_frame(frame, "y", names, Rows(by="region"))
    assert found == REGRESSION.observe(Y, MODELS, rows)
    pairs = REGRESSION.observe_frame_pairs(frame, "y", names, Rows(by="region"))
    assert pairs == REGRESSION.observe_pairs(Y, MODELS, rows)
    assert REGRESSION.count_column(frame, "y", Rows()) == (Numbers(Y), 0)
    assert br.evaluate(frame, "ridge", truth="y").verdicts[0].measure == "RMSE"


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_with_holes_and_texts(kind: str, tmp_path: Path) -> None:
    """Missing numbers are found, and a column of text is none of numbers."""
    holes = FRAME.assign(ridge=FRAME["ridge"].where(FRAME.index != 7))
    frame = FRAMES[kind](holes, tmp_path)
    with pytest.raises(InvalidScoresError, match="column 'ridge' must not have missing"):
        br.evaluate(frame, "ridge", "MAE", truth="y")
    found = br.evaluate(frame, "ridge", "MAE", truth="y", missing="drop")
    rest = np.arange(40) != 7
    assert (found.dropped, found.verdicts[0].score) == (
        1,
        pytest.approx(np.abs(Y - RIDGE)[rest].mean()),
    )
    with pytest.raises(InvalidScoresError, match="column 'region' must be numbers"):
        br.evaluate(frame, "region", "MAE", truth="y")


def test_commands(tmp_path: Path) -> None:
    """The command line evaluates, checks, compares, and names best constants."""
    path = str(tmp_path / "preds.csv")
    FRAME.to_csv(path, index=False)
    of_models = ("--truth", "y", "--model", "ridge", "--model", "forest", "-m", "RMSE")
    expected = br.evaluate(Y, MODELS, "RMSE").to_json()
    assert _run("evaluate", path, *of_models, "--format", "json") == expected
    assert "ridge is better than forest" in _run("compare", path, *of_models)
    assert _run("check", path, "--truth", "y", "--model", "ridge", "-m", "RMSE")
    found = json.loads(_run("baseline", path, "--truth", "y", "-m", "MAPE", "--format", "json"))
    assert found["baselines"][0]["baseline"] == br.baseline(Y, "MAPE").best.value
    assert found["baselines"][0]["baseline_max"] is None
    assert "always " in _run("baseline", path, "--truth", "y", "-m", "MAPE")
    assert "not all the same" in _run("baseline", path, "--truth", "y", "-m", "Pearson")


@pytest.mark.parametrize("key", NUMBER_MEASURES)
def test_a_measure_is_explained(key: str) -> None:
    """The terminal shows the meaning of each measure, and no LaTeX."""
    text = _run("measures", key)
    assert NUMBER_MEASURES[key].meaning.split()[0] in text
    assert "\\" not in text
    assert not {"operatorname", "quad", "{"} & set(text.split())


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(program, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_scorers() -> None:
    """A scorer of numbers works in cross-validation, and repeats rows of whole weights."""
    inputs = Y[:, None] + RANDOM.normal(0, 1, (40, 1))
    ours = cross_val_score(LinearRegression(), inputs, Y, scoring=br.sklearn.make_scorer("RMSE"))
    theirs = cross_val_score(LinearRegression(), inputs, Y, scoring="neg_root_mean_squared_error")
    assert ours == pytest.approx(theirs)
    worth = br.sklearn.make_scorer("RMSE", scaled=True)
    assert (cross_val_score(LinearRegression(), inputs, Y, scoring=worth) > 0).all()
    fit = REGRESSION.weigh(Y, RIDGE, None, np.arange(40))
    assert fit.total == sum(range(40))
    score, _ = NUMBER_MEASURES["MAE"].score_or_reason(fit)
    assert score == pytest.approx(
        metrics.mean_absolute_error(Y, RIDGE, sample_weight=np.arange(40))
    )
    with pytest.raises(InvalidWeightsError, match="whole number"):
        REGRESSION.weigh(Y, RIDGE, None, np.full(40, 0.5))


def test_the_picture_of_residuals() -> None:
    """The area above the curve of errors is the MAE, if it ends at no error that is far out."""
    fit = br.NumericPredictions.of(Y, RIDGE)
    residuals, errors = fit.curves
    for points, score in ((errors.points, errors.area), (errors.chance.points, errors.chance.area)):
        x, y = np.array(points).T
        assert np.trapezoid(1 - y, x) == pytest.approx(score, rel=2e-3)
    assert errors.area == pytest.approx(np.abs(Y - RIDGE).mean())
    assert errors.chance.area == pytest.approx(br.baseline(Y, "MAE").best.value)
    assert residuals.x_ends == (-errors.x_ends[1], errors.x_ends[1])
    assert "Errors" in br.evaluate(Y, MODELS, "MAE").to_html()
    assert br.NumericPredictions.of([2.0, 2.0], [1, 5]).curves == ()
    assert br.NumericPredictions.of([1.0, 3.0], [9, 9]).curves[1].points == ((0.0, 0.0), (1.0, 0.0))
