"""Scores from every library, engine and kind of file are counted like those of arrays."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest

import baserate as br
from backends import BACKENDS, LAZY, Columns, sparing
from baserate.core.observed import Rows
from baserate.data.engines import scores as score_counts
from baserate.data.engines.scores import Scale
from baserate.data.files import scan
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, InvalidScoresError
from baserate.kinds.scores import SCORES
from baserate.measures.rankings import AUC
from baserate.observed.scores import RankedScores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from baserate.core.observed import Observations

SIZE = 200
MODELS = ("tree", "knn", "votes")
NAMES = {name: name for name in MODELS}
MAIN = [make for make in LAZY if make.id in ("polars-lazy", "duckdb")]


def _columns(size: int = SIZE, seed: int = 1) -> Columns:
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < 0.3).astype(int)
    return {
        "y": truth.tolist(),
        "tree": rng.random(size).round(2).tolist(),
        "knn": (rng.normal(size=size) + truth).round(1).tolist(),
        "votes": rng.integers(0, 6, size).tolist(),
        "region": rng.choice(["north", "south", "west"], size).tolist(),
    }


def _expected(columns: Columns, rows: Rows) -> Observations:
    models = {name: columns[name] for name in MODELS}
    return SCORES.observe(columns["y"], models, rows._replace(by=columns["region"]))


def _assert_same(found: Any, expected: Any) -> None:
    assert found.dropped == expected.dropped
    tables, others = found[0], expected[0]
    assert list(tables) == list(others)
    for name, groups in others.items():
        assert tables[name] == groups
        assert list(tables[name]) == list(groups)


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_missing_labels_and_scores(make: Callable[[Columns], Any]) -> None:
    """They are an error with counts by column, or rows left out for all models."""
    columns = _columns()
    columns["votes"] = [float(each) for each in columns["votes"]]
    columns["y"] = [float(each) for each in columns["y"]]
    columns["y"][3] = columns["knn"][3] = columns["knn"][5] = columns["votes"][7] = None
    with pytest.raises(
        InvalidScoresError,
        match=r"labels and scores must not be missing \(got 1 in 'y', 2 in 'knn', 1 in 'votes'\)",
    ):
        SCORES.observe_frame(make(columns), "y", NAMES, Rows())
    found = SCORES.observe_frame(make(columns), "y", NAMES, Rows("region", None, True))
    assert found.dropped == 3
    _assert_same(found, _expected(columns, Rows(drop=True)))


@pytest.mark.parametrize("make", sparing(BACKENDS))
def test_nan_and_infinity(make: Callable[[Columns], Any]) -> None:
    """NaN is a missing score; infinite ones are scores, and -0 is 0."""
    scores = [0.0, -0.0, math.inf, -math.inf, 0.5, 1.5]
    columns: Columns = {"y": [0, 1, 1, 0, 1, 0], "tree": scores}
    with np.errstate(invalid="ignore"):  # pandas 2 asks whether infinity is a whole number
        frame = make(columns)
    found = SCORES.observe_frame(frame, "y", {"tree": "tree"}, Rows())
    assert found.tables["tree"][None] == RankedScores.of(columns["y"], scores)
    columns["tree"] = [*scores[:-1], math.nan]
    with np.errstate(invalid="ignore"):
        frame = make(columns)
    found = SCORES.observe_frame(frame, "y", {"tree": "tree"}, Rows(drop=True))
    assert found.dropped == 1
    assert found.tables["tree"][None] == RankedScores.of(columns["y"][:-1], scores[:-1])


@pytest.mark.parametrize("make", MAIN)
def test_the_truth_is_checked_as_for_labels(make: Callable[[Columns], Any]) -> None:
    """Three classes, an unknown positive one, no rows and no such column are errors."""
    scores = [0.1, 0.2, 0.3]
    for truth, pos_label, why in (
        ([0, 1, 2], None, "at most two classes"),
        (["a", "b", "b"], None, "positive"),
        ([0, 1, 1], 7, "one of the classes"),
    ):
        frame = make({"y": truth, "tree": scores})
        with pytest.raises(InvalidLabelsError, match=why):
            SCORES.observe_frame(frame, "y", {"tree": "tree"}, Rows(pos_label=pos_label))
    frame = make({"y": [0, 1, 1], "tree": scores})
    with pytest.raises(InvalidFrameError, match=r"no column 'tre': did you mean 'tree'\?"):
        SCORES.observe_frame(frame, "y", {"tree": "tre"}, Rows())
    empty = make({"y": [0.0, None], "tree": [None, 0.1]})
    with pytest.raises(InvalidLabelsError, match="at least one label"):
        SCORES.observe_frame(empty, "y", {"tree": "tree"}, Rows(drop=True))


# Bins.


def _many(size: int = 4000) -> Columns:
    rng = np.random.default_rng(5)
    truth = rng.random(size) < 0.2
    normal = rng.normal(size=size) + truth
    return {
        "y": truth.astype(int).tolist(),
        "odds": normal.tolist(),
        "chance": (1 / (1 + np.exp(-3 * normal))).tolist(),
        "wild": rng.standard_cauchy(size).tolist(),
        "region": rng.choice(["north", "south"], size).tolist(),
    }


@pytest.mark.parametrize("make", sparing(LAZY))
def test_very_many_scores_are_binned(
    make: Callable[[Columns], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the limit scores are put in bins, whose bounds hold, for the whole and each group."""
    monkeypatch.setattr(score_counts, "MOST_SCORES", 500)
    monkeypatch.setattr(score_counts, "_FEWEST_BINS", 100)
    columns, names = _many(), {name: name for name in ("odds", "chance", "wild")}
    columns["odds"][:2] = [math.inf, -math.inf]
    frame = make(columns)
    found = SCORES.at(0.3).observe_frame(frame, "y", names, Rows("region"))
    expected = SCORES.at(0.3).observe(
        columns["y"], {name: columns[name] for name in names}, Rows(columns["region"])
    )
    for name in names:
        for group, exact in expected.tables[name].items():
            bins = found.tables[name][group]
            assert bins.widths is not None
            assert bins.values.size < exact.values.size / 2
            assert bins.test_set == exact.test_set
            assert bins.table(0.3) == exact.table(0.3)  # no bin reaches across the threshold
            low, high = bins.bounds(AUC.score)
            assert low <= AUC.score(exact) <= high
            assert abs(AUC.score(bins) - AUC.score(exact)) <= bins.auc_error < 0.02
    ends = found.tables["odds"][None]
    assert (ends.values[0], ends.values[-1]) == (math.inf, -math.inf)
    assert ends.widths[[0, -1]].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "scores",
    [
        np.random.default_rng(0).random(999),
        np.random.default_rng(0).normal(size=999) * 1e-300,
        np.random.default_rng(0).standard_cauchy(999) * 1e200,
        np.append(np.arange(998) / 997, 5e-324),
        np.append(np.arange(998) / 997, [1.5, -0.5, 1e308, -1e308, math.inf, -math.inf]),
    ],
)
def test_a_scale_keeps_the_order(scores: Any) -> None:
    """A higher score never has a lower bin, also beyond the scores that the scale is made for."""
    scale = Scale.of(scores[:998], 100, 0.25)
    frame = nw.from_native(pl.DataFrame({"s": np.sort(scores)}))
    found = frame.select(**scale.keys(nw.col("s")))
    bins = found["bin"].to_numpy()
    assert not np.isnan(bins).any()
    assert all(one <= other for one, other in pairwise(bins.tolist()))
    assert np.unique(bins[np.isfinite(bins)]).size > 20
    finite = np.isfinite(np.sort(scores))
    sides = (np.sort(scores) >= 0.25).astype(int)
    assert found["side"].to_numpy()[finite].tolist() == sides[finite].tolist()
    assert all(one <= other for one, other in pairwise(found["side"].to_list()))


