"""Rows that belong together: whole clusters are drawn, tested and swapped."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import baserate as br

if TYPE_CHECKING:
    from collections.abc import Callable

CLUSTERS, SIZE, SHARED = 20, 10, 0.3
CLUSTER = np.repeat(np.arange(CLUSTERS), SIZE)
ROWS = CLUSTER.size


def mixed(rng: np.random.Generator) -> Any:
    """Return normals of which rows of a cluster share a part."""
    own, common = rng.normal(size=ROWS), rng.normal(size=CLUSTERS)
    return np.sqrt(SHARED) * common[CLUSTER] + np.sqrt(1 - SHARED) * own


def _cases() -> dict[str, tuple[Any, Any, Any, list[str]]]:
    """Return the truth, two models and measures of every kind of prediction."""
    rng = np.random.default_rng(28)
    truth = (mixed(rng) > 0.5).astype(int)
    scores = [1.3 * truth + mixed(rng) for _ in range(2)]
    labels = [(each > 0.9).astype(int) for each in scores]
    chances = [1 / (1 + np.exp(1.5 - 2 * each)) for each in scores]
    classes = rng.integers(0, 3, ROWS)
    answers = [np.where(mixed(rng) > 0, classes, rng.integers(0, 3, ROWS)) for _ in range(2)]
    rows = [rng.dirichlet([1, 1, 1], ROWS) for _ in range(2)]
    for each in rows:
        each[np.arange(ROWS), classes] += np.exp(mixed(rng) - 1)
        np.divide(each, each.sum(axis=1, keepdims=True), out=each)
    number = rng.normal(size=ROWS)
    guesses = [number + mixed(rng) for _ in range(2)]
    numbers = ["RMSE", "R2", "Spearman", "Kendall", "MedAE"]
    return {
        "labels": (truth, *labels, ["ACC", "BACC", "F1", "MCC"]),
        "classes": (classes, *answers, ["accuracy", "balanced accuracy", "macro F1", "MCC"]),
        "scores": (truth, *scores, ["AUC", "AP"]),
        "probabilities": (truth, *chances, ["Brier", "log loss", "D2 log loss"]),
        "class probabilities": (classes, *rows, ["log loss", "Brier"]),
        "top-k": (classes, *rows, ["top-2 accuracy"]),
        "numbers": (number, *guesses, numbers),
    }


CASES = _cases()
KINDS = pytest.mark.parametrize("kind", CASES)


@KINDS
def test_intervals_are_wider_and_claims_weaker(kind: str) -> None:
    """Rows of a cluster resemble each other here: a test set shows less than its rows alone."""
    truth, model, _, measures = CASES[kind]
    together, wider = br.evaluate(truth, model, measures, clusters=CLUSTER), []
    for verdict, alone in zip(together, br.evaluate(truth, model, measures), strict=True):
        assert verdict.low <= alone.low <= verdict.score <= alone.high <= verdict.high
        wider.append((verdict.high - verdict.low) / (alone.high - alone.low))
        assert verdict.margin_low <= alone.margin_low <= alone.margin_high <= verdict.margin_high
        assert (verdict.score, verdict.baseline) == (alone.score, alone.baseline)
        assert 1e-5 < verdict.p_value < 0.05
        assert alone.p_value < verdict.p_value
        assert verdict.p_worse == pytest.approx(1 - verdict.p_value)
        assert not verdict.exact
        assert math.isnan(verdict.null_low)
    assert together.performances[0].clusters == CLUSTERS
    assert np.mean(wider) > 1.02


# What is computed, from its definition.


def _score_test(association: Any, clusters: Any) -> float:
    sums = np.array([association[clusters == each].sum() for each in np.unique(clusters)])
    number = sums.size
    t = sums.sum() / math.sqrt(number / (number - 1) * (sums @ sums))
    return float(stats.t.sf(t, number - 1))


def _doubly_centred(points: Any, truth: Any) -> Any:
    """Center what each row would have with each truth, over rows and over truths."""
    table = points[:, truth]  # the row's prediction beside every row's truth
    return np.diagonal(table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean())


@pytest.mark.parametrize(
    ("kind", "association"),
    [
        ("labels", lambda y, x: (y - y.mean()) * (x - x.mean())),
        ("classes", lambda y, x: _doubly_centred(np.eye(3)[x], y)),
        ("scores", lambda y, x: (y - y.mean()) * (stats.rankdata(x) - (ROWS + 1) / 2)),
        ("class probabilities", lambda y, x: _doubly_centred(np.log(x), y)),
        ("top-k", lambda y, x: _doubly_centred((x > x.min(axis=1)[:, None]) * 1.0, y)),
        ("numbers", lambda y, x: (y - y.mean()) * (x - x.mean())),
    ],
)
def test_the_p_value_is_the_score_test(kind: str, association: Callable[[Any, Any], Any]) -> None:
    """Contributions to the association are summed per cluster, and not centred again."""
    truth, model, _, measures = CASES[kind]
    expected = _score_test(association(truth, model), CLUSTER)
    for measure in measures:
        found = br.p_value(truth, model, measure, clusters=CLUSTER)
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "measure", "observe"),
    [
        ("labels", "F1", br.ConfusionMatrix.of),
        ("scores", "AUC", br.RankedScores.of),
        ("class probabilities", "log loss", br.ClassProbabilities.of),
        ("numbers", "RMSE", br.NumericPredictions.of),
    ],
)
def test_whole_clusters_are_swapped(kind: str, measure: str, observe: Callable[..., Any]) -> None:
    """The p-value of five clusters is the share of all 32 swaps that differ as much."""
    truth, first, second, _ = CASES[kind]
    clusters = CLUSTER // 4
    score = br.get_measure(measure, task="class-scores" if first.ndim > 1 else None).score
    if kind == "scores":  # whose ranks are swapped
        first, second = stats.rankdata(first), stats.rankdata(second)

    def difference(heads: Any) -> float:
        swap = np.asarray(heads)[clusters]
        swap = swap if first.ndim == 1 else swap[:, None]
        one, other = np.where(swap, second, first), np.where(swap, first, second)
        return abs(score(observe(truth, one)) - score(observe(truth, other)))

    swaps = np.array([difference(heads) for heads in product([False, True], repeat=5)])
    expected = np.mean(swaps >= swaps[0] * (1 - 1e-9))
    (found,) = br.compare(truth, {"a": first, "b": second}, measure, clusters=clusters)
    assert found.p_value == pytest.approx(expected, rel=1e-6)


# How clusters are named.


FRAMES = {
    "pandas": lambda data: pd.DataFrame(data, index=range(5, 5 + ROWS)),
    "polars, lazy": pl.LazyFrame,
    "duckdb": lambda data: duckdb.from_arrow(pl.DataFrame(data).to_arrow()),
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("kind", ["labels", "classes", "scores", "numbers"])
def test_frames_have_the_same(kind: str, library: str) -> None:
    """A column of clusters gives what an array of them gives, in frames and in engines."""
    truth, first, second, measures = CASES[kind]
    data = {"truth": truth, "a": first, "b": second, "who": CLUSTER}
    frame, options = FRAMES[library](data), {"truth": "truth", "clusters": "who"}
    measures = measures[:2]
    expected = br.evaluate(truth, {"a": first}, measures, clusters=CLUSTER)
    assert br.evaluate(frame, "a", measures, **options) == expected
    pair = br.compare(truth, {"a": first, "b": second}, measures, clusters=CLUSTER)
    assert br.compare(frame, ["a", "b"], measures, **options) == pair


def test_groups() -> None:
    """Each group has the clusters of its rows; one cluster may be in several groups."""
    truth, first, _, measures = CASES["labels"]
    group = np.where(np.arange(ROWS) % 3 == 0, "north", "south")
    report = br.evaluate(truth, {"a": first}, measures, by=group, clusters=CLUSTER)
    lazy = pl.LazyFrame({"y": truth, "a": first, "by": group, "who": CLUSTER})
    again = br.evaluate(lazy, "a", measures, truth="y", by="by", clusters="who")
    assert [*map(str, again.group("south"))] == [*map(str, report.group("south"))]
    for name in ("north", "south"):
        rows = group == name
        alone = br.evaluate(truth[rows], {"a": first[rows]}, measures, clusters=CLUSTER[rows])
        for verdict, other in zip(report.group(name), alone, strict=True):
            assert (verdict.low, verdict.p_value) == (other.low, other.p_value)
            assert verdict.performance.clusters == CLUSTERS


def test_the_other_functions() -> None:
    """`interval`, `p_value` and the gate say what a report says."""
    truth, model, _, _ = CASES["labels"]
    (verdict,) = br.evaluate(truth, model, "F1", clusters=CLUSTER)
    found = br.confidence_interval(truth, model, "F1", clusters=CLUSTER)
    assert (found.low, found.high) == (verdict.low, verdict.high)
    names = np.array([f"patient {each}" for each in CLUSTER])
    for clusters in (CLUSTER, names):
        assert br.p_value(truth, model, clusters=clusters) == verdict.p_value
    br.assert_beats_baseline(truth, model, "MCC", clusters=CLUSTER)
    half = (truth + np.arange(ROWS) % 2 > 0).astype(int)
    with pytest.raises(AssertionError, match="misses the bar"):
        br.assert_beats_baseline(truth, half, "ACC", clusters=CLUSTER)


# What is said.


def test_reports_say_how_many_clusters() -> None:
    """So do their JSON records, which read back equal."""
    truth, first, second, _ = CASES["labels"]
    report = br.evaluate(truth, first, ["F1", "MCC"], clusters=CLUSTER)
    comparison = br.compare(truth, {"a": first, "b": second}, "F1", clusters=CLUSTER)
    for shown in (report, comparison):
        for text in (str(shown), shown.to_markdown(), shown.to_html(), shown.to_latex()):
            assert "200 rows in 20 clusters" in text
            assert "at most 8" in " ".join(text.split())
            assert "little can be shown" not in text
    assert br.Report.from_json(report.to_json()) == report
    assert br.Comparison.from_json(comparison.to_json()) == comparison
    assert "clusters" not in br.evaluate(truth, first, "F1").to_json()


@KINDS
def test_two_models(kind: str) -> None:
    """A difference has an interval that is at least as wide; a reference is the same test."""
    truth, first, second, measures = CASES[kind]
    models = {"a": first, "b": second}
    together = br.compare(truth, models, measures, clusters=CLUSTER)
    for found, alone in zip(together, br.compare(truth, models, measures), strict=True):
        assert found.low <= alone.low <= found.difference <= alone.high <= found.high
        assert found.difference == alone.difference
        assert 0 < found.p_value <= 1
    against = br.evaluate(truth, first, measures, reference={"b": second}, clusters=CLUSTER)
    for verdict, found in zip(against, together, strict=True):
        assert verdict.p_value == pytest.approx(found.p_value, rel=0.2, abs=0.02)
        assert abs(verdict.margin) == pytest.approx(abs(found.difference))


def test_a_model_that_says_nothing() -> None:
    """Constant predictions are no evidence, and rounding is none."""
    rng = np.random.default_rng(2)
    truth = rng.normal(size=ROWS)
    constant = np.full(ROWS, 0.1)
    assert br.p_value(truth, constant, "RMSE", clusters=CLUSTER) == 1
    bits = (truth > 0.3).astype(int)
    assert br.p_value(bits, np.ones(ROWS, dtype=int), "ACC", clusters=CLUSTER) == 1


@pytest.mark.parametrize("measure", ["accuracy", "balanced accuracy", "macro F1"])
def test_labels_of_class_scores_are_labels(measure: str) -> None:
    """The classes with the highest scores are judged as labels are, where clusters lack classes."""
    rng = np.random.default_rng(3)
    truth, patients = np.sort(rng.integers(0, 3, 120)), np.arange(120) // 4
    scores = [
        (rng.dirichlet(np.ones(3), 120) + signal * np.eye(3)[truth]) / (1 + signal)
        for signal in (0.5, 0.2)
    ]
    labels = [each.argmax(axis=1) for each in scores]
    found, expected = (
        br.evaluate(truth, each[0], measure, task=task, clusters=patients)["model", measure]
        for each, task in ((scores, "class-scores"), (labels, "multiclass"))
    )
    ends = "low", "high", "margin_low", "margin_high", "p_value"
    for name in ends:
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9), name
    (found,), (expected,) = (
        br.compare(truth, dict(zip("ab", each, strict=True)), measure, task=task, clusters=patients)
        for each, task in ((scores, "class-scores"), (labels, "multiclass"))
    )
    for name in ("low", "high", "p_value"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9), name
