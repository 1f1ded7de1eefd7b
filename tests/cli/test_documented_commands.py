"""Every command that a page shows runs, and prints what the page says."""

from __future__ import annotations

import doctest
import itertools
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import polars as pl
import pytest

from baserate.cli.program import program
from terminal import typed
from tools import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# `make docs` generates these pages.
BUILT = {"_build", "generated", "how-to", "measures"}
PAGES = [
    ROOT / "README.md",
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if not BUILT & set(page.relative_to(ROOT).parts)
    ),
]
# A hospital, the truth, what two models predict, and how many times eight patients are so.
PATIENTS = [
    ("north", 1, 1, 1, 5),
    ("north", 1, 1, 0, 3),
    ("north", 1, 0, 0, 1),
    ("north", 0, 0, 0, 10),
    ("north", 0, 0, 1, 4),
    ("north", 0, 1, 0, 1),
    ("south", 1, 1, 0, 3),
    ("south", 1, 0, 1, 3),
    ("south", 1, 0, 0, 1),
    ("south", 0, 1, 0, 3),
    ("south", 0, 0, 0, 5),
    ("south", 0, 0, 1, 1),
]

# Three classes, and what a model predicts: a row for each true class.
SPECIES = {"a": (50, 15, 5), "b": (8, 10, 2), "c": (4, 3, 3)}

_RUNS = re.compile(r"^\$.*\bbaserate ", flags=re.MULTILINE)
_STEP = re.compile(r"^ *(?:- )?(?:run: )?(baserate .*)$", flags=re.MULTILINE)


class Command(NamedTuple):
    """A command of a page, and its expected output."""

    line: str
    output: str


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of predictions that the pages name."""
    rows = [patient[:4] for patient in PATIENTS for _ in range(8 * patient[4])]
    frame = pl.DataFrame(rows, ["hospital", "y", "tree", "knn"], orient="row")
    frame.write_csv(tmp_path / "preds.csv")
    frame.write_parquet(tmp_path / "preds.parquet")
    flowers = [
        (true, predicted)
        for true, row in SPECIES.items()
        for predicted, count in zip(SPECIES, row, strict=True)
        for _ in range(count)
    ]
    pl.DataFrame(flowers, ["y", "tree"], orient="row").write_csv(tmp_path / "species.csv")
    names = ["hospital", "y", "tree", "knn", "patients"]
    counts = [(*patient[:4], 8 * patient[4]) for patient in PATIENTS]
    pl.DataFrame(counts, names, orient="row").write_csv(tmp_path / "counts.csv")
    _demand().write_csv(tmp_path / "demand.csv")
    _visits().write_csv(tmp_path / "visits.csv")
    return tmp_path


def _visits() -> pl.DataFrame:
    """Ten visits of each of 30 patients; on some of these a model is mostly wrong."""
    rows = []
    for patient, visit in itertools.product(range(30), range(10)):
        truth = int((3 * patient + visit) % 10 < 4)
        is_wrong = visit % 3 > 0 if patient % 5 == 0 else visit == patient % 7
        rows.append((patient, truth, truth ^ is_wrong))
    return pl.DataFrame(rows, ["patient", "y", "tree"], orient="row")


def _demand() -> pl.DataFrame:
    """Ten weeks of demand, that of a week before, and the forecast of a model."""
    days = range(70)
    demand = [100 + 10 * (day % 7) + 7 * day % 11 for day in days]
    forecast = [104.5 + 10 * (day % 7) + 5 * day % 3 for day in days]
    table = pl.DataFrame({"demand": demand, "forest": forecast})
    return table.with_columns(last_week=pl.col("demand").shift(7)).select(
        "demand", "last_week", "forest"
    )


def _blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def _sessions(page: Path) -> list[list[Command]]:
    """The console blocks that run the program, one command at a time."""
    blocks = (each for each in _blocks(page, "console") if _RUNS.search(each))
    parts = (re.split(r"^\$ ", block, flags=re.MULTILINE)[1:] for block in blocks)
    return [[Command(*part.partition("\n")[::2]) for part in session] for session in parts]


def _of_pipelines(page: Path) -> list[str]:
    """The lines of YAML blocks that run the program."""
    return _STEP.findall("".join(_blocks(page, "yaml")))


@pytest.mark.parametrize("page", [*filter(_sessions, PAGES)], ids=lambda page: page.name)
def test_commands_print_what_the_page_says(page: Path, folder: Path) -> None:
    """Commands print what the page shows, `...` standing for omissions, with their exit code."""
    for session in _sessions(page):
        code = 0
        for line, output in session:
            assert code == 0 or line == "echo $?", f"a failure before {line!r} goes unsaid"
            run = typed(line, folder, code)
            is_right = doctest.OutputChecker().check_output(output, run.stdout, doctest.ELLIPSIS)
            assert is_right, f"$ {line}\n{run.stdout}"
            code = run.returncode
        assert code == 0


@pytest.mark.parametrize("page", [*filter(_of_pipelines, PAGES)], ids=lambda page: page.name)
def test_pipelines_run(page: Path, folder: Path) -> None:
    """The commands of YAML blocks pass on these predictions."""
    for line in _of_pipelines(page):
        run = typed(line, folder)
        assert (run.returncode, run.stderr) == (0, ""), line


def test_every_command_is_shown() -> None:
    """Each command of the program on its page, and the gate of a pipeline on the other."""
    docs = ROOT / "docs"
    sessions = _sessions(docs / "command-line.md")
    lines = [command.line for session in sessions for command in session]
    shown = {name for line in lines for name in re.findall(r"\bbaserate (\w+)", line)}
    assert shown == set(program.commands)
    steps = _of_pipelines(docs / "pipelines.md")
    assert any(line.startswith("baserate check ") for line in steps)


def test_the_test_suite_of_the_page(folder: Path) -> None:
    """The example for pytest passes on these predictions."""
    (example,) = _blocks(ROOT / "docs" / "pipelines.md", "python")
    (folder / "test_model.py").write_text(example)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_model.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in run.stdout
