"""The task of probabilities: reading, judging, comparing, and what is wrong with rows."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.core.task import Rows
from baserate.exceptions import (
    InvalidCountError,
    InvalidFrameError,
    InvalidPredictionsError,
    InvalidScoresError,
    InvalidWeightsError,
    MisalignedRowsError,
    UnknownMeasureError,
)
from baserate.multiclass.class_counts import ClassCounts
from baserate.probability.several import observed as observed_module
from baserate.probability.several.observed import ClassProbabilities
from baserate.probability.several.task import CLASS_PROBABILITIES
from baserate.verdicts.difference import Pair
from baserate.verdicts.differences import differences
from baserate.verdicts.judge import verdicts
from baserate.verdicts.outcome import Outcome
from baserate.verdicts.standard import Standard

TASK = CLASS_PROBABILITIES
RNG = np.random.default_rng(51)
TRUTH = ["a", "b", "c", "a"]
ROWS = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])


def _models(size: int = 90) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    right = RNG.dirichlet([0.5, 0.4, 0.3], size)
    truth = (RNG.uniform(size=(size, 1)) > right.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    bold = right**9 + 1e-9
    return np.array(list("abc"))[truth], {
        "right": right,
        "bold": bold / bold.sum(axis=1, keepdims=True),
        "shuffled": RNG.permutation(right),
    }


def test_rows_are_counted() -> None:
    """Equal rows are one, and nothing depends on the order of the observations."""
    observed = ClassProbabilities.of(TRUTH, ROWS)
    assert len(observed.rows) == 3
    assert observed.test_set == ClassCounts({"a": 2, "b": 1, "c": 1})
    assert observed.flat == {"observations": 4, "classes": 3}
    order = [3, 1, 0, 2]
    assert ClassProbabilities.of([TRUTH[place] for place in order], ROWS[order]) == observed
    assert hash(ClassProbabilities.of([TRUTH[place] for place in order], ROWS[order])) == hash(
        observed
    )
    assert observed != ClassProbabilities.of(TRUTH[::-1], ROWS)
    assert ClassProbabilities.of(TRUTH, -0.0 + ROWS) == ClassProbabilities.of(TRUTH, ROWS + 0.0)
    assert observed != TRUTH
    same = observed
    assert observed == same
    assert repr(observed) == "ClassProbabilities(4 observations of 3 classes, 3 distinct rows)"
    assert sum(observed.cells.counts) == 4


def test_rows_that_share_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are told apart by themselves if their numbers collide."""
    expected = ClassProbabilities.of(TRUTH, ROWS)
    monkeypatch.setattr(observed_module, "_projected", lambda rows, _: np.zeros(len(rows)))
    found = ClassProbabilities.of(TRUTH, ROWS)
    assert len(found.rows) == 3
    for measure in TASK.chosen("all"):
        assert measure.score(found) == pytest.approx(measure.score(expected))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_json_record_is_read_back(kind: type) -> None:
    """Also of two models, with the type of their numbers."""
    truth, models = _models(20)
    table = models["right"].astype(kind)
    observed = ClassProbabilities.of(truth, table)
    assert TASK.observed(json.loads(json.dumps(observed.facts))) == observed
    pairs = TASK.observe_pairs(truth, {"one": table, "other": models["bold"]}, Rows()).pairs
    joint = pairs["one", "other"][None]
    again = TASK.joint(json.loads(json.dumps(joint.facts)))
    assert again == joint
    assert hash(again) == hash(joint)
    assert joint != observed
    assert joint.first == observed
    assert joint.second == ClassProbabilities.of(truth, models["bold"])
    for cells in ([], [[9, 0, 1]], [[0, 99, 1]], [[0, 0, 0]]):
        with pytest.raises(InvalidCountError, match="places of classes"):
            TASK.observed({**observed.facts, "cells": cells})
    assert joint.flat == {"observations": 20, "disagreements": joint.disagreements}


def test_the_log_loss_of_a_very_good_model() -> None:
    """It is the best of all shuffles, and as likely as one of them; that ended in an error."""
    rng = np.random.default_rng(79)
    truth = rng.integers(0, 5, 150)
    logits = 0.3 * rng.normal(size=(150, 5))
    logits[np.arange(150), truth] += 1.8
    rows = np.exp(logits)
    rows /= rows.sum(axis=1, keepdims=True)
    verdict = br.evaluate(truth, rows, "log loss").verdicts[0]
    ways = math.factorial(150)
    for count in np.bincount(truth).tolist():
        ways //= math.factorial(count)
    assert verdict.p_value == pytest.approx(1 / ways, rel=0.01)


def test_frames_name_their_classes() -> None:
    """Columns are classes, in any order; one that never occurs is kept."""
    expected = ClassProbabilities.of(TRUTH, ROWS)
    columns = {name: ROWS[:, place] for place, name in enumerate("abc")}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        assert ClassProbabilities.of(TRUTH, frame[["c", "a", "b"]]) == expected
    more = pd.DataFrame(columns | {"d": np.zeros(4)})
    with_more = ClassProbabilities.of(TRUTH, more)
    assert with_more.labels == ("a", "b", "c", "d")
    assert with_more.test_set == ClassCounts({"a": 2, "b": 1, "c": 1, "d": 0})
    models = {"three": pd.DataFrame(columns), "four": more}
    found = TASK.observe(TRUTH, models, Rows()).tables
    assert found["three"][None] == found["four"][None] == with_more


