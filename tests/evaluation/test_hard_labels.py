"""Labels in the place of scores are refused wherever they come from."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import baserate as br
from baserate.exceptions import InvalidScoresError

if TYPE_CHECKING:
    from pathlib import Path

LABELS = pd.DataFrame({"y": [1, 1, 0, 0, 1, 0] * 5, "p": [1, 0, 0, 0, 1, 1] * 5})
LABELS["q"] = LABELS["p"].to_numpy()[::-1]


def _forms(frame: pd.DataFrame, folder: Path) -> dict[str, Any]:
    """The same rows in memory, in engines and in files."""
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet")
    frame.to_json(folder / "rows.jsonl", orient="records", lines=True)
    return {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "lazy": pl.from_pandas(frame).lazy(),
        "duckdb": duckdb.from_df(frame),
        **{path.suffix: br.scan(path) for path in folder.glob("rows.*")},
    }


@pytest.mark.parametrize("kind", [int, bool])
def test_labels_of_frames_are_no_scores(tmp_path: Path, kind: type) -> None:
    """As of arrays: AUC takes scores, and the error says what takes labels and what to do."""
    rows = LABELS.astype({"p": kind, "q": kind})
    labels = "0 and 1" if kind is int else "False and True"
    says = rf"must be scores \(got the labels {labels}\): .* take labels, .*make them floats"
    with pytest.raises(InvalidScoresError, match=says):
        br.evaluate(rows["y"], {"p": rows["p"]}, "AUC")
    for name, frame in _forms(rows, tmp_path).items():
        if kind is bool and name in (".csv", ".jsonl"):
            continue  # there "True" is a text
        for call in (
            lambda frame: br.evaluate(frame, "p", "AUC", truth="y"),
            lambda frame: br.evaluate(frame, "p", ["AUC", "F1"], truth="y", threshold=0.5),
            lambda frame: br.evaluate(frame, "p", "AUC", truth="y", reference="q"),
            lambda frame: br.compare(frame, ["p", "q"], "AUC", truth="y"),
        ):
            with pytest.raises(InvalidScoresError, match=says):
                call(frame)


def test_floats_are_scores_in_every_form(tmp_path: Path) -> None:
    """0.0 and 1.0 are scores, in a file too."""
    rows = LABELS.astype({"p": float, "q": float})
    expected = br.evaluate(rows["y"], {"p": rows["p"]}, "AUC")["p", "AUC"].score
    forms = _forms(rows, tmp_path)
    del forms[".jsonl"]  # pandas writes 1.0 as 1 there
    for frame in forms.values():
        assert br.evaluate(frame, "p", "AUC", truth="y")["p", "AUC"].score == expected


def test_the_command_refuses_labels(tmp_path: Path) -> None:
    """`--model` with AUC, and `--score`: an error with the way out."""
    LABELS.to_csv(tmp_path / "rows.csv", index=False)
    for option in ("--model", "--score"):
        command = ["evaluate", str(tmp_path / "rows.csv"), "--truth", "y", option, "p", "-m", "AUC"]
        run = subprocess.run(
            [sys.executable, "-m", "baserate", *command],
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 2
        assert "column 'p' must be scores (got the labels 0 and 1): AUC" in run.stderr
