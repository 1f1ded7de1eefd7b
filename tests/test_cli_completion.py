"""What a shell completes, and the help screens."""

from __future__ import annotations

import re
import shlex
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner

from baserate.cli.program import program
from terminal import shell

if TYPE_CHECKING:
    from pathlib import Path


def _completed(line: str, folder: Path) -> list[str]:
    """What bash offers for the last word of a line, by the function that it calls on Tab."""
    words = line.split(" ")
    script = f"""
eval "$(baserate completion bash)"
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
        ("baserate ", ["baseline", "evaluate", "check", "measures", "demo", "paper", "completion"]),
        ("baserate ev", ["evaluate"]),
        ("baserate check --al", ["--alpha"]),
        ("baserate check preds.csv -m f", ["FN", "FP", "FNR", "FPR", "FDR", "FOR", "F1", "FM"]),
        ("baserate measures K", ["KAPPA"]),
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
    """Commands, options, measures, files, and the columns of the file that is typed already."""
    found = _completed(line, folder)
    assert set(offered) <= set(found)
    if offered and "--format" not in line:
        assert len(found) == len(offered)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(folder: Path, name: str) -> None:
    """It is the shell's own language, where that shell is installed."""
    run = shell(f"baserate completion {name}", folder)
    assert run.returncode == 0
    assert f"_BASERATE_COMPLETE={name}_complete" in run.stdout
    if shutil.which(name):
        assert shell(f"baserate completion {name} | {name} -n", folder).returncode == 0


def test_another_shell() -> None:
    """An error names those that there are."""
    run = CliRunner().invoke(program, ["completion", "csh"])
    assert run.exit_code == 2
    assert "'csh' is not one of 'bash', 'zsh', 'fish'" in run.stderr


# Help screens.


@pytest.mark.parametrize("name", ["", *program.commands])
def test_every_help_screen_has_examples_that_work(name: str, tmp_path: Path) -> None:
    """They run; of lines for a shell's own settings, the command in them does."""
    rows = "y,tree,knn,hospital\n" + "1,1,0,A\n1,1,1,B\n0,0,0,A\n0,0,1,B\n" * 9
    (tmp_path / "preds.csv").write_text(rows)
    pl.read_csv(tmp_path / "preds.csv").write_parquet(tmp_path / "preds.parquet")
    helped = CliRunner().invoke(program, [*name.split(), "--help"]).stdout
    assert helped == CliRunner().invoke(program, [*name.split(), "-h"]).stdout
    examples = re.findall(r"^    (.*baserate .*)$", helped.partition("Examples:")[2], re.MULTILINE)
    assert examples
    for example in examples:
        if example == "baserate demo":  # it takes long, and runs as a command of a page
            continue
        command = re.sub(r".*(baserate completion \w+).*", r"\1", example)
        run = shell(command, tmp_path)
        assert (run.returncode, run.stderr) == (0, ""), example
