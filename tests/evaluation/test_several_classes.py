"""Evaluate labels of several classes, as users do."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.exceptions import (
    InvalidMeasureError,
    InvalidPredictionsError,
    InvalidScoresError,
    TooManyClassesError,
    UnseenClassWarning,
)
from baserate.measures.classes import CLASS_MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTS = br.ClassCounts({"a": 70, "b": 20, "c": 10})
MATRIX = br.ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]], labels=["a", "b", "c"])
# Names that both tasks have, for the same number.
SHARED = {"ACC": "accuracy", "BACC": "balanced accuracy", "MCC": "MCC", "KAPPA": "kappa"}


def _labels(matrix: br.ConfusionMatrix) -> tuple[list[Any], list[Any]]:
    """The labels behind a matrix, row by row."""
    cells = [
        (true, predicted)
        for (row, true), (column, predicted) in product(enumerate(matrix.labels), repeat=2)
        for _ in range(int(matrix.counts[row, column]))
    ]
    truth, prediction = zip(*cells, strict=True)
    return list(truth), list(prediction)


def test_the_example_of_the_readme() -> None:
    """A model below always "a" that learned something all the same."""
    verdict = br.evaluate(None, MATRIX, "accuracy")["model", "accuracy"]
    assert verdict.outcome is br.Outcome.LEARNED
    assert verdict.p_value == pytest.approx(0.00092, abs=5e-6)
    assert str(verdict) == (
        "Accuracy of model: 0.630 is below the baseline of 0.700 (always 'a'), but the model "
        "learned something (p = 9.2e-04): the class balance may not suit this measure."
    )
    assert br.evaluate(None, MATRIX, "f1_macro")["model", "macro F1"].p_value == pytest.approx(
        0.00115, abs=5e-6
    )


def test_baselines() -> None:
    """The numbers of the issue."""
    macro, weighted = (br.baseline(COUNTS, f"{name} F1").best for name in ("macro", "weighted"))
    assert macro.value == pytest.approx(1 / 3, abs=1e-15)
    assert list(macro.guesses) == [(70, 20, 10)]
    assert round(weighted.value, 3) == 0.58
    assert list(weighted.guesses) == [(95, 5, 0)]
    truth, _ = _labels(MATRIX)
    assert br.baseline(truth, "macro F1").best == macro


@pytest.mark.parametrize("name", CLASS_MEASURES)
def test_any_name_of_a_measure_indexes_a_report(name: str) -> None:
    """The key, the full name and every alias lead to the same verdict."""
    measure = CLASS_MEASURES[name]
    report = br.evaluate(None, MATRIX, [name])
    verdict = report["model", name]
    for other in (measure.name, *measure.aliases, measure):
        assert report["model", other] is verdict


def test_labels_tables_and_frames_agree() -> None:
    """Labels, a matrix, pandas and a lazy frame of polars have the same verdicts."""
    truth, tree = _labels(MATRIX)
    expected = br.evaluate(None, {"tree": MATRIX}, ["accuracy", "macro F1", "kappa"])
    for found in (
        br.evaluate(truth, {"tree": tree}, ["accuracy", "macro F1", "kappa"]),
        *(
            br.evaluate(frame, ["tree"], ["accuracy", "macro F1", "kappa"], truth="y")
            for frame in _frames({"y": truth, "tree": tree})
        ),
    ):
        assert found == expected


def _frames(columns: dict[str, list[Any]]) -> Iterator[Any]:
    yield pd.DataFrame(columns)
    yield pl.LazyFrame(columns)


def test_groups_have_their_own_baselines() -> None:
    """Each group is judged by its own class counts, and the whole adds up."""
    truth, tree = _labels(MATRIX)
    hospital = ["north" if place % 2 else "south" for place in range(len(truth))]
    report = br.evaluate(
        truth, {"tree": tree}, ["accuracy"], by=pd.Series(hospital, name="hospital")
    )
    parts = [report.group(name).performances[0].table for name in ("north", "south")]
    assert report.by == "hospital"
    assert parts[0] + parts[1] == MATRIX
    for part, group in zip(parts, ("north", "south"), strict=True):
        assert report["tree", "accuracy", group].baseline == max(part.true_counts) / part.total


@pytest.mark.parametrize(("binary", "several"), SHARED.items())
def test_two_classes_agree_with_the_binary_task(binary: str, several: str) -> None:
    """Score, baseline, p-value and luck of measures that both tasks have are the same."""
    table = br.Confusion(tp=30, fp=12, fn=9, tn=61)
    matrix = br.ConfusionMatrix([[61, 12], [9, 30]])
    one = br.evaluate(None, table, binary)["model", binary]
    other = br.evaluate(None, matrix, several)["model", several]
    names = ("score", "baseline", "baseline_min", "p_value", "p_worse", "null_low", "null_high")
    for name in (*names, "margin", "perfect", "rescaled"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-12, abs=1e-12)
    assert one.outcome is other.outcome


def test_the_labels_say_which_task_it_is() -> None:
    """Names of both tasks are of several classes if the truth has more than two."""
    three, two = ["a", "b", "c", "a"], [0, 1, 1, 0]
    assert br.evaluate(three, three, "accuracy").performances[0].table.task == "multiclass"
    assert br.evaluate(two, two, "accuracy").performances[0].table.task == "binary"
    assert br.evaluate(two, two, "macro F1").performances[0].table.task == "multiclass"
    assert br.evaluate(two, two, task="multiclass").performances[0].table.task == "multiclass"
    assert br.evaluate(three, three, "F1", pos_label="a").performances[0].table.task == "binary"


def test_one_class_against_the_rest() -> None:
    """With pos_label, all other classes are negative."""
    truth, tree = _labels(MATRIX)
    table = br.evaluate(truth, tree, "F1", pos_label="b").performances[0].table
    assert table == br.Confusion(tp=10, fp=18, fn=10, tn=62)


def test_a_class_that_is_only_predicted() -> None:
    """It is an error unless the task is named, and then a warning: it may be a typing error."""
    with pytest.raises(TooManyClassesError, match="'maybe' at position 2"):
        br.evaluate(["y", "n", "y"], {"m": ["y", "n", "maybe"]}, "accuracy")
    with pytest.warns(UnseenClassWarning, match="m predicts 'maybe', which never occurs"):
        report = br.evaluate(
            ["y", "n", "y"], {"m": ["y", "n", "maybe"]}, "accuracy", task="multiclass"
        )
    assert report["m", "accuracy"].score == 2 / 3


def test_measures_of_two_tasks() -> None:
    """The error says which are of which."""
    with pytest.raises(InvalidMeasureError, match=r"'F1' is of two classes; 'macro F1' is of sev"):
        br.evaluate([0, 1], [0, 1], ["F1", "macro F1"])
    with pytest.raises(InvalidMeasureError, match="here several classes"):
        br.evaluate(None, MATRIX, "F1")


def test_measures_of_an_iterator() -> None:
    """Measures may be given once only, as a generator gives them."""
    names = ["accuracy", "macro F1"]
    assert br.evaluate(None, MATRIX, iter(names)) == br.evaluate(None, MATRIX, names)


def test_all_measures_in_any_writing() -> None:
    """The word for all measures is read as the names of measures are."""
    table = br.Confusion(tp=3, fp=1, fn=2, tn=4)
    for word in ("ALL", "a-l-l"):
        assert br.evaluate(None, table, word) == br.evaluate(None, table, "all")


def test_a_threshold_is_not_for_labels() -> None:
    """A task that takes no scores has nothing to cut."""
    truth, tree = _labels(MATRIX)
    with pytest.raises(InvalidScoresError, match="threshold must be left out for labels"):
        br.evaluate(truth, tree, "accuracy", task="multiclass", threshold=0.5)


def test_a_matrix_beside_labels() -> None:
    """A matrix that counts the same truth may stand beside predicted labels; no empty one may."""
    truth, tree = _labels(MATRIX)
    report = br.evaluate(truth, {"counted": MATRIX, "rows": tree}, "accuracy")
    assert report["counted", "accuracy"].p_value == report["rows", "accuracy"].p_value
    empty = br.ConfusionMatrix(np.zeros((3, 3), dtype=int), list("abc"))
    with pytest.raises(InvalidPredictionsError, match="at least one observation"):
        br.evaluate(None, empty, "accuracy")


def test_two_models_survive_json() -> None:
    """A comparison comes back equal, and its rows say how often the models differ."""
    truth, tree = _labels(MATRIX)
    other = ["a", *tree[1:-1], "b"]
    comparison = br.compare(truth, {"tree": tree, "other": other}, ["accuracy", "macro F1"])
    assert br.Comparison.from_json(comparison.to_json()) == comparison
    (row, _) = comparison.to_dicts()
    differing = sum(one != two for one, two in zip(tree, other, strict=True))
    assert (row["observations"], row["disagreements"]) == (len(truth), differing)


def test_tables_of_two_tasks() -> None:
    """They cannot be in one report."""
    with pytest.raises(InvalidPredictionsError, match="must all be of one task"):
        br.evaluate(None, {"a": MATRIX, "b": br.Confusion(tp=1, tn=1)}, "accuracy")


def test_a_matrix_of_another_test_set() -> None:
    """A matrix beside labels must be counted on them."""
    with pytest.raises(InvalidPredictionsError, match="must be counted on the labels of y_true"):
        br.evaluate(["a", "b", "c"], {"m": MATRIX}, "accuracy")
    with pytest.raises(InvalidPredictionsError, match="which has no rows to group"):
        br.evaluate(None, {"m": MATRIX}, "accuracy", by=["x"])


def test_a_model_that_predicts_one_class() -> None:
    """It is called that, and fails."""
    report = br.evaluate(
        None, br.ConfusionMatrix([[7, 0], [3, 0]], labels="ab"), ["accuracy", "MCC"]
    )
    assert len(report.failures) == 2
    assert "predicts only 'a'" in str(report)


def test_one_class_in_the_truth() -> None:
    """Nothing can be shown there, and nothing breaks."""
    with pytest.warns(UnseenClassWarning, match="model predicts 1, which never occurs"):
        report = br.evaluate(None, br.ConfusionMatrix([[7, 3], [0, 0]]), "all")
    outcomes = {verdict.outcome for verdict in report}
    assert outcomes <= {br.Outcome.UNINFORMATIVE, br.Outcome.UNDEFINED}


def test_json_and_pickles_keep_everything() -> None:
    """A report of several classes is read back as it was."""
    report = br.evaluate(None, {"m": MATRIX}, "all")
    assert br.Report.from_json(report.to_json()) == report
    frame = report.to_frame(full=True)
    assert frame["observations"].unique().tolist() == [100]
    assert frame["correct"].unique().tolist() == [63]
    assert frame["theta_star"].isna().all()


def test_every_renderer_shows_several_classes() -> None:
    """Text, Markdown, LaTeX and HTML name the classes, and the page has a heat map."""
    report = br.evaluate(None, {"m": MATRIX}, ["accuracy", "macro F1"])
    assert "100 observations, 3 classes" in str(report)
    assert "3 classes" in report.to_markdown()
    assert "always 'a'" in report.to_latex()
    page = report.to_html()
    assert 'class="heat"' in page
    assert "Dutch Draw" not in page


def test_many_classes_stay_readable() -> None:
    """Of 250 classes, the heat map shows the most frequent, and the title a few."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 250, 5_000)
    report = br.evaluate(truth, np.where(rng.random(5_000) < 0.5, truth, 7), ["accuracy"])
    page = report.to_html()
    assert page.count('<th scope="col">') < 100
    assert "all others" in page
    assert len(str(report).splitlines()[0]) < 120
    assert len(page) < 200_000


