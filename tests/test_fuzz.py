"""Hostile calls, files and commands: a law of the project, tried a few thousand times.

`make fuzz` runs for as long as you like, with its own seeds.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest

import baserate as br
from fuzz import calls, law
from fuzz.__main__ import main
from fuzz.calls import CALLS, RETURNED
from fuzz.commands import tried_command
from fuzz.law import tried

if TYPE_CHECKING:
    from pathlib import Path

    from fuzz.pools import Pool

# A display takes a hundred times as long as any other call.
FEW = {name: 3 for name in CALLS if name.endswith("Display")} | {"Report": 20}


@pytest.fixture(autouse=True)
def _no_windows() -> None:
    mpl.use("Agg")


@pytest.mark.parametrize("name", CALLS)
def test_every_call_obeys_the_law(name: str) -> None:
    """It returns a value or raises our own short error, without a warning, and in time."""
    breaches = [tried(name, seed) for seed in range(FEW.get(name, 48))]
    assert not [str(breach) for breach in breaches if breach is not None][:3]


def test_every_public_name_is_called() -> None:
    """Every public name has a call."""
    called = {name.partition(".")[0] for name in CALLS}
    assert called == {*br.__all__} - RETURNED
    assert {*br.__all__} >= RETURNED


@pytest.mark.parametrize("part", range(2))
def test_every_command_ends_well(part: int, tmp_path: Path) -> None:
    """The exit code is 0 or 2, or 1 if a check fails."""
    breaches = [tried_command(seed, tmp_path) for seed in range(30 * part, 30 * part + 30)]
    assert not [str(breach) for breach in breaches if breach is not None][:3]


def _leaks(pool: Pool) -> None:
    raise KeyError("not ours")


def _warns(pool: Pool) -> None:
    warnings.warn("not ours", UserWarning, stacklevel=1)


def _hangs(pool: Pool) -> None:
    while True:
        pass


@pytest.mark.parametrize("call", [_leaks, _warns, _hangs])
def test_the_law_can_be_broken(call: calls.Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test notices a leaked error, a warning and an endless call, and says how to repeat it."""
    monkeypatch.setitem(CALLS, "bad", call)
    monkeypatch.setattr(law, "MOST_SECONDS", 0.2)
    assert str(tried("bad", 3)).endswith('again: make fuzz ARGS="--call bad:3"')


def test_make_fuzz(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`make fuzz` stops at the first breach, can repeat one call, and ends in time."""
    assert main(["--seconds", "0"]) == 0
    assert main(["--call", "BaseRate:7"]) == 0
    monkeypatch.setattr("random.Random.choice", lambda self, names: "bad")
    monkeypatch.setitem(CALLS, "bad", _leaks)
    assert main(["--seconds", "60", "--seed", "7"]) == 1
    assert "KeyError: 'not ours'" in capsys.readouterr().out
