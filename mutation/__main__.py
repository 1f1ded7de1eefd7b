"""Change the kernels one small thing at a time: does a test notice? `python mutation [module …]`.

Kills are remembered in .mutation/, so that a run which was stopped goes on where it was; survivors
are tried again. What no test could notice is explained in mutation/explained.toml, and not tried.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from pathlib import Path

from mutants import MODULES, SOURCE, Mutant, mutants, unchanged
from tqdm import tqdm
from trials import tests_of, trials

HERE = Path(__file__).parent
KILLS = HERE.parent / ".mutation" / "kills.jsonl"


def main() -> int:
    """Try every mutant, print those that survive unexplained, and return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", default=MODULES, help="such as measures/rates.py")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    os.chdir(SOURCE.parent.parent)
    _require_green(arguments.modules, arguments.processes)
    modules = tqdm(arguments.modules, desc="mutants of all modules", leave=False)
    every = [mutant for module in modules for mutant in mutants(module)]
    explained = _explained()
    tried = [mutant for mutant in every if mutant.change not in explained]
    killers = _killers(tried, arguments.processes)
    left = [mutant for mutant in tried if not killers[mutant.name]]
    for mutant in left:
        print(f"{mutant.module}, {mutant.operator}\n- {mutant.before}\n+ {mutant.after}\n")
    _print_table(every, tried, left)
    late = sum(killer == "timeout" for killer in killers.values())
    print(f"{late} of the killed did not end in time")
    return int(bool(left))


def _require_green(modules: list[str], processes: int) -> None:
    """Exit unless the tests pass as long as nothing is changed."""
    of_each_list = {tuple(tests_of(module)): unchanged(module) for module in modules}
    for trial in trials(list(of_each_list.values()), processes):
        if trial.killer:
            sys.exit(f"{trial.killer} fails without a change of {trial.mutant.module}")


def _killers(every: list[Mutant], processes: int) -> dict[str, str]:
    """Return what killed each mutant, nothing if it survived: as it was found before, or now."""
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


def _explained() -> set[tuple[str, str, str]]:
    """Return the changes that no test could notice."""
    text = (HERE / "explained.toml").read_text("utf-8")
    return {
        (module, before, after)
        for module, entries in tomllib.loads(text).items()
        for entry in entries
        for before, after in entry["changes"]
    }


def _print_table(every: list[Mutant], tried: list[Mutant], left: list[Mutant]) -> None:
    """Print how many mutants of each module were killed, explained, or are left."""
    print(f"{'module':<28}{'mutants':>8}{'killed':>8}{'explained':>11}{'left':>6}")
    for module in (*dict.fromkeys(mutant.module for mutant in every), ""):
        total, of_tried, rest = (
            sum(mutant.module.startswith(module) for mutant in some)
            for some in (every, tried, left)
        )
        killed, explained = of_tried - rest, total - of_tried
        print(f"{module or 'all':<28}{total:>8}{killed:>8}{explained:>11}{rest:>6}")


if __name__ == "__main__":
    sys.exit(main())
