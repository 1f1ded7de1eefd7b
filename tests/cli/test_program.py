"""The installed program, through a shell and in a terminal: streams, signals and exit codes."""

from __future__ import annotations

import ast
import io
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import baserate as br
from baserate.cli.console import exit_code
from baserate.cli.program import program
from terminal import PLAIN, PROGRAMS, shell, terminal

if TYPE_CHECKING:
    from pathlib import Path

ROWS = """\
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
EVALUATE = "baserate evaluate preds.csv --truth y --model tree --model knn -m F1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of predictions."""
    (tmp_path / "preds.csv").write_text("y,tree,knn,hospital\n" + 10 * ROWS)
    return tmp_path


def _python(script: str, folder: Path, ending: str = "", **variables: str) -> tuple[int, str, str]:
    """Run a script that calls the program, and return its exit code and what it prints."""
    (folder / "script.py").write_text(script)
    run = shell(f"{sys.executable} script.py {ending}", folder, **variables)
    return run.returncode, run.stdout, run.stderr


def test_the_program_is_installed() -> None:
    """The program runs as a command and as a module, with one version."""
    version = f"baserate {br.__version__}\n"
    for command in ([PROGRAMS / "baserate"], [sys.executable, "-m", "baserate"]):
        run = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert run.stdout == version


@pytest.mark.parametrize("arguments", ["check --help", ""])
def test_help_loads_click_alone(tmp_path: Path, arguments: str) -> None:
    """Help imports neither numpy nor DuckDB."""
    script = f"""
import atexit, sys
before = set(sys.modules)
show = lambda: print({{name.partition(".")[0] for name in set(sys.modules) - before}})
atexit.register(show)
sys.argv = {["baserate", *arguments.split()]}
from baserate.cli import main
main()
"""
    code, out, _ = _python(script, tmp_path)
    assert code == 0
    assert "Usage: baserate" in out
    loaded = ast.literal_eval(out.splitlines()[-1])
    assert loaded - set(sys.stdlib_module_names) == {"baserate", "click"}


def test_a_missing_click_is_explained(tmp_path: Path) -> None:
    """One sentence says what to install; any other failed import is a defect."""
    script = "import sys; sys.modules['{}'] = None; from baserate.cli import main; main()"
    code, out, err = _python(script.format("click"), tmp_path)
    assert (code, out) == (2, "")
    assert err == (
        "Error: the command line needs 'baserate[cli]', which is not installed: "
        "pip install 'baserate[cli]'\n"
    )
    code, _, err = _python(script.format("baserate.cli.program"), tmp_path)
    assert code == 70
    assert err.startswith("Internal error: ModuleNotFoundError: import of ")


# Pipes and streams.


def test_a_pipe_out_of_the_program_may_close(folder: Path) -> None:
    """A reader that stops early, like `head`, is not an error."""
    run = shell("baserate evaluate preds.csv --truth y --model tree | head -n 1", folder)
    assert (run.stdout, run.stderr) == ("✓ Yes: tree beats guessing by all six measures.\n", "")
    for command in ("measures", "--help"):
        closed = shell(f"baserate {command} | true; echo ${{PIPESTATUS[0]}}", folder)
        assert (closed.stdout, closed.stderr) == ("141\n", "")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("evaluate preds.csv --truth y --model tree > /dev/full", 2),
        ("--help > /dev/full", 2),
        ("evaluate - --truth y <&-", 2),
        ("check preds.csv --truth y --model tree -m TPR >&-", 1),
        ("check nothing.csv --truth y -m F1 2> /dev/full", 2),
        ("evaluate preds.csv --truth y --model tree -o r.json <&- >&- 2>&-", 0),
    ],
)
def test_exit_codes(folder: Path, command: str, code: int) -> None:
    """0 if all is well, 1 if a verdict fails, 2 if an input or a stream is bad, in one sentence."""
    run = shell(f"baserate {command}", folder)
    assert run.returncode == code
    assert re.fullmatch(r"(Error: [^\n]*\n)?", run.stderr)
    assert "Traceback" not in run.stdout


def test_a_stream_that_cannot_be_written_at_exit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given up, since Python would flush again and end with 120; a closed one is None."""

    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

        def fileno(self) -> int:
            return file.fileno()

    def refused() -> int:
        raise PermissionError(13, "Permission denied")

    with (tmp_path / "full").open("w") as file:
        monkeypatch.setattr(sys, "stdout", Full())
        assert exit_code(refused) == 2
        file.write("lost")
    assert (tmp_path / "full").read_text() == ""
    monkeypatch.setattr(sys, "stdout", None)
    assert exit_code(refused) == 2


# A terminal.


def test_colour_in_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The marks are red; without colour the text is the same, however narrow the terminal."""
    plain = shell(EVALUATE, folder).stdout
    shown, code = terminal(EVALUATE, folder)
    assert code == 0
    assert "\x1b[31m✗\x1b[0m" in shown
    assert re.sub(r"\x1b\[\d*m", "", shown) == plain
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert terminal(EVALUATE, folder, **variables)[0] == plain
    assert "\x1b" not in plain
    monkeypatch.chdir(folder)
    forced: dict[str, str | None] = {"FORCE_COLOR": "1", "NO_COLOR": None}
    for variables, mark in ((forced, "\x1b[31m✗"), (forced | {"NO_COLOR": "1"}, "✗")):
        run = CliRunner(env=variables).invoke(program, EVALUATE.split()[1:], color=True)
        assert f" {mark}" in run.stdout


