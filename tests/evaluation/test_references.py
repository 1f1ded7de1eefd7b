"""Judged against another model: the claims are rare, and all else is as ever."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.exceptions import (
    InvalidPredictionsError,
    InvalidScoresError,
    MisplacedArgumentError,
)

ROWS = 48
GROUPS = tuple(place % 3 for place in range(ROWS))
RNG = np.random.default_rng(20_261_117)


def _labels(truth: Any, right: float, classes: str) -> Any:
    return np.where(RNG.random(truth.size) < right, truth, RNG.choice(list(classes), truth.size))


def _probabilities(truth: Any, weight: float) -> Any:
    rows = weight * (truth[:, None] == np.array(list("abc")))
    return pd.DataFrame(
        rows + (1 - weight) * RNG.dirichlet([1, 1, 1], truth.size), columns=[*"abc"]
    )


BITS = RNG.integers(0, 2, ROWS)
CLASSES = RNG.choice(list("abc"), ROWS)
NUMBERS = RNG.gamma(3.0, 2.0, ROWS)
# The truth, the reference and two models, one better and one worse, of every task.
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "binary": (
        BITS,
        np.where(RNG.random(ROWS) < 0.6, BITS, 1 - BITS),
        {
            "tree": np.where(RNG.random(ROWS) < 0.97, BITS, 1 - BITS),
            "knn": np.where(RNG.random(ROWS) < 0.5, BITS, 1 - BITS),
        },
    ),
    "multiclass": (
        CLASSES, _labels(CLASSES, 0.5, "abc"),
        {"tree": _labels(CLASSES, 0.9, "abc"), "knn": _labels(CLASSES, 0.1, "abc")},
    ),
    "scores": (
        BITS, (BITS + RNG.random(ROWS) * 2) / 3,
        {"tree": (BITS + RNG.random(ROWS)) / 2, "knn": RNG.random(ROWS)},
    ),
    "class-scores": (
        CLASSES, _probabilities(CLASSES, 0.2),
        {"tree": _probabilities(CLASSES, 0.5), "knn": _probabilities(CLASSES, 0.0)},
    ),
    "regression": (
        NUMBERS,
        NUMBERS * np.exp(RNG.normal(0, 0.4, ROWS)),
        {
            "tree": NUMBERS * np.exp(RNG.normal(0, 0.1, ROWS)),
            "knn": NUMBERS * np.exp(RNG.normal(0, 0.9, ROWS)),
        },
    ),
}  # fmt: skip
MEASURES = {
    "binary": ["F1", "ACC", "MCC", "FPR"],
    "multiclass": ["macro F1", "accuracy"],
    "scores": ["AUC", "Brier"],
    "class-scores": ["log loss", "top-2 accuracy", "AUC ovr"],
    "regression": ["RMSE", "MAE", "R2", "Pearson"],
}


@cache
def _report(task: str, **options: Any) -> br.Report:
    """The two models of a task against its reference."""
    y_true, reference, models = CASES[task]
    return br.evaluate(
        y_true, models, MEASURES[task], task=task, reference={"naive": reference}, **options
    )


@pytest.mark.parametrize("task", ["binary", "multiclass", "scores", "regression"])
def test_columns_of_a_frame_are_judged_where_they_are(task: str) -> None:
    """In memory, lazy, with groups, with a column by its name or under another."""
    y_true, reference, models = CASES[task]
    columns = {"y": y_true, "naive": reference, "g": GROUPS} | models
    expected = _report(task, by=GROUPS)
    lazy = pl.DataFrame(columns).lazy()
    for frame, given in ((pd.DataFrame(columns), {"naive": "naive"}), (lazy, "naive")):
        found = br.evaluate(
            frame, list(models), MEASURES[task], task=task, truth="y", by="g", reference=given
        )
        assert [str(verdict) for verdict in found] == [str(verdict) for verdict in expected]
    renamed = br.evaluate(
        frame,
        ["tree", "naive"],
        MEASURES[task][:1],
        task=task,
        truth="y",
        reference={"last": "naive"},
    )
    assert renamed.models == ("tree",)
    assert {each.against for each in renamed.performances} == {"last"}


def _outcome(truth: Any, model: Any, reference: Any, measure: str = "ACC") -> br.Outcome:
    report = br.evaluate(truth, model, measure, reference=reference)
    return report["model", measure].outcome


def test_every_outcome() -> None:
    """Better, perhaps better, no better, worse, nothing to improve, and no score."""
    truth = [1, 0] * 20
    wrong = [0, 1] * 20
    some = [1, 0] * 10 + [0, 1] * 10
    almost = [*some[:-1], 0 if some[-1] else 1]
    assert _outcome(truth, truth, wrong) is br.Outcome.CLEARS
    assert _outcome(truth, almost, some) is br.Outcome.UNSURE
    assert _outcome(truth, some, almost) is br.Outcome.NO_EVIDENCE
    assert _outcome(truth, some, some) is br.Outcome.NO_EVIDENCE
    assert _outcome(truth, wrong, truth) is br.Outcome.WORSE
    assert _outcome(truth, truth, truth) is br.Outcome.UNINFORMATIVE
    assert _outcome(truth, [1] * 40, some, "MCC") is br.Outcome.UNDEFINED
    assert _outcome(truth, some, [1] * 40, "MCC") is br.Outcome.UNDEFINED


def test_the_rescaled_score_is_the_skill_score() -> None:
    """1 - loss / loss of the reference, for a naive forecast 1 - MASE; negative without end."""
    y_true, reference, models = CASES["regression"]
    report = _report("regression")
    naive = np.abs(y_true - reference).mean()
    for name, model in models.items():
        skill = 1 - np.abs(y_true - model).mean() / naive
        assert report[name, "MAE"].rescaled == pytest.approx(skill)
    far = br.evaluate(y_true, y_true + 1000, "MAE", reference=reference)["model", "MAE"]
    assert far.rescaled < -10


def test_rows_that_lack_a_value_anywhere_are_left_out_for_all() -> None:
    """The first value has no last one before it."""
    series = pd.Series(NUMBERS)
    frame = pd.DataFrame({"y": series, "last": series.shift(1), "a": series + 1, "b": series - 1})
    frame.loc[7, "a"] = np.nan
    report = br.evaluate(frame, ["a", "b"], "MAE", truth="y", reference="last", missing="drop")
    kept = frame.dropna()
    assert report.dropped == 2
    expected = br.evaluate(kept["y"], kept[["a", "b"]], "MAE", reference=kept["last"])
    assert [str(verdict) for verdict in report] == [str(verdict) for verdict in expected]
    with pytest.raises(InvalidScoresError):
        br.evaluate(frame, ["b"], "MAE", truth="y", reference="last")


def test_the_name_of_a_reference() -> None:
    """That of a mapping, of a Series, of one of the models, or none."""
    y_true, reference, models = CASES["binary"]
    named = {
        "naive": {"naive": reference},
        "rule": pd.Series(reference, name="rule"),
        "reference": list(reference),
        "knn": "knn",
    }
    for name, given in named.items():
        report = br.evaluate(y_true, models, "F1", reference=given)
        assert {each.against for each in report.performances} == {name}
        assert report["tree", "F1"].reference == name
    assert report.models == ("tree",)
    y_true_, table, tables = CASES["class-scores"]  # a column per class is one model's
    found = br.evaluate(y_true_, tables["tree"], "log loss", reference=table)
    assert found["model", "log loss"].margin == _report("class-scores")["tree", "log loss"].margin
    assert "the reference" in str(br.evaluate(y_true, models, "F1", reference=reference))


def test_gates_against_a_reference() -> None:
    """The lower limit of the margin counts; a table has no rows."""
    y_true, reference, models = CASES["binary"]
    br.assert_beats_baseline(y_true, models["tree"], "F1", reference=reference)
    with pytest.raises(AssertionError, match="misses the bar: the lower limit of the margin is"):
        br.assert_beats_baseline(y_true, models["tree"], "F1", reference=reference, margin=0.4)
    with pytest.raises(AssertionError, match=r"the margin is 0, and must be .* of the reference"):
        br.assert_beats_baseline(y_true, reference, "F1", reference=list(reference))
    with pytest.raises(InvalidPredictionsError, match="does not say"):
        br.assert_beats_baseline(br.ConfusionMatrix(tp=1), "F1", reference=reference)
    with pytest.raises(MisplacedArgumentError):
        br.assert_beats_baseline(y_true, models["tree"], reference=reference)


# Words of guesses and chance, which no report against another model may say.
FOREIGN = ("learn", "luck", "chance may", "than chance", "deck", "draw", "Dutch", "θ", "dealt")


@pytest.mark.parametrize("task", CASES)
def test_no_renderer_speaks_of_luck(task: str) -> None:
    """Text, Markdown, LaTeX and HTML name the reference instead."""
    report = _report(task, by=GROUPS, adjust="bh")
    page = report.to_html()
    body = page[page.index("<body") : page.index("<script>")]
    body = re.sub(r"<figure.*?</figure>", "", body, flags=re.DOTALL)  # curves beside guesses
    for text in (str(report), report.to_markdown(), report.to_latex(), body):
        assert "naive" in text or not text
        said = [word for word in FOREIGN if word in text]
        assert not said, (task, said)


def test_a_weak_reference_is_named() -> None:
    """One that does not beat the best guess, by some of the measures."""
    y_true = [1, 0] * 20
    weak = [1, 0] * 5 + [0] * 30
    report = br.evaluate(y_true, [1, 0] * 20, ["ACC", "F1"], reference={"weak": weak})
    says = "By F1, weak itself does not beat the best guess"
    for text in (str(report), report.to_markdown(), report.to_html()):
        assert says in " ".join(text.split())
    strong = br.evaluate(y_true, [1, 0] * 20, "ACC", reference=[1, 0] * 19 + [0, 0])
    assert "itself" not in str(strong)
