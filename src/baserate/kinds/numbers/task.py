"""Numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.catalogue import chosen
from baserate.core.multiple_testing import Tails
from baserate.core.observed import JointObservations, Observations, pairs_of
from baserate.data.engines.expressions import expression_of
from baserate.data.engines.numbers import incomparable, read_frame_numbers
from baserate.data.number_rows import NumberRows, read_number_rows
from baserate.data.numbers import read_numbers, require_no_nan
from baserate.data.rows import named_models
from baserate.data.weights import frequencies
from baserate.data.weights import repeated as repeated_places
from baserate.exceptions import (
    InvalidFrameError,
    InvalidPredictionsError,
    InvalidScoresError,
    UndefinedMeasureError,
)
from baserate.formatting import shown
from baserate.kinds.numbers.intervals import NUMBERS
from baserate.kinds.numbers.null import null_of
from baserate.kinds.numbers.swaps import swap_test
from baserate.measures.numbers import (
    NUMBER_MEASURES,
    REPORTED,
    get_number_measure,
)
from baserate.measures.numbers_errors import RMSE, absolute_error
from baserate.measures.numbers_record import TOO_LARGE, Ordered, Products, Shape, same
from baserate.observed.number_summary import FitSummary, JointSummary, NumbersSummary, is_summary
from baserate.observed.numbers import JointFit, Numbers, NumericPredictions
from baserate.task import Chance, Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline, Optimum
    from baserate.core.observed import Null, Rows
    from baserate.data.columns import Labels
    from baserate.data.engines.numbers import NumberSource
    from baserate.data.groups import Group
    from baserate.measures.numbers_record import NumberMeasure
    from baserate.null.distribution import NullDistribution
    from baserate.observed.number_summary import Score

    Floats = NDArray[np.float64]


def fits(y_true: Labels | None, predictions: Any, rows: Rows) -> Observations:
    """Put every model beside the truth, as a whole and in each group."""
    models = named_models(predictions)
    given = {name: each for name, each in models.items() if isinstance(each, NumericPredictions)}
    columns = {name: each for name, each in models.items() if name not in given}
    tables: dict[str, dict[Any, NumericPredictions]] = {}
    dropped = 0
    if columns:
        if y_true is None:
            raise InvalidPredictionsError(
                f"must be given for the numbers of model {shown(next(iter(columns)))} (got None); "
                "only a NumericPredictions can do without",
                parameter="y_true",
            )
        read = read_number_rows(y_true, columns, rows.by, drop=rows.drop, weights=rows.weights)
        tables, dropped = fits_of_rows(read), read.dropped
    for name, fit in given.items():
        require_test_set(f"model {shown(name)}", fit, y_true, by=rows.by)
        tables[name] = {None: fit}
    return Observations({name: tables[name] for name in models}, dropped)


def pairs_of_fits(y_true: Labels, models: Mapping[str, Any], rows: Rows) -> JointObservations:
    """Put every pair of models beside the truth, as a whole and in each group."""
    options: Any = {"drop": rows.drop, "weights": rows.weights}
    read = read_number_rows(y_true, models, rows.by, **options)
    return pairs_of_rows(read, with_first=rows.with_first)


def repeated(y_true: Labels, y_pred: Any, weights: NDArray[Any]) -> NumericPredictions:
    """Put predictions beside the truth, each observation as often as its weight says."""
    fit = NumericPredictions.of(y_true, y_pred)
    places = repeated_places(frequencies(weights, fit.total))
    return NumericPredictions(fit.truth[places], fit.predicted[places])


def numbers_of(test_set: Any) -> Numbers:
    """Return the numbers of any description of a test set."""
    if isinstance(test_set, Numbers):
        return test_set
    if isinstance(test_set, NumericPredictions):
        return test_set.test_set
    numbers = read_numbers("y_true", test_set)
    require_no_nan("y_true", numbers)
    return Numbers(numbers)


def require_test_set(
    model: str,
    fit: NumericPredictions,
    y_true: Labels | None,
    pos_label: object = None,  # noqa: ARG001
    *,
    by: Labels | None = None,
) -> None:
    """Raise unless a model is beside the same truth as the others."""
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with a number per observation ({model} is a NumericPredictions, whose rows "
            "may be in another order); pass the predictions",
            parameter="by",
        )
    if y_true is None:
        return
    numbers = numbers_of(y_true)
    if fit.test_set != numbers:
        raise InvalidPredictionsError(
            f"{model} must be beside the numbers of y_true, {numbers.described} (got "
            f"{fit.test_set.described})"
        )


def numbers_of_guess(guess: Any, total: int) -> NDArray[np.float64]:
    """Return the predictions of a guess: a number per observation, or how often each."""
    if isinstance(guess, Mapping):
        values = read_numbers("y_pred", list(guess))
        counts = [int(count) for count in guess.values()]
        guess = np.repeat(values, counts)
    found = read_numbers("y_pred", guess)
    require_no_nan("y_pred", found)
    if found.size != total:
        raise InvalidScoresError(
            f"must have a number for each of the {total:,} observations (got {found.size:,})",
            parameter="y_pred",
        )
    return found


def fits_of_rows(rows: NumberRows) -> dict[str, dict[Any, NumericPredictions]]:
    """Put every model beside the truth, as a whole and in each group."""
    return {
        name: {
            group: NumericPredictions(rows.truth[where], each[where], rows.weights_of(where))
            for group, where in rows.groups.items()
        }
        for name, each in rows.predicted.items()
    }


def pairs_of_rows(read: NumberRows, *, with_first: bool = False) -> JointObservations:
    """Put pairs of models beside the truth, as a whole and in each group."""
    pairs = {
        (one, other): {
            group: JointFit(
                read.truth[where],
                read.predicted[one][where],
                read.predicted[other][where],
                read.weights_of(where),
            )
            for group, where in read.groups.items()
        }
        for one, other in pairs_of(list(read.predicted), with_first=with_first)
    }
    return JointObservations(pairs, read.dropped)


_NEEDS_ROWS = (
    "it needs all rows, and so many do not leave an engine: evaluate a random sample of the rows"
)


class Way(Enum):
    """How an engine finds a score."""

    LOSS = "from the sum of a loss of each row"
    MOMENTS = "from means, variances and the covariance"
    LARGEST = "from the largest error"
    MIDDLE = "from how often each error occurs"


def way_of(measure: NumberMeasure) -> Way | None:
    """Return how an engine finds a score; None if that needs all rows.

    Examples
    --------
    >>> from baserate.measures.numbers import get_number_measure
    >>> way_of(get_number_measure("RMSE")).name, way_of(get_number_measure("Kendall"))
    ('LOSS', None)
    """
    import narwhals.stable.v2 as nw

    form, loss = measure.form, measure.loss
    if loss is not None:
        is_known = expression_of(loss, nw.col("score0"), nw.col("score1")) is not None
        return Way.LOSS if is_known else None
    if isinstance(form, Products) and form.left is form.right is same:
        return Way.MOMENTS
    ways: dict[Any, Way] = {Ordered.LARGEST: Way.LARGEST, Ordered.MEDIAN: Way.MIDDLE}
    return ways.get(form)


class Limits(NamedTuple):
    """How many rows leave an engine.

    Parameters
    ----------
    rows
        The most rows of which all leave it, if sums are enough for the measures.
    needed
        The same if a measure needs the rows.
    sample
        How many rows leave it at random if there are more, about.
    """

    rows: int = 10**6
    needed: int = 10**7
    sample: int = 10**5

    def most(self, measures: Sequence[NumberMeasure]) -> int:
        """Return the most rows that leave an engine for some measures."""
        needs_rows = any(way_of(measure) in (Way.MIDDLE, None) for measure in measures)
        return self.needed if needs_rows else self.rows


LIMITS = Limits()


def fits_of_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, limits: Limits = LIMITS
) -> Observations:
    """Put every model of a data frame beside the truth."""
    read = _read(frame, truth, columns, rows, limits)
    if isinstance(read, NumberRows):
        return Observations(fits_of_rows(read), read.dropped)
    tables: dict[str, dict[Any, NumericPredictions | FitSummary]] = {model: {} for model in columns}
    for group, found in read.parts():
        by_model = found.fits if isinstance(found, _Answers) else fits_of_rows(found)
        for place, model in enumerate(columns):
            tables[model][group] = (
                by_model[place] if isinstance(by_model, list) else by_model[model][None]
            )
    return Observations(tables, read.dropped)


def pairs_of_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, limits: Limits = LIMITS
) -> JointObservations:
    """Put every pair of models of a data frame beside the truth."""
    names, with_first = list(columns), rows.with_first
    places = pairs_of(range(1, len(names) + 1), with_first=with_first)
    read = _read(frame, truth, columns, rows, limits, pairs=places)
    if isinstance(read, NumberRows):
        return pairs_of_rows(read, with_first=with_first)
    pairs = pairs_of(names, with_first=with_first)
    tables: dict[tuple[str, str], dict[Any, JointFit | JointSummary]] = {each: {} for each in pairs}
    for group, found in read.parts():
        if isinstance(found, _Answers):
            for pair, joint in zip(pairs, found.joints, strict=True):
                tables[pair][group] = joint
        else:
            for pair, joints in pairs_of_rows(found, with_first=with_first).pairs.items():
                tables[pair][group] = joints[None]
    return JointObservations(tables, read.dropped)


def numbers_of_frame(
    frame: Any, truth: str, rows: Rows, limits: Limits = LIMITS
) -> tuple[Numbers | NumbersSummary, int]:
    """Read the truth alone; also return how many rows were dropped."""
    read = _read(frame, truth, {}, rows._replace(by=None), limits)
    if isinstance(read, NumberRows):
        return Numbers(read.truth, read.weights), read.dropped
    return read.answers(read.source).test_set, read.dropped


def _read(
    frame: Any,
    truth: str,
    columns: Mapping[str, str],
    rows: Rows,
    limits: Limits,
    *,
    pairs: Sequence[tuple[int, int]] = (),
) -> NumberRows | _Staying:
    measures = chosen(NUMBER_MEASURES, rows.measures, get_number_measure, REPORTED)
    reads_all = rows.weights is not None or rows.clustered
    most = limits.needed if reads_all else limits.most(measures)
    read = read_frame_numbers(frame, truth, columns, rows, most)
    if isinstance(read, NumberRows):
        return read
    if reads_all:
        why = "clusters" if rows.clustered else "sample_weight"
        raise InvalidFrameError(
            f"must have at most {limits.needed:,} rows with {why}, since all are "
            "read from the engine; evaluate a random sample of the rows",
            parameter="y_true",
        )
    source, dropped = read.known(drop=rows.drop)
    has_groups = rows.by is not None
    return _Staying(source, dropped, list(columns), measures, limits, pairs, has_groups)


class _Staying(NamedTuple):
    """Rows that stay in an engine.

    Parameters
    ----------
    source
        The rows.
    dropped
        How many rows were left out.
    models
        The names of the models.
    measures
        The measures that are asked for.
    limits
        How many rows leave an engine.
    pairs
        The places of models that are compared, from 1, two at a time.
    has_groups
        Whether each group is asked for, too.
    """

    source: NumberSource
    dropped: int
    models: list[str]
    measures: Sequence[NumberMeasure]
    limits: Limits
    pairs: Sequence[tuple[int, int]]
    has_groups: bool

    def parts(self) -> Iterator[tuple[Group | None, _Answers | NumberRows]]:
        """Return what is known of all rows, and of each group: the rows of those with few."""
        yield None, self.answers(self.source)
        if not self.has_groups:
            return
        for group, part in self.source.parts():
            if part.total <= self.limits.most(self.measures):
                yield group, self._rows(group, part)
            else:
                known, _ = part.known(drop=False)
                _require_rows(group, known.total, part.total)
                yield group, self.answers(known)

    def answers(self, source: NumberSource) -> _Answers:
        """Return what is known of all rows of a source."""
        sample = source.sample(self.limits.sample)
        return _Answers(source, sample, self.measures, self.pairs)

    def _rows(self, group: Group | None, part: NumberSource) -> NumberRows:
        truth, *predicted = part.sample(part.total)
        _require_rows(group, truth.size, part.total)
        named = dict(zip(self.models, predicted, strict=True))
        return NumberRows(truth, named, {None: slice(None)}, 0)


def _require_rows(group: Group | None, rows: int, expected: int) -> None:
    """Raise unless the rows of a group were found again."""
    if rows != expected:
        raise incomparable(group)


@dataclass(frozen=True, eq=False)
class _Answers:
    """What is known of all models of a source.

    Parameters
    ----------
    source
        The rows, with ends that are known.
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

    @cached_property
    def test_set(self) -> NumbersSummary:
        """The truth, with the best constants."""
        optima = {measure.key: self._optimum(measure) for measure in self.measures}
        return NumbersSummary(
            self.source.total, *self.source.ends[0], optima, Numbers(self.sample[0])
        )

    @cached_property
    def fits(self) -> list[FitSummary]:
        """What each model did."""
        return [
            FitSummary(
                self.test_set,
                {measure.key: self._score(measure, place) for measure in self.measures},
                NumericPredictions(self.sample[0], self.sample[place]),
                *self.source.ends[place][:2],
            )
            for place in self._models
        ]

    @property
    def joints(self) -> list[JointSummary]:
        """What each pair of models did."""
        return [
            JointSummary(self.fits[i - 1], self.fits[j - 1], round(self._sums[f"differ_{i}_{j}"]))
            for i, j in self.pairs
        ]

    @property
    def _models(self) -> range:
        """The places of the models, from 1."""
        return range(1, len(self.source.names))

    # What the engine is asked.

    @cached_property
    def _truth(self) -> Numbers:
        """How often each true number occurs."""
        import narwhals.stable.v2 as nw

        values, counts = self.source.counted(nw.col("score0"), self.sample[0])
        if values.size == 1:  # many observations of one number, and not one observation
            values, counts = np.repeat(values, 2), np.ones(2)
        return Numbers(values, counts)

    @cached_property
    def _losses(self) -> dict[Any, int]:
        """The losses of the measures, numbered; some measures share one."""
        found = (each.loss for each in self.measures if way_of(each) is Way.LOSS)
        return {loss: number for number, loss in enumerate(dict.fromkeys(found))}

    @cached_property
    def _sums(self) -> dict[str, float]:
        """What one pass sums: losses, moments around the means, and the largest errors."""
        import narwhals.stable.v2 as nw

        ways = {way_of(measure) for measure in self.measures}
        y = nw.col("score0")
        asked: dict[str, Any] = {
            f"differ_{i}_{j}": expression_of(
                lambda x, z: np.where(x != z, 1.0, 0.0), nw.col(f"score{i}"), nw.col(f"score{j}")
            )
            for i, j in self.pairs
        }
        largest: dict[str, Any] = {}
        for place in self._models:
            z = nw.col(f"score{place}")
            for loss, number in self._losses.items():
                asked[f"loss_{number}_{place}"] = expression_of(loss, y, z)
            if Way.MOMENTS in ways:
                u, v = (nw.col(f"score{k}") - self.source.ends[k].mean for k in (0, place))
                asked |= {f"yy_{place}": u * u, f"zz_{place}": v * v, f"yz_{place}": u * v}
                asked |= {f"y_{place}": u, f"z_{place}": v}  # what means are off by rounding
            if Way.LARGEST in ways:
                largest[f"largest_{place}"] = expression_of(absolute_error, y, z)
        return self.source.sums(asked, largest)

    # Scores.

    def _score(self, measure: NumberMeasure, place: int) -> Score:
        reason = measure.no_score_of_truth(self._truth.values, self._truth.weights)
        ends = np.array(self.source.ends[place][:2])
        reason = reason or measure.no_score_of_predictions(ends, None)
        way = way_of(measure)
        if not reason and way is None:
            reason = _NEEDS_ROWS
        if reason:
            return math.nan, reason
        with np.errstate(all="ignore"):
            value = self._value(measure, way, place)
        return (value, "") if math.isfinite(value) else (math.nan, TOO_LARGE)

    def _value(self, measure: NumberMeasure, way: Way | None, place: int) -> float:
        match way:
            case Way.LOSS:
                return self._of_loss(measure, place)
            case Way.LARGEST:
                return self._sums[f"largest_{place}"]
            case Way.MIDDLE:
                return self._of_errors(measure, place)
        return measure.weighted(*self._four_rows(place))[0]

    def _of_loss(self, measure: NumberMeasure, place: int) -> float:
        """Return the score that follows from the mean loss."""
        total = self._sums[f"loss_{self._losses[measure.loss]}_{place}"]
        loss = total / self.source.total
        if measure.shape is Shape.ROOT:
            return math.sqrt(loss)
        if measure.shape is Shape.SHARE:
            free = measure.free(self._truth.values, self._truth.weights)
            return 1 - loss / free if free else math.nan
        return loss

    def _of_errors(self, measure: NumberMeasure, place: int) -> float:
        """Return a score of how often each error occurs."""
        import narwhals.stable.v2 as nw

        errors = expression_of(absolute_error, nw.col("score0"), nw.col(f"score{place}"))
        sample = np.abs(self.sample[0] - self.sample[place])
        values, counts = self.source.counted(errors, sample)
        return measure.weighted(values, np.zeros(values.size), counts)[0]

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

    # Best constants.

    def _optimum(self, measure: NumberMeasure) -> Optimum | str:
        """Return the best constants and their score, or why there are none."""
        try:
            found = measure.best_constant(self._truth)
        except UndefinedMeasureError as error:
            return str(error)
        if way_of(measure) is None and measure.constants is not None:
            return f"{measure.key} has no best constant: {_NEEDS_ROWS}"
        return found


