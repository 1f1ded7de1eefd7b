"""What estimators share that never look at their input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.exceptions import (
    InvalidCountError,
    InvalidLabelsError,
    InvalidMeasureError,
    MissingDependencyError,
)
from baserate.exceptions.base import shown

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import _num_samples
except ModuleNotFoundError:
    raise MissingDependencyError.package("scikit-learn", "an estimator") from None

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


class BlindRegressor(_Blind, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor that never looks at X."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


class BlindClassifier(_Blind, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that never looks at X."""

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


def generator_of(random_state: Any) -> np.random.Generator:
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


def plain(y: Any) -> Any:
    """Return booleans as booleans; scikit-learn turns those of pandas into numbers."""
    try:
        labels = np.asarray(y)
    except ValueError:
        raise InvalidLabelsError.ragged("y") from None
    except Exception:  # polars has integers that numpy lacks
        return np.asarray(list(y))
    return labels if labels.dtype.kind == "b" else y


def require_strategy(strategy: object, chosen: str) -> None:
    """Raise unless a strategy is known; the error says what the measure chooses."""
    if not isinstance(strategy, str) or strategy not in ("max", "min", "best"):
        raise InvalidMeasureError(
            f"must be 'max', 'min' or 'best' (got {shown(strategy)}); the measure decides which "
            f"{chosen}",
            parameter="strategy",
        )
