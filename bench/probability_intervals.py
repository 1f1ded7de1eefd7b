"""How often the limits of scores, margins and differences of probabilities are wrong.

Test sets of three classes are drawn from populations of probabilities, and limits are compared with
the truth, which is a sample of a million. Sharp probabilities are close to 0 and 1; bold ones are
sharper than they should be; useless ones do not depend on the truth.

    python bench/probability_intervals.py [tests]
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.probability.several.joint import JointProbabilities
from baserate.probability.several.measures import RULE_MEASURES
from baserate.probability.several.observed import ClassProbabilities
from baserate.probability.several.task import CLASS_PROBABILITIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]

RESULTS = Path(__file__).with_suffix(".json")
# How concentrated the right probabilities are, the class shares, and the power that distorts them.
POPULATIONS: dict[str, tuple[float, tuple[float, float, float], float]] = {
    "blunt": (24.0, (0.4, 0.35, 0.25), 1.0),
    "sharp": (3.0, (0.6, 0.3, 0.1), 1.0),
    "very sharp": (0.75, (0.4, 0.35, 0.25), 1.0),
    "bold": (3.0, (0.4, 0.35, 0.25), 1.6),
    "sharp and bold": (0.75, (0.6, 0.3, 0.1), 1.6),
    "useless": (24.0, (0.4, 0.35, 0.25), 0.0),
}
SIZES = (30, 100, 400)
ALPHA = 0.05


def drawn(name: str, size: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return the truth and the probabilities of a model and of a distorted one."""
    concentration, shares, power = POPULATIONS[name]
    right = rng.gamma(concentration * np.array(shares), size=(size, 3)) + 1e-300
    right /= right.sum(axis=1, keepdims=True)
    truth = (rng.uniform(size=(size, 1)) > right.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    if not power:
        truth = rng.permutation(truth)
    given = right ** (power or 1.0)
    other = given**0.8
    return truth, *(each / each.sum(axis=1, keepdims=True) for each in (given, other))


def numbers(truth: Floats, given: Floats, other: Floats) -> dict[tuple[str, str], float]:
    """Return every score, margin and difference."""
    observed, second = (
        ClassProbabilities.of_rows((0, 1, 2), truth, each) for each in (given, other)
    )
    found = {}
    for measure in RULE_MEASURES:
        key = measure.key
        scale = CLASS_PROBABILITIES.yardstick(observed.test_set, measure).scale
        score = measure.score(observed)
        found[key, "score"] = score
        found[key, "margin"] = scale.advantage(score, scale.best)
        found[key, "difference"] = measure.score(second) - score
    return found


def limits(truth: Floats, given: Floats, other: Floats) -> dict[tuple[str, str], Any]:
    """Return the limits of every score, margin and difference."""
    observed = ClassProbabilities.of_rows((0, 1, 2), truth, given)
    known = CLASS_PROBABILITIES.uncertainty(observed, ALPHA)
    joint = JointProbabilities.of_rows((0, 1, 2), truth, given, other)
    paired = CLASS_PROBABILITIES.paired(joint, ALPHA)
    found = {}
    for measure in RULE_MEASURES:
        key = measure.key
        found[key, "score"] = known.score(measure)
        yardstick = CLASS_PROBABILITIES.yardstick(observed.test_set, measure)
        found[key, "margin"] = known.margin(yardstick)
        found[key, "difference"] = paired.limits(measure)
    return found


def measured(name: str, size: int, tests: int) -> dict[str, list[float]]:
    """Return how often lower and upper limits are wrong, and how wide they are."""
    rng = np.random.default_rng([size, *name.encode()])
    true = numbers(*drawn(name, 10**6, rng))
    wrong = {key: np.zeros(3) for key in true}
    for _ in range(tests):
        sample = drawn(name, size, rng)
        while np.unique(sample[0]).size < 2:
            sample = drawn(name, size, rng)
        for key, (low, high) in limits(*sample).items():
            wrong[key] += np.array([true[key] < low, true[key] > high, high - low])
    return {" ".join(key): np.round(each / tests, 4).tolist() for key, each in wrong.items()}


def main() -> None:
    """Measure, print and keep the results."""
    tests = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    found = {}
    for name, size in product(POPULATIONS, SIZES):
        found[f"{name}, {size}"] = each = measured(name, size, tests)
        for key, (low, high, width) in each.items():
            print(f"{name:15} {size:4} {key:24} {low:6.1%} {high:6.1%} {width:7.3f}", flush=True)
    facts = {"tests": tests, "alpha": ALPHA, "wrong below, wrong above, width": found}
    RESULTS.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
