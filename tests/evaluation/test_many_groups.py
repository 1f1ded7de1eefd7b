"""Many groups and models at once: each has the numbers that it has alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import baserate as br
from baserate.verdicts.verdict import VERDICT_NUMBERS as NUMBERS

GROUPS, ROWS = 6, 30
BY = np.repeat(np.arange(GROUPS), ROWS)


def _labels(rng: np.random.Generator) -> tuple[Any, Any]:
    truth = rng.random(BY.size) < 0.4
    return truth, truth ^ (rng.random(BY.size) < 0.3)


def _classes(rng: np.random.Generator) -> tuple[Any, Any]:
    truth, other = rng.integers(0, 3, (2, BY.size))
    return truth, np.where(rng.random(BY.size) < 0.5, truth, other)


def _numbers(rng: np.random.Generator) -> tuple[Any, Any]:
    truth = rng.lognormal(size=BY.size)
    return truth, 0.5 * truth + rng.lognormal(size=BY.size)


def _scores(rng: np.random.Generator) -> tuple[Any, Any]:
    truth = rng.random(BY.size) < 0.4
    return truth, np.clip(0.3 * truth + 0.6 * rng.random(BY.size), 0.01, 0.99)


KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "labels": (_labels, {"measures": ["ACC", "F1", "MCC", "BACC", "G2", "PPV"]}),
    "weighted labels": (_labels, {"measures": ["F1", "ACC"], "weights": "importance"}),
    "classes": (_classes, {"task": "multiclass"}),
    "numbers": (_numbers, {"measures": ["RMSE", "MAE", "R2", "Pearson", "Spearman"]}),
    "scores": (_scores, {}),
}


def _facts(verdict: Any) -> dict[str, float]:
    return {name: getattr(verdict, name) for name in NUMBERS}


@pytest.mark.parametrize("kind", KINDS)
def test_a_group_has_the_same_numbers_alone_and_among_others(kind: str) -> None:
    """What is found of many groups at once is what is found of each."""
    draw, options = KINDS[kind]
    truth, predicted = draw(np.random.default_rng(5))
    rows = np.random.default_rng(6).uniform(0.5, 2, BY.size)
    weights = rows if "weights" in options else None
    together = br.evaluate(truth, predicted, by=BY, sample_weight=weights, **options)
    for group in (0, GROUPS - 1):
        here = group == BY
        some = None if weights is None else weights[here]
        alone = br.evaluate(truth[here], predicted[here], sample_weight=some, **options)
        among = [each for each in together if each.group == group]
        assert len(among) == len(alone) > 0
        for one, other in zip(alone, among, strict=True):
            expected = {
                name: pytest.approx(fact, rel=1e-9, abs=1e-12, nan_ok=True)
                for name, fact in _facts(one).items()
            }
            assert _facts(other) == expected
            assert one.outcome == other.outcome


def test_equal_groups_keep_their_names() -> None:
    """Groups with the same counts have the same numbers, and each its own name."""
    truth, predicted = np.tile([1, 1, 0, 0, 0, 0], 3), np.tile([1, 0, 1, 0, 0, 0], 3)
    report = br.evaluate(
        truth, {"a": predicted, "b": predicted}, "F1", by=np.repeat(list("xyz"), 6)
    )
    names = [(verdict.model, verdict.group) for verdict in report]
    assert names == [(model, group) for model in "ab" for group in (None, "x", "y", "z")]
    assert len({verdict.low for verdict in report if verdict.group is not None}) == 1
    assert not any(math.isnan(verdict.low) for verdict in report)
