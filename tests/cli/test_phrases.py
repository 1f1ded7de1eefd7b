"""The library's errors are said in the words of the command line, and only its own words are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import polars as pl
import pytest
from click.testing import CliRunner

from baserate.cli.phrases import OPTIONS
from baserate.cli.program import program

if TYPE_CHECKING:
    from pathlib import Path


def _said(*command: str) -> str:
    run = CliRunner().invoke(program, command)
    assert run.exit_code == 2, run.output
    return run.stderr


def test_every_option_is_one() -> None:
    """Of some command."""
    commands = [program.commands[name] for name in program.commands]
    known = {
        spelling
        for command in commands
        for option in command.params
        if isinstance(option, click.Option)
        for spelling in option.opts
    }
    assert set(OPTIONS.values()) <= known


@pytest.mark.parametrize("name", sorted({*OPTIONS} - {"model"}))
def test_a_column_is_called_by_its_own_name(tmp_path: Path, name: str) -> None:
    """Although an option has the same name."""
    path = tmp_path / "empty.parquet"
    pl.DataFrame({name: [], "m": []}, schema={name: pl.Int64, "m": pl.Int64}).write_parquet(path)
    said = _said("evaluate", str(path), "--truth", name, "--model", "m")
    assert said == f"Error: {name} must hold at least one label (got none)\n"
    said = _said("evaluate", str(path), "--truth", "m", "--model", f"{name}_")
    assert f"no column '{name}_': did you mean '{name}'?" in said


@pytest.mark.parametrize(
    ("label", "typed"), [("well", "well"), ("very well", "'very well'"), ("", "''"), (7, "7")]
)
def test_a_label_is_spelled_for_a_shell(tmp_path: Path, label: object, typed: str) -> None:
    """So that the advice can be pasted."""
    path = tmp_path / "labels.parquet"
    pl.DataFrame({"y": [label, label], "m": [label, label]}).write_parquet(path)
    question = ["evaluate", str(path), "--truth", "y", "--model", "m", "-m", "ACC"]
    said = _said(*question)
    assert "Error: --pos-label must say which class" in said
    assert said.endswith(f"say so as in --pos-label {typed}\n")
    run = CliRunner().invoke(program, [*question, "--pos-label", str(label)])
    assert run.exit_code == 0, run.output


def test_numbers_are_named_by_their_options() -> None:
    """Those that are counted, and those that are asked for."""
    assert _said("baseline", "--positives", "3", "--total", "2").startswith(
        "Error: --positives must be between 0 and 2 (got 3)"
    )
    assert _said("baseline", "--positives", "0", "--total", "0").startswith("Error: --total must")
    check = ("check", "preds.csv", "--truth", "y", "-m", "F1")
    assert _said(*check, "--margin", "-1").startswith("Error: --margin must be a number of")
    assert _said(*check, "--alpha", "5").startswith("Error: --alpha must be between 0.001 and 0.5")


def test_a_table_keeps_the_names_of_models(tmp_path: Path) -> None:
    """Even one that reads like the advice of the library."""
    name = "see report.findings"
    path = tmp_path / "preds.parquet"
    pl.DataFrame({"y": [1, 0, 1], name: [1, 0, 0]}).write_parquet(path)
    run = CliRunner().invoke(program, ["evaluate", str(path), "--truth", "y", "-m", "F1"])
    assert f"nothing shows that {name} learned anything" in " ".join(run.stdout.split())
