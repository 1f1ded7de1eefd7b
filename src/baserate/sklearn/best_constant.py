"""The best constant as a scikit-learn estimator, a replacement for `DummyRegressor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.rows import require_aligned
from baserate.exceptions import (
    InvalidTargetError,
    UndefinedMeasureError,
)
from baserate.kinds.numbers.task import REGRESSION
from baserate.observed.best_constants import Constants, one
from baserate.observed.numbers import Numbers, finite_numbers
from baserate.sklearn.blind import BlindRegressor, plain
from baserate.tasks import measure_of

# isort: split
# The estimators that these are derived from say first that scikit-learn is missing.
from sklearn.utils.validation import (
    _check_y,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from baserate.measures.numbers_record import NumberMeasure


class BestConstantRegressor(BlindRegressor):
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

    def _target(self, y: Any) -> NDArray[np.float64]:
        shape = np.asarray(plain(y)).shape
        if len(shape) == 2 and shape[1] > 1:
            raise InvalidTargetError(
                f"must be one column of numbers (got {shape[1]:,}); "
                "sklearn.multioutput.MultiOutputRegressor fits an estimator for each",
                parameter="y",
            )
        return finite_numbers(_check_y(y, y_numeric=True, estimator=self), "y")


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
