"""Estimators that never look at X and make the best of it, in place of scikit-learn's dummies."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from baserate.baselines.class_search import class_baseline
from baserate.baselines.dutch_draw import baseline
from baserate.data.numbers import read_numbers
from baserate.data.rows import require_aligned
from baserate.exceptions import (
    InvalidCountError,
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidTargetError,
    MissingDependencyError,
    UndefinedMeasureError,
)
from baserate.formatting import listed, shown
from baserate.kinds.classes import MULTICLASS
from baserate.kinds.numbers import REGRESSION
from baserate.kinds.two_classes import BINARY
from baserate.measures.two_classes_record import Margins
from baserate.observed.best_constants import Constants, one
from baserate.observed.labels import BaseRate
from baserate.observed.numbers import Numbers
from baserate.observed.theta import predicted_positives_of
from baserate.task import measure_of

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import (
        _check_sample_weight,
        _check_y,
        _num_samples,
        check_consistent_length,
        check_is_fitted,
        validate_data,
    )
except ModuleNotFoundError:
    raise MissingDependencyError.package("scikit-learn", "an estimator") from None

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from baserate.baselines.class_mix import Box, Mix, MixSet
    from baserate.measures.classes_record import ClassMeasure
    from baserate.measures.numbers_record import NumberMeasure
    from baserate.measures.two_classes_record import TwoClassMeasure

    Labels = NDArray[Any]


class _Blind:
    """What never looks at X may be given anything with rows."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return scikit-learn's score of one prediction: its accuracy, or R² of numbers.

        Parameters
        ----------
        X
            Anything with rows, or None for as many rows as y has.
        y
            The truth.
        sample_weight
            The weight of each row.
        """
        rows = np.zeros((_num_samples(y), 1)) if X is None else X
        return float(super().score(rows, y, sample_weight))  # type: ignore[misc]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.no_validation = True
        return tags


class _BlindClassifier(_Blind, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that never looks at X."""

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Labels, Labels, Labels]:
        """Return the labels, the classes in sorted order, and how often each occurs."""
        validate_data(self, X, skip_check_array=True)
        labels = column_or_1d(_plain(y), warn=True)
        check_consistent_length(X, labels)
        try:
            with np.errstate(invalid="ignore"):  # scikit-learn asks whether infinity is whole
                check_classification_targets(labels)
            classes, codes = np.unique(labels, return_inverse=True)
        except TypeError:
            raise InvalidTargetError(
                "must be labels of one type (got several)", parameter="y"
            ) from None
        if sample_weight is not None:
            require_aligned({"y": y, "sample_weight": sample_weight})
            sample_weight = _check_sample_weight(sample_weight, labels, ensure_non_negative=True)
        return labels, classes, _counts(codes, classes.size, sample_weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a class for each row: as many of each class as are drawn, on random rows.

        Parameters
        ----------
        X
            Anything with rows.
        """
        check_is_fitted(self)
        generator = _generator_of(self.random_state)
        return np.asarray(
            generator.permutation(np.repeat(self.classes_, self._drawn(_num_samples(X))))
        )

    @abstractmethod
    def _drawn(self, rows: int) -> tuple[int, ...]:
        """Return for how many rows each class is predicted."""

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of each probability.

        Parameters
        ----------
        X
            Anything with rows.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


class DutchDrawClassifier(_BlindClassifier):
    """A classifier that knows only the base rate, and makes the best of it.

    It never looks at X. It predicts a random fraction θ of the rows positive, with the θ that has
    the best expected score for a measure. Use it where you would use a
    `sklearn.dummy.DummyClassifier`.

    Parameters
    ----------
    measure
        The measure, or its name, for which θ is optimal.
    strategy
        ``"max"`` for the θ with the largest expected score, ``"min"`` for the smallest, or
        ``"best"`` for the one in the measure's direction.
    theta
        A fixed θ, in place of the optimal one.
    random_state
        Which rows are drawn: a seed, a `numpy.random.RandomState`, or None.
    pos_label
        The positive class; the last in sorted order by default, as in scikit-learn.

    Attributes
    ----------
    classes_
        The two classes, sorted.
    base_rate_
        The base rate of the training set.
    theta_
        The fraction that is drawn; if several are optimal, the nearest to the base rate.
    n_features_in_, feature_names_in_
        As in every estimator.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((10, 1)), np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    >>> draw = DutchDrawClassifier("f1").fit(X, y)
    >>> draw.theta_, draw.predict(X)
    (1.0, array([1, 1, 1, 1, 1, 1, 1, 1, 1, 1]))
    >>> draw = DutchDrawClassifier("g2", random_state=0).fit(X, y)
    >>> draw.theta_, draw.predict(X)
    (0.5, array([0, 0, 0, 1, 0, 1, 1, 1, 1, 0]))
    >>> draw.predict_proba(X[:2])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """

    def __init__(
        self,
        measure: str | TwoClassMeasure = "f1",
        strategy: Literal["max", "min", "best"] = "max",
        theta: float | Fraction | None = None,
        random_state: Any = None,
        pos_label: Any = None,
    ) -> None:
        self.measure = measure
        self.strategy = strategy
        self.theta = theta
        self.random_state = random_state
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the base rate.

        Parameters
        ----------
        X
            Anything with as many rows as y, or None; its content is ignored.
        y
            The labels, with two classes.
        sample_weight
            Integer weights count observations. Other weights give a weighted base rate over the
            same number of observations.
        """
        labels, self.classes_, counts = self._read(X, y, sample_weight)
        _require_two_classes(labels, self.classes_, counts)
        self.base_rate_ = BaseRate(positives=counts[self._positive], total=counts.sum())
        self.theta_ = self._learned_theta()
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class: the drawn fraction for the positive one.

        Parameters
        ----------
        X
            Anything with rows.
        """
        check_is_fitted(self)
        rows = _num_samples(X)
        return np.tile(np.array(self._drawn(rows)) / max(rows, 1), (rows, 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def _positive(self) -> int:
        """The index of the positive class."""
        if self.pos_label is None:
            return 1
        classes = self.classes_.tolist()
        if self.pos_label not in classes:
            raise InvalidLabelsError.absent_positive("y", self.pos_label, classes)
        return int(classes.index(self.pos_label))

    def _learned_theta(self) -> float:
        measure = measure_of(BINARY, self.measure)
        _require_strategy(self.strategy, "fraction is drawn, unless theta=… sets it")
        rate = self.base_rate_
        if self.theta is not None:
            predicted_positives_of(self.theta, rate.total)  # raise unless it is a fraction
            return float(self.theta)
        optimum = getattr(baseline(rate, measure), self.strategy)
        return float(optimum.guesses.nearest_count(rate.positives) / rate.total)

    def _drawn(self, rows: int) -> tuple[int, ...]:
        drawn = predicted_positives_of(self.theta_, rows)
        # 1/M of the training set rounds to no row of a smaller set, but the measure may need one.
        first, last = (self._is_undefined(each, rows) for each in (0, rows))
        if self.theta is None and first + last <= rows:
            drawn = min(max(drawn, first), rows - last)
        return (rows - drawn, drawn) if self._positive else (drawn, rows - drawn)

    def _is_undefined(self, drawn: int, rows: int) -> bool:
        rate = self.base_rate_
        margins = Margins(rate.positives, rate.negatives, drawn, rows - drawn)
        return measure_of(BINARY, self.measure).failing_requirement(margins) is not None


def _require_two_classes(labels: NDArray[Any], classes: NDArray[Any], counts: Any) -> None:
    kind = type_of_target(labels, input_name="y")
    if kind != "binary":
        raise InvalidTargetError(  # the words that scikit-learn asks for
            f"Only binary classification is supported. The type of the target is {kind}; "
            "binarise a multiclass problem first"
        )
    if classes.size < 2:
        raise InvalidTargetError(
            f"must have two classes to learn a base rate from (got 1 class: "
            f"{listed(classes.tolist())})",
            parameter="y",
        )
    if not counts.all():
        raise InvalidTargetError(
            "must leave some weight to each class (got zeros only for one)",
            parameter="sample_weight",
        )


class ClassMixClassifier(_BlindClassifier):
    """A classifier that knows only how often each class occurs, and makes the best of it.

    It never looks at X. It predicts each class as often as the best mix of a measure does, on
    random rows. With two classes it is a `DutchDrawClassifier` of measures of several classes.

    Parameters
    ----------
    measure
        The measure of several classes, or its name, for which the mix is optimal.
    strategy
        ``"max"`` for the mix with the largest expected score, ``"min"`` for the smallest, or
        ``"best"`` for the one in the measure's direction.
    random_state
        Which rows get which class: a seed, a `numpy.random.RandomState`, or None.

    Attributes
    ----------
    classes_
        The classes, sorted.
    class_counts_
        How often each of them occurs in the training set.
    mix_
        How often each of them is predicted, for as many rows as the training set has; if several
        mixes are optimal, the nearest to the class counts (by the squares of the differences).
    n_features_in_, feature_names_in_
        As in every estimator.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((10, 1)), np.array(["a", "a", "a", "a", "a", "a", "b", "b", "b", "c"])
    >>> mix = ClassMixClassifier("weighted F1", random_state=0).fit(X, y)
    >>> mix.mix_, "".join(mix.predict(X))
    ((8, 2, 0), 'aaaaababaa')
    >>> mix.predict_proba(X[:2])
    array([[0.8, 0.2, 0. ],
           [0.8, 0.2, 0. ]])
    """

    def __init__(
        self,
        measure: str | ClassMeasure = "macro F1",
        strategy: Literal["max", "min", "best"] = "best",
        random_state: Any = None,
    ) -> None:
        self.measure = measure
        self.strategy = strategy
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn how often each class occurs, and the best mix.

        Parameters
        ----------
        X
            Anything with as many rows as y, or None; its content is ignored.
        y
            The labels, of any number of classes.
        sample_weight
            Integer weights count observations. Other weights give weighted counts over the same
            number of observations.
        """
        _, self.classes_, counts = self._read(X, y, sample_weight)
        known = zip(self.classes_.tolist(), counts.tolist(), strict=True)
        self.class_counts_ = BaseRate(dict(known))
        self.mix_ = self._learned_mix()
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class: its fraction of the mix, the same for every row.

        Parameters
        ----------
        X
            Anything with rows.
        """
        check_is_fitted(self)
        return np.tile(np.array(self.mix_) / sum(self.mix_), (_num_samples(X), 1))

    def _drawn(self, rows: int) -> tuple[int, ...]:
        """Return the mix; for another number of rows, its shares, rounded by largest remainders."""
        return shared_out(self.mix_, rows)

    def _learned_mix(self) -> Mix:
        measure = measure_of(MULTICLASS, self.measure)
        _require_strategy(self.strategy, "class mix is drawn")
        known = self.class_counts_.occurring
        if len(known.labels) == 1:
            return self.class_counts_.counts  # the only mix, also where it has no score
        found = nearest_mix(
            getattr(class_baseline(known, measure), self.strategy).guesses, known.counts
        )
        place = dict(zip(known.labels, found, strict=True))
        return tuple(place.get(label, 0) for label in self.class_counts_.labels)


def nearest_mix(mixes: MixSet, counts: Mix) -> Mix:
    """Return the mix nearest to the class counts, by the squares of the differences."""
    found = (_nearest_in(box, counts) for box in mixes.boxes)
    return min(found, key=lambda mix: sum((a - b) ** 2 for a, b in zip(mix, counts, strict=True)))


def _nearest_in(box: Box, counts: Mix) -> Mix:
    """Return the nearest mix within limits: the counts, all moved by the same number."""

    def moved(step: int) -> Mix:
        limits = zip(box.low, counts, box.high, strict=True)
        return tuple(min(max(low, count + step), high) for low, count, high in limits)

    # Each sum is at most the total at the lower step, and more than that at the upper one.
    lower, upper = -box.total - 1, box.total + 1
    while upper - lower > 1:
        middle = (lower + upper) // 2
        lower, upper = (middle, upper) if sum(moved(middle)) <= box.total else (lower, middle)
    mix, left = list(moved(lower)), box.total - sum(moved(lower))
    for k, next_count in enumerate(moved(lower + 1)):
        if left and next_count > mix[k]:
            mix[k], left = next_count, left - 1
    return tuple(mix)


class BestConstantRegressor(_Blind, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor that knows only which numbers occur, and makes the best of it.

    It never looks at X. It predicts the constant with the best score by a measure, such as the mean
    for RMSE, the median for MAE and one that is lower still for MAPE. Use it where you would use a
    `sklearn.dummy.DummyRegressor`, which has to be told the right constant.

    Parameters
    ----------
    measure
        The measure of numbers, or its name, for which the constant is optimal.

    Attributes
    ----------
    constant_
        The number that is predicted: the middle of the first range of best constants. If all
        constants are as good, it is the mean.
    constants_
        All constants that are best on the training set, as disjoint ranges, ascending.
    numbers_
        The numbers of the training set.
    n_features_in_, feature_names_in_
        As in every estimator.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.zeros((6, 1)), np.array([1.0, 2, 3, 4, 10, 100])
    >>> best = BestConstantRegressor("MAE").fit(X, y)
    >>> best.predict(X[:2]), best.constants_
    (array([3.5, 3.5]), (ConstantSet(low=3.0, high=4.0),))
    >>> BestConstantRegressor("MAPE").fit(X, y).constant_
    2.0
    >>> BestConstantRegressor("RMSE").fit(X, y, sample_weight=[1, 1, 1, 1, 1, 0]).constant_
    4.0
    """

    def __init__(self, measure: str | NumberMeasure = "RMSE") -> None:
        self.measure = measure

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the best constant.

        Parameters
        ----------
        X
            Anything with as many rows as y, or None; its content is ignored.
        y
            The numbers to predict, in one column.
        sample_weight
            How much each of them counts.
        """
        measure = measure_of(REGRESSION, self.measure)
        validate_data(self, X, skip_check_array=True)
        target = self._target(y)
        check_consistent_length(X, target)
        if sample_weight is not None:
            require_aligned({"y": y, "sample_weight": sample_weight})
        self.numbers_ = Numbers(target, sample_weight)
        self.constants_ = _best_constants(measure, self.numbers_)
        middle = self.constants_[0].middle
        is_any = np.isinf(self.constants_[0].low)
        self.constant_ = self.numbers_.mean if is_any else middle
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the constant, once for each row.

        Parameters
        ----------
        X
            Anything with rows.
        """
        check_is_fitted(self)
        return np.full(_num_samples(X), self.constant_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _target(self, y: Any) -> NDArray[np.float64]:
        shape = np.asarray(_plain(y)).shape
        if len(shape) == 2 and shape[1] > 1:
            raise InvalidTargetError(
                f"must be one column of numbers (got {shape[1]:,}); "
                "sklearn.multioutput.MultiOutputRegressor fits an estimator for each",
                parameter="y",
            )
        return read_numbers("y", _check_y(y, y_numeric=True, estimator=self))


def _best_constants(measure: NumberMeasure, numbers: Numbers) -> Constants:
    """Return all best constants, or raise if there are none."""
    first, last = float(numbers.values[0]), float(numbers.values[-1])
    if (
        first == last
        and measure.constant_scores
        and not measure.no_score_of_predictions(numbers.values, None)
    ):
        return one(first)  # also where there is no spread to explain, and no score
    found: Constants = measure.best_constant(numbers).guesses
    if not found:
        raise UndefinedMeasureError(
            f"{measure.key} has no best constant: a prediction that is always the same has no score"
        )
    return found


def _generator_of(random_state: Any) -> np.random.Generator:
    """Return a generator of random numbers, or raise if a seed is out of range."""
    try:
        state = check_random_state(random_state)
    except ValueError as error:
        raise InvalidCountError(
            "must be a seed from 0 to 2**32 - 1, a RandomState or None (got "
            f"{shown(random_state)})",
            parameter="random_state",
        ) from error
    return np.random.default_rng(state.randint(2**31))


def _plain(y: Any) -> Any:
    """Return booleans as booleans; scikit-learn turns those of pandas into numbers."""
    try:
        labels = np.asarray(y)
    except ValueError:
        raise InvalidLabelsError.ragged("y") from None
    except Exception:  # polars has integers that numpy lacks
        return np.asarray(list(y))
    return labels if labels.dtype.kind == "b" else y


def _require_strategy(strategy: object, chosen: str) -> None:
    """Raise unless a strategy is known; the error says what the measure chooses."""
    if not isinstance(strategy, str) or strategy not in ("max", "min", "best"):
        raise InvalidMeasureError(
            f"must be 'max', 'min' or 'best' (got {shown(strategy)}); the measure decides which "
            f"{chosen}",
            parameter="strategy",
        )


def _counts(codes: Labels, classes: int, weights: Labels | None) -> Labels:
    """Return how often each class occurs; whole weights repeat rows, others share them out."""
    found = np.bincount(codes, weights, minlength=classes)
    if weights is None or (weights == np.floor(weights)).all():
        return found.astype(np.int64)
    # Any positive weight makes a class present.
    return np.array(shared_out(found.tolist(), codes.size, least=1))


def shared_out(weights: Sequence[float], rows: int, least: int = 0) -> tuple[int, ...]:
    """Share rows out in proportion to weights, by largest remainders; of equals, the first.

    A class with a weight has the least number, if there are enough rows for all of them.
    """
    exact = list(map(Fraction, weights))
    shares = [weight * rows / sum(exact) for weight in exact]
    counts = [int(share) for share in shares]
    by_remainder = sorted(range(len(shares)), key=lambda k: counts[k] - shares[k])
    for k in by_remainder[: rows - sum(counts)]:
        counts[k] += 1
    for k, weight in enumerate(weights):
        if weight and counts[k] < least:
            most = max(range(len(counts)), key=lambda k: (counts[k], -k))
            if counts[most] > least:
                counts[most], counts[k] = counts[most] - 1, counts[k] + 1
    return tuple(counts)
