"""Measures of many test sets at once are those of each: limits depend on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import baserate as br
from baserate.ranking.plausible.sample import Counts
from baserate.ranking.plausible.scored import scored
from score_definitions import one_by_one

NAMED = ["NDCG@3", "NDCG", "AUC@0.1", "AUC@0.7", "precision@3", "recall@4", "lift@5"]


def _measures() -> list[Any]:
    every = map(br.get_measure, [*br.SCORE_MEASURES, *NAMED])
    return [measure for measure in every if getattr(measure, "many", None) is not None]


@pytest.mark.parametrize("measure", _measures(), ids=lambda measure: measure.key)
@pytest.mark.parametrize("kind", ["whole", "weighted"])
def test_many_test_sets_have_the_scores_of_each(measure: Any, kind: str) -> None:
    """Also with empty blocks, and with parts of observations."""
    rng = np.random.default_rng(8)
    values = np.sort(rng.choice(np.arange(1, 300), 12, replace=False) / 300)[::-1]
    counts = rng.integers(0, 4, (2, 40, 12)).astype(float)
    if kind == "weighted":
        counts *= rng.exponential(size=counts.shape)
    sets = Counts(values, *counts)
    expected = scored(one_by_one(measure), sets)
    assert measure.many(sets) == pytest.approx(expected, rel=1e-12)