def test_a_terminal_is_no_pipe(folder: Path) -> None:
    """`-` does not wait for typed CSV."""
    shown, code = terminal("baserate evaluate - --truth y", folder)
    assert code == 2
    assert shown.startswith("Error: '-' must have CSV to read (got a terminal); use it as in")


# The query is slow, the test is not: the bar appears at once, and Ctrl-C ends the query.
LONG = """
import sys
from baserate import progress
from baserate.cli import main
progress._DELAY = 0.05
sys.argv = ["baserate", "evaluate", "long.csv", "--truth", "y", "--model", "tree"]
main()
"""


def test_progress_and_ctrl_c(tmp_path: Path) -> None:
    """A long scan shows its progress in a terminal alone; Ctrl-C ends it with code 130."""
    (tmp_path / "long.csv").write_text("y,tree\n" + "1,0\n0,1\n" * 100_000)
    assert _python(LONG, tmp_path)[::2] == (0, "")
    (tmp_path / "long.csv").write_text("y,tree\n" + "1,0\n0,1\n" * 400_000)
    shown, code = terminal(f"{sys.executable} script.py", tmp_path, interrupt_at="ing: ")
    assert re.search(r"(reading|counting): ", shown)
    assert code == 130
    assert "Traceback" not in shown
    assert "Error" not in shown


# Defects, warnings and signals.

# The real program with one misbehaving function.
BROKEN = """
import sys
import baserate.cli.source as source
from baserate.cli import main
def broken(**_):
    {broken}
source.evaluated = broken
sys.argv = ["baserate", "check", "preds.csv", "--truth", "y", "--model", "tree", "-m", "F1"]
main()
"""
HOSTILE = "raise RuntimeError('a\\n::error title=x::y \\x1b[31m')"


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        # Python 3.13.0 never ends if a function of **keywords calls itself.
        ("(lambda f: f(f))(lambda f: f(f))", "RecursionError: maximum recursion depth exceeded"),
        (HOSTILE, r"a\n::error title=x::y \u001b"),
        (
            "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})",
            "Odd: <exception str() failed>",
        ),
        # A panic of a library in Rust, such as polars, is not an Exception.
        ("raise type('PanicException', (BaseException,), {})('panicked')", "panicked"),
    ],
)
def test_a_defect_has_a_code_of_its_own(folder: Path, broken: str, says: str) -> None:
    """A defect exits with 70, and one line says how to report it."""
    code, out, err = _python(BROKEN.format(broken=broken), folder)
    assert (code, out) == (70, "")
    assert re.fullmatch(r"Internal error: [^\n\x1b]*\n", err)
    assert says in err
    assert f"a defect of baserate {br.__version__}" in err
    assert "please report it, with the command and what it prints with BASERATE_DEBUG=1 set." in err


@pytest.mark.parametrize(
    ("broken", "ending", "expected"),
    [
        ("1 / 0", "2> /dev/full", (70, "", "")),
        ("1 / 0", "2>&-", (70, "", "")),
        ("raise KeyboardInterrupt", "", (130, "", "\n")),
        (
            "import warnings; warnings.warn('a\\n::error::x'); return source.evaluate([1, 0], [1])",
            "2>&1 | head -n 1",
            (0, "Warning: a\\n::error::x\n", ""),
        ),
    ],
)
def test_other_ends(folder: Path, broken: str, ending: str, expected: tuple[int, str, str]) -> None:
    """A defect that cannot be said, Ctrl-C, and a warning, which is one line."""
    assert _python(BROKEN.format(broken=broken), folder, ending) == expected


def _started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    (folder / "temporary").mkdir()
    return subprocess.Popen(
        arguments,
        cwd=folder,
        env=PLAIN | {"TMPDIR": str(folder / "temporary")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _wait_for_piped_data(folder: Path) -> None:
    for _ in range(1000):
        if any(path.stat().st_size for path in (folder / "temporary").rglob("*.csv")):
            return
        time.sleep(0.01)
    raise AssertionError("no piped data within ten seconds")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_piped_data_are_removed(folder: Path, number: signal.Signals) -> None:
    """A signal removes the temporary file, while data still come through the pipe."""
    program = str(PROGRAMS / "baserate")
    process = _started(folder, program, "evaluate", "-", "--truth", "y", "--model", "tree")
    assert process.stdin is not None
    process.stdin.write(ROWS.encode() * 100_000)
    process.stdin.flush()
    _wait_for_piped_data(folder)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert (out, err.strip()) == (b"", b"")
    assert list((folder / "temporary").iterdir()) == []


def test_a_report_that_is_interrupted_is_not_begun(folder: Path) -> None:
    """A signal between writing and renaming the temporary file keeps the old report."""
    (folder / "old.json").write_text(
        br.evaluate(None, br.ConfusionMatrix(tp=1, tn=1), "F1").to_json()
    )
    before = (folder / "old.json").read_bytes()
    script = """
import os, signal, sys
from pathlib import Path
from baserate.cli import main
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGTERM)
sys.argv = "baserate evaluate preds.csv --truth y --model tree -o old.json".split()
main()
"""
    assert _python(script, folder) == (143, "", "")
    assert (folder / "old.json").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["old.json", "preds.csv", "script.py"]