def test_groups_missing_rows_and_single_models() -> None:
    """They are read as for every task."""
    truth, models = _models(40)
    by = np.repeat(["x", "y"], 20)
    found = TASK.observe(truth, models, Rows(by=by)).tables
    assert list(found["right"]) == [None, "x", "y"]
    for place, name in enumerate("xy"):
        rows = slice(20 * place, 20 * place + 20)
        table = pd.DataFrame(models["right"][rows], columns=list("abc"))
        assert found["right"][name] == ClassProbabilities.of(truth[rows], table)
    pairs = TASK.observe_pairs(truth, models, Rows(by=by)).pairs
    assert pairs["right", "bold"]["x"].first == found["right"]["x"]
    holes = models["right"].copy()
    holes[3, 0] = math.nan
    with pytest.raises(InvalidScoresError, match="missing"):
        TASK.observe(truth, holes, Rows())
    kept = TASK.observe(truth, holes, Rows(drop=True))
    assert kept.dropped == 1
    assert kept.tables["model"][None].total == 39


def test_tables_without_labels() -> None:
    """What is counted already needs no truth, and must be of the same one."""
    observed = ClassProbabilities.of(TRUTH, ROWS)
    assert TASK.observe(None, {"net": observed}, Rows()).tables == {"net": {None: observed}}
    assert TASK.observe(TRUTH, {"net": observed}, Rows()).tables == {"net": {None: observed}}
    with pytest.raises(InvalidPredictionsError, match="counted on the labels"):
        TASK.observe(["a", "a", "b", "c", "c"], {"net": observed}, Rows())
    with pytest.raises(InvalidPredictionsError, match="no rows to group"):
        TASK.observe(None, {"net": observed}, Rows(by=["x"] * 4))
    with pytest.raises(InvalidPredictionsError, match="must be given for the probabilities"):
        TASK.observe(None, {"net": ROWS}, Rows())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS * 2, r"probabilities from 0 to 1 \(got 2.0\); top-k"),
        (ROWS - 0.5, r"probabilities from 0 to 1 \(got -0.5\)"),
        (ROWS * 0.9, r"sum to 1 \(got a sum of 0.9 in the row at position 0\)"),
        (ROWS[:3], "row per label"),
        (ROWS[:, :2] / ROWS[:, :2].sum(axis=1, keepdims=True), "column per class"),
        (ROWS[:, 0], "one column"),
        ([["x", "y", "z"]] * 4, "table of numbers"),
        (np.full((4, 3), np.inf), r"probabilities from 0 to 1 \(got inf\)"),
    ],
)
def test_rows_that_are_no_probabilities(rows: Any, message: str) -> None:
    """An error says what is wrong with them."""
    with pytest.raises(InvalidScoresError, match=message):
        ClassProbabilities.of(TRUTH, rows)


def test_sums_may_be_off_by_rounding() -> None:
    """As much as scikit-learn takes without a warning, which is more for less precision."""
    ClassProbabilities.of(TRUTH, ROWS * (1 - 1e-8))
    ClassProbabilities.of(TRUTH, (ROWS * (1 - 1e-4)).astype(np.float32))
    with pytest.raises(InvalidScoresError, match="sum to 1"):
        ClassProbabilities.of(TRUTH, ROWS * (1 - 1e-4))
    counts = ClassProbabilities.of(["a", "b"], [[1, 0], [0, 1]])
    assert counts.rows.dtype == float


def test_misaligned_rows() -> None:
    """The index of a frame must be that of the labels."""
    frame = pd.DataFrame(ROWS, columns=list("abc"), index=[1, 2, 3, 0])
    with pytest.raises(MisalignedRowsError):
        TASK.observe(pd.Series(TRUTH), frame, Rows())


def test_one_column_cannot_hold_them() -> None:
    """A column per model is for labels."""
    for observe in (TASK.observe_frame, TASK.observe_frame_pairs):
        with pytest.raises(InvalidFrameError, match="not one column"):
            observe(pd.DataFrame({"y": TRUTH}), "y", {}, Rows())
    assert TASK.count_column(pd.DataFrame({"y": TRUTH}), "y", Rows())[0].total == 4


def test_the_reader() -> None:
    """Single calls take labels and rows, tables, or a test set and a score."""
    observed = ClassProbabilities.of(TRUTH, ROWS)
    reader = TASK
    scored = reader.scored("f", (TRUTH, ROWS, "Brier"), score=None, pos_label=None, test_set=None)
    assert scored.test_set == observed.test_set
    assert scored.score == TASK.named("Brier").score(observed)
    table, measure = reader.tabled("f", (observed, "log_loss", None), pos_label=None)
    assert (table, measure.key) == (observed, "log loss")
    assert reader.test_set_of(TRUTH, None) == observed.test_set
    assert reader.test_set_of(observed, None) == observed.test_set
    weighed = reader.weigh(TRUTH, ROWS, None, np.array([2.0, 1.0, 0.0, 3.0]))
    often = [0, 0, 1, 3, 3, 3]
    frame = pd.DataFrame(ROWS[often], columns=list("abc"))
    assert weighed == ClassProbabilities.of([TRUTH[place] for place in often], frame)
    assert weighed.total == 6
    with pytest.raises(InvalidWeightsError, match="whole numbers"):
        reader.weigh(TRUTH, ROWS, None, np.array([0.5, 1, 1, 1]))