def test_custom_measures() -> None:
    """A function of the table is judged, and its baseline says that it was searched."""
    worst = br.Measure.custom(
        "worst recall",
        lambda table: float(np.min(np.diag(table) / table.sum(axis=1))),
        codomain=(0, 1),
    )
    verdict = br.evaluate(None, MATRIX, worst)["model", "worst recall"]
    assert verdict.score == 0.3
    assert 0 < verdict.baseline < 0.35
    assert not math.isnan(verdict.p_value)


def test_a_function_with_gaps_has_no_p_value() -> None:
    """It is judged without one where some table of its deck has no score."""
    gaps = br.Measure.custom("ratio", lambda table: table[0, 0] / table[1, 1])
    verdict = br.evaluate(None, br.ConfusionMatrix([[3, 1], [1, 2]]), gaps)["model", "ratio"]
    assert verdict.score == 1.5
    assert math.isnan(verdict.p_value)
    assert math.isnan(verdict.null_low)


@pytest.mark.parametrize(
    "name", ["adjusted balanced accuracy", "MCC", "kappa", "balanced accuracy"]
)
@pytest.mark.parametrize("counts", [(4, 3, 2, 1), (3, 3, 1), (7, 5, 2, 2), (5, 4, 3, 2, 1)])
def test_a_constant_is_at_chance_level(name: str, counts: tuple[int, ...]) -> None:
    """It is no better than the baseline, not even by 1e-17."""
    for place in range(len(counts)):
        table = np.zeros((len(counts), len(counts)), dtype=int)
        table[:, place] = counts
        verdict = br.evaluate(None, br.ConfusionMatrix(table), name)["model", name]
        assert verdict.margin == 0
        assert verdict.fails


