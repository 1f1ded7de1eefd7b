"""How the program ends: only a failed verdict exits with 1."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import baserate as br
from baserate.cli.ending import exit_code, tidy
from baserate.cli.output import settle
from terminal import PLAIN, PROGRAMS, shell

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "y,tree\n" + "1,1\n0,0\n1,0\n0,0\n" * 3

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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of predictions."""
    (tmp_path / "preds.csv").write_text(ROWS)
    return tmp_path


def _broken(folder: Path, broken: str, ending: str = "", **variables: str) -> tuple[int, str, str]:
    (folder / "broken.py").write_text(BROKEN.format(broken=broken))
    run = shell(f"{sys.executable} broken.py {ending}", folder, **variables)
    return run.returncode, run.stdout, run.stderr


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise MemoryError", "MemoryError"),
        # Python 3.13.0 never ends if a function of **keywords calls itself.
        (
            "(lambda f: f(f))(lambda f: f(f))",
            "RecursionError: maximum recursion depth exceeded",
        ),
        ("raise RuntimeError('a\\n::error title=x::y \\x1b[31m')", r"a\n::error title=x::y \u001b"),
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
    code, out, err = _broken(folder, broken)
    assert (code, out) == (70, "")
    assert re.fullmatch(r"Internal error: [^\n\x1b]*\n", err)
    assert says in err
    assert f"a defect of baserate {br.__version__}" in err
    assert "please report it, with the command and what it prints with BASERATE_DEBUG=1 set." in err


def test_a_traceback_on_request(folder: Path) -> None:
    """BASERATE_DEBUG=1 shows a traceback, which cannot command a terminal either."""
    broken = "raise RuntimeError('a\\n::error title=x::y \\x1b[31m')"
    code, _, err = _broken(folder, broken, BASERATE_DEBUG="1")
    assert code == 70
    assert err.startswith("Traceback (most recent call last):")
    assert "in broken" in err
    assert not re.search(r"(?m)^\s*::|\x1b", err)
    assert err.splitlines()[-1].endswith("please report it, with the command.")


def test_a_defect_that_cannot_be_said(folder: Path) -> None:
    """A full or closed stderr does not change the exit code."""
    for ending in ("2> /dev/full", "2>&-"):
        assert _broken(folder, "1 / 0", ending)[0] == 70
    for ending in ("2> /dev/full", "2>&-"):
        run = shell(f"baserate check nothing.csv --truth y -m F1 {ending}", folder)
        assert run.returncode == 2


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check preds.csv --truth y --model tree -m F1 > /dev/full", 2),
        ("measures > /dev/full", 2),
        ("--help > /dev/full", 2),
        ("evaluate - --truth y <&-", 2),
        ("check preds.csv --truth y --model tree -m TPR >&-", 1),
        ("check preds.csv --truth y --model tree -m TPR 2>&-", 1),
        ("evaluate preds.csv --truth y --model tree -o r.json <&- >&- 2>&-", 0),
    ],
)
def test_streams_that_are_full_or_closed(folder: Path, command: str, code: int) -> None:
    """A full or closed stream is bad input without a traceback; only a failed verdict is 1."""
    run = shell(f"baserate {command}", folder)
    assert run.returncode == code
    assert "Traceback" not in run.stderr
    assert re.fullmatch(r"(Error: [^\n]*\n)?", run.stderr)


def test_an_output_that_stays_full_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python would flush again at exit, and end with 120."""

    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

        def fileno(self) -> int:
            return file.fileno()

    with (tmp_path / "full").open("w") as file:
        monkeypatch.setattr(sys, "stdout", Full())
        settle()
        file.write("lost")
    assert (tmp_path / "full").read_text() == ""


def test_an_unknown_completion_is_no_failed_verdict(folder: Path) -> None:
    """Click would exit with 1."""
    command = "baserate check preds.csv --truth y --model tree -m F1"
    assert shell(command, folder, _BASERATE_COMPLETE="nonsense").returncode == 2


def test_ctrl_c_while_the_program_starts(folder: Path) -> None:
    """Ctrl-C exits with 130 and prints nothing, even before a command starts."""
    code, out, err = _broken(folder, "raise KeyboardInterrupt")
    assert (code, out, err) == (130, "", "\n")
    assert exit_code(_interrupted) == 130


def _interrupted() -> int:
    raise KeyboardInterrupt


def test_a_signal_while_the_program_starts() -> None:
    """A signal keeps its exit code, even before a command starts."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        assert exit_code(lambda number=number: _terminated(number)) == 128 + number  # type: ignore[misc]


def _terminated(number: int) -> int:
    with tidy():
        signal.raise_signal(number)
    return 0


def test_a_warning_is_a_sentence(folder: Path) -> None:
    """A warning is on one line, without its source line."""
    broken = "import warnings; warnings.warn('a\\n::error::x'); raise SystemExit(0)"
    assert _broken(folder, broken) == (0, "", "Warning: a\\n::error::x\n")


# Signals.


def _started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        arguments,
        cwd=folder,
        env=PLAIN | {"TMPDIR": str(folder / "temporary")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _waits_for(folder: Path) -> Path:
    """Return the piped data once they have arrived."""
    for _ in range(1000):
        for path in (folder / "temporary").rglob("*.csv"):
            if path.stat().st_size:
                return path
        time.sleep(0.01)
    raise AssertionError("no piped data within ten seconds")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_piped_data_are_removed(folder: Path, number: signal.Signals) -> None:
    """A signal removes the temporary file, while data still come through the pipe."""
    (folder / "temporary").mkdir()
    program = str(PROGRAMS / "baserate")
    process = _started(folder, program, "evaluate", "-", "--truth", "y", "--model", "tree")
    assert process.stdin is not None
    process.stdin.write(ROWS.encode() * 100_000)
    process.stdin.flush()
    _waits_for(folder)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert (out, err.strip()) == (b"", b"")
    assert list((folder / "temporary").iterdir()) == []


def test_a_signal_that_is_ignored_stays_so(folder: Path) -> None:
    """Under nohup, closing the terminal does not end the program."""
    (folder / "temporary").mkdir()
    command = "nohup baserate evaluate - --truth y --model tree --format json > out.json"
    process = _started(folder, "bash", "-c", f"trap '' HUP; exec {command}")
    assert process.stdin is not None
    process.stdin.write(ROWS.encode())
    process.stdin.flush()
    time.sleep(0.3)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=30)
    assert process.returncode == 0
    assert br.Report.from_json(folder / "out.json").models == ("tree",)


def test_a_report_that_is_interrupted_is_not_begun(folder: Path) -> None:
    """A signal between writing and renaming the temporary file keeps the old report."""
    (folder / "old.json").write_text(br.evaluate(None, br.Confusion(tp=1, tn=1), "F1").to_json())
    before = (folder / "old.json").read_bytes()
    script = """
import os, signal, sys
from pathlib import Path
from baserate.cli import main
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGTERM)
sys.argv = "baserate evaluate preds.csv --truth y --model tree -o old.json".split()
main()
"""
    (folder / "stopped.py").write_text(script)
    run = shell(f"{sys.executable} stopped.py", folder)
    assert (run.returncode, run.stdout, run.stderr) == (143, "", "")
    assert (folder / "old.json").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["old.json", "preds.csv", "stopped.py"]


def test_an_output_that_is_closed_needs_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that a shell closed is None, and an error about a file still has its own code."""
    monkeypatch.setattr(sys, "stdout", None)

    def refused() -> int:
        raise PermissionError(13, "Permission denied")

    assert exit_code(refused) == 2
