"""Labels from an estimator, or scores and the threshold it uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.evaluation.request import Request
from baserate.exceptions import InvalidLabelsError, InvalidPredictionsError
from baserate.formatting import in_words, listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Responses(NamedTuple):
    """The scores of a model, and the threshold at which it predicts positive, if any."""

    values: NDArray[Any]
    threshold: float | None


def positive_class(estimator: Any, pos_label: object) -> object:
    """Return the positive class: the last of the estimator's two classes, unless given.

    Of several classes, none is positive by default.
    """
    classes = _classes(estimator)
    return classes[-1] if pos_label is None and 0 < len(classes) <= 2 else pos_label


def _classes(estimator: Any) -> list[Any]:
    """Return the classes of an estimator; none if it does not say."""
    classes = getattr(estimator, "classes_", None)
    return [] if classes is None or np.ndim(classes) != 1 else list(classes)


def name_of(estimator: Any, name: str | None) -> str:
    """Return the name that a display shows."""
    return name or type(estimator).__name__


def predictions_of(
    estimator: Any,
    features: Any,
    name: str | None,
    pos_label: object,
    measures: Any,
    *,
    threshold: float | None = None,
) -> tuple[dict[str, NDArray[Any]], object]:
    """Return the predictions of one or more estimators, keyed by name, and the positive class.

    They are scores if the measures are of scores, or labels. Some measures are of several classes,
    of which none is positive.
    """
    is_one = not isinstance(estimator, Mapping)
    models = {name_of(estimator, name): estimator} if is_one else dict(estimator)
    if not models:
        raise InvalidPredictionsError.none()
    asked = Request.of(None, measures, None, pos_label, threshold)
    if any(task.takes_positive for task in asked.tasks()):
        pos_label = positive_class(next(iter(models.values())), pos_label)
    first = next(asked.tasks())
    if not first.takes_scores:
        return {str(key): each.predict(features) for key, each in models.items()}, pos_label
    need = [each.key for each in first.chosen(measures) if getattr(each, "probabilities", False)]
    found = {}
    for key, each in models.items():
        if need and not hasattr(each, "predict_proba"):
            raise InvalidPredictionsError(
                f"an estimator must have predict_proba for {in_words(need)} (got a "
                f"{type(each).__name__}, which has not)"
            )
        found[str(key)], _ = next(_responses(each, features, pos_label))
    return found, pos_label


def scores_of(
    estimator: Any, features: Any, pos_label: object, *, probabilities: bool = False
) -> Responses:
    """Return the scores of an estimator, and the threshold that reproduces its predictions.

    Take the probabilities or the decision function, whichever first has such a threshold: the
    probabilities of an SVM, for example, do not agree with its predictions.
    """
    if probabilities and not hasattr(estimator, "predict_proba"):
        raise InvalidPredictionsError(
            "an estimator must have predict_proba to say how reliable its probabilities are (got a "
            f"{type(estimator).__name__}, which has not)"
        )
    positive = positive_class(estimator, pos_label)
    responses = list(_responses(estimator, features, positive))
    predicted = np.asarray(estimator.predict(features) == positive)
    found = [
        Responses(values, _cut_off(values, nominal, predicted))
        for values, nominal in responses[: 1 if probabilities else None]
    ]
    return next((scores for scores in found if scores.threshold is not None), found[0])


def _responses(
    estimator: Any, features: Any, positive: object
) -> Iterator[tuple[NDArray[Any], float]]:
    """Yield scores with their usual threshold, or raise if there are none."""
    classes = _classes(estimator)
    if len(classes) > 2 and positive not in classes:
        raise InvalidLabelsError(
            f"must be one of the estimator's {len(classes):,} classes, {listed(classes)} (got "
            f"{shown(positive)}): a threshold is for one class against the rest",
            parameter="pos_label",
        )
    if not (hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")):
        raise InvalidPredictionsError(
            "an estimator must have predict_proba or decision_function to move its threshold "
            f"(got a {type(estimator).__name__}, which has neither)"
        )
    unknown = -1 if positive is None else 0
    place = classes.index(positive) if positive in classes else unknown
    if hasattr(estimator, "predict_proba"):
        yield np.asarray(estimator.predict_proba(features))[:, place], 0.5
    if hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(features))
        if values.ndim == 1:
            yield values if place else -values, 0.0
        elif values.shape[1] == len(classes):
            yield values[:, place], 0.0


def _cut_off(values: NDArray[Any], nominal: float, predicted: NDArray[np.bool_]) -> float | None:
    """Return the threshold that gives these predictions: the usual one if possible, or None.

    Many estimators assign a tie to the other class, and some have their own threshold.
    """
    lowest = float(values[predicted].min()) if predicted.any() else np.inf
    # The next larger number in the scores' precision.
    next_higher = float(np.nextafter(np.result_type(values, nominal).type(nominal), np.inf))
    for threshold in (nominal, next_higher, lowest):
        if np.array_equal(values >= threshold, predicted):
            return threshold
    return None
