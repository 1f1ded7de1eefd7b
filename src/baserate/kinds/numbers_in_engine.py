"""Numbers of a data frame: read, or summed where the rows are if there are very many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from baserate.core.measure import chosen
from baserate.data.engines.numbers import expression_of, incomparable, read_frame_numbers
from baserate.data.rows import ReadColumns
from baserate.exceptions import InvalidFrameError, UndefinedMeasureError
from baserate.measures.numbers import NUMBER_MEASURES, REPORTED, get_number_measure
from baserate.measures.numbers_errors import absolute_error
from baserate.measures.numbers_record import TOO_LARGE, Ordered, Products, Shape, same
from baserate.observed.numbers import (
    FitSummary,
    JointSummary,
    Numbers,
    NumbersSummary,
    NumericPredictions,
    fit_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Optimum
    from baserate.core.observed import Rows
    from baserate.data.engines.numbers import NumberSource
    from baserate.data.rows import Key
    from baserate.kinds.numbers import Limits
    from baserate.measures.numbers_record import NumberMeasure
    from baserate.observed.numbers import Score

    Floats = NDArray[np.float64]


_NEEDS_ROWS = (
    "it needs all rows, and so many do not leave an engine: evaluate a random sample of the rows"
)
_LOSS, _MOMENTS, _LARGEST, _MIDDLE = "mean loss", "moments", "largest error", "median error"


def way_of(measure: NumberMeasure) -> str | None:
    """Return from what an engine finds a score; None if that needs all rows."""
    form, loss = measure.form, measure.loss
    if loss is not None:
        is_known = expression_of(loss, nw.col("score0"), nw.col("score1")) is not None
        return _LOSS if is_known else None
    if isinstance(form, Products) and form.left is form.right is same:
        return _MOMENTS
    ways: dict[Any, str] = {Ordered.LARGEST: _LARGEST, Ordered.MEDIAN: _MIDDLE}
    return ways.get(form)


def _most(measures: Sequence[NumberMeasure], limits: Limits) -> int:
    """Return the most rows that leave an engine for some measures."""
    needs_rows = any(way_of(measure) in (_MIDDLE, None) for measure in measures)
    return limits.needed if needs_rows else limits.rows


def fits_of_frame(
    frame: Any,
    truth: str,
    columns: Mapping[str, str],
    rows: Rows,
    *,
    keys: Sequence[Key],
    limits: Limits,
) -> tuple[dict[Key, dict[Any, Any]], int]:
    """Put models of a data frame beside the truth, as a whole and in each group."""
    measures = chosen(NUMBER_MEASURES, rows.measures, get_number_measure, REPORTED)
    reads_all = rows.weights is not None or rows.clustered
    most = limits.needed if reads_all else _most(measures, limits)
    read = read_frame_numbers(frame, truth, columns, rows, most)
    if isinstance(read, ReadColumns):
        return read.tables(keys, fit_of), read.dropped
    if reads_all:
        why = "clusters" if rows.clustered else "sample_weight"
        raise InvalidFrameError(
            f"must have at most {limits.needed:,} rows with {why}, since all are "
            "read from the engine; evaluate a random sample of the rows",
            parameter="y_true",
        )
    source, dropped = read.known()
    place = {name: number for number, name in enumerate(columns, 1)}
    places = [tuple(place[name] for name in key) for key in keys]
    found: dict[Key, dict[Any, Any]] = {key: {} for key in keys}
    for group, part in [(None, source), *(() if rows.by is None else source.parts())]:
        if group is not None and part.total <= most:  # few rows, which leave the engine
            sample = part.sample(part.total)
            total = sample[0].size
            answers = [fit_of(sample[0], *(sample[at] for at in each), None) for each in places]
        else:
            known = part if group is None else part.known()[0]
            total = known.total
            engine = _Engine(known, known.sample(limits.sample), measures, places)
            answers = list(map(engine.answer, places))
        if total != part.total:
            raise incomparable(group)
        for key, answer in zip(keys, answers, strict=True):
            found[key][group] = answer
    return found, dropped


@dataclass(frozen=True, eq=False)
class _Engine:
    """What is known of all models of a source."""

    source: NumberSource  # the rows, with ends that are known
    sample: Sequence[Floats]  # some of them: the truth, and the predictions of each model
    measures: Sequence[NumberMeasure]
    places: Sequence[tuple[int, ...]]  # of the models that are asked for, from 1

    def answer(self, places: tuple[int, ...]) -> Any:
        """Return what no, one or two models did."""
        if len(places) < 2:
            return self._fits[places[0] - 1] if places else self._test_set
        one, other = places
        differing = round(self._sums[f"differ_{one}_{other}"])
        return JointSummary(self._fits[one - 1], self._fits[other - 1], differing)

    @cached_property
    def _test_set(self) -> NumbersSummary:
        optima = {measure.key: self._optimum(measure) for measure in self.measures}
        return NumbersSummary(
            self.source.total, *self.source.ends[0], optima, Numbers(self.sample[0])
        )

    @cached_property
    def _fits(self) -> list[FitSummary]:
        return [
            FitSummary(
                self._test_set,
                {measure.key: self._score(measure, place) for measure in self.measures},
                NumericPredictions(self.sample[0], self.sample[place]),
                *self.source.ends[place][:2],
            )
            for place in range(1, len(self.source.names))
        ]

    @cached_property
    def _truth(self) -> Numbers:
        """How often each true number occurs."""
        values, counts = self.source.counted(nw.col("score0"), self.sample[0])
        if values.size == 1:  # many observations of one number, and not one observation
            values, counts = np.repeat(values, 2), np.ones(2)
        return Numbers(values, counts)

    @cached_property
    def _losses(self) -> list[Any]:
        """The losses of the measures; some measures share one."""
        return list(dict.fromkeys(each.loss for each in self.measures if way_of(each) == _LOSS))

    @cached_property
    def _sums(self) -> dict[str, float]:
        """What one pass sums: losses, moments around the means, and the largest errors."""
        ways = {way_of(measure) for measure in self.measures}
        y = nw.col("score0")
        asked: dict[str, Any] = {
            f"differ_{i}_{j}": expression_of(
                lambda x, z: np.where(x != z, 1.0, 0.0), nw.col(f"score{i}"), nw.col(f"score{j}")
            )
            for i, j in (each for each in self.places if len(each) == 2)
        }
        largest: dict[str, Any] = {}
        for place in range(1, len(self.source.names)):
            z = nw.col(f"score{place}")
            for number, loss in enumerate(self._losses):
                asked[f"loss_{number}_{place}"] = expression_of(loss, y, z)
            if _MOMENTS in ways:
                u, v = (nw.col(f"score{k}") - self.source.ends[k].mean for k in (0, place))
                asked |= {f"yy_{place}": u * u, f"zz_{place}": v * v, f"yz_{place}": u * v}
                asked |= {f"y_{place}": u, f"z_{place}": v}  # what means are off by rounding
            if _LARGEST in ways:
                largest[f"largest_{place}"] = expression_of(absolute_error, y, z)
        return self.source.sums(asked, largest)

    def _score(self, measure: NumberMeasure, place: int) -> Score:
        reason = measure.no_score_of_truth(self._truth.values, self._truth.weights)
        ends = np.array(self.source.ends[place][:2])
        reason = reason or measure.no_score_of_predictions(ends, None)
        if not reason and way_of(measure) is None:
            reason = _NEEDS_ROWS
        if reason:
            return math.nan, reason
        with np.errstate(all="ignore"):
            value = self._value(measure, place)
        return (value, "") if math.isfinite(value) else (math.nan, TOO_LARGE)

    def _value(self, measure: NumberMeasure, place: int) -> float:
        way = way_of(measure)
        if way == _LARGEST:
            return self._sums[f"largest_{place}"]
        if way == _MOMENTS:
            return measure.weighted(*self._four_rows(place))[0]
        if way == _MIDDLE:  # from how often each error occurs
            errors = expression_of(absolute_error, nw.col("score0"), nw.col(f"score{place}"))
            sample = np.abs(self.sample[0] - self.sample[place])
            values, counts = self.source.counted(errors, sample)
            return measure.weighted(values, np.zeros(values.size), counts)[0]
        number = self._losses.index(measure.loss)
        loss = self._sums[f"loss_{number}_{place}"] / self.source.total
        if measure.shape is not Shape.SHARE:
            return math.sqrt(loss) if measure.shape is Shape.ROOT else loss
        free = measure.free(self._truth.values, self._truth.weights)
        return 1 - loss / free if free else math.nan

    def _four_rows(self, place: int) -> tuple[Floats, Floats]:
        """Return four rows with the variances, the covariance and the difference of means of all.

        They have the scores of all rows, as the scores that ask for them depend on nothing else.
        """
        y, z, yy, zz, yz = (
            self._sums[f"{name}_{place}"] / self.source.total
            for name in ("y", "z", "yy", "zz", "yz")
        )
        a = math.sqrt(2 * (yy - y * y))
        b = 2 * (yz - y * z) / a
        c = math.sqrt(max(2 * (zz - z * z) - b * b, 0.0))
        shift = self.source.ends[place].mean - self.source.ends[0].mean + z - y
        return np.array([a, -a, 0.0, 0.0]), np.array([b, -b, c, -c]) + shift

    def _optimum(self, measure: NumberMeasure) -> Optimum | str:
        """Return the best constants and their score, or why there are none."""
        try:
            found = measure.best_constant(self._truth)
        except UndefinedMeasureError as error:
            return str(error)
        if way_of(measure) is None and measure.constants is not None:
            return f"{measure.key} has no best constant: {_NEEDS_ROWS}"
        return found