def test_too_many_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs cannot be binned without losing what a comparison is about: that is an error."""
    monkeypatch.setattr(score_counts, "MOST_PAIRS", 100)
    with pytest.raises(InvalidFrameError, match="at most 100 distinct pairs of scores"):
        SCORES.observe_frame(pl.LazyFrame(_columns()), "y", NAMES, Rows(pairs="all"))


# Files.


def test_texts_that_are_scores(tmp_path: Path) -> None:
    """Every spelling of a number is one score; nan and nothing are missing, words are an error."""
    lines = ["y,m", "1,0.5", "0,5e-1", "1, .5", "0,+0.50 ", "1,inf", "0,-Infinity", "1,NaN", "0,"]
    path = tmp_path / "p.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(InvalidScoresError, match="got 2 in 'm'"):
        SCORES.observe_frame(scan(path), "y", {"m": "m"}, Rows())
    found = SCORES.observe_frame(scan(path), "y", {"m": "m"}, Rows(drop=True))
    assert found.dropped == 2
    expected = RankedScores.of([1, 0, 1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5, math.inf, -math.inf])
    assert found.tables["m"][None] == expected
    path.write_text("y,m\n1,0.5\n0,true\n")
    with pytest.raises(
        InvalidScoresError, match=r"column 'm' must be numbers .*\(got text such as 'true'\)"
    ):
        SCORES.observe_frame(scan(path), "y", {"m": "m"}, Rows())


# Labels in the place of scores.


def test_labels_are_no_scores(tmp_path: Path) -> None:
    """Wherever they come from, the error says what takes labels; 0.0 and 1.0 are scores."""
    rows = pl.DataFrame({"y": [1, 1, 0, 0, 1, 0] * 5, "p": [1, 0, 0, 0, 1, 1] * 5})
    rows = rows.with_columns(q=pl.col("p").reverse())
    rows.write_csv(tmp_path / "p.csv")
    rows.write_parquet(tmp_path / "p.parquet")
    says = r"must be scores \(got the labels 0 and 1\): .* take labels, .*make them floats"
    for frame in (rows, rows.lazy(), scan(tmp_path / "p.csv"), scan(tmp_path / "p.parquet")):
        options: Any
        for options in ({}, {"reference": "q"}, {"measures": ["AUC", "F1"], "threshold": 0.5}):
            with pytest.raises(InvalidScoresError, match=says):
                br.evaluate(frame, "p", **{"measures": "AUC", "truth": "y"} | options)
        with pytest.raises(InvalidScoresError, match=says):
            br.compare(frame, ["p", "q"], "AUC", truth="y")
    floats = rows.with_columns(pl.col("p").cast(float))
    floats.write_csv(tmp_path / "f.csv")
    for frame in (floats, floats.lazy(), scan(tmp_path / "f.csv")):
        (verdict,) = br.evaluate(frame, "p", "AUC", truth="y")
        assert verdict.score == pytest.approx(2 / 3)
