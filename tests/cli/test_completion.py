"""Shell completion and the help screens."""

from __future__ import annotations

import re
import shlex
import shutil
from functools import cache
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner

from baserate.cli.program import program
from terminal import shell, typed

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion


@cache
def _script_for_bash() -> str:
    return CliRunner().invoke(program, ["completion", "bash"]).stdout


def _completed(line: str, folder: Path) -> list[str]:
    """The words that bash offers for the last word of a line, from its own Tab function."""
    words = line.split(" ")
    script = f"""
{_script_for_bash()}
complete -p baserate | grep -q _baserate_completion || exit 3
COMP_WORDS=({" ".join(map(shlex.quote, words))})
COMP_CWORD={len(words) - 1}
compopt() {{ echo "compopt $*"; }}
_baserate_completion baserate
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    run = shell(script, folder)
    assert (run.stderr, run.returncode) == ("", 0)
    return run.stdout.split()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of predictions."""
    (tmp_path / "preds.csv").write_text("y,tree,truthful,knn\n1,1,1,0\n")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("baserate ", list(program.commands)),
        ("baserate ev", ["evaluate"]),
        ("baserate check --al", ["--alpha"]),
        (
            "baserate check preds.csv -m f",
            [
                "FN",
                "FP",
                "FNR",
                "FPR",
                "FDR",
                "FOR",
                "F1",
                "FM",
                "f1_macro",
                "f1_weighted",
                "f1_micro",
            ],
        ),
        ("baserate measures K", ["KAPPA", "Kendall"]),
        ("baserate evaluate preds.csv --truth ", ["y", "tree", "truthful", "knn"]),
        ("baserate evaluate preds.csv --truth y --model t", ["tree", "truthful"]),
        ("baserate check preds.csv --truth y --by k", ["knn"]),
        ("baserate evaluate nothing.csv --truth ", []),
        ("baserate evaluate --truth ", []),
        ("baserate evaluate preds.csv --format ", ["table", "json", "markdown", "latex"]),
        ("baserate evaluate pre", ["compopt", "-o", "default"]),
    ],
)
def test_bash_completes(folder: Path, line: str, offered: list[str]) -> None:
    """It completes commands, options, measures, files, and the columns of the typed file."""
    found = _completed(line, folder)
    assert set(offered) <= set(found)
    if offered and "--format" not in line:
        assert len(found) == len(offered)


HOSTILE = [
    "a\n::error::x", "a\nplain,evil", "plain\nevil\n_", "$(touch pwned)", "`touch pwned`",
    "a;touch pwned", "*", "[a-z]*", "~", "a b", "a,b", "a'b", 'a"b', "a\\b", "a&b", "a|b",
    "\x1b[31m", "\u202eb",
]  # fmt: skip


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_names_that_a_shell_would_obey_are_not_offered(folder: Path, name: str) -> None:
    """Each shell is offered the names that need no quotes, of any script, and nothing more."""
    good = ["tree", "größe", "θ", "a.b-c_d=1", "50%"]
    frame = pl.DataFrame({column: [1] for column in [*HOSTILE, *good]})
    frame.write_parquet(folder / "preds.parquet")
    words, word = "baserate evaluate preds.parquet --truth ", "4"
    variables = {"COMP_WORDS": words, "COMP_CWORD": "" if name == "fish" else word}
    run = shell("baserate", folder, _BASERATE_COMPLETE=f"{name}_complete", **variables)
    forms = {"bash": "plain,{}\n", "zsh": "plain\n{}\n_\n", "fish": "plain,{}\n"}
    assert run.stdout == "".join(forms[name].format(column) for column in good)
    assert (run.stderr, run.returncode) == ("", 0)
    if name == "bash":
        assert _completed("baserate evaluate preds.parquet --truth ", folder) == good
    assert [path.name for path in folder.glob("pwned")] == []


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(folder: Path, name: str) -> None:
    """The script is valid for each shell that is installed."""
    run = shell(f"baserate completion {name}", folder)
    assert run.returncode == 0
    assert f"_BASERATE_COMPLETE={name}_complete" in run.stdout
    if shutil.which(name):
        assert shell(f"baserate completion {name} | {name} -n", folder).returncode == 0


# Help screens.


@pytest.mark.parametrize("name", ["", *program.commands], ids=lambda name: name or "baserate")
def test_help_screens(name: str, snapshot: SnapshotAssertion) -> None:
    """What there is, in 80 columns."""
    command = [*name.split(), "--help"]
    run = CliRunner().invoke(program, command, prog_name="baserate", terminal_width=80)
    # Before click 8.5, a command is not in brackets.
    assert run.output.replace("[OPTIONS] COMMAND", "[OPTIONS] [COMMAND]") == snapshot


@pytest.mark.parametrize("name", ["", *program.commands])
def test_every_help_screen_has_examples_that_work(name: str, tmp_path: Path) -> None:
    """The examples run; for lines of shell settings, the command inside them does."""
    four = "1,1,0,A,0.9,0.6,3,9\n1,1,1,B,0.8,0.3,2,8\n0,0,0,A,0.2,0.4,1,7\n0,0,1,B,0.1,0.7,1.5,6\n"
    rows = "y,tree,knn,hospital,forest,boosting,price,last_price\n" + four * 9
    (tmp_path / "preds.csv").write_text(rows)
    pl.read_csv(tmp_path / "preds.csv").write_parquet(tmp_path / "preds.parquet")
    helped = CliRunner().invoke(program, [*name.split(), "--help"]).stdout
    assert helped == CliRunner().invoke(program, [*name.split(), "-h"]).stdout
    examples = re.findall(r"^    (.*baserate .*)$", helped.partition("Examples:")[2], re.MULTILINE)
    assert examples
    for example in examples:
        if example == "baserate demo":  # it is slow, and a documented page runs it
            continue
        command = re.sub(r".*(baserate completion \w+).*", r"\1", example)
        run = typed(command, tmp_path)
        assert (run.returncode, run.stderr) == (0, ""), example
