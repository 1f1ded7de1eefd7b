"""What errors say to somebody who calls a function wrongly for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from baserate.cli.console import spelled
from baserate.exceptions import (
    BaserateError,
    InvalidLabelsError,
    InvalidScoresError,
    UnknownMeasureError,
)
from baserate.measures.numbers_record import NumberMeasure

if TYPE_CHECKING:
    from collections.abc import Callable

Y = [1, 1, 0, 0, 0, 1]
P = [1, 0, 0, 0, 1, 1]
TEXT = ["yes" if y else "no" for y in Y]
GAPS = [1, 0, None, 0, 1, 1]


def _said(call: Callable[[], object], error: type[BaserateError] = BaserateError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# Names of measures that need something else.


@pytest.mark.parametrize(
    "name", ["AUC", "roc_auc_score", "PR-AUC", "brier_score_loss", "log_loss", "ECE"]
)
def test_a_measure_of_scores(name: str) -> None:
    """Labels in the place of scores: it says what takes them, and what it takes."""
    for labels in (P, TEXT, np.array(P, dtype=bool)):
        said = _said(lambda labels=labels: br.evaluate(Y, labels, name), InvalidScoresError)
        assert "take scores" in said
        assert "take labels" in said


@pytest.mark.parametrize("name", ["F1", "MCC"])
def test_a_measure_of_labels(name: str) -> None:
    """Scores in the place of labels: the same."""
    said = _said(lambda: br.evaluate(Y, np.linspace(0.05, 0.95, len(Y)), name))
    assert "AUC, AP, Brier and log loss take scores; other measures take labels" in said


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("roc_curve", "RankingDisplay"),
        ("calibration curve", "reliability_curve"),
        ("MAP", "several queries"),
        ("DCG", "NDCG"),
        ("hinge_loss", "margins"),
        ("KS", "'J').best"),
        ("f1_samples", "several labels each"),
        ("jaccard_samples", "several labels each"),
    ],
)
def test_no_measure_of_scores(name: str, what: str) -> None:
    """It says what to take instead."""
    assert what in _said(lambda: br.get_measure(name), UnknownMeasureError)


@pytest.mark.parametrize("name", ["RMSE", "r2", "neg_mean_squared_error", "MAE"])
def test_a_measure_of_numbers(name: str) -> None:
    """It is known, and of numbers; a truth of text is none, and a table of labels has none."""
    assert isinstance(br.get_measure(name), NumberMeasure)
    assert "must be numbers (got text such as" in _said(
        lambda: br.evaluate(["a", "b"], P[:2], name)
    )
    table = br.Confusion(tp=1, fp=2, fn=3, tn=4)
    assert "is of numbers" in _said(lambda: br.evaluate(None, table, name))


def test_a_command_line_says_it_in_its_own_words() -> None:
    """No Python that cannot be typed into a shell."""
    with pytest.raises(UnknownMeasureError) as caught:
        br.get_measure("f1_samples")
    assert "`baserate measures`" in caught.value.said(spelled)


# Labels.

TAKE_LABELS: dict[str, Callable[..., object]] = {
    "evaluate": lambda y, p, **named: br.evaluate(y, p, "F1", **named),
    "assert_beats_baseline": lambda y, p, **named: br.assert_beats_baseline(
        y, p, "ACC", alpha=None, **named
    ),
    "interval": lambda y, p, **named: br.confidence_interval(y, p, "F1", **named),
    "Confusion.of": br.Confusion.of,
    "BaseRate.of": lambda y, _, **named: br.BaseRate.of(y, **named),
    "baseline": lambda y, _, **named: br.baseline(y, "F1", **named),
    "expected_score": lambda y, _, **named: br.expected_score(y, "F1", 0.5, **named),
    "DutchDraw": lambda y, _, **named: br.DutchDraw(y, 0.5, **named),
    "rescaled_score": lambda y, p, **named: br.rescaled_score(y, p, "F1", **named),
    "rescaled_score of a score": lambda y, _, **named: br.rescaled_score(y, "F1", 0.8, **named),
    "dutch_scaler": lambda y, p, **named: br.dutch_scaler(y, p, "ACC", **named),
    "p_value": br.p_value,
    "threshold_curve": lambda y, _, **named: br.threshold_curve(y, [0.5] * 6, "F1", **named),
    "from_tp": lambda y, _, **named: br.Confusion.from_tp(1, y, 2, **named),
}


@pytest.mark.parametrize("name", TAKE_LABELS)
def test_text_needs_a_positive_class(name: str) -> None:
    """The error names the argument of the function that was called, and it works."""
    said = _said(lambda: TAKE_LABELS[name](TEXT, TEXT), InvalidLabelsError)
    assert said.endswith("(got 'no', 'yes'); say so as in pos_label='yes'")
    TAKE_LABELS[name](TEXT, TEXT, pos_label="yes")


def test_missing_labels_can_be_dropped() -> None:
    """Where a function can leave them out, the error says how; elsewhere it does not."""
    dropping = "leave those rows out with missing='drop' of evaluate or compare"
    for call in (
        lambda: br.evaluate(GAPS, P, "F1"),
        lambda: br.evaluate(Y, {"tree": GAPS}, "F1"),
        lambda: br.evaluate(np.array(Y), np.array(GAPS, dtype=float), "F1"),
        lambda: br.evaluate(pd.Series(Y), pd.DataFrame({"tree": GAPS}), "F1", by=TEXT),
    ):
        said = _said(call, InvalidLabelsError)
        assert "must not have missing values (got 1, the first at position 2); fill them" in said
        assert said.endswith(dropping)
    assert br.evaluate(GAPS, P, "F1", missing="drop").dropped == 1
    for call in (
        lambda: br.Confusion.of(Y, GAPS),
        lambda: br.baseline(GAPS, "F1"),
        lambda: br.p_value(GAPS, P),
    ):
        assert _said(call).endswith("drop or fill those rows first")


# Arguments in another order.


def test_labels_that_look_like_measures_are_labels() -> None:
    """If a positive one is given, classes may be called what they like."""
    report = br.evaluate(["F1", "F2", "F1"], ["F1", "F2", "F2"], "ACC", pos_label="F1")
    assert report.verdicts[0].score == pytest.approx(2 / 3)
    said = _said(lambda: br.evaluate(["a", "F1"], ["a", "a"], "ACC"), InvalidLabelsError)
    assert "pos_label must say" in said


def test_columns_may_be_called_like_measures() -> None:
    """In a frame, names are names."""
    frame = pd.DataFrame({"ACC": Y, "F1": P})
    assert br.evaluate(frame, "F1", "MCC", truth="ACC").models == ("F1",)
    assert br.evaluate(frame, ["F1"], "MCC", truth="ACC").models == ("F1",)


# No error prints the data.

MANY: dict[str, Any] = {
    "a list": list(range(5000)),
    "text": ["x" * 50 + str(place) for place in range(5000)],
    "a tuple": tuple(range(5000)),
    "one long text": "F1" * 5000,
    "a dictionary": {str(place): place for place in range(5000)},
    "a set": set(range(5000)),
    "a long list in a list": [list(range(5000))] * 2,
    "an array": np.arange(5000.0),
    "a square": np.zeros((70, 70)),
    "objects": np.array([object()] * 5000),
    "a Series": pd.Series(range(5000)),
    "a short Series": pd.Series([2, 3, 4, 5]),
    "a frame": pd.DataFrame({str(place): range(90) for place in range(300)}),
    "polars": pl.Series(range(5000)),
    "a polars frame": pl.DataFrame({str(place): range(90) for place in range(300)}),
    "pyarrow": pa.array(range(5000)),
    "a pyarrow table": pa.table({str(place): range(90) for place in range(300)}),
    "long labels": ["x" * 5000, "y" * 5000, "z" * 5000],
    "a long number": 7**5000,
}
CALLS: dict[str, Callable[[Any], object]] = {
    "y_true": lambda big: br.evaluate(big, P, "F1"),
    "the same twice": lambda big: br.evaluate(big, big, "F1"),
    "predictions": lambda big: br.evaluate(Y, big, "F1"),
    "a model": lambda big: br.evaluate(Y, {"tree": big}, "F1"),
    "a name of a model": lambda big: br.evaluate(Y, {str(big): P[1:]}, "F1"),
    "measures": lambda big: br.evaluate(Y, P, big),
    "a measure in a list": lambda big: br.evaluate(Y, P, [big]),
    "pos_label": lambda big: br.evaluate(Y, P, "F1", pos_label=big),
    "by": lambda big: br.evaluate(Y, P, "F1", by=big),
    "truth": lambda big: br.evaluate(pd.DataFrame({"y": Y}), "y", truth=big),
    "columns": lambda big: br.evaluate(pd.DataFrame({"y": Y}), big, truth="y"),
    "a frame": lambda big: br.evaluate(big, "tree", truth="y"),
    "missing": lambda big: br.evaluate(Y, P, "F1", missing=big),
    "Confusion": lambda big: br.Confusion(tp=big),
    "Confusion.of": lambda big: br.Confusion.of(Y, big),
    "BaseRate": lambda big: br.BaseRate(positives=big, total=3),
    "BaseRate.of": br.BaseRate.of,
    "baseline": lambda big: br.baseline(big, "F1"),
    "baseline of what": lambda big: br.baseline(Y, big),
    "get_measure": br.get_measure,
    "fbeta": br.fbeta,
    "expected_score": lambda big: br.expected_score(Y, "F1", big),
    "DutchDraw": lambda big: br.DutchDraw(Y, big),
    "rng": lambda big: br.DutchDraw(Y, 0.5).predict(rng=[big, "x"]),
    "score": lambda big: br.rescaled_score(Y, "F1", big),
    "rescaled_score": lambda big: br.rescaled_score(big, big, big),
    "p_value": lambda big: br.p_value(big, "F1", big),
    "rho": lambda big: br.dutch_scaler(Y, "F1", 0.9, rho=big),
    "y_score": lambda big: br.threshold_curve(Y, big, "F1"),
    "threshold_curve": lambda big: br.threshold_curve(big, big, "F1"),
    "threshold": lambda big: br.threshold_curve(Y, [0.5] * 6, "F1", threshold=big),
    "scan": br.scan,
    "a report": lambda big: br.evaluate(Y, P, "F1")[big],
    "to_frame": lambda big: br.evaluate(Y, P, "F1").to_frame(big),
    "from_json": br.Report.from_json,
    "scaled": lambda big: br.sklearn.make_scorer("F1", scaled=big),
    "undefined": lambda big: br.sklearn.make_scorer("F1", undefined=big),
    "a key": lambda big: br.Measure.custom(big, lambda *_: 1.0, name=3),  # type: ignore[arg-type]
    "alpha": lambda big: br.assert_beats_baseline(Y, P, "F1", alpha=big),
    "margin": lambda big: br.assert_beats_baseline(Y, P, "F1", margin=big),
}
_MOST_LETTERS = 700


@pytest.mark.parametrize("place", CALLS)
@pytest.mark.filterwarnings("ignore::baserate.exceptions.UndefinedMeasureWarning")
def test_no_error_prints_a_thousand_labels(place: str) -> None:
    """Whatever is passed wherever, a message is short, on one line, and from the library."""
    for what, value in MANY.items():
        message = _message(CALLS[place], value)
        assert len(message) <= _MOST_LETTERS, (what, message[:200])
        assert "\n" not in message


def test_the_law_can_fail() -> None:
    """Most of these calls end in an error."""
    failed = [place for place, call in CALLS.items() if _message(call, MANY["a list"])]
    assert len(failed) >= len(CALLS) - 4


def _message(call: Callable[[Any], object], value: object) -> str:
    """Return what an error says; nothing if the call works, or fails as a gate does."""
    try:
        call(value)
    except BaserateError as error:
        return str(error)
    except AssertionError:
        return ""
    return ""
