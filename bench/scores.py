"""Scores of two classes: counted, judged, and compared with one argsort and scikit-learn.

An argsort, as any ranking of rows takes one; np.sort is seven times as fast on processors with wide
vector instructions, and as fast on others.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from sklearn.metrics import average_precision_score, roc_auc_score
from timing import Comparison

import baserate as br
from baserate.kinds.scores import SCORE_MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable

# How scores are made of uniform ones.
KINDS: dict[str, Callable[[Any], Any]] = {
    "distinct": lambda scores: scores,
    "10⁴ distinct": lambda scores: scores.round(4),
    "distinct, of both signs": lambda scores: scores - 0.5,
}
SHARES = (0.01, 0.5)
SORT = "one np.argsort"
MEASURES = [key for key in ("AUC", "AP") if SCORE_MEASURES.named(key) is not None]


def judging_scores(*, quick: bool) -> list[Comparison]:
    """AUC and AP with baseline, interval and p-value, beside one argsort and scikit-learn."""
    rows = 10**6 if quick else 10**7
    found = []
    for share in SHARES:
        for name, made in KINDS.items():
            truth, scores = _rows(rows, share, made)
            found += _beside_a_sort(f"{rows:,} scores, {name}, {share:.0%} positive", truth, scores)
    truth, scores = _rows(rows, 0.1, KINDS["distinct"])
    return [*found, _in_an_engine(rows, truth, scores)]


def _rows(size: int, share: float, made: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return labels, and scores that are better than chance."""
    rng = np.random.default_rng(0)
    scores = rng.random(size)
    return (rng.random(size) < 2 * share * scores).astype(np.int64), made(scores)


def _beside_a_sort(task: str, truth: Any, scores: Any) -> list[Comparison]:
    turn = count()

    def changed() -> Any:
        # Another test set each time: what is kept of the last one is of no use.
        truth[next(turn)] ^= 1
        return truth

    def judged() -> object:
        return br.evaluate(changed(), {"m": scores}, MEASURES)

    def named() -> object:
        observed = br.RankedScores.of(changed(), scores)
        return [_with_p_value(br.get_measure(key), observed) for key in MEASURES]

    def sorts() -> object:
        return np.argsort(scores)

    def both() -> object:
        return roc_auc_score(truth, scores), average_precision_score(truth, scores)

    both_measures = " and ".join(MEASURES)
    peer = "scikit-learn, roc_auc_score and average_precision_score"
    what = f"{task}: {both_measures} with baseline and p-value"
    every = f"{task}: {both_measures}, all that evaluate gives"
    counted = f"{task}: counted"
    return [
        Comparison(counted, SORT, lambda: br.RankedScores.of(truth, scores), sorts, rounds=3),
        Comparison(what, SORT, named, sorts, goal="≤ 2.5", rounds=3),
        Comparison(every, SORT, judged, sorts, goal="≤ 2.5", rounds=3),
        Comparison(every, peer, judged, both, goal="≤ 1/5", rounds=3),
    ]


def _with_p_value(measure: Any, observed: br.RankedScores) -> object:
    score = measure.score(observed)
    return score, br.baseline(observed.test_set, measure), br.p_value(observed, measure)


def _in_an_engine(rows: int, truth: Any, scores: Any) -> Comparison:
    frame = pl.DataFrame({"y": truth, "m": scores})
    return Comparison(
        f"{rows:,} scores of a lazy frame, in bins",
        "the same in memory",
        lambda: br.evaluate(frame.lazy(), ["m"], "AUC", truth="y"),
        lambda: br.evaluate(truth, {"m": scores}, "AUC"),
        rounds=3,
    )