def test_a_class_that_only_one_of_two_models_predicts() -> None:
    """It makes no macro average of the other one jump: the interval stays narrow."""
    rng = np.random.default_rng(1)
    truth = rng.choice(list("abc"), 120)
    good = np.where(rng.random(120) < 0.7, truth, "a")
    other = np.where(rng.random(120) < 0.2, "d", good)
    with pytest.warns(UnseenClassWarning, match="other predicts 'd', which never occurs"):
        (difference,) = br.compare(
            truth, {"good": good, "other": other}, "macro F1", task="multiclass"
        )
    assert difference.winner == "good"
    assert difference.high - difference.low < 0.3


def test_numbers_are_not_classes() -> None:
    """A truth with fractions is of numbers unless the task is named; whole numbers are classes."""
    numbers = [0.5, 1.5, 2.5, 0.5]
    with pytest.raises(TooManyClassesError, match="for numbers, name a measure"):
        br.evaluate(numbers, numbers, "F1")
    assert br.evaluate(numbers, numbers)["model", "R2"].score == 1
    assert (
        br.evaluate(numbers, numbers, "accuracy", task="multiclass")["model", "accuracy"].score == 1
    )
    assert br.evaluate([1, 2, 3, 1], [1, 2, 3, 3])["model", "accuracy"].score == 0.75


