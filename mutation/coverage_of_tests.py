"""Which tests run a line, and how long each takes: measured once by a run with coverage.

As a plugin of pytest (`-p coverage_of_tests`), it writes the times.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
from coverage import CoverageData

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "baserate"
FOLDER = ROOT / ".mutation"
LINES, TIMES = FOLDER / "lines", FOLDER / "seconds.json"
# Tests of the program, of engines and of pages start other processes, which no mutant reaches.
ROOMS = (
    *("baselines", "evaluation", "kinds", "measures", "null", "observed", "verdicts"),
    *("properties/test_confidence_intervals.py", "properties/test_enumerated.py"),
    *("test_multiple_choice.py", "test_paired.py"),
)
OPTIONS = ("--hypothesis-profile=mutation", "--doctest-modules", "-p", "coverage_of_tests")
# What a mutant may cost if it survives.
_SECONDS, _TESTS = 15.0, 120

# A mutant only has to fail: no need to shrink the example.
hypothesis.settings.register_profile(
    "mutation",
    deadline=None,
    max_examples=50,
    derandomize=True,
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
)
_durations: dict[str, float] = defaultdict(float)
_states: dict[int, Any] = {}


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give a test the random numbers that it has if it runs alone, whatever ran before it."""
    for generator in vars(getattr(item, "module", None) or object).values():
        if isinstance(generator, np.random.Generator):
            bits = generator.bit_generator
            bits.state = _states.setdefault(id(generator), bits.state)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the time of a test."""
    _durations[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the times, unless this process is one of many workers."""
    if "times" in os.environ.get("MUTATION", "") and not hasattr(session.config, "workerinput"):
        TIMES.write_text(json.dumps(_durations), encoding="utf-8")


def measure() -> None:
    """Run the tests of the rooms, and keep which lines each of them runs."""
    FOLDER.mkdir(exist_ok=True)
    workers = str(os.cpu_count() or 1)
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "--dist", "loadfile"]
    command += [*OPTIONS, "--cov=baserate", "--cov-context=test", "--cov-report="]
    command += ["--cov-fail-under=0", "-p", "no:cacheprovider"]
    environment = {"COVERAGE_FILE": str(LINES), "PYTHONPATH": "mutation", "MUTATION": "times"}
    tests = ["src", *(f"tests/{room}" for room in ROOMS)]
    run = subprocess.run([*command, *tests], cwd=ROOT, env=os.environ | environment, check=False)
    if run.returncode:
        sys.exit("the tests fail without any change")


def tests_that_run(module: str, lines: Iterable[int]) -> Iterator[str]:
    """Yield the tests that run one of the lines, or else a line of the module, or are of its room.

    The quickest of the module's own room come first, and what would take too long is left out.
    """
    of_line, seconds = _of_module(module), _seconds()
    own = (f"src/baserate/{module}", f"tests/{module.partition('/')[0]}/")
    found = set().union(*(of_line.get(line, set()) for line in lines))
    found = found or set().union(*of_line.values())
    found = found or {test for test in seconds if test.startswith(own)}
    spent = 0.0
    for test in sorted(found, key=lambda test: (not test.startswith(own), seconds[test]))[:_TESTS]:
        spent += seconds[test]
        if spent > _SECONDS:
            return
        yield test


@cache
def _of_module(module: str) -> dict[int, set[str]]:
    """Return the tests that run each line, but those that only import it."""
    data = CoverageData(str(LINES))
    data.read()
    contexts = data.contexts_by_lineno(str(SOURCE / module))
    seconds = _seconds()
    return {
        line: {context.partition("|")[0] for context in each} & seconds.keys()
        for line, each in contexts.items()
    }


@cache
def _seconds() -> dict[str, float]:
    """Return how long each test took."""
    times: dict[str, float] = json.loads(TIMES.read_text(encoding="utf-8"))
    return times
