"""What somebody meets who calls the library for the first time, and not quite as it is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import baserate as br
from baserate.exceptions import (
    BaserateError,
    InvalidFrameError,
    InvalidLabelsError,
    MisplacedArgumentError,
    TooManyClassesError,
    UnknownMeasureError,
)

if TYPE_CHECKING:
    from collections.abc import Callable


Y = [1, 1, 0, 0, 0, 1] * 5
P = [1, 0, 0, 0, 1, 1] * 5
CLASSES = ["a", "b", "c"] * 20


def _said(call: Callable[[], object], error: type[BaserateError] = BaserateError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


# Names of measures.


@pytest.mark.parametrize(
    "name",
    ["precision@5%", "f1!", "accuracy%", "AUC?", "F1@", "AUC@0.1%", "RMSE*", "(F1)", "a.u.c"],
)
def test_a_sign_that_means_something_is_not_left_out(name: str) -> None:
    """A percentage of the scores is not that many of them."""
    said = _said(lambda: br.get_measure(name), UnknownMeasureError)
    assert said.startswith(f"unknown measure '{name}'")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Cohen\N{RIGHT SINGLE QUOTATION MARK}s kappa", "KAPPA"),
        ("Fowlkes\N{EN DASH}Mallows index", "FM"),
        ("R^2", "R2"),
        ("R²", "R2"),
        ("precision @ 5", "precision@5"),
        ("(Bookmaker) Informedness", "J"),
        ("AUC @ 0.1", "AUC@0.1"),
    ],
)
def test_what_people_vary_does_not_matter(name: str, key: str) -> None:
    """Case, spaces, hyphens, underscores and apostrophes; and @ is at."""
    assert br.get_measure(name).key == key


def test_where_all_names_are() -> None:
    """One list has all of them."""
    said = _said(lambda: br.get_measure("qqqqqqqq"), UnknownMeasureError)
    assert "list(baserate.MEASURES) has them all" in said
    for key in ("F1", "macro F1", "AUC", "AUC ovr", "RMSE"):
        assert br.MEASURES[key] is br.get_measure(key)


# What reports say.


def test_a_ranking_is_praised_even_if_its_threshold_is_not() -> None:
    """What AUC says of the scores is said beside what the labels at the threshold lack."""
    truth = [0] * 20 + [1] * 20
    report = br.evaluate(truth, np.arange(40.0), ["AUC", "F1"], threshold=50)
    assert [verdict.measure for verdict in report.failures] == ["F1"]
    said = " ".join(str(report).split())
    assert said.startswith("~ model beats guessing by one of two measures. Not by F1.")


def test_only_who_learned_something_has_a_remedy() -> None:
    """The others need none."""
    table = br.Confusion(tp=52, fp=41, fn=87, tn=123)
    report = br.evaluate(None, {"tree": table}, "all")
    assert {verdict.outcome for verdict in report} > {br.Outcome.LEARNED, br.Outcome.CLEARS}
    for verdict in report:
        assert bool(verdict.remedy) == (verdict.outcome is br.Outcome.LEARNED)
    for adjusted in br.evaluate(None, {"tree": table, "other": table}, "F1", adjust="holm"):
        assert bool(adjusted.remedy) == (adjusted.outcome is br.Outcome.LEARNED)


# Labels, scores and numbers in the place of each other.

SEED = np.random.default_rng(0)
SCORES = SEED.random(30)
NUMBERS = SEED.integers(25, 350, 30).astype(float)
RIDGE = NUMBERS + SEED.normal(0, 20, 30)
TABLE = SEED.dirichlet([1, 1, 1], 60)


def test_the_third_class_is_among_those_that_are_listed() -> None:
    """Of many scores, the first ones are; of a few classes, all."""
    said = _said(lambda: br.evaluate(Y, SCORES, "F1"), TooManyClassesError)
    listed, _, rest = said.partition("(got ")[2].partition("; the third is ")
    assert listed.split(", ") == list(map(repr, sorted(SCORES[:3].tolist())))
    assert rest.startswith(f"{SCORES[2].item()!r} at position 2 of model 'model')")
    letters = list("abcdefgh")
    said = _said(lambda: br.BaseRate.of(letters[::-1]), TooManyClassesError)
    assert "(got 'f', 'g', 'h'; the third is 'f' at position 2" in said


@pytest.mark.parametrize("of", [br.evaluate, br.compare])
@pytest.mark.parametrize(("measures", "kind"), [(None, float), ("F1", int), ("AUC", float)])
def test_numbers_that_are_all_whole(of: Callable[..., object], measures: str, kind: type) -> None:
    """They are no classes: it is said first how numbers are judged."""
    truth = NUMBERS.astype(kind)
    said = _said(lambda: of(truth, {"ridge": RIDGE, "same": NUMBERS}, measures), InvalidLabelsError)
    advice = said.partition("); ")[2]
    assert advice.startswith("for numbers, name a measure such as 'RMSE', or set task='regression'")
    assert "pos_label" not in said
    frame = pd.DataFrame({"y": truth, "ridge": RIDGE, "same": NUMBERS})
    for data in (frame, pl.from_pandas(frame).lazy()):
        said = _said(lambda data=data: of(data, ["ridge", "same"], measures, truth="y"))
        assert "'RMSE', or set task='regression'" in said
        assert "pos_label" not in said


@pytest.mark.parametrize("measures", [None, "all"])
def test_a_table_in_the_place_of_a_column(measures: str | None) -> None:
    """What to do depends on its shape."""
    two = np.column_stack([1 - SCORES, SCORES])
    said = _said(lambda: br.evaluate(Y, two, "F1"), InvalidLabelsError)
    assert said.endswith("of predict_proba take the positive class's column, [:, 1]")
    said = _said(lambda: br.evaluate(CLASSES, TABLE, "F1"), InvalidLabelsError)
    assert "; name a measure such as 'log loss' or 'top-2 accuracy', which take a column" in said
    for name in (measures, "log loss", "top-2 accuracy"):
        br.evaluate(CLASSES, TABLE, name)
    column = np.array(P)[:, None]
    for call in (lambda: br.evaluate(Y, column, measures), lambda: br.evaluate(column, Y)):
        assert _said(call, InvalidLabelsError).endswith("pass one column, as in y[:, 0]")
    said = _said(lambda: br.evaluate(Y, [P, P], measures))
    assert said.endswith("pass several models as a mapping, such as {'tree': …, 'forest': …}")


@pytest.mark.parametrize(
    ("truth", "predicted"),
    [
        (list(map(str, Y)), P),
        (Y, list(map(str, P))),
        (list(map(str, map(bool, Y))), list(map(bool, P))),
        (list(map(bool, Y)), list(map(str, map(bool, P)))),
        (["1"] * 3, [1] * 3),
    ],
)
def test_text_beside_numbers(truth: list[object], predicted: list[object]) -> None:
    """One coding must be made the other; more classes would not help."""
    said = _said(lambda: br.evaluate(truth, predicted), InvalidLabelsError)
    assert said.startswith("model 'model' must hold labels of the same kind as y_true (got ")
    assert said.endswith("; make both text, or both numbers")
    frame = pl.DataFrame({"y": truth, "p": predicted})
    for data in (frame, frame.lazy()):
        said = _said(lambda data=data: br.evaluate(data, "p", truth="y"), InvalidLabelsError)
        assert said.endswith("; make both text, or both numbers")


TEXT = ["yes" if label else "no" for label in Y]


@pytest.mark.parametrize(
    ("truth", "predicted", "positive"),
    [
        (TEXT, [f"{label} " for label in TEXT], "yes"),
        (TEXT, list(map(str.upper, TEXT)), "yes"),
        (Y, [label + 2 for label in Y], 1),
        (CLASSES, ["z"] * 60, "a"),
    ],
)
def test_predictions_that_share_no_label_with_the_truth(
    truth: list[object], predicted: list[object], positive: object
) -> None:
    """One class against the rest is meant, but not that all predictions are strange."""
    said = _said(
        lambda: br.evaluate(truth, predicted, "F1", pos_label=positive), InvalidLabelsError
    )
    assert said.startswith("model 'model' must share a label with y_true (got ")
    assert said.endswith("; look for spaces, upper case or another coding")
    frame = pl.DataFrame({"y": truth, "p": predicted})
    for data in (frame, frame.lazy(), frame.to_pandas()):
        said = _said(
            lambda data=data: br.evaluate(data, "p", "F1", truth="y", pos_label=positive),
            InvalidLabelsError,
        )
        assert "must share a label with " in said


def test_predictions_that_share_some_label_with_the_truth() -> None:
    """A stray label is one of the rest, and so is all of a batch or of a truth of one class."""
    stray = ["z"] * 59 + ["b"]
    assert br.evaluate(CLASSES, stray, "ACC", pos_label="a").verdicts[0].score == 2 / 3
    frame = pl.DataFrame({"y": CLASSES, "p": stray}).lazy()
    assert br.evaluate(frame, "p", "ACC", truth="y", pos_label="a").verdicts[0].score == 2 / 3
    assert br.Confusion.of(["yes"] * 3, ["no"] * 3, "yes") == br.Confusion(fn=3)


# Other arguments.


@pytest.mark.parametrize("measures", [None, "F1", "AUC", "RMSE"])
def test_a_model_in_the_place_of_its_predictions(measures: str | None) -> None:
    """A pipeline is as long as it has steps, and no column all the same."""
    for model in (LogisticRegression(), make_pipeline(LogisticRegression())):
        for given in (model, {"a": model}):
            said = _said(lambda given=given: br.evaluate(Y, given, measures))
            assert f"(got a {type(model).__name__}" in said
            assert "predicts" in said


def test_a_data_frame_without_its_columns() -> None:
    """It is said how columns are named."""
    frame = pd.DataFrame({"y": Y, "p": P})
    for data in (frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy()):
        for call in (lambda data=data: br.evaluate(data), lambda data=data: br.evaluate(data, "p")):
            assert "evaluate(data, ['tree', 'forest'], measures, truth='y')" in _said(
                call, MisplacedArgumentError
            )
    assert "truth='y', predictions='tree'" in _said(lambda: br.evaluate(Y))
    said = _said(lambda: br.evaluate(frame, "p", truth="Y"), InvalidFrameError)
    assert said == "the data have no column 'Y': did you mean 'y'?"
    said = _said(lambda: br.evaluate(frame, "p", truth="label"), InvalidFrameError)
    assert said == "the data have no column 'label': they have 'y', 'p'"


def test_a_series_with_the_name_of_the_truth_is_a_model() -> None:
    """Its name is that of the column that it predicts, and not that of the model."""
    truth, predicted = pd.Series(Y, name="target"), pd.Series(P, name="target")
    assert br.evaluate(truth, predicted, "F1").models == ("model",)
    assert br.evaluate(truth, predicted.rename("tree"), "F1").models == ("tree",)
    report = br.evaluate(truth, predicted, "F1", reference=predicted)
    assert (report.models, report.verdicts[0].reference) == (("model",), "reference")


def test_a_gate_shows_its_sentence_only(pytester: pytest.Pytester) -> None:
    """And none of the lines of the library."""
    pytester.makepyfile(
        """
        import baserate as br

        def test_model():
            br.assert_beats_baseline([0, 1] * 20, [1, 0] * 20, "F1")

        def test_model_against_another():
            truth = [0, 1] * 20
            br.assert_beats_baseline(truth, [1, 0] * 20, "ACC", reference=truth)
        """
    )
    run = pytester.runpytest("-p", "no:cacheprovider")
    run.assert_outcomes(failed=2)
    text = run.stdout.str()
    assert "AssertionError: F1 of model misses the bar: the margin is -0.66" in text
    assert "evaluate.py" not in text
