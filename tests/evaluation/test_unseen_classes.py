"""A class that is predicted and never occurs is named in a warning."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import baserate as br
from baserate.exceptions import UnseenClassWarning

if TYPE_CHECKING:
    from pathlib import Path

Y = ["a", "b", "c", "a"] * 5
TYPO = ["a", "b", "C", "a"] * 5
SAYS = (
    "predicts 'C', which never occurs in the truth: macro averages are over 'C', 'a', 'b', 'c', "
    "and balanced accuracy is over 'a', 'b', 'c'"
)
FRAME = pl.DataFrame({"y": Y, "tree": TYPO, "right": Y})


def _file(folder: Path) -> Any:
    FRAME.write_csv(folder / "rows.csv")
    return br.scan(folder / "rows.csv")


@pytest.mark.parametrize("form", ["arrays", "frame", "lazy", "file"])
def test_the_class_and_the_average_are_named(form: str, tmp_path: Path) -> None:
    """Of one model, beside a reference and beside another model, wherever the rows are."""
    frame = {"frame": FRAME, "lazy": FRAME.lazy(), "file": _file(tmp_path)}.get(form)
    given: Any = (Y, {"tree": TYPO}) if form == "arrays" else (frame, ["tree"])
    both: Any = (Y, {"tree": TYPO, "right": Y}) if form == "arrays" else (frame, ["tree", "right"])
    options: Any = {} if form == "arrays" else {"truth": "y"}
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        br.evaluate(*given, "macro F1", **options)
        br.evaluate(*both, "macro F1", reference="right", **options)
        br.compare(*both, "macro F1", **options)
    assert {each.category for each in found} == {UnseenClassWarning}
    assert [str(each.message) for each in found] == [f"tree {SAYS}"] * 3
    assert {each.filename for each in found} == {__file__}


def test_one_number_at_a_time() -> None:
    """A p-value, an interval, a gate and a matrix that was counted before."""
    matrix = br.ConfusionMatrix.of(Y, TYPO)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        br.p_value(Y, TYPO, "macro F1")
        br.confidence_interval(Y, TYPO, "macro F1")
        br.assert_beats_baseline(Y, TYPO, "accuracy", alpha=None)
        br.evaluate(None, {"y_pred": matrix}, "kappa")
    named = [str(each.message).removesuffix(f" {SAYS}") for each in found]
    assert named == ["y_pred", "y_pred", "model", "y_pred"]


def test_what_the_averages_are_over() -> None:
    """As the warning says: macro F1 counts the class that never occurs, balanced accuracy not."""
    with pytest.warns(UnseenClassWarning):
        report = br.evaluate(Y, TYPO, ["macro F1", "macro recall", "balanced accuracy"])
    scores = {verdict.measure: verdict.score for verdict in report}
    assert scores["macro F1"] == pytest.approx(2 / 4)
    assert scores["macro recall"] == pytest.approx(2 / 4)
    assert scores["balanced accuracy"] == pytest.approx(2 / 3)


def test_groups_and_scores_do_not_warn() -> None:
    """A group may lack a class that occurs elsewhere, and scorers see folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        br.evaluate(
            ["a", "a", "b", "c"] * 9, ["a", "b", "b", "c"] * 9, "macro F1", by=[0, 0, 1, 1] * 9
        )
        br.get_measure("macro F1").score(br.ConfusionMatrix.of(Y, TYPO))


def test_the_command_says_so_on_stderr(tmp_path: Path) -> None:
    """A warning is no part of the output."""
    _file(tmp_path)
    command = [
        "evaluate",
        str(tmp_path / "rows.csv"),
        "--truth",
        "y",
        "--model",
        "tree",
        "-m",
        "macro F1",
    ]
    run = subprocess.run(
        [sys.executable, "-m", "baserate", *command],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == f"Warning: tree {SAYS}\n"
    assert "Warning" not in run.stdout
