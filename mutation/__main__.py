"""Change the kernels in one small way at a time, and see if a test fails: `python mutation`.

Arguments are modules; all of them by default. --most 5 takes five mutants of each, chosen at
random but always the same. Which tests run which line is measured first; --measure does it again.
Kills are stored in .mutation/, so a stopped run resumes where it was; survivors are tried again.
mutation/explained.toml says how many mutants of each kind survive in each function, and why no
test can notice them; if there are more, the run fails.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from collections import Counter
from itertools import islice
from pathlib import Path

from coverage_of_tests import FOLDER, ROOT, TIMES, measure
from mutants import MODULES, Mutant, mutants, unchanged
from tqdm import tqdm
from trials import trials

HERE = Path(__file__).parent
KILLS = FOLDER / "kills.jsonl"


def main() -> int:
    """Try every mutant, print those that survive unexplained, and return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="mutation", description=__doc__)
    parser.add_argument(
        "modules", nargs="*", default=MODULES, help="such as measures/two_classes.py"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--most", type=int, help="how many mutants of each module")
    parser.add_argument("--measure", action="store_true", help="which tests run which line")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    if arguments.measure or not TIMES.exists():
        measure()
    _require_green(arguments.modules, arguments.processes)
    modules = tqdm(arguments.modules, desc="mutants of all modules", leave=False)
    every = [mutant for module in modules for mutant in islice(mutants(module), arguments.most)]
    killers = _killers(every, arguments.processes)
    survivors = [mutant for mutant in every if not killers[mutant.name]]
    left = _unexplained(survivors)
    for mutant in left:
        print(f"{mutant.module}, {mutant.within}, {mutant.operator}")
        print(f"- {mutant.before}\n+ {mutant.after}\n")
    _print_table(every, survivors, left)
    late = sum(killer == "timeout" for killer in killers.values())
    print(f"{late} of the killed did not end in time")
    return int(bool(left))


def _require_green(modules: list[str], processes: int) -> None:
    """Exit unless the tests of a module of each folder pass in a fork without a change."""
    of_folder = {module.rpartition("/")[0]: module for module in modules}
    for trial in trials([unchanged(module) for module in of_folder.values()], processes):
        if trial.killer:
            sys.exit(f"{trial.killer} fails without a change of {trial.mutant.module}")


def _killers(every: list[Mutant], processes: int) -> dict[str, str]:
    """Return what killed each mutant, from an earlier run or this one; empty if it survived."""
    KILLS.parent.mkdir(exist_ok=True)
    lines = KILLS.read_text("utf-8").splitlines() if KILLS.exists() else []
    killers = dict(map(json.loads, lines))
    queue = [mutant for mutant in every if mutant.name not in killers]
    with KILLS.open("a", encoding="utf-8") as file, tqdm(total=len(queue), unit="mutant") as bar:
        for trial in trials(queue, processes):
            killers[trial.mutant.name] = trial.killer
            if not trial.killer:
                bar.write(f"{trial.mutant.module} survived: {trial.mutant.after}")
            else:
                file.write(json.dumps([trial.mutant.name, trial.killer]) + "\n")
                file.flush()
            bar.update()
    return {mutant.name: killers[mutant.name] for mutant in every}


def _unexplained(survivors: list[Mutant]) -> list[Mutant]:
    """Return the survivors of every kind that has more of them than are explained."""
    entries = tomllib.loads((HERE / "explained.toml").read_text("utf-8"))["explained"]
    expected = Counter[tuple[str, str, str]]()
    for entry in entries:
        for kind in entry["survivors"]:
            expected[entry["module"], kind["within"], kind["change"]] += kind["most"]
    found = Counter(mutant.kind for mutant in survivors)
    return [mutant for mutant in survivors if found[mutant.kind] > expected[mutant.kind]]


def _print_table(every: list[Mutant], survivors: list[Mutant], left: list[Mutant]) -> None:
    """Print how many mutants of each module were killed, explained, or remain."""
    print(f"{'module':<36}{'mutants':>8}{'killed':>8}{'explained':>11}{'left':>6}")
    for module in (*dict.fromkeys(mutant.module for mutant in every), ""):
        total, alive, rest = (
            sum(mutant.module.startswith(module) for mutant in some)
            for some in (every, survivors, left)
        )
        print(f"{module or 'all':<36}{total:>8}{total - alive:>8}{alive - rest:>11}{rest:>6}")


if __name__ == "__main__":
    sys.exit(main())
