"""What an estimator says about a test set: labels, or scores and the cut-off that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.exceptions import InvalidPredictionsError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Scores(NamedTuple):
    """The scores of a model, and the threshold at which it predicts positive."""

    values: NDArray[Any]
    threshold: float


def positive_class(estimator: Any, pos_label: object) -> object:
    """Return the positive class: the last one that the estimator knows, unless it is given."""
    if pos_label is not None:
        return pos_label
    classes = getattr(estimator, "classes_", None)
    return None if classes is None or np.ndim(classes) != 1 else classes[-1]


def name_of(estimator: Any, name: str | None) -> str:
    """Return the name that a display shows."""
    return name or type(estimator).__name__


def predictions_of(
    estimator: Any, features: Any, name: str | None, pos_label: object
) -> tuple[dict[str, NDArray[Any]], object]:
    """Return what one estimator or several predict, by name, and the positive class."""
    is_one = not isinstance(estimator, Mapping)
    models = {name_of(estimator, name): estimator} if is_one else dict(estimator)
    if not models:
        raise InvalidPredictionsError.none()
    positive = positive_class(next(iter(models.values())), pos_label)
    return {str(key): each.predict(features) for key, each in models.items()}, positive


def scores_of(estimator: Any, features: Any, pos_label: object) -> Scores:
    """Return the probabilities of the positive class, or the values of the decision function."""
    is_last = positive_class(estimator, None) in (None, positive_class(estimator, pos_label))
    if hasattr(estimator, "predict_proba"):
        return Scores(np.asarray(estimator.predict_proba(features))[:, -1 if is_last else 0], 0.5)
    if hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(features))
        return Scores(values if is_last else -values, 0.0)
    raise InvalidPredictionsError.no_scores(type(estimator).__name__)
