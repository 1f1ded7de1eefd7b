"""What estimators share that never look at their input."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.data.rows import require_aligned
from baserate.exceptions import (
    InvalidCountError,
    InvalidLabelsError,
    InvalidMeasureError,
    InvalidTargetError,
    MissingDependencyError,
)
from baserate.formatting import shown

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (
        _check_sample_weight,
        _num_samples,
        check_consistent_length,
        validate_data,
    )
except ModuleNotFoundError:
    raise MissingDependencyError.package("scikit-learn", "an estimator") from None

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    Labels: TypeAlias = NDArray[Any]


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

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Labels, Labels, Labels]:
        """Return the labels, the classes in sorted order, and how often each occurs."""
        validate_data(self, X, skip_check_array=True)
        labels = column_or_1d(plain(y), warn=True)
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


def _counts(codes: Labels, classes: int, weights: Labels | None) -> Labels:
    """Return how often each class occurs; whole weights repeat rows, others share them out."""
    found = np.bincount(codes, weights, minlength=classes)
    if weights is None or (weights == np.floor(weights)).all():
        return found.astype(np.int64)
    # Any positive weight makes a class present.
    return np.array(shared_out(found.tolist(), codes.size, least=1))


def shared_out(weights: Sequence[float], rows: int, least: int = 0) -> tuple[int, ...]:
    """Share rows out in proportion to weights, by largest remainders; of equals, the first.

    Parameters
    ----------
    weights
        The weight of each class; their sum is positive.
    rows
        The number of rows.
    least
        How many a class with a weight has at least, if there are enough rows for all of them.

    Examples
    --------
    >>> shared_out((70, 20, 10), 100), shared_out((70, 20, 10), 8)
    ((70, 20, 10), (6, 1, 1))
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
