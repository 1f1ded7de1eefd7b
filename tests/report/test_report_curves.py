"""The curves of scores: what they are, what comes for free beside them, and how they are drawn."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

import baserate as br
from baserate.observed.curves import (
    MOST_POINTS,
    random_precision,
)
from baserate.report.digest import panels
from baserate.report.document import MOST_CURVES, curve_figures

if TYPE_CHECKING:
    from baserate.core.observed import Points

SMALL = [(positives, total) for total in range(2, 10) for positives in range(1, total)]


def _area(points: Points) -> float:
    x, y = np.array(points).T
    return float(np.trapezoid(y, x))


def _drawn(size: int, share: float = 0.1, ties: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(size)
    truth = (rng.random(size) < share).astype(int)
    truth[:2] = 0, 1
    scores = rng.normal(size=size) + truth
    return truth, scores if ties is None else np.round(scores * ties) / ties


@pytest.mark.parametrize(("positives", "total"), SMALL)
def test_random_curve_is_the_mean_of_all_rankings(positives: int, total: int) -> None:
    """The line of a random ranking has the mean precision at each positive, over all rankings."""
    rankings = list(itertools.combinations(range(1, total + 1), positives))
    expected = [
        sum(Fraction(k + 1, ranks[k]) for ranks in rankings) / len(rankings)
        for k in range(positives)
    ]
    points = random_precision(br.BaseRate(positives=positives, total=total))
    assert [y for _, y in points[::2]] == pytest.approx(list(map(float, expected)), rel=1e-12)
    assert [x for x, _ in points[1::2]] == pytest.approx(np.arange(1, positives + 1) / positives)


@pytest.mark.parametrize("ties", [None, 20, 4, 1])
@pytest.mark.parametrize("size", [2, 30, 400])
def test_areas_are_the_scores(size: int, ties: int | None) -> None:
    """With few corners nothing is left out, so that the areas are AUC and average precision."""
    truth, scores = _drawn(size, 0.3, ties)
    roc, steps = br.RankedScores.of(truth, scores).curves
    assert _area(roc.points) == pytest.approx(roc_auc_score(truth, scores), abs=2e-4)
    assert _area(steps.points) == pytest.approx(average_precision_score(truth, scores), abs=2e-4)
    if size <= 30:
        assert _area(roc.points) == pytest.approx(roc_auc_score(truth, scores), rel=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.01])
def test_long_curves_are_short_and_look_the_same(share: float) -> None:
    """Of 200,000 scores at most 300 corners stay, and no point of the curve is far from them."""
    truth, scores = _drawn(200_000, share)
    roc, steps = br.RankedScores.of(truth, scores).curves
    assert len(roc.points) <= MOST_POINTS
    assert len(steps.points) <= MOST_POINTS
    false, true, _ = roc_curve(truth, scores, drop_intermediate=False)
    x, y = np.array(roc.points).T
    # ROC curves are steep at the left: measure the distance along the diagonal.
    apart = np.abs(np.interp(false + true, x + y, y) - true)
    assert apart.max() < 0.002
    assert _area(steps.points) == pytest.approx(average_precision_score(truth, scores), abs=1e-3)


def test_models_share_a_picture() -> None:
    """All models of a panel are in one picture of each kind, up to as many as can be told apart."""
    truth, scores = _drawn(40)
    table = br.RankedScores.of(truth[:6], scores[:6])
    models = {f"model {place}": table for place in range(MOST_CURVES + 2)}
    roc, steps = curve_figures(panels(br.evaluate(None, models, ["AUC"]))[0])
    assert roc.models == tuple(models)[:MOST_CURVES] == steps.models
    assert roc.left_out == 2
    assert [line.label for line in steps.free] == [
        "a random ranking",
        "the same score for everyone",
    ]


def test_probabilities_have_a_reliability_curve() -> None:
    """It rises, beside the base rate; a report shows it if a measure is of probabilities."""
    truth, scores = [0, 0, 1, 0, 1, 1] * 5, [0.1, 0.2, 0.3, 0.4, 0.8, 0.9] * 5
    curve = br.RankedScores.of(truth, scores).reliability
    assert curve is not None
    assert curve.points == ((0.1, 0.0), (0.2, 0.0), (0.3, 0.5), (0.4, 0.5), (0.8, 1.0), (0.9, 1.0))
    assert curve.chance.points == ((0.0, 0.5), (1.0, 0.5))
    assert br.RankedScores.of(truth, [9 * score for score in scores]).reliability is None
    assert "Reliability" in br.evaluate(truth, {"m": scores}, ["AUC", "Brier"]).to_html()
    assert "Reliability" not in br.evaluate(truth, {"m": scores}, "AUC").to_html()
