"""Scores of observations that count several times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.binary.base_rate import BaseRate
from baserate.data.labels import positive_masks
from baserate.data.scores import score_vector
from baserate.ranking.scores import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.data.labels import Labels


def weighted_scores(
    y_true: Labels,
    y_score: Any,
    pos_label: object,
    weights: NDArray[Any],
    threshold: float | None = None,
) -> Scores:
    """Count scores, each observation as often as its weight says.

    Examples
    --------
    >>> scores = weighted_scores([0, 1, 1], [0.2, 0.9, 0.9], None, np.array([3, 2, 1]))
    >>> scores.positives.tolist(), scores.negatives.tolist()
    ([3, 0], [0, 3])
    """
    BaseRate.of(y_true, pos_label)  # raises unless one of two classes is positive
    (is_positive,) = positive_masks({"y_true": y_true}, pos_label)
    values, place = np.unique(score_vector(y_score, is_positive.size), return_inverse=True)
    positives, negatives = (
        np.bincount(place, weights * which, values.size).astype(np.int64)[::-1]
        for which in (is_positive, ~is_positive)
    )
    met = positives + negatives > 0
    return Scores(values[::-1][met], positives[met], negatives[met], threshold)