def test_micro_f_is_accuracy_for_any_beta() -> None:
    """Pooled over classes, errors are the same for precision and recall."""
    assert br.get_measure("micro F2").score(MATRIX) == 0.63
    assert br.get_measure("f0.5_micro").key == "micro F0.5"


def test_the_summary_names_the_measures_with_evidence() -> None:
    """Where no p-value is shared, it says by which measures there is evidence."""
    rng = np.random.default_rng(0)
    truth = rng.choice(4, 60, p=(0.6, 0.2, 0.1, 0.1))
    scores = rng.random((60, 4))
    scores[np.arange(60), truth] += 0.12
    report = br.evaluate(truth, {"net": scores}, ["top-1 accuracy", "top-3 accuracy"])
    assert [verdict.p_value < 0.05 for verdict in report] == [True, False]
    said = " ".join(str(report).split())
    assert "net, top-1 accuracy: learned something (p = 0.030)" in said


def test_margins_stay_in_the_range_of_scores() -> None:
    """No limit of a margin is more than scores can differ by."""
    table = br.ConfusionMatrix(np.diag([4, 3, 3]))
    for verdict in br.evaluate(None, table, "all"):
        room = 2 if verdict.measure in ("kappa", "linear kappa", "quadratic kappa", "MCC") else 1
        assert -room <= verdict.margin_low <= verdict.margin <= verdict.margin_high <= room + 1e-9


def test_single_numbers() -> None:
    """`p_value`, `rescaled_score`, `interval` and `null_distribution` take several classes."""
    truth, tree = _labels(MATRIX)
    verdict = br.evaluate(None, MATRIX, "macro F1")["model", "macro F1"]
    assert br.p_value(truth, tree, "macro F1") == verdict.p_value
    assert br.rescaled_score(truth, tree, "macro F1") == verdict.rescaled
    assert br.rescaled_score(COUNTS, "macro F1", verdict.score) == verdict.rescaled
    found = br.confidence_interval(truth, tree, "macro F1")
    assert (found.low, found.high) == (verdict.low, verdict.high)
    law = br.null_distribution(COUNTS, {"a": 62, "b": 28, "c": 10}, "macro F1")
    assert law.interval(0.95) == (verdict.null_low, verdict.null_high)


def test_the_gate() -> None:
    """It asks for evidence here too."""
    br.assert_beats_baseline(MATRIX, "macro F1")
    with pytest.raises(AssertionError, match=r"below the baseline of 0\.700"):
        br.assert_beats_baseline(MATRIX, "accuracy")
    with pytest.raises(AssertionError, match="but not significantly"):
        br.assert_beats_baseline(MATRIX, "weighted F1")


@pytest.fixture(scope="module")
def coin_flips() -> br.Report:
    """Predictions of 40 observations that ignore the truth, judged by every measure."""
    rng = np.random.default_rng(11)
    tables = {}
    for place in range(60):
        truth = rng.choice(3, 40, p=(0.6, 0.3, 0.1))
        guess = rng.choice(3, 40, p=(0.5, 0.3, 0.2))
        table = np.zeros((3, 3), dtype=int)
        np.add.at(table, (truth, guess), 1)
        if table.sum(axis=1).all():
            tables[str(place)] = br.ConfusionMatrix(table)
    return br.evaluate(None, tables, "all")


@pytest.mark.parametrize("name", CLASS_MEASURES)
def test_coin_flips_claim_at_most_alpha_of_the_time(name: str, coin_flips: br.Report) -> None:
    """They clear, and are reversed, at most alpha of the time each.

    5% of 60 is 3, and 8 is three standard errors more. That p-values are valid is tested by
    exact sums, with their distributions.
    """
    outcomes = [verdict.outcome for verdict in coin_flips.measure(name)]
    assert outcomes.count(br.Outcome.CLEARS) <= 8
    assert outcomes.count(br.Outcome.REVERSED) <= 8
