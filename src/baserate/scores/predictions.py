"""Turn scores into counts per distinct score, per model and group."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from baserate.core.task import JointObservations, Observations
from baserate.data.labels import positive_masks
from baserate.data.named import named_models
from baserate.data.scores import score_vector
from baserate.ranking.joint import JointScores
from baserate.ranking.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from baserate.core.task import Rows
    from baserate.data.labels import Labels


def count_scores(
    y_true: Labels | None, predictions: Any, rows: Rows, threshold: float | None
) -> Observations:
    """Count every model, as a whole and in each group."""
    models = named_models(predictions)
    tables = {
        name: {
            None: each
            if isinstance(each, Scores)
            else Scores.of(y_true, each, rows.pos_label, threshold=threshold)
        }
        for name, each in models.items()
    }
    return Observations(tables, 0)


def count_score_pairs(
    y_true: Labels, models: Mapping[str, Any], rows: Rows, threshold: float | None
) -> JointObservations:
    """Count every pair of models, as a whole and in each group."""
    (truth,) = positive_masks({"y_true": y_true}, rows.pos_label)
    scores = {name: score_vector(each, truth.size) for name, each in models.items()}
    pairs = {
        (one, other): {None: JointScores.of_rows(truth, scores[one], scores[other], threshold)}
        for one, other in combinations(models, 2)
    }
    return JointObservations(pairs, 0)
