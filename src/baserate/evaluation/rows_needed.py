"""How many rows a test set needs, before there is one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from baserate.binary.task import BINARY
from baserate.core.confidence import ALPHA, require_alpha
from baserate.core.direction import Direction
from baserate.evaluation.arguments import require_one_measure
from baserate.evaluation.compare import compare
from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import (
    InvalidCountError,
    InvalidProbabilityError,
    InvalidScoresError,
    MisplacedArgumentError,
)
from baserate.exceptions.base import shown
from baserate.multiclass.task import MULTICLASS
from baserate.regression.task import REGRESSION
from baserate.scores.task import SCORES
from baserate.support.arguments import as_float, is_number, whole_number
from baserate.tasks import measure_of
from baserate.verdicts.more_rows import (
    FEWEST_ROWS,
    MOST_ROWS,
    POWER,
    rounded_up,
    rows_for_interval,
    rows_for_p,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.measure import AnyMeasure
    from baserate.task import Task

    Array = NDArray[Any]
    Floats = NDArray[np.float64]

# A pilot has so many rows at most: beyond, distances shrink with the root of the rows.
_MOST_ROWS_OF_PILOT = 2_000
# It has so many rows of the smallest class at least, so that rounding says little.
_FEWEST_OF_A_CLASS = 10
_MOST_ROUNDS = 10
_MOST_CLASSES = 1_000
# How far apart positives and negatives are at most, in standard deviations.
_FARTHEST = 12.0


def rows_needed(
    measure: str | AnyMeasure[Any],
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
    270
    >>> rows_needed("accuracy", classes=5, score=0.35)
    210
    >>> rows_needed("RMSE", score=0.2)
    150
    >>> rows_needed("ACC", base_rate=0.3, score=0.8, second=0.84, agreement=0.5)
    830
    """
    require_one_measure("rows_needed", measure)
    asked = _Asked(require_alpha(alpha), _between("power", power, 0.5, 0.999))
    scores = [_number("score", score)] + ([] if second is None else [_number("second", second)])
    alike = _between("agreement", agreement, 0.0, 1.0)
    model = _model(measure, base_rate, classes)
    if len(scores) == 2 and scores[0] == scores[1]:
        raise InvalidScoresError(
            f"must differ from the score (got {shown(second)} for both): no number of rows tells "
            "equal models apart",
            parameter="second",
        )
    names = ("score", "second")
    strengths = [model.strength(*each) for each in zip(scores, names, strict=False)]
    rows = max(FEWEST_ROWS, model.fewest)
    needed = math.nan
    for _ in range(_MOST_ROUNDS):
        truth, predictions = model.expected(rows, strengths, alike)
        found = asked.needed(model, truth, predictions, scores)
        if found == needed:
            break
        needed = found
        rows = round(min(max(needed, FEWEST_ROWS, model.fewest), max(_MOST_ROWS_OF_PILOT, rows)))
    return int(rounded_up(needed))


class _Model(Protocol):
    """What a model of some strength is expected to do."""

    @property
    def task(self) -> Task[Any]:
        """What kind of prediction it is."""

    @property
    def measure(self) -> Any:
        """The measure."""

    @property
    def fewest(self) -> int:
        """How many rows a pilot has at least."""

    @property
    def is_rounded(self) -> bool:
        """Whether rounding to whole rows changes the score, so that the told one is better."""

    def strength(self, score: float, name: str) -> float:
        """Return how strong a model with a score is."""

    def expected(self, rows: int, strengths: Sequence[float], alike: float) -> _Expected:
        """Return the truth and the predictions of one or two models, as they are expected."""


class _Expected(NamedTuple):
    """A test set as it is expected."""

    truth: Array
    predictions: list[Array]


