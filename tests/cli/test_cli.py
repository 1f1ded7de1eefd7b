"""The installed program `baserate`, through a shell and in a terminal."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

import baserate as br
from baserate.cli import main
from terminal import PROGRAMS, shell, terminal

CSV = (
    "y,tree,knn,hospital\n"
    + 10
    * """\
1,1,0,A
1,1,1,A
1,1,0,A
1,0,0,A
0,0,0,A
0,0,0,A
0,0,1,B
0,0,0,B
0,0,0,B
0,1,0,B
"""
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of predictions."""
    (tmp_path / "preds.csv").write_text(CSV)
    return tmp_path


def test_the_program_is_installed() -> None:
    """The program runs as a command and as a module, with one version."""
    version = f"baserate {br.__version__}\n"
    for command in ([PROGRAMS / "baserate"], [sys.executable, "-m", "baserate"]):
        run = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert run.stdout == version


@pytest.mark.parametrize("arguments", ["--help", "check --help", "evaluate -h", ""])
def test_help_loads_click_alone(tmp_path: Path, arguments: str) -> None:
    """Help imports neither numpy nor rich nor DuckDB."""
    script = f"""
import atexit, sys
before = set(sys.modules)
show = lambda: print({{name.partition(".")[0] for name in set(sys.modules) - before}})
atexit.register(show)
sys.argv = {["baserate", *arguments.split()]}
from baserate.cli import main
main()
"""
    run = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    )
    assert "Usage: baserate" in run.stdout
    loaded = ast.literal_eval(run.stdout.splitlines()[-1])
    assert loaded - set(sys.stdlib_module_names) == {"baserate", "click"}


def test_without_click(tmp_path: Path) -> None:
    """Without click, one sentence says what to install."""
    script = "import sys; sys.modules['click'] = None; from baserate.cli import main; main()"
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr == (
        "Error: the command line needs 'baserate[cli]', which is not installed: "
        "pip install 'baserate[cli]'\n"
    )


