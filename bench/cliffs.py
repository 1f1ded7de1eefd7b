"""How long p-values take where they once took long: `make cliffs`, seconds beside a goal.

Seconds are those of one processor, so that other work on the machine hardly matters. It asserts
nothing.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import baserate as br
from baserate.core.multiple_testing import null_levels
from baserate.kinds.classes import MULTICLASS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SLOW = 3.0


def cases() -> Iterator[tuple[str, Callable[[], object], float]]:
    """Yield what is computed, the call, and how many seconds it may take."""
    rng = np.random.default_rng(0)
    few = rng.random(60) < 0.3
    yield "D2 Brier, 60 rows", partial(br.p_value, few, rng.random(60), "D2 Brier"), SLOW
    for rows in (3_000, 20_000):
        table = _table_of_classes(1_000, rows, rng)
        default = f"1,000 classes, {rows:,} rows, default measures"
        yield default, partial(_judged, table, None), SLOW
        kappa = f"1,000 classes, {rows:,} rows, weighted kappa"
        yield kappa, partial(_judged, table, ["quadratic kappa"]), SLOW
    for measure, rows, goal in (
        ("MedAE", 1_000, 0.15),
        ("MedAE", 10**6, SLOW),
        ("max error", 10**6, SLOW),
    ):
        y = rng.normal(size=rows)
        x = y + rng.normal(size=rows)
        yield f"{measure}, {rows:,} rows", partial(br.p_value, y, x, measure), goal
    for rows in (10**5, 10**6):
        y, x = np.exp(2 * rng.normal(size=(2, rows)))
        yield f"MAPE, {rows:,} lognormal rows", partial(br.p_value, y, x, "MAPE"), SLOW
    rare = np.arange(10**5) < 5
    yield "AP, 5 of 100,000 positive", partial(br.p_value, rare, rng.random(10**5), "AP"), SLOW


def _table_of_classes(classes: int, rows: int, rng: np.random.Generator) -> Any:
    truth, guess = rng.integers(0, classes, (2, rows))
    return br.ConfusionMatrix.of(truth, np.where(rng.random(rows) < 0.05, truth, guess))


def _judged(table: Any, measures: list[str] | None) -> None:
    """Find the p-values of a table, and between which scores chance stays."""
    MULTICLASS.tails([table])
    (null,) = MULTICLASS.nulls([table], null_levels(0.05, 1))
    for measure in MULTICLASS.chosen(measures):
        null.tails(measure, measure.score(table))
        null.null_interval(measure)


def beside_sorts() -> str:
    """Say how long AUC and AP of many scores take, beside sorts of these: the least of three."""
    rng = np.random.default_rng(0)
    scores, labels = rng.random(10**7), rng.random(10**7) < 0.3
    calls: dict[str, Callable[[], object]] = {
        "argsort": partial(np.argsort, scores),
        "sort": partial(np.sort, scores),
        "evaluate": partial(br.evaluate, labels, scores, ["AUC", "AP"]),
    }
    rounds = [{name: seconds(call) for name, call in calls.items()} for _ in range(3)]
    least = {name: min(each[name] for each in rounds) for name in calls}
    ratios = [least["evaluate"] / least[name] for name in ("argsort", "sort")]
    return "{:.2f} s: {:.1f} np.argsort (goal: 2.5), {:.0f} np.sort".format(
        least["evaluate"], *ratios
    )


def seconds(call: Callable[[], object]) -> float:
    """Return how long a call keeps a processor busy."""
    start = time.process_time()
    call()
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    br.p_value([1.0, 2, 3], [1.0, 3, 2], "MAE")  # what is loaded on first use
    for name, call, goal in cases():
        print(f"{name:55} {seconds(call):6.2f} s (goal: {goal:.2f})", flush=True)
    print(f"{'AUC and AP of 10⁷ scores':55} {beside_sorts():>6}")


if __name__ == "__main__":
    main()
