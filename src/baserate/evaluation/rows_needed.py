"""How many rows a test set needs, before there is one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import as_float, is_number, whole_number
from baserate.core.measure import Direction
from baserate.core.multiple_testing import ALPHA, require_alpha
from baserate.evaluation.evaluate import compare, evaluate
from baserate.evaluation.request import require_one_measure
from baserate.exceptions import (
    InvalidCountError,
    InvalidProbabilityError,
    InvalidScoresError,
    MisplacedArgumentError,
)
from baserate.formatting import shown
from baserate.kinds.classes import MULTICLASS
from baserate.kinds.numbers import REGRESSION
from baserate.kinds.scores import SCORES
from baserate.kinds.two_classes import BINARY
from baserate.task import measure_of
from baserate.verdicts.power import FEWEST_ROWS, MOST_ROWS, POWER, Shown, rounded_up

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.measure import Measure
    from baserate.task import Task

    Array = NDArray[Any]
    Floats = NDArray[np.float64]

# A pilot has so many rows at most: beyond, distances shrink with the root of the rows.
_MOST_ROWS_OF_PILOT = 2_000
# It has so many rows of the smallest class at least, so that rounding says little.
_FEWEST_OF_A_CLASS = 10
_MOST_ROUNDS = 10
_MOST_CLASSES = 1_000
# How far apart positives and negatives are, in standard deviations.
_NEAREST, _FARTHEST = 1e-3, 12.0


def rows_needed(
    measure: str | Measure[Any],
    *,
    score: float,
    base_rate: float | None = None,
    classes: int | None = None,
    second: float | None = None,
    agreement: float = 0.0,
    alpha: float = ALPHA,
    power: float = POWER,
) -> int:
    """Return about how many rows a test set needs, so that a score clears the baseline.

    With so many rows, of test sets like the expected one a share `power` has a verdict that
    clears: a margin whose whole interval is above 0, and a p-value below alpha. For two models,
    that one is better. The interval and the p-value are those of `evaluate` and `compare`, on a
    test set as it is expected; see `Verdict.rows_needed` once there is data.

    Parameters
    ----------
    measure
        A measure or its name: of labels of two or several classes, of scores and probabilities of
        two classes, or of numbers.
    score
        The expected score. For numbers it is the expected R2 by every measure, as an error has a
        unit.
    base_rate
        The share of positives, for measures of two classes. Of labels, as many are taken to be
        predicted positive as there are positives; scores are taken to be normal among positives and
        among negatives, with the same spread, and probabilities to be calibrated.
    classes
        How many classes there are, for measures of several. They are taken to be equally large, and
        errors to be equally likely among them.
    second
        The expected score of a second model, to be told apart from the first.
    agreement
        How much alike two models are on rows with the same truth: 0 if they are independent, 1 if
        they are as much alike as their scores allow. The less they agree, the more rows are needed.
    alpha
        The significance level of the claim.
    power
        How often it should be made.

    Returns
    -------
    int
        The number of rows in all, at least 30, rounded up to two digits.

    Examples
    --------
    >>> rows_needed("F1", base_rate=0.1, score=0.5)
    170
    >>> rows_needed("AUC", base_rate=0.1, score=0.7, power=0.9)
    280
    >>> rows_needed("accuracy", classes=5, score=0.35)
    210
    >>> rows_needed("RMSE", score=0.2)
    160
    >>> rows_needed("ACC", base_rate=0.3, score=0.8, second=0.84, agreement=0.5)
    830
    """
    require_one_measure("rows_needed", measure)
    alpha, power = require_alpha(alpha), _between("power", power, 0.5, 0.999)
    alike = _between("agreement", agreement, 0.0, 1.0)
    named = {"score": _number("score", score)}
    if second is not None:
        named["second"] = _number("second", second)
    model, scores = _model(measure, base_rate, classes), list(named.values())
    if len(scores) == 2 and scores[0] == scores[1]:
        raise InvalidScoresError(
            f"must differ from the score (got {shown(second)} for both): no number of rows tells "
            "equal models apart",
            parameter="second",
        )
    strengths = [model.strength(each, name) for name, each in named.items()]
    fewest, needed = max(FEWEST_ROWS, model.fewest), math.nan
    rows, most = fewest, max(_MOST_ROWS_OF_PILOT, fewest)
    for _ in range(_MOST_ROUNDS):
        seen = _shown(model, model.draw(rows, strengths, alike), scores, alpha)
        found = max(seen.needed(alpha, alpha / len(scores), power), FEWEST_ROWS)
        if not found <= MOST_ROWS and rows < most:
            rows = most  # so few rows do not show which one is better
            continue
        if not found <= MOST_ROWS:
            raise InvalidScoresError(
                f"must be farther from what it is compared with (got {shown(scores[-1])}): more "
                f"than {MOST_ROWS:,} rows would be needed",
                parameter=list(named)[-1],
            )
        if rounded_up(found) == needed:
            break
        needed = rounded_up(found)
        rows = round(min(max(needed, fewest), most))
    return int(needed)


def _shown(
    model: _Model, expected: tuple[Array, list[Array]], scores: Sequence[float], alpha: float
) -> Shown:
    """Return what a test set as it is expected shows of one model, or of two."""
    truth, predictions = expected
    models = dict(zip(("first", "second"), predictions, strict=False))
    options: dict[str, Any] = {"task": model.task.name, "alpha": alpha}
    if model.task.takes_positive:
        options["pos_label"] = 1
    if len(predictions) == 2:
        (pair,) = compare(truth, models, model.measure, **options)
        difference = scores[0] - scores[1] if model.is_rounded else pair.difference
        reach = pair.difference - pair.low if difference > 0 else pair.high - pair.difference
        return Shown(truth.size, abs(difference), reach, pair.error, pair.p_value / 2)
    (found,) = evaluate(truth, models, model.measure, **options).verdicts
    off = scores[0] - found.score if model.is_rounded else 0.0
    margin = found.margin + (off if model.measure.direction is Direction.MAXIMIZE else -off)
    if not margin > 0:
        raise InvalidScoresError(
            f"must be better than the baseline, {found.baseline:.3g} (got "
            f"{shown(scores[0])}): no number of rows shows otherwise",
            parameter="score",
        )
    reach = found.margin - found.margin_low
    return Shown(truth.size, margin, reach, found.margin_error, found.p_value)


@dataclass(frozen=True)
class _Model:
    """What models of some strength are expected to do."""

    task: Task[Any]
    measure: Any
    # The truth and the predictions of one or two models, as they are expected: by the number of
    # rows, how strong they are, and how much they are alike.
    draw: Callable[[int, Sequence[float], float], tuple[Array, list[Array]]]
    # The strengths of a guess and of the best model; none if the score says how strong it is.
    ends: tuple[float, float] | None = None
    shares: tuple[float, ...] = (1.0,)  # of the classes; of numbers, there is one
    is_rounded: bool = False  # whether rounding to whole rows changes the score

    @property
    def fewest(self) -> int:
        """How many rows a pilot has at least."""
        return math.ceil(_FEWEST_OF_A_CLASS / min(self.shares))

    def strength(self, score: float, name: str) -> float:
        """Return how strong a model with a score is."""
        if self.ends is None:
            if 0 < score < 1:
                return score
            raise InvalidScoresError(
                f"must be between 0 and 1 (got {shown(score)}): for numbers it is the expected R2, "
                "whatever the measure",
                parameter=name,
            )
        from scipy.optimize import bisect

        rows = max(_MOST_ROWS_OF_PILOT, self.fewest) * (10 if self.is_rounded else 1)

        def score_of(strength: float) -> float:
            truth, (predicted,) = self.draw(rows, [strength], 0.0)
            return float(self.measure.score_or_reason(self.task.count(truth, predicted, 1))[0])

        worst, best = map(score_of, self.ends)
        if not min(worst, best) < score <= max(worst, best):
            raise InvalidScoresError(
                f"must be better than {worst:.3g}, which guesses have, and at best {best:.3g} (got "
                f"{shown(score)})",
                parameter=name,
            )
        return float(bisect(lambda strength: score_of(strength) - score, *self.ends))


def _labels(
    shares: Sequence[float], rows: int, strengths: Sequence[float], alike: float
) -> tuple[Array, list[Array]]:
    """Return labels: each class predicted as often as it occurs, errors spread over the others.

    The strength is the share of the smallest class that is right.
    """
    sizes = [max(round(share * rows), 1) for share in shares[1:]]
    sizes.insert(0, rows - sum(sizes))
    truth = np.repeat(np.arange(len(sizes)), sizes)
    predictions = [truth.copy() for _ in strengths]
    wrong = [round((1 - each) * min(sizes)) for each in strengths]
    for label, (size, start) in enumerate(zip(sizes, np.cumsum([0, *sizes]), strict=False)):
        # The wrong rows of the second begin within those of the first, as far as they agree.
        apart = wrong[0] * wrong[-1] / size
        both = round(apart + alike * (min(wrong) - apart))
        for place, count in enumerate(wrong):
            begin = start + place * (wrong[0] - both)
            others = 1 + np.arange(count) % (len(sizes) - 1)
            predictions[place][begin : begin + count] = (label + others) % len(sizes)
    return truth, predictions


def _binormal(
    base_rate: float, rows: int, strengths: Sequence[float], alike: float
) -> tuple[Array, list[Array]]:
    """Return calibrated probabilities whose logits are normal in both classes, equally spread.

    The strength is how many standard deviations apart both classes are.
    """
    from scipy.special import expit, logit

    positives = min(max(round(base_rate * rows), 1), rows - 1)
    sizes = rows - positives, positives
    truth = np.repeat([0, 1], sizes)
    points = np.concatenate([_normal_points(size, len(strengths)) for size in sizes])
    logits = (
        apart * (mark + apart * (truth - 0.5))
        for apart, mark in zip(strengths, _mixed(points, alike), strict=True)
    )
    return truth, [expit(logit(base_rate) + each) for each in logits]


def _numbers(rows: int, strengths: Sequence[float], alike: float) -> tuple[Array, list[Array]]:
    """Return normal numbers, and predictions that explain a share of their variance: the strength.

    They are far from 0, so that relative errors have a meaning too.
    """
    points = _normal_points(rows, 1 + len(strengths))
    truth = points[:, 0]
    return 10 + truth, [
        10 + share * truth + math.sqrt(share * (1 - share)) * noise
        for share, noise in zip(strengths, _mixed(points[:, 1:], alike), strict=True)
    ]


def _mixed(points: Floats, alike: float) -> list[Floats]:
    """Return the first column, and the second one correlated with it."""
    first, *other = points.T
    return [first, *(alike * first + math.sqrt(1 - alike**2) * each for each in other)]


def _normal_points(rows: int, columns: int) -> Floats:
    """Return evenly spread points of independent normals: Roberts's (2018) sequence.

    They have mean 0, variance 1 and no correlation, as a test set has on average.
    """
    from scipy.special import ndtri

    places = np.arange(rows)
    ratio = 1.5
    for _ in range(64):  # the root of x^columns = x + 1, the golden ratio for two columns
        ratio = (1 + ratio) ** (1 / columns)
    spread = [(places + 0.5) / rows]
    spread += [(0.5 + (places + 1) / ratio**power) % 1 for power in range(1, columns)]
    points = ndtri(np.column_stack(spread))
    apart, mixed = np.linalg.qr(points - points.mean(axis=0))
    return np.asarray(math.sqrt(rows) * apart * np.sign(np.diag(mixed)))


def _model(measure: Any, base_rate: float | None, classes: int | None) -> _Model:
    """Return what is expected of models by a measure, or raise if something must be known."""
    if base_rate is not None and classes is not None:
        raise MisplacedArgumentError("rows_needed takes base_rate or classes, not both")
    if base_rate is None and classes is None:
        if REGRESSION.named(measure) is not None:
            return _Model(REGRESSION, measure_of(REGRESSION, measure), _numbers)
        raise MisplacedArgumentError(
            f"rows_needed must know the base_rate for {shown(measure)}, or how many classes there "
            "are; neither is needed for measures of numbers"
        )
    task: Task[Any] = BINARY
    if base_rate is not None:
        rate = _between("base_rate", base_rate, 1e-6, 1 - 1e-6)
        shares: tuple[float, ...] = (1 - rate, rate)
        if BINARY.named(measure) is None and SCORES.named(measure) is not None:
            ends = (_NEAREST, _FARTHEST)
            draw = partial(_binormal, rate)
            return _Model(SCORES, measure_of(SCORES, measure), draw, ends, shares)
    else:
        count = whole_number("classes", classes)
        if not 2 <= count <= _MOST_CLASSES:
            raise InvalidCountError(
                f"must be from 2 to {_MOST_CLASSES:,} (got {count:,})", parameter="classes"
            )
        task, shares = MULTICLASS, (1 / count,) * count
    ends = (min(shares), 1.0)
    return _Model(
        task, measure_of(task, measure), partial(_labels, shares), ends, shares, is_rounded=True
    )


def _number(name: str, value: object) -> float:
    if not is_number(value) or not math.isfinite(as_float(value)):
        raise InvalidScoresError(f"must be a number (got {shown(value)})", parameter=name)
    return as_float(value)


def _between(name: str, value: object, low: float, high: float) -> float:
    """Return a share, or raise if it is not between two others."""
    if not is_number(value) or not low <= as_float(value) <= high:
        raise InvalidProbabilityError(
            f"must be a number from {low:g} to {high:g} (got {shown(value)}); 10% is written 0.1",
            parameter=name,
        )
    return as_float(value)
