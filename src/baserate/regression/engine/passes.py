"""The queries that find scores and best constants of all rows, where the rows are.

One pass finds the ends of the columns and sums what needs no constant, and moments around numbers
near the means. The numbers around quantiles are fetched. Another pass sums what best constants
lose, unless moments tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.engines.aggregation import flag
from baserate.data.engines.overview import Overview
from baserate.regression.best.quantiles import EPSILON
from baserate.regression.constants import Constants, between, one
from baserate.regression.engine.forms import SQUARED, Centre, OfLoss, Other, form_of, named
from baserate.regression.engine.huber import huber_constants
from baserate.regression.engine.losses import absolute, log1p, size_of
from baserate.regression.engine.moments import SQUARE, moments, moved_moments, moved_square
from baserate.regression.engine.orders import Order, Weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from baserate.data.engines.number_source import NumberSource
    from baserate.data.engines.overview import Ends
    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]

# Numbers within these have squares that are neither 0 nor infinite.
_SMALL, _LARGE = 1e-140, 1e140
_BY_SIZE = Weight(lambda y: 1.0 / size_of(y), lambda y: 1.0 / np.maximum(np.abs(y), EPSILON))


@dataclass(frozen=True, eq=False)
class Passes:
    """What an engine is asked, and what it answers.

    Parameters
    ----------
    source
        The rows, with ends that are at least about known.
    sample
        A random sample of them: the truth, and the predictions of each model.
    measures
        The measures.
    pairs
        The places of models that are compared, two at a time.
    """

    source: NumberSource
    sample: Sequence[Floats]
    measures: Sequence[NumberMeasure]
    pairs: Sequence[tuple[int, int]] = ()

    @property
    def total(self) -> int:
        """The number of rows."""
        return self.source.total

    @property
    def models(self) -> range:
        """The places of the models, from 1."""
        return range(1, len(self.source.columns))

    @property
    def _all(self) -> tuple[int, ...]:
        """The places of the truth and the models."""
        return (0, *self.models)

    @cached_property
    def losses(self) -> dict[str, OfLoss]:
        """The losses of the measures, once for all measures that share one."""
        forms = map(form_of, self.measures)
        return {form.name: form for form in forms if isinstance(form, OfLoss)}

    @cached_property
    def others(self) -> set[Other]:
        """Other kinds of measures."""
        return {form for form in map(form_of, self.measures) if isinstance(form, Other)}

    def _column(self, place: int) -> Any:
        import narwhals.stable.v2 as nw

        return nw.col(f"score{place}")

    @cached_property
    def unit(self) -> float:
        """In which unit numbers are squared: 1, unless their squares are beyond floats."""
        size = _size(self.source.ends)
        return 1.0 if _SMALL < size < _LARGE or size <= 0 else 2.0 ** math.floor(math.log2(size))

    def _scaled(self, number: Any) -> Any:
        return number if self.unit == 1 else number / self.unit

    # Whether the ends of the sample were enough.

    @property
    def is_sure(self) -> bool:
        """Whether no number is missing or infinite, and the unit is that of all rows."""
        if not all(np.isfinite(column).all() for column in self.sample):
            return False
        overview = self._overview
        if not overview.is_complete or overview.total != self.total:
            return False
        size = _size(self.ends)
        return size <= 0 or _SMALL < size / self.unit < _LARGE

    @property
    def _overview(self) -> Overview:
        return Overview(self.first, self.source.columns)

    @cached_property
    def ends(self) -> list[Ends]:
        """The ends and the mean of each column."""
        return self._overview.ends([near.centre for near in self.source.ends])

    def _loss(self, form: OfLoss, place: int, constant: float = 0.0) -> Any:
        """Return the loss of a model, or that of a constant in place 0."""
        y, z = self._column(0), self._column(place) if place else self._lit(constant)
        if form.is_of_logs:
            y, z = self._log(0), self._log(place) if place else self._lit(_log1p(constant))
        if form.is_squared:
            y, z = self._scaled(y), self._scaled(z)
        return form.loss(y, z)

    @cached_property
    def _logs(self) -> dict[str, Any]:
        """The logarithms that losses are made of."""
        if not any(form.is_of_logs for form in self.losses.values()):
            return {}
        return {f"log_{k}": log1p(self._column(k)) for k in self._all}

    @staticmethod
    def _log(place: int) -> Any:
        import narwhals.stable.v2 as nw

        return nw.col(f"log_{place}")

    def square_unit(self, form: OfLoss) -> float:
        """Return in which unit a loss is; infinite if a float does not hold it."""
        return self.unit * self.unit if form.is_squared else 1.0

    # The first pass.

    @cached_property
    def first(self) -> dict[str, float]:
        """What is found without a constant."""
        asked = self._centres() | self._scores()
        for order in self.orders:
            asked |= order.sums()
        largest = [name for name in asked if name.startswith("largest")]
        after = self._near_moments()
        return self.source.sums(asked, largest, before=self._logs, after=after, with_ends=True)

    def _centres(self) -> dict[str, Any]:
        """Return differences from about the mean, so that their sum is small."""
        ends = self.source.ends
        asked = {f"score{k}_sum": self._column(k) - ends[k].centre for k in self._all}
        return asked | ({"log_sum": self._log(0) - self._log_centre} if self._logs else {})

    def _near_moments(self) -> dict[str, Any]:
        """Return squares and products of these differences."""
        import narwhals.stable.v2 as nw

        differences = [self._scaled(nw.col(f"score{k}_sum")) for k in self._all]
        square = {SQUARE: differences[0] * differences[0]}
        asked = square if SQUARED in self.losses.values() else {}
        return asked | moments(differences, self._with_moments)

    @property
    def _with_moments(self) -> Sequence[int]:
        """The columns whose variances and covariances are asked for."""
        return self._all if Other.MOMENTS in self.others else ()

    @property
    def _log_centre(self) -> float:
        return _log1p(self.source.ends[0].centre)

    def _scores(self) -> dict[str, Any]:
        asked = {
            f"{name}_{k}": self._loss(form, k)
            for name, form in self.losses.items()
            for k in self.models
        }
        if Other.LARGEST in self.others:
            y = self._column(0)
            asked |= {f"largest_{k}": absolute(y, self._column(k)) for k in self.models}
        return asked | {
            f"differ_{i}_{j}": flag(self._column(i) != self._column(j)) for i, j in self.pairs
        }

    # Order statistics.

    @cached_property
    def orders(self) -> list[Order]:
        """The quantiles that are asked for."""
        y, truth = self._column(0), self.sample[0]
        found = []
        for form in self.losses.values():
            if form.centre in (Centre.QUANTILE, Centre.HUBER):
                level = 0.5 if form.centre is Centre.HUBER else form.parameter
                found.append(Order(named("quantile", level), y, level, truth))
            if form.centre is Centre.RELATIVE:
                found.append(Order("relative", y, 0.5, truth, _BY_SIZE))
        if Other.MIDDLE in self.others:
            constant = self.middle_constants[0].middle
            errors = {k: (self._column(k), self.sample[k]) for k in self.models}
            errors[0] = (self._lit(constant), np.array(constant))
            found += [
                Order(f"middle_{k}", absolute(y, column), 0.5, np.abs(truth - sample))
                for k, (column, sample) in errors.items()
            ]
        return list({order.name: order for order in found}.values())

    @cached_property
    def quantiles(self) -> dict[str, tuple[float, float]]:
        """The ends of the interval of each quantile."""
        return {order.name: order.found(self.source, self.first) for order in self.orders}

    @cached_property
    def middle_constants(self) -> Constants:
        """The constants with the least median error, of the sample."""
        return self._of_sample(Other.MIDDLE)

    def _of_sample(self, form: Any) -> Constants:
        measure = next(each for each in self.measures if form_of(each) is form)
        # It has constants: the form is of a measure whose constants are those of a sample.
        constants: Any = measure.constants
        found: Constants = constants(np.sort(self.sample[0] + 0.0), None)
        return found

    # Means and other centres.

    def mean(self, place: int) -> float:
        """Return the mean of a column."""
        return self.ends[place].centre

    @cached_property
    def constants(self) -> dict[str, Constants]:
        """The best constants of each loss."""
        return {name: self._constants(form) for name, form in self.losses.items()}

    def _constants(self, form: OfLoss) -> Constants:
        match form.centre:
            case Centre.MEAN:
                return one(self.mean(0))
            case Centre.LOG_MEAN:
                return one(math.expm1(self._log_centre + self.first["log_sum"] / self.total))
            case Centre.QUANTILE:
                return between(*self.quantiles[named("quantile", form.parameter)])
            case Centre.RELATIVE:
                return between(*self.quantiles["relative"])
            case Centre.HUBER:
                start, medians = (
                    self._of_sample(form)[0].middle,
                    self.quantiles[named("quantile", 0.5)],
                )
                return huber_constants(self.source, form.parameter, medians, start)
        return self._of_sample(form)

    # The second pass.

    @cached_property
    def second(self) -> dict[str, float]:
        """What is summed around constants: their losses, and moments around the means."""
        known = self._moved()
        asked = {
            f"{name}_0": self._loss(form, 0, self.constants[name][0].middle)
            for name, form in self.losses.items()
            if f"{name}_0" not in known
        }
        if "square_0" not in known:
            columns = [self._scaled(self._column(k) - self.mean(k)) for k in self._all]
            asked |= moments(columns, self._with_moments)
        return known | self.source.sums(asked, before=self._logs)

    def _moved(self) -> dict[str, float]:
        """Return what sums around numbers near the means tell about the means."""
        shifts = [self.first[f"score{k}_sum"] / self.total / self.unit for k in self._all]
        found = moved_moments(self.first, shifts, self._with_moments, self.total) or {}
        if SQUARED in self.losses.values():
            of_mean = moved_square(self.first[SQUARE], shifts[0], self.total)
            found |= {} if of_mean is None else {f"{SQUARED.name}_0": of_mean}
        return found

    @staticmethod
    def _lit(number: float) -> Any:
        import narwhals.stable.v2 as nw

        return nw.lit(number)

    # What is read from the answers.

    def sum_of(self, name: str) -> float:
        """Return a sum of either pass."""
        return self.first[name] if name in self.first else self.second[name]

    def mean_loss(self, loss: str, place: int) -> float:
        """Return the mean loss of a model, or of the best constant in place 0."""
        return self.sum_of(f"{loss}_{place}") / self.total

    def middle_error(self, place: int) -> float:
        """Return the median error of a model, or of about the best constant in place 0."""
        low, high = self.quantiles[f"middle_{place}"]
        return low / 2 + high / 2


def _size(ends: Iterable[Ends]) -> float:
    """Return the largest absolute number."""
    return max(max(-each.low, each.high) for each in ends)


def _log1p(constant: float) -> float:
    """Return log(1 + c); 0 if there is none, where the measure has no score."""
    return math.log1p(constant) if constant > -1 else 0.0