def test_without_a_part_of_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only a missing click is explained; any other failed import is a defect."""
    monkeypatch.setitem(sys.modules, "baserate.cli.program", None)
    with pytest.raises(SystemExit, match="70"):
        main()
    assert capsys.readouterr().err.startswith("Internal error: ModuleNotFoundError: import of ")


def test_streams_that_are_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program also runs if the output is replaced, as in a notebook."""
    monkeypatch.setattr(sys, "argv", ["baserate", "--version"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(SystemExit, match="0"):
        main()
    assert br.__version__ in sys.stdout.getvalue()


def test_a_file_in_a_shell(folder: Path) -> None:
    """The table equals the library's, and is plain without a terminal."""
    run = shell("baserate evaluate preds.csv --truth y --model tree --model knn", folder)
    report = br.evaluate(br.scan(folder / "preds.csv"), truth="y", predictions=["tree", "knn"])
    assert (run.stdout, run.stderr, run.returncode) == (f"{report}\n", "", 0)


def test_a_pipe_into_the_program(folder: Path) -> None:
    """`-` reads CSV from a pipe, and leaves no file behind."""
    command = "cat preds.csv | baserate evaluate - --truth y --model tree -m F1 --format json"
    run = shell(command, folder, TMPDIR=str(folder))
    expected = br.evaluate(br.scan(folder / "preds.csv"), ["tree"], "F1", truth="y")
    assert br.Report.from_json(run.stdout) == expected
    assert [path.name for path in folder.iterdir()] == ["preds.csv"]


def test_a_pipe_out_of_the_program_may_close(folder: Path) -> None:
    """A reader that stops early, like `head`, is not an error."""
    command = "baserate evaluate preds.csv --truth y --model tree | head -n 1"
    run = shell(command, folder)
    assert (run.stdout, run.stderr) == ("100 observations, 40 positive (40.0%)\n", "")
    for command in ("measures", "--help"):
        closed = shell(f"baserate {command} | true; echo ${{PIPESTATUS[0]}}", folder)
        assert (closed.stdout, closed.stderr) == ("141\n", "")


@pytest.mark.parametrize(
    ("model", "code"), [("--model tree", 0), ("--model knn", 1), ("--model forest", 2)]
)
def test_exit_codes(folder: Path, model: str, code: int) -> None:
    """The exit code is 0 if all is well, 1 if a verdict fails, 2 if the input is bad."""
    run = shell(f"baserate check preds.csv --truth y {model} -m F1", folder)
    assert run.returncode == code
    assert "Traceback" not in run.stdout + run.stderr


def test_a_pipeline_stops(folder: Path) -> None:
    """A script with `set -e` stops at a failed check."""
    run = shell("set -e; baserate check preds.csv --truth y --model knn -m F1; echo on", folder)
    assert "on" not in run.stdout.split()


def test_an_output_that_cannot_be_written(folder: Path) -> None:
    """An unwritable output, or a full disk, is one sentence and exit code 2."""
    for output in ("nowhere/report.html", "."):
        run = shell(f"baserate evaluate preds.csv --truth y --model tree -o {output}", folder)
        assert run.returncode == 2
        assert re.fullmatch(r"Error: [^\n]*\n", run.stderr)
    if Path("/dev/full").exists():
        run = shell("baserate evaluate preds.csv --truth y --model tree > /dev/full", folder)
        assert (run.returncode, run.stderr) == (2, "Error: [Errno 28] No space left on device\n")


def test_letters_that_a_terminal_lacks(folder: Path) -> None:
    """A θ prints as a question mark, not as an error."""
    command = "baserate check preds.csv --truth y --model knn -m F1"
    run = shell(command, folder, PYTHONIOENCODING="latin-1")
    assert "of the draw ?* = 1" in run.stdout
    assert run.returncode == 1


EVALUATE = "baserate evaluate preds.csv --truth y --model tree --model knn -m F1"


def test_colour_in_a_terminal(folder: Path) -> None:
    """The marks are red; without colour the text is the same, however narrow the terminal."""
    shown, code = terminal(EVALUATE, folder)
    assert code == 0
    assert "\x1b[31m✗\x1b[0m" in shown
    plain = re.sub(r"\x1b\[\d*m", "", shown)
    assert plain == shell(EVALUATE, folder).stdout


def test_what_is_unsure_is_amber(folder: Path) -> None:
    """In the table and in the legend, and no other tilde is."""
    rows = {"1,1": 21, "1,0": 19, "0,1": 18, "0,0": 22}
    written = "".join(f"{row}\n" * count for row, count in rows.items())
    (folder / "preds.csv").write_text(f"y,~a~\n{written}")
    shown, _ = terminal("baserate evaluate preds.csv --truth y -m MCC", folder)
    lines = [line for line in shown.splitlines() if "\x1b[33m~\x1b[0m" in line]
    assert [line.split()[0] for line in lines] == ["MCC", "\x1b[33m~\x1b[0m"]
    assert "~a~" in shown


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_in_a_terminal(folder: Path, variables: dict[str, str]) -> None:
    """NO_COLOR and a dumb terminal are respected."""
    shown, _ = terminal(EVALUATE, folder, **variables)
    assert shown == shell(EVALUATE, folder).stdout


def test_colour_in_a_pipe(folder: Path) -> None:
    """A pipe gets no colour, unless FORCE_COLOR asks for it; NO_COLOR wins."""
    assert "\x1b" not in shell(EVALUATE, folder).stdout
    assert "\x1b[31m✗" in shell(EVALUATE, folder, FORCE_COLOR="1").stdout
    assert "\x1b" not in shell(EVALUATE, folder, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_a_terminal_is_no_pipe(folder: Path) -> None:
    """`-` does not wait for typed CSV."""
    shown, code = terminal("baserate evaluate - --truth y", folder)
    assert code == 2
    assert shown.startswith("Error: '-' must have CSV to read (got a terminal); use it as in")


# The query is slow, the test is not: the bar appears at once, and Ctrl-C ends the query.
LONG = """
import sys
from baserate.support import progress
from baserate.cli import main
progress._DELAY = 0.05
sys.argv = ["baserate", "evaluate", "long.csv", "--truth", "y", "--model", "tree"]
main()
"""


def test_progress_and_ctrl_c_in_a_terminal(tmp_path: Path) -> None:
    """A long scan shows its progress; Ctrl-C ends it with code 130 and no traceback."""
    (tmp_path / "long.csv").write_text("y,tree\n" + "1,0\n0,1\n" * 1_000_000)
    (tmp_path / "long.py").write_text(LONG)
    shown, code = terminal(f"{sys.executable} long.py", tmp_path, interrupt_at="ing: ")
    assert re.search(r"(reading|counting): ", shown)
    assert code == 130
    assert "Traceback" not in shown
    assert "Error" not in shown


def test_no_progress_in_a_pipe(tmp_path: Path) -> None:
    """A log gets no progress bars."""
    (tmp_path / "long.csv").write_text("y,tree\n" + "1,0\n0,1\n" * 100_000)
    (tmp_path / "long.py").write_text(LONG)
    run = shell(f"{sys.executable} long.py", tmp_path)
    assert (run.stderr, run.returncode) == ("", 0)
