"""Try to break the law: `make fuzz ARGS="--seconds 3600 --seed 7"`.

Calls with fresh seeds follow each other until one breaks the law; it is printed with the command
that repeats it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tqdm import tqdm

from fuzz.calls import CALLS
from fuzz.commands import tried_command
from fuzz.law import tried


def main(words: list[str] | None = None) -> int:
    """Make calls for some time, and return 1 if one breaks the law."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600, help="for how long")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--call", help="one call again, as in evaluate:12345")
    parser.add_argument("--keep-going", action="store_true", help="print every breach")
    arguments = parser.parse_args(words)
    names = [*CALLS, "command"]
    with tempfile.TemporaryDirectory() as folder:
        if arguments.call:
            name, _, seed = arguments.call.rpartition(":")
            return _report(_try(name, int(seed), Path(folder)))
        return _endless(names, arguments, Path(folder))


def _endless(names: list[str], arguments: argparse.Namespace, folder: Path) -> int:
    end = time.monotonic() + arguments.seconds
    random, code = Random(arguments.seed), 0
    progress = tqdm(desc=f"calls, seed {arguments.seed}", unit="", disable=None)
    while time.monotonic() < end:
        name = random.choice(names)
        progress.set_postfix_str(name, refresh=False)
        code |= _report(_try(name, random.randrange(10**9), folder))
        progress.update()
        if code and not arguments.keep_going:
            break
    progress.close()
    print(f"{progress.n:,} calls" if not code else "the law is broken")
    return code


def _try(name: str, seed: int, folder: Path) -> object | None:
    return tried_command(seed, folder) if name == "command" else tried(name, seed)


def _report(breach: object | None) -> int:
    if breach is None:
        return 0
    tqdm.write(str(breach))
    return 1


if __name__ == "__main__":
    sys.exit(main())
