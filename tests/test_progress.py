"""Progress of work in another thread or engine."""

from __future__ import annotations

import io
import signal
import sys
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import baserate as br
from baserate import progress
from baserate.data import files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _awaited(work: Callable[[], Any], percentage: float) -> Any:
    return progress.awaited(work, "counting", lambda: percentage, pytest.fail)


@pytest.fixture
def _quickly_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show bars as in a terminal, without delay."""
    monkeypatch.setattr(progress, "_is_watched", lambda: True)
    monkeypatch.setattr(progress, "_DELAY", 0.01)
    monkeypatch.setattr(progress, "_INTERVAL", 0.01)


@pytest.mark.usefixtures("_quickly_watched")
def test_how_much_is_done_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Progress is a percentage on stderr, which disappears at the end."""
    asked: list[float] = []

    def work() -> str:
        while len(asked) < 3:
            time.sleep(0.01)
        return "done"

    def percentage() -> float:
        asked.append(42.0)
        return 42.0

    assert progress.awaited(work, "counting", percentage, pytest.fail) == "done"
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "counting:  42%|" in shown.err
    assert shown.err.rpartition("\r")[0].rpartition("\r")[2].strip() == ""


@pytest.mark.usefixtures("_quickly_watched")
def test_unknown_progress_is_time(capsys: pytest.CaptureFixture[str]) -> None:
    """DuckDB's progress is unknown while it infers the types of a JSON file."""
    _awaited(lambda: time.sleep(0.3), -1.0)
    shown = capsys.readouterr().err
    assert "counting: 00:00" in shown
    assert "%" not in shown


def test_nobody_watches_a_stream_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a daemon, standard error is None, closed, or a logger that is no terminal."""
    closed = io.StringIO()
    closed.close()
    for stream in (None, closed, SimpleNamespace(write=print)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert br.evaluate([1, 0, 1], [1, 0, 0], "F1").models == ("model",)


@pytest.mark.usefixtures("_quickly_watched")
def test_an_error_ends_the_bar() -> None:
    """An error of the work is raised."""
    with pytest.raises(ZeroDivisionError):
        _awaited(lambda: 1 / 0, 42.0)


@pytest.mark.usefixtures("_quickly_watched")
def test_ctrl_c_interrupts_the_work() -> None:
    """The work is told to stop, and is waited for."""
    interrupted = threading.Event()

    def percentage() -> float:
        signal.raise_signal(signal.SIGINT)
        return 0

    # A shell starts background processes with this signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            progress.awaited(lambda: interrupted.wait(60), "counting", percentage, interrupted.set)
    finally:
        signal.signal(signal.SIGINT, before)
    assert interrupted.is_set()


def test_work_that_does_not_end_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C works at once; a process that ends does not wait for the work."""
    monkeypatch.setattr(progress, "_PATIENCE", 0.05)
    left: list[tuple[Any, ...]] = []
    monkeypatch.setattr(progress.atexit, "register", lambda *call: left.append(call))
    ended = threading.Event()
    monkeypatch.setattr(progress, "_show", lambda *_: signal.raise_signal(signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            progress.awaited(lambda: ended.wait(60), "counting", lambda: 0, lambda: None)
    finally:
        signal.signal(signal.SIGINT, before)
    ((leave, future),) = left
    codes: list[int] = []
    monkeypatch.setattr(progress.os, "_exit", codes.append)
    leave(future)
    ended.set()
    assert future.result(60)
    leave(future)
    assert codes == [130]


def test_a_scan_tells_how_far_it_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading a file and counting its rows both report their progress."""
    (tmp_path / "p.csv").write_text("y,tree\n1,1\n0,0\n0,1\n")
    asked = []

    def awaited(work: Callable[[], Any], what: str, percentage: Any, interrupt: Any) -> Any:
        asked.append((what, percentage(), interrupt()))
        return work()

    monkeypatch.setattr(files, "awaited", awaited)
    br.ConfusionMatrix.from_frame(br.scan(tmp_path / "p.csv"), "y", "tree")
    assert asked == [("reading", -1.0, None), ("counting", -1.0, None)]
