"""Trials: run the tests of a module with a mutant in its place, until one fails."""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import re
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

# What the tests need besides the library: imported once, and shared by every fork.
import mpmath  # noqa: F401
import numpy as np  # noqa: F401
import pandas as pd  # noqa: F401
import polars as pl  # noqa: F401
import pyarrow as pa  # noqa: F401
import pytest
import sklearn.metrics  # noqa: F401
from coverage_of_tests import OPTIONS, SOURCE, tests_that_run
from scipy import stats  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from mutants import Mutant

_OPTIONS = (
    *("-x", "-q", "--assert=plain", "--tb=no", "-rf", "-p", "no:cacheprovider", "--no-cov"),
    *OPTIONS,
)
# Longer than the tests of a mutant take; some mutants never end.
_SECONDS = 120.0


@dataclass(frozen=True)
class Trial:
    """The fate of a mutant: the test that failed, "timeout", or nothing if it survived."""

    mutant: Mutant
    killer: str


class _Mutation(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Import the mutant in place of its module."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant
        path = mutant.module.removesuffix(".py").removesuffix("/__init__")
        self.name = f"baserate.{path.replace('/', '.')}"

    def find_spec(self, name: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for the mutant, and for no other module."""
        if name != self.name:
            return None
        path = SOURCE / self.mutant.module
        is_package = [str(path.parent)] if path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            name, path, loader=self, submodule_search_locations=is_package
        )

    def get_filename(self, _: str) -> str:
        """Return the path of the module."""
        return str(SOURCE / self.mutant.module)

    def get_data(self, _: str) -> bytes:
        """Return the changed source."""
        return self.mutant.code.encode()

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant without caching its bytecode."""
        exec(compile(self.mutant.code, self.get_filename(""), "exec"), module.__dict__)  # noqa: S102


def trials(queue: Sequence[Mutant], processes: int) -> Iterator[Trial]:
    """Try all mutants, several at a time, and yield each result as it arrives."""
    waiting, running = list(reversed(queue)), {}
    while waiting or running:
        while waiting and len(running) < processes:
            mutant = waiting.pop()
            output = tempfile.TemporaryFile()  # noqa: SIM115 -- it is read when the fork has ended
            running[_fork(mutant, output)] = mutant, output, time.monotonic()
        time.sleep(0.01)
        for process, (mutant, output, start) in list(running.items()):
            is_late = time.monotonic() - start > _SECONDS
            if is_late:
                os.kill(process, signal.SIGKILL)
            ended, status = os.waitpid(process, 0 if is_late else os.WNOHANG)
            if ended:
                del running[process]
                yield Trial(mutant, "timeout" if is_late else _killer(output, status))


def _fork(mutant: Mutant, output: Any) -> int:
    process = os.fork()
    if process:
        return process
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    os._exit(_run(mutant))


def _run(mutant: Mutant) -> int:
    """Run the tests of a mutant in its own process, and return pytest's exit code."""
    sys.meta_path.insert(0, _Mutation(mutant))
    try:
        return int(pytest.main([*_OPTIONS, *tests_that_run(mutant.module, mutant.lines)]))
    except BaseException:
        return 1
    finally:
        sys.stdout.flush()


def _killer(output: Any, status: int) -> str:
    """Return the test that failed, or how else the run ended."""
    output.seek(0)
    if os.waitstatus_to_exitcode(status) == 0:
        return ""
    found = re.search(rb"^(?:FAILED|ERROR) (\S+)", output.read(), re.MULTILINE)
    return found[1].decode() if found else "nothing could be imported"
