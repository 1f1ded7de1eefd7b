"""Measures of scores by their definitions, with what swaps need of them."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from baserate.core.baseline import Optimum
from baserate.core.measure import UNIT, Codomain, Direction
from baserate.measures import probabilities as rules
from baserate.measures import rankings as many
from baserate.measures.scores import Guesses, ScoreMeasure

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.observed.base_rate import BaseRate


def made(
    key: str,
    at_once: Callable[[Any], Any],
    baseline: Callable[[BaseRate], float],
    rule: rules.Rule | None = None,
    codomain: Codomain = UNIT,
) -> ScoreMeasure:
    """Return a measure of rankings, or of probabilities if a scoring rule is given."""
    return ScoreMeasure(
        key=key,
        name=key,
        meaning="",
        pitfall="",
        direction=Direction.MAXIMIZE if rule is None else Direction.MINIMIZE,
        codomain=codomain,
        null=lambda *_: None,  # type: ignore[arg-type, return-value]
        guesses=lambda rate: Guesses(*[Optimum(baseline(rate), "")] * 2),
        perfect=lambda _: float(rule is None),
        missing=lambda rate: "" if rate.positives and rate.negatives else "one class is missing",
        probabilities=rule is not None,
        many=at_once,
        rule=rule,
    )


def one_by_one(measure: ScoreMeasure) -> ScoreMeasure:
    """Return a measure without its scoring rule: probabilities themselves are swapped."""
    from dataclasses import replace

    return replace(measure, rule=None)


def random_ranking(rate: BaseRate) -> float:
    """The average precision that a random ranking expects."""
    m, p = rate.total, rate.positives
    return (p - 1) / (m - 1) + (m - p) / (m * (m - 1)) * sum(1 / each for each in range(1, m + 1))


def entropy(rate: BaseRate) -> float:
    """The log loss of the base rate."""
    return -sum(share * math.log(share) for share in (rate.rate, 1 - rate.rate))


AUC = made("AUC", many.areas, lambda _: 0.5)
AP = made("AP", many.average_precisions, random_ranking)
TOP = made("P@5", lambda scores: many.positives_in_tops(scores, 5) / 5, lambda rate: rate.rate)
BRIER = made(
    "Brier",
    partial(rules.means, rules.BRIER),
    lambda rate: rate.rate * (1 - rate.rate),
    rules.BRIER,
)
LOG_LOSS = made(
    "log loss", partial(rules.means, rules.LOG_LOSS), entropy, rules.LOG_LOSS, Codomain(0, math.inf)
)
EVERY = (AUC, AP, TOP, BRIER, LOG_LOSS)
