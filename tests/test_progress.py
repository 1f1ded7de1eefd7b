"""Progress of work that goes on elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import pytest

import baserate as br
from baserate import files, progress

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def _quickly_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show bars as in a terminal, and at once."""
    monkeypatch.setattr(progress, "_is_watched", lambda: True)
    monkeypatch.setattr(progress, "_DELAY", 0.01)
    monkeypatch.setattr(progress, "_INTERVAL", 0.01)


@pytest.mark.usefixtures("_quickly_watched")
def test_how_much_is_done_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """As a percentage on stderr, which goes away in the end."""
    with progress.polled(lambda: 42.0, "counting"):
        time.sleep(0.3)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "counting:  42%|" in shown.err
    assert shown.err.rpartition("\r")[0].rpartition("\r")[2].strip() == ""


@pytest.mark.usefixtures("_quickly_watched")
def test_unknown_progress_is_time(capsys: pytest.CaptureFixture[str]) -> None:
    """DuckDB does not know how far it is while it tells the types of a CSV file."""
    with progress.polled(lambda: -1.0, "reading"):
        time.sleep(0.3)
    shown = capsys.readouterr().err
    assert "reading: 00:00" in shown
    assert "%" not in shown


def test_short_work_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bar appears after a second."""
    monkeypatch.setattr(progress, "_is_watched", lambda: True)
    with progress.polled(lambda: 42.0, "counting"):
        pass
    assert capsys.readouterr().err == ""


def test_nobody_watches_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal there is no bar, however long the work takes."""
    assert not sys.stderr.isatty()
    with progress.polled(lambda: pytest.fail("somebody asked"), "counting"):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("_quickly_watched")
def test_an_error_ends_the_bar() -> None:
    """Whatever the work raises is raised."""
    with pytest.raises(KeyError), progress.polled(lambda: 42.0, "counting"):
        raise KeyError


def test_a_scan_tells_how_far_it_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reading of a file and the count of its rows are asked for by their connection."""
    (tmp_path / "p.csv").write_text("y,tree\n1,1\n0,0\n0,1\n")
    asked = []

    def polled(percentage: object, what: str) -> object:
        asked.append((what, percentage() if callable(percentage) else None))
        return progress.polled(lambda: 0, what)

    monkeypatch.setattr(files, "polled", polled)
    br.Confusion.from_frame(br.scan(tmp_path / "p.csv"), "y", "tree")
    assert asked == [("reading", -1.0), ("counting", -1.0)]


def test_connections_are_not_kept(tmp_path: Path) -> None:
    """The connection of a scan goes with its relation."""
    (tmp_path / "p.csv").write_text("y,tree\n1,1\n0,0\n")
    before = len(files._CONNECTIONS)
    relation = br.scan(tmp_path / "p.csv")
    assert len(files._CONNECTIONS) == before + 1
    del relation
    assert len(files._CONNECTIONS) == before
