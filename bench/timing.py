"""Ratios of running times, measured side by side."""

from __future__ import annotations

import contextlib
import io
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class Comparison:
    """One of our calls next to a peer's.

    Parameters
    ----------
    task
        What is computed.
    peer
        The peer it is compared with.
    ours, theirs
        The calls.
    units
        How many units of work ours does while theirs does one.
    goal
        The desired ratio, for the reader; nothing is asserted.
    rounds
        The most rounds for both sides, if one of them is very slow.
    """

    task: str
    peer: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    units: int = 1
    goal: str = ""
    rounds: int = 99


@dataclass(frozen=True)
class Measured:
    """The median time of each call, and the median of their ratios."""

    group: str
    task: str
    peer: str
    ours_seconds: float
    theirs_seconds: float
    ratio: float
    goal: str


def measured(group: str, comparison: Comparison, repeats: int) -> Measured:
    """Run both calls in turn, and take medians: a disturbance hits both sides."""
    ours, theirs = [], []
    with quiet():
        comparison.ours()  # exclude what is loaded or compiled on first use
        for _ in range(min(repeats, comparison.rounds)):
            ours.append(seconds(comparison.ours) / comparison.units)
            theirs.append(seconds(comparison.theirs))
    return Measured(
        group,
        comparison.task,
        comparison.peer,
        statistics.median(ours),
        statistics.median(theirs),
        statistics.median(a / b for a, b in zip(ours, theirs, strict=True)),
        comparison.goal,
    )


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call takes; repeat a very short one."""
    start = time.perf_counter()
    call()
    elapsed = time.perf_counter() - start
    if elapsed > 0.002:
        return elapsed
    count = max(1, int(0.01 / max(elapsed, 1e-7)))
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence peers that print their progress."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def peak_megabytes(script: str) -> float:
    """Return the peak resident size of a process that runs a script."""
    # Linux's own peak; getrusage() would give the parent's if that was larger.
    ending = (
        "\nprint(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1])"
    )
    run = subprocess.run(
        [sys.executable, "-c", script + ending], capture_output=True, text=True, check=True
    )
    return int(run.stdout.split()[-1]) / 1024


def import_microseconds(module: str) -> float:
    """Return the cost of importing a module by Python's own account, in a fresh process.

    Both sides have their bytecode on disk, like an installed package.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
    for _ in range(2):
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    rows = [line.split("|") for line in run.stderr.splitlines() if line.count("|") == 2]
    return next(float(row[1]) for row in reversed(rows) if row[2].strip() == module)
