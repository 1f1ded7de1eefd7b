"""The queries that find scores and best constants of all rows, where the rows are.

One pass sums what needs no constant. The numbers around quantiles are fetched. Another pass sums
what the best constants lose, and moments around the means, so that no large numbers cancel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.engines.aggregation import flag
from baserate.regression.best.quantiles import EPSILON
from baserate.regression.constants import Constants, between, one
from baserate.regression.engine.forms import Centre, OfLoss, Other, form_of
from baserate.regression.engine.losses import absolute, log1p, size_of
from baserate.regression.engine.orders import Order, Weight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.data.engines.number_source import NumberSource
    from baserate.regression.measures.record import NumberMeasure

    Floats = NDArray[np.float64]

_BY_SIZE = Weight(lambda y: 1.0 / size_of(y), lambda y: 1.0 / np.maximum(np.abs(y), EPSILON))


@dataclass(frozen=True, eq=False)
class Passes:
    """What an engine is asked, and what it answers.

    Parameters
    ----------
    source
        The rows.
    sample
        A random sample of them: the truth, and the predictions of each model.
    measures
        The measures.
    are_paired
        Whether models are compared.
    """

    source: NumberSource
    sample: Sequence[Floats]
    measures: Sequence[NumberMeasure]
    are_paired: bool = False

    @property
    def total(self) -> int:
        """The number of rows."""
        return self.source.total

    @property
    def models(self) -> range:
        """The places of the models, from 1."""
        return range(1, len(self.source.columns))

    @cached_property
    def losses(self) -> dict[str, OfLoss]:
        """The losses of the measures, each once, and a measure's loss once for all that share it."""
        forms = map(form_of, self.measures)
        return {form.name: form for form in forms if isinstance(form, OfLoss)}

    @cached_property
    def others(self) -> set[Other]:
        """Other kinds of measures."""
        return {form for form in map(form_of, self.measures) if isinstance(form, Other)}

    def _column(self, place: int) -> Any:
        import narwhals.stable.v2 as nw

        return nw.col(f"score{place}")

    # The first pass.

    @cached_property
    def first(self) -> dict[str, float]:
        """What is summed without a constant."""
        asked = self._centres() | self._scores() | self._pairs()
        for order in self.orders:
            asked |= order.sums()
        largest = [name for name in asked if name.startswith("largest")]
        return self.source.sums(asked, largest)

    def _centres(self) -> dict[str, Any]:
        """Return differences from about the mean, so that their sum is small."""
        ends = self.source.ends
        asked = {f"centre {k}": self._column(k) - ends[k].centre for k in (0, *self.models)}
        if any(form.centre is Centre.LOG_MEAN for form in self.losses.values()):
            asked["log"] = log1p(self._column(0)) - self._log_centre
        return asked

    @property
    def _log_centre(self) -> float:
        return math.log1p(max(self.source.ends[0].centre, -0.5))

    def _scores(self) -> dict[str, Any]:
        y, asked = self._column(0), {}
        for k in self.models:
            for name, form in self.losses.items():
                loss = form.loss(y, self._column(k))
                asked |= {f"{name} {k}": loss, f"{name} {k} squares": loss * loss}
            if Other.LARGEST in self.others:
                asked[f"largest {k}"] = absolute(y, self._column(k))
        return asked

    def _pairs(self) -> dict[str, Any]:
        """Return where two models differ, and the squared differences of their losses."""
        if not self.are_paired:
            return {}
        y, asked = self._column(0), {}
        for i, j in combinations(self.models, 2):
            one_model, other = self._column(i), self._column(j)
            asked[f"differ {i} {j}"] = flag(one_model != other)
            for name, form in self.losses.items():
                apart = form.loss(y, other) - form.loss(y, one_model)
                asked[f"{name} {i} {j} squares"] = apart * apart
        return asked

    # Order statistics.

    @cached_property
    def orders(self) -> list[Order]:
        """The quantiles that are asked for."""
        y, truth = self._column(0), self.sample[0]
        found = []
        for form in self.losses.values():
            if form.centre is Centre.QUANTILE:
                found.append(Order(f"quantile {form.alpha}", y, form.alpha, truth))
            if form.centre is Centre.RELATIVE:
                found.append(Order("relative", y, 0.5, truth, _BY_SIZE))
        if Other.MIDDLE in self.others:
            constant = self.middle_constants[0].middle
            errors = {k: (self._column(k), self.sample[k]) for k in self.models}
            errors[0] = (self._lit(constant), np.array(constant))
            found += [
                Order(f"middle {k}", absolute(y, column), 0.5, np.abs(truth - sample))
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
        assert measure.constants is not None
        return measure.constants(np.sort(self.sample[0] + 0.0), None)

    # Means and other centres.

    def mean(self, place: int) -> float:
        """Return the mean of a column."""
        low, high, centre = self.source.ends[place]
        return min(max(centre + self.first[f"centre {place}"] / self.total, low), high)

    @cached_property
    def constants(self) -> dict[str, Constants]:
        """The best constants of each loss."""
        return {name: self._constants(form) for name, form in self.losses.items()}

    def _constants(self, form: OfLoss) -> Constants:
        match form.centre:
            case Centre.MEAN:
                return one(self.mean(0))
            case Centre.LOG_MEAN:
                return one(math.expm1(self._log_centre + self.first["log"] / self.total))
            case Centre.QUANTILE:
                return between(*self.quantiles[f"quantile {form.alpha}"])
            case Centre.RELATIVE:
                return between(*self.quantiles["relative"])
            case Centre.OF_SAMPLE:
                return self._of_sample(form)

    # The second pass.

    @cached_property
    def second(self) -> dict[str, float]:
        """What is summed around constants: their losses, and moments around the means."""
        y, asked = self._column(0), {}
        for name, form in self.losses.items():
            loss = form.loss(y, self._lit(self.constants[name][0].middle))
            asked |= {f"{name} 0": loss, f"{name} 0 squares": loss * loss}
        if Other.MOMENTS in self.others:
            columns = [self._column(k) - self.mean(k) for k in (0, *self.models)]
            for k, each in enumerate(columns):
                asked |= {f"square {k}": each * each, f"product {k}": each * columns[0]}
                asked[f"left {k}"] = (columns[0] - each) * (columns[0] - each)
        return self.source.sums(asked)

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
        return self.sum_of(f"{loss} {place}") / self.total

    def middle_error(self, place: int) -> float:
        """Return the median error of a model, or of about the best constant in place 0."""
        low, high = self.quantiles[f"middle {place}"]
        return low / 2 + high / 2