@dataclass(frozen=True, eq=False)
class SampleChance:
    """The null distribution of rows that stayed in an engine: that of a sample.

    A random sample of rows is a test set of its own, so its p-value is a valid one. Of all rows it
    would be lower, unless the model learned nothing.
    """

    task: Task[Any]
    summary: FitSummary
    levels: tuple[float, float]

    @cached_property
    def of_sample(self) -> Chance:
        """The null distributions of the sample."""
        return Chance(self.task, self.summary.sample, self.levels)

    def tails(self, measure: NumberMeasure, score: float) -> Tails:
        """Return the chance of a score as good as that of the sample, and of one as bad."""
        if math.isnan(score):
            return Tails(math.nan, math.nan)
        return self.of_sample.tails(measure, measure.score_or_reason(self.summary.sample)[0])

    def null_interval(self, measure: NumberMeasure) -> tuple[float, float]:
        """Return between which scores chance stays, with as many rows as the sample has."""
        return self.of_sample.null_interval(measure)

    def is_exact(self, measure: NumberMeasure) -> bool:
        """Return whether these chances are those of all rows: only if there is no score."""
        return bool(measure.score_or_reason(self.summary)[1])


class RegressionTask(Task[NumericPredictions]):
    """Numbers: what is observed is a prediction beside each truth."""

    name = "regression"
    takes_importance = True
    title = "Numbers"
    takes_numbers = True
    table, test_set = NumericPredictions, Numbers
    catalogue, reported = NUMBER_MEASURES, REPORTED
    family, swap_test = NUMBERS, staticmethod(swap_test)
    # It has a score where all numbers of a side are the same, too, unlike Pearson's correlation.
    leading = RMSE

    def get(self, name: Any) -> NumberMeasure:
        """Return a measure by any of its names, or raise if it does not know it."""
        return get_number_measure(name)

    def count(self, y_true: Any, y_pred: Any, pos_label: object = None) -> NumericPredictions:  # noqa: ARG002
        """Read the predictions of one model."""
        return NumericPredictions.of(y_true, y_pred)

    def weigh(
        self,
        y_true: Any,
        y_pred: Any,
        pos_label: object,  # noqa: ARG002
        weights: NDArray[Any],
    ) -> NumericPredictions:
        """Read the predictions of one model, each row as often as its weight says."""
        return repeated(y_true, y_pred, weights)

    def test_set_of(self, test_set: Any, pos_label: object = None) -> Any:  # noqa: ARG002
        """Return the true numbers of any description of a test set."""
        return numbers_of(test_set)

    def require_test_set(
        self, name: str, table: NumericPredictions, y_true: Any, pos_label: object
    ) -> None:
        """Raise if predictions are beside other numbers."""
        require_test_set(name, table, y_true, pos_label)

    def observe(self, y_true: Labels, predictions: Any, rows: Rows) -> Observations:
        """Put every model beside the truth, as a whole and in each group."""
        return fits(y_true, predictions, rows)

    def observe_frame(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> Observations:
        """Put every model of a data frame beside the truth; only sums leave a large one."""
        return fits_of_frame(frame, truth, columns, rows)

    def observe_pairs(
        self, y_true: Labels, models: Mapping[str, Any], rows: Rows
    ) -> JointObservations:
        """Put every pair of models beside the truth, as a whole and in each group."""
        return pairs_of_fits(y_true, models, rows)

    def observe_frame_pairs(
        self, frame: Any, truth: str, columns: Mapping[str, str], rows: Rows
    ) -> JointObservations:
        """Put every pair of models of a data frame beside the truth."""
        return pairs_of_frame(frame, truth, columns, rows)

    def count_column(
        self, frame: Any, truth: str, rows: Rows
    ) -> tuple[Numbers | NumbersSummary, int]:
        """Read the truth alone; also return how many rows were dropped."""
        return numbers_of_frame(frame, truth, rows)

    def observed(self, facts: Mapping[str, Any]) -> NumericPredictions | FitSummary:
        """Return the predictions of a JSON record."""
        return (FitSummary if is_summary(facts) else NumericPredictions).from_facts(facts)

    def joint(self, facts: Mapping[str, Any]) -> JointFit | JointSummary:
        """Return two models from a JSON record."""
        return (JointSummary if is_summary(facts) else JointFit).from_facts(facts)

    def baseline(self, test_set: Numbers, measure: NumberMeasure) -> Baseline:
        """Return the baseline of a measure."""
        return measure.baseline(test_set)

    def null_of(
        self, measure: NumberMeasure, observed: NumericPredictions | FitSummary
    ) -> NullDistribution:
        """Return the distribution of a score when predictions are shuffled."""
        return null_of(
            measure, observed if isinstance(observed, NumericPredictions) else observed.sample
        )

    def null_of_guess(
        self, measure: NumberMeasure, test_set: Numbers, guess: Any
    ) -> NullDistribution:
        """Return the distribution of a score of a guess, whose numbers are in any order."""
        predicted = numbers_of_guess(guess, test_set.total)
        return null_of(measure, NumericPredictions(test_set.values, predicted, test_set.weights))

    def nulls(
        self, observed: Sequence[NumericPredictions | FitSummary], levels: tuple[float, float]
    ) -> list[Chance | SampleChance]:
        """Return the null distributions of each model, of a sample of rows if there are many."""
        return [
            Chance(self, each, levels)
            if isinstance(each, NumericPredictions)
            else SampleChance(self, each, levels)
            for each in observed
        ]

    def tails(
        self, observed: Sequence[NumericPredictions | FitSummary], nulls: Sequence[Null] = ()
    ) -> list[Tails]:
        """Return the chances of as high a correlation, and of as low a one."""
        known = [each.of_sample if isinstance(each, SampleChance) else each for each in nulls]
        is_whole = NumericPredictions
        samples = [each if isinstance(each, is_whole) else each.sample for each in observed]
        return super().tails(samples, known)


REGRESSION = RegressionTask()
