"""How many more rows would settle what is not sure, and how many a test set needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import expit, logit, ndtri

import baserate as br
from baserate.verdicts.verdict import Better

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Drawn = tuple[NDArray[Any], NDArray[Any]]
    Rng = np.random.Generator


def _labels(rate: float, hit: float) -> Callable[[Rng, int], Drawn]:
    """Return how labels are drawn, as many predicted positive as there are positives."""

    def draw(rng: Rng, rows: int) -> Drawn:
        y = rng.random(rows) < rate
        said = rng.random(rows) < np.where(y, hit, (1 - hit) * rate / (1 - rate))
        return y.astype(int), said.astype(int)

    return draw


def _classes(rng: Rng, rows: int) -> Drawn:
    """Return labels of three classes, half of them right."""
    y = rng.integers(0, 3, rows)
    return y, np.where(rng.random(rows) < 0.5, y, (y + rng.integers(1, 3, rows)) % 3)


def _probabilities(rate: float, area: float) -> Callable[[Rng, int], Drawn]:
    """Return how calibrated probabilities are drawn that have an area under the ROC curve."""
    apart = math.sqrt(2) * float(ndtri(area))

    def draw(rng: Rng, rows: int) -> Drawn:
        y = (rng.random(rows) < rate).astype(int)
        return y, expit(logit(rate) + apart * (rng.normal(size=rows) + apart * (y - 0.5)))

    return draw


def _numbers(rng: Rng, rows: int) -> Drawn:
    """Return numbers, and predictions that explain a fifth of their variance."""
    y = rng.normal(size=rows)
    return y, 0.2 * y + 0.4 * rng.normal(size=rows)


def _expected(measure: str, draw: Callable[[Rng, int], Drawn]) -> float:
    """Return the score of a large test set."""
    observed = br.RankedScores.of(*draw(np.random.default_rng(0), 100_000))
    return float(br.get_measure(measure).score(observed))


CASES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "F1": ("F1", _labels(0.1, 0.5), {"base_rate": 0.1, "score": 0.5}),
    "accuracy": ("accuracy", _classes, {"classes": 3, "score": 0.5}),
    "AUC": ("AUC", _probabilities(0.1, 0.75), {"base_rate": 0.1, "score": 0.75}),
    "Brier": ("Brier", _probabilities(0.3, 0.75), {"base_rate": 0.3}),
    "RMSE": ("RMSE", _numbers, {"score": 0.2}),
}


@pytest.mark.parametrize("case", CASES)
def test_with_the_rows_needed_most_test_sets_clear(case: str) -> None:
    """Of test sets with as many rows as a power of 80% needs, 60 to 95% clear the baseline."""
    measure, draw, known = CASES[case]
    known = {"score": 0.0} | known
    known["score"] = known["score"] or _expected(measure, draw)
    rows, rng, clear = br.rows_needed(measure, **known), np.random.default_rng(11), []
    task = {"task": "regression"} if "base_rate" not in known and "classes" not in known else {}
    for _ in range(40):
        (verdict,) = br.evaluate(*draw(rng, rows), measure, **task).verdicts
        clear.append(verdict.outcome is br.Outcome.CLEARS)
    assert 0.6 <= np.mean(clear) <= 0.95


def _pair(rows: int) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    rng = np.random.default_rng(5)
    y = (rng.random(rows) < 0.4).astype(int)
    right = rng.random((2, rows)) < [[0.75], [0.82]]
    return y, {"tree": np.where(right[0], y, 1 - y), "forest": np.where(right[1], y, 1 - y)}


def test_a_comparison_without_evidence_says_it_too() -> None:
    """Two models that differ a little need more rows; those that do not have nothing to say."""
    y, models = _pair(50)
    (difference,) = br.compare(y, models, "ACC")
    assert difference.outcome is Better.NO_EVIDENCE
    assert f"About {difference.rows_needed:,.0f} more rows like these" in str(difference)
    (same,) = br.compare(y, {"tree": models["tree"], "copy": models["tree"]}, "ACC")
    assert math.isnan(same.rows_needed)
    (clear,) = br.compare(*_pair(2_000), "ACC")
    assert clear.winner == "forest"
    assert math.isnan(clear.rows_needed)


def test_two_models_that_agree_need_fewer_rows() -> None:
    """What both get right or wrong says nothing of their difference."""
    known = {"base_rate": 0.3, "score": 0.8, "second": 0.85}
    some, more = (br.rows_needed("ACC", **known, agreement=each) for each in (0.8, 0.0))
    assert some < more
    assert br.rows_needed("ACC", **known, power=0.9) > more
    numbers = {"score": 0.2, "second": 0.3}
    assert br.rows_needed("R2", **numbers, agreement=0.8) < br.rows_needed("R2", **numbers)
