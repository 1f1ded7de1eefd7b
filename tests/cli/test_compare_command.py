"""`baserate compare`: every format, and errors in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.program import program

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

RNG = np.random.default_rng(2)
TRUTH = (RNG.random(120) < 0.4).astype(int)
FRAME = pl.DataFrame(
    {
        "y": TRUTH,
        "tree": TRUTH ^ (RNG.random(120) < 0.4),
        "forest": TRUTH ^ (RNG.random(120) < 0.1),
        "hospital": ["A"] * 70 + ["B"] * 50,
    }
)
MODELS = "--truth y --model tree --model forest -m F1 -m ACC"
WRITTEN: dict[str, Callable[[br.Comparison], str]] = {
    "table": lambda comparison: f"{comparison}\n",
    "json": br.Comparison.to_json,
    "markdown": br.Comparison.to_markdown,
    "latex": br.Comparison.to_latex,
    "html": lambda comparison: f"{comparison.to_html()}\n",
    "csv": br.Comparison.to_csv,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with files of predictions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    FRAME.write_csv(tmp_path / "preds.csv")
    FRAME.write_parquet(tmp_path / "preds.parquet")
    return tmp_path


def _run(command: str, pipe: str | None = None) -> Result:
    return CliRunner().invoke(program, command.split(), input=pipe)


def _compared(**options: Any) -> br.Comparison:
    return br.compare(FRAME, ["tree", "forest"], ["F1", "ACC"], truth="y", **options)


@pytest.mark.parametrize("style", WRITTEN)
@pytest.mark.parametrize("file", ["preds.csv", "preds.parquet"])
def test_every_format(style: str, file: str) -> None:
    """The output is what the library writes."""
    done = _run(f"compare {file} {MODELS} --by hospital --format {style}")
    assert done.exit_code == 0, done.output
    assert done.stdout == WRITTEN[style](_compared(by="hospital"))


def test_options_reach_the_library() -> None:
    """The level and the adjustment are those of the library."""
    done = _run(
        f"compare preds.csv {MODELS} --by hospital --alpha 0.01 --adjust holm --format json"
    )
    assert done.stdout == _compared(by="hospital", alpha=0.01, adjust="holm").to_json()


def test_a_sentence_says_which_is_better() -> None:
    """One command says whether the forest is better than the tree."""
    done = _run("compare preds.parquet --truth y --model tree --model forest -m F1")
    assert "forest is better than tree by F1." in done.stdout


def test_the_models_are_found_if_there_are_two() -> None:
    """Two columns of labels need no names, and the program says which they are."""
    done = _run("compare preds.csv --truth y -m F1 -m ACC")
    assert done.stdout == f"{_compared()}\n"
    assert done.stderr == "The models are the columns 'tree' and 'forest'.\n"


def test_output_and_pipe(folder: Path) -> None:
    """The suffix tells the format, a comparison may be overwritten, and CSV comes from a pipe."""
    for _ in range(2):
        done = _run(f"compare preds.csv {MODELS} -o out.csv")
        assert done.exit_code == 0, done.output
    assert (folder / "out.csv").read_text(encoding="utf-8") == _compared().to_csv()
    piped = _run(f"compare - {MODELS}", pipe=FRAME.write_csv())
    assert piped.stdout == f"{_compared()}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("preds.csv --truth y --model tree", "--model must have at least two models to compare"),
        ("preds.csv --truth tree --by y", "--model must name the models to compare"),
        (
            "preds.parquet --truth hospital",
            "got none, and 0 columns have only labels of 'hospital'",
        ),
        ("preds.csv --truth y --model tree --model oak", "no column 'oak'"),
        (f"preds.csv {MODELS} --alpha 2", "--alpha must be between"),
        ("none.csv --truth y", "none.csv"),
    ],
)
def test_errors_are_one_sentence(arguments: str, says: str) -> None:
    """Bad input ends with code 2 and one line that says what must hold."""
    done = _run(f"compare {arguments}")
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
