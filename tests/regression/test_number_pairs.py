"""Two models of numbers side by side."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.exceptions import UndefinedMeasureError
from baserate.kinds.numbers.scores import by_orders
from baserate.kinds.numbers.task import REGRESSION
from baserate.measures.numbers import get_number_measure
from baserate.observed.numbers import JointFit, NumericPredictions


def _two_models(rows: int, seed: int = 0, spreads: tuple[float, float] = (0.5, 0.3)) -> JointFit:
    rng = np.random.default_rng(seed)
    truth = rng.lognormal(0, 0.7, rows)
    return JointFit(truth, *(truth * rng.lognormal(0, spread, rows) for spread in spreads))


@pytest.mark.parametrize("key", ["MedAE", "max error", "Spearman"])
def test_many_rows(key: str) -> None:
    """Differences of many rows are of random swaps."""
    joint, measure = _two_models(2_500, 6, (0.9, 0.3)), get_number_measure(key)
    p_value, method, _ = REGRESSION.paired(joint, 0.05).swap_test(measure)
    assert 0 < p_value <= (0.01 if key != "max error" else 1)
    assert method == "permutations"


def test_kendall_of_many_rows() -> None:
    """Of more than 30,000 rows scipy counts the pairs, and of 61 with weights the kernel."""
    rng = np.random.default_rng(3)
    y, z = rng.integers(0, 500, (2, 31_000)).astype(float)
    measure, expected = get_number_measure("Kendall"), stats.kendalltau(y, z).statistic
    assert measure.score(NumericPredictions.of(y, z)) == pytest.approx(expected)
    y, z = rng.normal(size=(2, 61))
    w, order = rng.exponential(size=61), rng.permutation(61)
    scores, _, shuffled = by_orders(measure, y, z, w)
    assert scores(shuffled[order[np.newaxis]])[0] == pytest.approx(measure.kernel(y, z[order], w))


def test_without_scores_there_is_nothing_to_compare() -> None:
    """One row has no R2, and constant predictions no correlation."""
    found = br.compare([1.0], {"first": [2.0], "second": [3.0]}, "R2")
    assert np.isnan(found.differences[0].p_value)
    assert br.Comparison.from_json(found.to_json()).differences[0].first == "first"
    with pytest.raises(UndefinedMeasureError, match="all predictions are the same"):
        br.null_distribution([1.0, 2, 4], [3.0] * 3, "Pearson")
