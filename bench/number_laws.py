"""How far p-values of shuffled predictions are off, against many more shuffles.

Run as `python bench/number_laws.py`; it takes some minutes. For each kind of data and each measure
it prints the probability that the law gives at the scores which 1e-2, 1e-3, … of the long
simulation reach, divided by that fraction.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from baserate.core.direction import Direction
from baserate.regression.fit import Fit
from baserate.regression.law.choice import _smooth
from baserate.regression.law.orders import orders_of
from baserate.regression.law.reading import Reading
from baserate.regression.measures.catalogue import get_number_measure

MEASURES = ("Pearson", "MAE", "MAPE", "sMAPE", "Gamma", "Spearman", "Kendall", "MedAE", "max error")


def data(kind: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return truths and predictions of a kind."""
    rng = np.random.default_rng(size)
    if kind == "normal":
        return np.exp(0.3 * rng.normal(size=size)), np.exp(0.3 * rng.normal(size=size))
    if kind == "lognormal":
        return np.exp(rng.normal(size=size)), np.exp(rng.normal(size=size))
    if kind == "tied":
        return rng.integers(1, 5, size) * 1.0, rng.integers(1, 4, size) * 1.0
    return np.abs(rng.standard_t(3, size)) + 0.01, np.abs(rng.standard_t(3, size)) + 0.01


def compare(kind: str, size: int, shuffles: int, *, smooth: bool) -> None:
    """Print the ratios for all measures."""
    y, z = data(kind, size)
    fit = Fit.of(y, z)
    for name in MEASURES:
        measure = get_number_measure(name)
        if name == "Kendall" and size > 100:
            continue
        orders = orders_of(measure.form, fit)
        reading = Reading(orders.observed, measure.score(fit), orders.slope, orders.rooted)
        law = _smooth(orders, reading) if smooth else measure.law(fit)
        rng, part = np.random.default_rng(7), max(1, int(1_000_000 / orders.cost))
        found = np.sort(
            np.concatenate(
                [
                    orders.numbers(rng.permuted(np.tile(orders.cards, (part, 1)), axis=1))
                    for _ in range(shuffles // part + 1)
                ]
            )
        )
        ratios = {}
        for side in (Direction.MAXIMIZE, Direction.MINIMIZE):
            for level in (1e-2, 1e-3, 1e-4, 1e-5):
                if level * found.size < 30:
                    continue
                up = (side is Direction.MAXIMIZE) == reading.rises
                place = int(level * found.size)
                number = found[-place] if up else found[place - 1]
                count = (
                    found >= number - orders.slack if up else found <= number + orders.slack
                ).sum()
                chance = law.above(number) if up else law.below(number)
                ratios[f"{side.value[:3]} {level:g}"] = round(chance * found.size / count, 2)
        print(kind, size, name, law.method, ratios, flush=True)


if __name__ == "__main__":
    started = time.time()
    for kind in ("normal", "lognormal", "tied", "t3"):
        compare(kind, 30, 1_000_000, smooth=False)
        compare(kind, 300, 100_000, smooth=False)
        compare(kind, 3_000, 30_000, smooth=True)
    print(f"{time.time() - started:.0f} s", file=sys.stderr)
