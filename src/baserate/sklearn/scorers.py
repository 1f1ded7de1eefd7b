"""Scorers for scikit-learn: a score, or its worth against the baseline of the same fold."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.confusion import Confusion
from baserate.binary.measures.catalogue import get_measure
from baserate.core.direction import Direction
from baserate.data.alignment import require_aligned
from baserate.data.labels import positive_masks, require_plain
from baserate.exceptions import (
    InvalidMeasureError,
    InvalidTargetError,
    MissingDependencyError,
    UndefinedMeasureWarning,
)
from baserate.exceptions.base import shown
from baserate.sklearn.undefined import Worth, ranked_score, ranked_worth
from baserate.support.arguments import as_float, is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.binary.measures.record import Measure
    from baserate.data.labels import Labels

_WORTHS: tuple[Worth, ...] = ("rescaled", "dutch_scaler", "margin")


def make_scorer(
    measure: str | Measure,
    *,
    scaled: bool | Worth = False,
    pos_label: object = None,
    undefined: float | None = None,
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
        not exist; an `UndefinedMeasureWarning` says so. By default it is a number that a search
        can rank: the score that scikit-learn gives, such as 0 for the F1 of a model that predicts
        nothing positive; where it gives none, the expected score of the worst draw, or the worst
        end of the codomain if no draw has a score. Such a score is worth no more than the
        baseline, and the Dutch Scaler is 0 below it.

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
    undefined = _require_undefined(undefined)
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
        undefined=-undefined if is_negated and undefined is not None else undefined,
    )


def scorers(
    *names: str, pos_label: object = None, undefined: float | None = None
) -> dict[str, Any]:
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


def _named_scorer(name: str, pos_label: object, undefined: float | None) -> Any:
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


def _require_undefined(undefined: Any) -> float | None:
    if undefined is None:
        return None
    if not is_number(undefined):
        raise InvalidMeasureError(
            f"must be a number, or None for one that a search can rank (got {shown(undefined)})",
            parameter="undefined",
        )
    return as_float(undefined)


def dutch_draw_score(
    y_true: Labels,
    y_pred: Labels,
    *,
    measure: Measure,
    worth: Worth | None,
    pos_label: object,
    undefined: float | None,
    sample_weight: Any = None,
) -> float:
    """Return a score or its worth; every scorer calls this function."""
    table = Confusion.of(y_true, y_pred, pos_label=pos_label)
    if sample_weight is not None:
        require_aligned({"y_true": y_true, "sample_weight": sample_weight})
        table = _weighted(y_true, y_pred, pos_label, np.asarray(sample_weight))
    value, why = (
        ranked_score(table, measure) if worth is None else ranked_worth(table, measure, worth)
    )
    if not why:
        return value
    standing = f"; {value:.6g} stands in" if undefined is None else ""
    warnings.warn(f"{why}{standing}", UndefinedMeasureWarning, stacklevel=2)
    return value if undefined is None else undefined


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
