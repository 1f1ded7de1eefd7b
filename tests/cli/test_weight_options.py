"""`--weight` and `--weights`: the same numbers as in Python, and errors in options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.program import program

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS: dict[str, list[Any]] = {
    "y": [1, 1, 0, 0],
    "tree": [1, 0, 1, 0],
    "knn": [1, 1, 1, 0],
    "times": [30, 10, 8, 52],
    "price": [0.5, 2.5, 3.0, 1.25],
    "guess": [0.75, 2.0, 3.5, 1.0],
}


@pytest.fixture
def rows(tmp_path: Path) -> str:
    """A file of counted rows."""
    path = tmp_path / "rows.csv"
    pd.DataFrame(COLUMNS).to_csv(path, index=False)
    return str(path)


def _run(*arguments: str) -> Any:
    return CliRunner().invoke(program, list(arguments))


def test_evaluate_and_compare(rows: str) -> None:
    """Reports are those of Python, and the column of weights is not taken for a model's."""
    asked = ("--truth", "y", "--weight", "times", "--weights", "frequency", "-m", "F1")
    frame = pd.DataFrame(COLUMNS)
    options: Any = {"truth": "y", "sample_weight": "times", "weights": "frequency"}
    found = _run("evaluate", rows, *asked, "--model", "tree", "--format", "json")
    assert found.stdout.strip() == br.evaluate(frame, "tree", "F1", **options).to_json().strip()
    compared = _run("compare", rows, *asked, "--format", "json")
    expected = br.compare(frame, ["tree", "knn"], "F1", **options)
    assert expected.to_json().strip() == compared.stdout.strip()


def test_check(rows: str) -> None:
    """The gate counts rows as often as they were seen."""
    asked = ("--truth", "y", "--model", "tree", "-m", "F1")
    weighted = ("--weight", "times", "--weights", "frequency")
    assert _run("check", rows, *asked).exit_code == 1
    assert _run("check", rows, *asked, *weighted).exit_code == 0


def test_importance(rows: str) -> None:
    """Numbers take weights of the other kind."""
    asked = ("--truth", "price", "--model", "guess", "-m", "MAE", "--weight", "times")
    found = _run("evaluate", rows, *asked, "--weights", "importance")
    assert "weighted mean" in found.output


WRONG = {
    "no meaning": (("--weight", "times"), "--weights must say what --weight means: --weights freq"),
    "no column": (("--weights", "frequency"), "--weights must come with --weight"),
    "another column": (("--weight", "time", "--weights", "frequency"), "did you mean 'times' or"),
    "fractions": (
        ("--weight", "price", "--weights", "frequency"),
        "--weight must be whole numbers of at least 0",
    ),
    "twice": (
        ("--weight", "tree", "--weights", "frequency"),
        "--truth, --model, --by and --weight must be different columns",
    ),
}


@pytest.mark.parametrize(("options", "why"), WRONG.values(), ids=WRONG)
def test_errors_speak_of_options(rows: str, options: tuple[str, ...], why: str) -> None:
    """An error names what was typed."""
    found = _run("evaluate", rows, "--truth", "y", "--model", "tree", *options)
    assert found.exit_code == 2
    assert why in " ".join(found.output.split())
