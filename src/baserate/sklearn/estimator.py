"""The Dutch Draw as a scikit-learn estimator, a replacement for `DummyClassifier`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.binary.draw import random_sample
from baserate.binary.measures.margins import Margins
from baserate.binary.optimum.baseline import baseline
from baserate.binary.task import BINARY
from baserate.binary.theta import predicted_positives_of
from baserate.data.rows import require_aligned
from baserate.exceptions import (
    InvalidLabelsError,
    InvalidTargetError,
)
from baserate.exceptions.base import listed
from baserate.sklearn.blind import BlindClassifier, generator_of, plain, require_strategy
from baserate.tasks import measure_of

# isort: split
# The estimators that these are derived from say first that scikit-learn is missing.
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Self

    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure


class DutchDrawClassifier(BlindClassifier):
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
    (0.5, array([1, 1, 0, 0, 0, 1, 1, 0, 0, 1]))
    >>> draw.predict_proba(X[:2])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """

    def __init__(
        self,
        measure: str | Measure = "f1",
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
        validate_data(self, X, skip_check_array=True)
        labels = column_or_1d(plain(y), warn=True)
        check_consistent_length(X, labels)
        self.classes_ = _two_classes(labels)
        is_positive = np.asarray(labels == self.classes_[self._positive])
        if sample_weight is not None:
            require_aligned({"y": y, "sample_weight": sample_weight})
            sample_weight = _check_sample_weight(sample_weight, labels, ensure_non_negative=True)
        self.base_rate_ = _base_rate(is_positive, sample_weight)
        self.theta_ = self._learned_theta()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Draw the positive rows at random and return a label for each row.

        Parameters
        ----------
        X
            Anything with rows.
        """
        rows, drawn = self._draw(X)
        generator = generator_of(self.random_state)
        positive = random_sample(rows, drawn, generator)
        return np.asarray(self.classes_[np.where(positive, self._positive, 1 - self._positive)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class: the drawn fraction for the positive one.

        Parameters
        ----------
        X
            Anything with rows.
        """
        rows, drawn = self._draw(X)
        chances = np.empty((rows, 2))
        chances[:, self._positive] = drawn / max(rows, 1)
        chances[:, 1 - self._positive] = (rows - drawn) / max(rows, 1)
        return chances

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
        require_strategy(self.strategy, "fraction is drawn, unless theta=… sets it")
        rate = self.base_rate_
        if self.theta is not None:
            predicted_positives_of(self.theta, rate.total)  # raise unless it is a fraction
            return float(self.theta)
        optimum = getattr(baseline(rate, measure), self.strategy)
        return float(optimum.theta_stars.nearest_count(rate.positives) / rate.total)

    def _draw(self, X: Any) -> tuple[int, int]:
        """Return the number of rows and how many of them to draw."""
        check_is_fitted(self)
        rows = _num_samples(X)
        drawn = predicted_positives_of(self.theta_, rows)
        if self.theta is not None:
            return rows, drawn
        # 1/M of the training set rounds to no row of a smaller set, but the measure may need one.
        first, last = (self._is_undefined(each, rows) for each in (0, rows))
        is_possible = first + last <= rows
        return rows, min(max(drawn, first), rows - last) if is_possible else drawn

    def _is_undefined(self, drawn: int, rows: int) -> bool:
        rate = self.base_rate_
        margins = Margins(rate.positives, rate.negatives, drawn, rows - drawn)
        return measure_of(BINARY, self.measure).failing_requirement(margins) is not None


def _two_classes(labels: NDArray[Any]) -> NDArray[Any]:
    try:
        with np.errstate(invalid="ignore"):  # scikit-learn asks whether infinity is whole
            check_classification_targets(labels)
        kind, classes = type_of_target(labels, input_name="y"), np.unique(labels)
    except TypeError:
        raise _not_binary("of several types") from None
    if kind != "binary":
        raise _not_binary(kind)
    if classes.size < 2:
        raise InvalidTargetError(
            f"must have two classes to learn a base rate from (got 1 class: "
            f"{listed(classes.tolist())})",
            parameter="y",
        )
    return classes


def _not_binary(kind: str) -> InvalidTargetError:
    # The words that scikit-learn asks for.
    return InvalidTargetError(
        f"Only binary classification is supported. The type of the target is {kind}; "
        "binarise a multiclass problem first"
    )


def _base_rate(is_positive: NDArray[np.bool_], weights: NDArray[Any] | None) -> BaseRate:
    if weights is None:
        return BaseRate(positives=int(np.count_nonzero(is_positive)), total=is_positive.size)
    positive, negative = (float(weights[each].sum()) for each in (is_positive, ~is_positive))
    if not (positive > 0 and negative > 0):
        raise InvalidTargetError(
            "must leave some weight to each class (got zeros only for one)",
            parameter="sample_weight",
        )
    if (weights == np.floor(weights)).all():
        return BaseRate(positives=int(positive), total=int(positive + negative))
    rows = is_positive.size
    positives = round(rows * (positive / (positive + negative)))
    # Any positive weight makes a class present.
    return BaseRate(positives=min(max(positives, 1), rows - 1), total=rows)