def test_a_distribution() -> None:
    """The rows of a deck are dealt at random."""
    counts = ClassCounts({"a": 2, "b": 1, "c": 1})
    law = TASK.null_of_guess(TASK.named("Brier"), counts, ROWS)
    shares = np.array([0.5, 0.25, 0.25])
    expected = np.mean([shares @ ((np.eye(3) - row) ** 2).sum(axis=1) for row in ROWS])
    assert law.mean() == pytest.approx(expected)
    with pytest.raises(InvalidScoresError, match="4 rows and 3 columns"):
        TASK.null_of_guess(TASK.named("Brier"), counts, ROWS[:3])


def test_verdicts() -> None:
    """Right probabilities clear, bold ones learned and are miscalibrated, shuffled ones did not."""
    truth, models = _models(120)
    found = {
        (verdict.model, verdict.measure): verdict
        for verdict in verdicts(TASK, TASK.observe(truth, models, Rows()).tables, TASK.chosen(None))
    }
    for key in ("Brier", "log loss"):
        assert found["right", key].outcome is Outcome.CLEARS
        assert found["shuffled", key].outcome is Outcome.NO_EVIDENCE
        assert found["right", key].reference == "the class shares for everyone"
        assert math.isnan(found["right", key].performance.p_value)
    bold = found["bold", "log loss"]
    assert bold.outcome is Outcome.LEARNED
    assert "its probabilities are miscalibrated; recalibrate them" in str(bold)
    constant = {"same": np.full((120, 3), 1 / 3)}
    (same,) = verdicts(TASK, TASK.observe(truth, constant, Rows()).tables, TASK.chosen("Brier"))
    assert same.performance.table.one_class == "gives every observation the same probabilities"
    assert same.p_value == pytest.approx(1)


def test_the_class_shares_themselves_are_no_better() -> None:
    """They have the baseline, up to rounding, by every measure."""
    truth, _ = _models(77)
    counts = ClassCounts.of(truth)
    rows = np.tile(counts.array / counts.total, (77, 1))
    for verdict in verdicts(TASK, TASK.observe(truth, rows, Rows()).tables, TASK.chosen("all")):
        assert verdict.margin == 0
        assert not verdict.beats


def test_coin_flips_rarely_clear() -> None:
    """Shuffled probabilities clear at most as often as alpha says; they never learn more often."""
    tests, alpha, learned = 60, 0.2, 0
    for _ in range(tests):
        truth, models = _models(12)
        while len(set(truth)) < 3:
            truth, models = _models(12)
        tables = TASK.observe(truth, {"coin": models["shuffled"]}, Rows()).tables
        (found,) = verdicts(TASK, tables, TASK.chosen("Brier"), Standard(alpha=alpha))
        learned += found.p_value <= alpha
        assert found.outcome is not Outcome.CLEARS or found.p_value <= alpha
    assert learned / tests <= alpha + 3 * math.sqrt(alpha * (1 - alpha) / tests)


def test_two_models() -> None:
    """Right probabilities are better than bold ones, and no better than themselves."""
    truth, models = _models(120)
    named = {"right": models["right"], "bold": models["bold"], "again": models["right"].copy()}
    joint = TASK.observe_pairs(truth, named, Rows()).pairs
    pairs = [
        Pair(first=one, second=other, group=None, table=table[None])
        for (one, other), table in joint.items()
    ]
    found = {
        (each.first, each.second, each.measure): each
        for each in differences(TASK, pairs, TASK.chosen(None), Standard())
    }
    assert found["right", "bold", "log loss"].winner == "right"
    assert found["bold", "again", "Brier"].winner == "again"
    alike = found["right", "again", "Brier"]
    assert (alike.winner, alike.p_value, alike.disagreements) == (None, 1.0, 0)
    differ = (models["right"] != models["bold"]).any(axis=1)
    assert found["right", "bold", "Brier"].disagreements == differ.sum() > 100


def test_names() -> None:
    """It knows its measures, those that resemble a name, and no other."""
    assert [measure.key for measure in TASK.chosen(None)] == ["Brier", "log loss"]
    assert TASK.chosen(TASK.named("Brier")) == (TASK.named("brier_score_loss"),)
    assert TASK.named("F1") is None
    assert TASK.nearest("log los")[0] == "log loss"
    assert TASK.about(["Brier"]) is TASK
    assert TASK.at(0.5) is None
    for wrong in ("F1", 7, [3]):
        with pytest.raises(UnknownMeasureError):
            TASK.chosen(wrong)
