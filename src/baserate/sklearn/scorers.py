"""Scorers for scikit-learn: a score, or its worth against the baseline of the same fold."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from baserate.binary.confusion import Confusion
from baserate.binary.dutch_scaler import Scaler
from baserate.binary.measures.catalogue import get_measure
from baserate.binary.optimum.baseline import baseline
from baserate.binary.rescaling import scale_of
from baserate.core.direction import Direction
from baserate.data.labels import positive_masks, require_plain
from baserate.exceptions import (
    InvalidMeasureError,
    InvalidTargetError,
    MissingDependencyError,
    UndefinedMeasureError,
    UndefinedMeasureWarning,
)
from baserate.exceptions.base import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure
    from baserate.data.labels import Labels

Worth: TypeAlias = Literal["rescaled", "dutch_scaler", "margin"]
"""How to express a score relative to its baseline."""

_WORTHS: tuple[Worth, ...] = ("rescaled", "dutch_scaler", "margin")


def make_scorer(
    measure: str | Measure,
    *,
    scaled: bool | Worth = False,
    pos_label: object = None,
    undefined: float = math.nan,
) -> Any:
    """Return a scorer for scikit-learn's `cross_validate`, `GridSearchCV` and the like.

    Each fold is compared with its own baseline. Greater is better: as in scikit-learn, the plain
    score of a measure to minimize is negated.

    Parameters
    ----------
    measure
        A measure or its name.
    scaled
        False for the score itself; True or ``"rescaled"`` for the rescaled score;
        ``"dutch_scaler"`` for the Dutch Scaler; ``"margin"`` for the lead over the baseline.
    pos_label
        The positive class. It may be left out when the labels are 0/1, -1/1 or booleans.
    undefined
        What to return if the score, the baseline or the Dutch Scaler (below the baseline) does
        not exist; an `UndefinedMeasureWarning` says so.

    Returns
    -------
    callable
        A scikit-learn scorer, ``scorer(estimator, X, y)``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], [8, 4])
    >>> model = LogisticRegression().fit(X, y == 1)
    >>> model.predict(X).astype(int)
    array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    >>> make_scorer("mcc", scaled=True)(model, X, np.roll(y, 1))
    0.625
    """
    try:
        from sklearn import metrics
    except ModuleNotFoundError:
        raise MissingDependencyError.package("scikit-learn", "make_scorer") from None
    measure, worth = get_measure(measure), _require_worth(scaled)
    if worth is not None:
        measure.require_baseline()
    is_negated = worth is None and measure.direction is Direction.MINIMIZE
    return metrics.make_scorer(
        dutch_draw_score,
        greater_is_better=not is_negated,
        measure=measure,
        worth=worth,
        pos_label=require_plain(pos_label),
        # scikit-learn negates whatever this returns.
        undefined=-undefined if is_negated else undefined,
    )


def scorers(*names: str, pos_label: object = None, undefined: float = math.nan) -> dict[str, Any]:
    """Return scorers by name, for the `scoring` of scikit-learn's `cross_validate`.

    Parameters
    ----------
    *names
        The name of a measure for its score; with the suffix ``_rescaled``, ``_dutch_scaler`` or
        ``_margin``, such as ``"f1_rescaled"``, for its worth.
    pos_label, undefined
        As in `make_scorer`.

    Returns
    -------
    dict
        The scorers, keyed by the names as given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import cross_validate
    >>> from baserate import DutchDrawClassifier
    >>> X, y = np.zeros((30, 1)), np.repeat([0, 1], [20, 10])
    >>> scoring = scorers("f1", "f1_rescaled", "f1_margin")
    >>> scores = cross_validate(DutchDrawClassifier("f1"), X, y, scoring=scoring)
    >>> scores["test_f1"], scores["test_f1_rescaled"]
    (array([0.5, 0.5, 0.5, 0.5, 0.5]), array([0., 0., 0., 0., 0.]))
    """
    return {name: _named_scorer(name, pos_label, undefined) for name in names}


def _named_scorer(name: str, pos_label: object, undefined: float) -> Any:
    for worth in _WORTHS:
        if isinstance(name, str) and name.endswith(f"_{worth}"):
            measure = name.removesuffix(f"_{worth}")
            return make_scorer(measure, scaled=worth, pos_label=pos_label, undefined=undefined)
    return make_scorer(name, pos_label=pos_label, undefined=undefined)


def _require_worth(scaled: Any) -> Worth | None:
    if isinstance(scaled, bool):
        return "rescaled" if scaled else None
    if not isinstance(scaled, str) or scaled not in _WORTHS:
        names = ", ".join(map(repr, _WORTHS))
        raise InvalidMeasureError(
            f"must be True, False or one of {names} (got {shown(scaled)})", parameter="scaled"
        )
    return scaled


def dutch_draw_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    measure: Measure,
    worth: Worth | None,
    pos_label: object,
    undefined: float,
    sample_weight: Any = None,
) -> float:
    """Return a score or its worth; every scorer calls this function."""
    table = Confusion.of(y_true, y_pred, pos_label=pos_label)
    if sample_weight is not None:
        table = _weighted(y_true, y_pred, pos_label, np.asarray(sample_weight))
    score, reason = measure.score_or_reason(table)
    if reason:
        return _undefined(f"{measure.key} is undefined: {reason}", undefined)
    if worth is None:
        return score
    try:
        return _worth(table, measure, score, worth)
    except UndefinedMeasureError as error:
        return _undefined(str(error), undefined)


def _weighted(
    y_true: Labels, y_pred: Labels, pos_label: object, weights: NDArray[Any]
) -> Confusion:
    """Repeat observations as often as their weights say, which must be whole numbers."""
    truth, predicted = positive_masks({"y_true": y_true, "y_pred": y_pred}, pos_label)
    is_whole = weights.dtype.kind in "biuf" and (weights >= 0).all() and (weights % 1 == 0).all()
    if weights.shape != truth.shape or not is_whole:
        raise InvalidTargetError(
            "must be a whole number for each label, so that it counts observations",
            parameter="sample_weight",
        )
    tp, fp, fn, tn = (
        int(weights[cell].sum())
        for cell in (truth & predicted, ~truth & predicted, truth & ~predicted, ~truth & ~predicted)
    )
    return Confusion(tp=tp, fp=fp, fn=fn, tn=tn)


def _worth(table: Confusion, measure: Measure, score: float, worth: Worth) -> float:
    base = baseline(table, measure)
    scale = scale_of(base)
    if worth == "rescaled":
        return scale.rescaled(score)
    if worth == "margin":
        return scale.advantage(score, scale.best)
    return Scaler(base, scale).weight(score)


def _undefined(message: str, undefined: float) -> float:
    warnings.warn(message, UndefinedMeasureWarning, stacklevel=3)
    return undefined