@dataclass(frozen=True)
class _Asked:
    """The level of a claim, and how often it should be made."""

    alpha: float
    power: float

    def needed(
        self, model: _Model, truth: Array, predictions: Sequence[Array], scores: Sequence[float]
    ) -> float:
        """Return how many rows are needed in all, from those of an expected test set."""
        names = dict(zip(("first", "second"), predictions, strict=False))
        options: dict[str, Any] = {"task": model.task.name, "alpha": self.alpha}
        if model.task.takes_positive:
            options["pos_label"] = 1
        if len(predictions) == 1:
            (found,) = evaluate(truth, names, model.measure, **options).verdicts
            off = scores[0] - found.score if model.is_rounded else 0.0
            sign = 1 if model.measure.direction is Direction.MAXIMIZE else -1
            margin, reach = found.margin + sign * off, found.margin - found.margin_low
            error, p_value = found.margin_error, found.p_value
            if not margin > 0:
                raise InvalidScoresError(
                    f"must be better than the baseline, {found.baseline:.3g} (got "
                    f"{shown(scores[0])}): no number of rows shows otherwise",
                    parameter="score",
                )
        else:
            (compared,) = compare(truth, names, model.measure, **options)
            difference = scores[0] - scores[1] if model.is_rounded else compared.difference
            margin, error = abs(difference), compared.error
            ends = (compared.difference - compared.low, compared.high - compared.difference)
            reach, p_value = ends[0] if difference > 0 else ends[1], compared.p_value / 2
        level = self.alpha / len(predictions)
        total = int(truth.size)
        rows = max(
            FEWEST_ROWS,
            rows_for_interval(total, margin, reach, error, self.power),
            rows_for_p(total, p_value, level, self.power),
        )
        if not rows <= MOST_ROWS:
            raise InvalidScoresError(
                f"must be farther from what it is compared with (got {shown(scores[-1])}): more "
                f"than {MOST_ROWS:,} rows would be needed",
                parameter="score" if len(scores) == 1 else "second",
            )
        return rounded_up(rows)


@dataclass(frozen=True)
class _Labels:
    """Labels of equally many rows as each class has, and wrong ones spread over the others.

    Parameters
    ----------
    task, measure
        The task and the measure.
    shares
        The share of rows that each class has.
    """

    task: Task[Any]
    measure: Any
    shares: tuple[float, ...]

    is_rounded = True

    @property
    def fewest(self) -> int:
        """How many rows a pilot has at least."""
        return math.ceil(_FEWEST_OF_A_CLASS / min(self.shares))

    def strength(self, score: float, name: str) -> float:
        """Return the share of the smallest class that is right."""
        chance = min(self.shares)
        rows = 10 * max(_MOST_ROWS_OF_PILOT, self.fewest)

        def score_of(strength: float) -> float:
            truth, (predicted,) = self.expected(rows, [strength], 0.0)
            found, _ = self.measure.score_or_reason(self.task.count(truth, predicted, 1))
            return float(found)

        return _solved(score_of, score, (chance, 1.0), name)

    def expected(self, rows: int, strengths: Sequence[float], alike: float) -> _Expected:
        """Return the labels of one or two models."""
        sizes = [max(round(share * rows), 1) for share in self.shares[1:]]
        sizes.insert(0, rows - sum(sizes))
        truth = np.repeat(np.arange(len(sizes)), sizes)
        predictions = [truth.copy() for _ in strengths]
        wrong = [round((1 - each) * min(sizes)) for each in strengths]
        for label, size in enumerate(sizes):
            start = int(np.searchsorted(truth, label))
            # The wrong rows of the second begin within those of the first, as far as they agree.
            first = wrong[0]
            both = 0
            if len(wrong) == 2:
                apart = first * wrong[1] / size
                both = round(apart + alike * (min(wrong) - apart))
            for place, count in enumerate(wrong):
                begin = start if place == 0 else start + first - both
                others = 1 + np.arange(count) % (len(sizes) - 1)
                predictions[place][begin : begin + count] = (label + others) % len(sizes)
        return _Expected(truth, predictions)


@dataclass(frozen=True)
class _Binormal:
    """Calibrated probabilities whose logits are normal in both classes, with the same spread."""

    task: Task[Any]
    measure: Any
    base_rate: float

    is_rounded = False

    @property
    def fewest(self) -> int:
        """How many rows a pilot has at least."""
        return math.ceil(_FEWEST_OF_A_CLASS / min(self.base_rate, 1 - self.base_rate))

    def strength(self, score: float, name: str) -> float:
        """Return how many standard deviations apart both classes are."""

        def score_of(strength: float) -> float:
            rows = max(_MOST_ROWS_OF_PILOT, self.fewest)
            truth, (predicted,) = self.expected(rows, [strength], 0.0)
            found, _ = self.measure.score_or_reason(self.task.count(truth, predicted, 1))
            return float(found)

        return _solved(score_of, score, (1e-3, _FARTHEST), name)

    def expected(self, rows: int, strengths: Sequence[float], alike: float) -> _Expected:
        """Return the probabilities of one or two models."""
        from scipy.special import expit, logit

        positives = min(max(round(self.base_rate * rows), 1), rows - 1)
        truth = np.repeat([0, 1], [rows - positives, positives])
        drawn = [_normal_points(size, len(strengths)) for size in (rows - positives, positives)]
        first, *other = np.concatenate(drawn).T
        marks = [first, *(alike * first + math.sqrt(1 - alike**2) * each for each in other)]
        return _Expected(
            truth,
            [
                expit(logit(self.base_rate) + apart * (mark + apart * (truth - 0.5)))
                for apart, mark in zip(strengths, marks, strict=True)
            ],
        )


@dataclass(frozen=True)
class _Normal:
    """Normal numbers, and predictions that explain a share of their variance."""

    task: Task[Any]
    measure: Any

    fewest = FEWEST_ROWS
    is_rounded = False

    def strength(self, score: float, name: str) -> float:
        """Return R2, or raise if no model that has learned something has it."""
        if not 0 < score < 1:
            raise InvalidScoresError(
                f"must be between 0 and 1 (got {shown(score)}): for numbers it is the expected R2, "
                "whatever the measure",
                parameter=name,
            )
        return score

    def expected(self, rows: int, strengths: Sequence[float], alike: float) -> _Expected:
        """Return the predictions of one or two models."""
        truth, first, *other = _normal_points(rows, 1 + len(strengths)).T
        noise = [first, *(alike * first + math.sqrt(1 - alike**2) * each for each in other)]
        # Far from 0, so that relative errors have a meaning too.
        return _Expected(
            10 + truth,
            [
                10 + share * truth + math.sqrt(share * (1 - share)) * each
                for share, each in zip(strengths, noise, strict=True)
            ],
        )


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


def _solved(
    score_of: Callable[[float], float], score: float, ends: tuple[float, float], name: str
) -> float:
    """Return the strength of a model that has a score."""
    from scipy.optimize import bisect

    worst, best = map(score_of, ends)
    if not min(worst, best) < score <= max(worst, best):
        raise InvalidScoresError(
            f"must be better than {worst:.3g}, which guesses have, and at best {best:.3g} (got "
            f"{shown(score)})",
            parameter=name,
        )
    return float(bisect(lambda strength: score_of(strength) - score, *ends))


def _model(measure: Any, base_rate: float | None, classes: int | None) -> _Model:
    """Return what is expected of models by a measure, or raise if something must be known."""
    if base_rate is not None and classes is not None:
        raise MisplacedArgumentError("rows_needed takes base_rate or classes, not both")
    if classes is not None:
        count = whole_number("classes", classes)
        if not 2 <= count <= _MOST_CLASSES:
            raise InvalidCountError(
                f"must be from 2 to {_MOST_CLASSES:,} (got {count:,})", parameter="classes"
            )
        return _Labels(MULTICLASS, measure_of(MULTICLASS, measure), (1 / count,) * count)
    if base_rate is not None:
        rate = _between("base_rate", base_rate, 1e-6, 1 - 1e-6)
        if BINARY.named(measure) is not None or SCORES.named(measure) is None:
            return _Labels(BINARY, measure_of(BINARY, measure), (1 - rate, rate))
        return _Binormal(SCORES, measure_of(SCORES, measure), rate)
    if REGRESSION.named(measure) is not None:
        return _Normal(REGRESSION, measure_of(REGRESSION, measure))
    raise MisplacedArgumentError(
        f"rows_needed must know the base_rate for {shown(measure)}, or how many classes there are; "
        "neither is needed for measures of numbers"
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
