"""Turn scores into counts per distinct score, per model and group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.binary.base_rate import BaseRate
from baserate.core.paired import pairs_of
from baserate.core.task import JointObservations, Observations, Weights
from baserate.data.engines.scores import count_frame_score_pairs, count_frame_scores
from baserate.data.number_rows import read_score_rows
from baserate.data.numbers import require_no_labels
from baserate.data.rows import Shown, named_models, observed_models
from baserate.data.weights import weight_column
from baserate.exceptions import InvalidPredictionsError
from baserate.formatting import shown
from baserate.ranking.joint import JointScores
from baserate.ranking.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.core.task import Rows
    from baserate.data.columns import Labels
    from baserate.data.number_rows import ScoreRows


def count_scores(
    y_true: Labels | None, predictions: Any, rows: Rows, threshold: float | None
) -> Observations:
    """Count every model, as a whole and in each group."""

    def read(scores: dict[str, Any]) -> tuple[dict[str, dict[Any, Scores]], int]:
        found = _read(y_true, scores, rows)
        return _counted(found, threshold), found.dropped

    return observed_models(
        named_models(predictions),
        Scores,
        y_true,
        words=("scores", "Scores"),
        read=read,
        require=lambda model, table: require_test_set(
            model, table, y_true, rows.pos_label, by=rows.by
        ),
    )


def count_score_pairs(
    y_true: Labels, models: Mapping[str, Any], rows: Rows, threshold: float | None
) -> JointObservations:
    """Count every pair of models, as a whole and in each group."""
    return _paired(_read(y_true, models, rows), rows, threshold)


def _read(y_true: Labels, models: Mapping[str, Any], rows: Rows) -> ScoreRows:
    read = read_score_rows(
        y_true, models, rows.pos_label, rows.by, drop=rows.drop, weights=rows.weights
    )
    for name, each in models.items():
        require_no_labels(f"model {shown(name)}", each)
    return read


def scores_of_columns(
    y_true: Labels, y_score: Any, pos_label: object, threshold: float | None
) -> Scores:
    """Count scores against true labels, or raise if they are labels, too."""
    found = Scores.of(y_true, y_score, pos_label, threshold=threshold)
    require_no_labels("y_score", y_score)
    return found


def count_scores_of_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, threshold: float | None
) -> Observations:
    """Count every model of a data frame, where the rows are."""
    read = count_frame_scores(
        frame,
        truth,
        columns,
        by=rows.by,
        pos_label=rows.pos_label,
        drop=rows.drop,
        threshold=threshold,
        weight=weight_column(rows.weights),
    )
    if not isinstance(read.found, dict):
        return Observations(_counted(read.found, threshold), read.dropped)
    tables = {
        name: {group: Scores.counted(each, threshold) for group, each in groups.items()}
        for name, groups in read.found.items()
    }
    return Observations(tables, read.dropped)


def count_pairs_of_frame(
    frame: Any, truth: str, columns: Mapping[str, str], rows: Rows, threshold: float | None
) -> JointObservations:
    """Count every pair of models of a data frame, where the rows are."""
    read = count_frame_score_pairs(
        frame,
        truth,
        columns,
        by=rows.by,
        pos_label=rows.pos_label,
        drop=rows.drop,
        weight=weight_column(rows.weights),
        with_first=rows.with_first,
    )
    if not isinstance(read.found, dict):
        return _paired(read.found, rows, threshold)
    pairs: dict[Any, Any] = {}
    for each in read.found.values():
        pairs |= _paired(each, rows, threshold).pairs
    return JointObservations(pairs, read.dropped)


def weighted_scores(
    y_true: Labels,
    y_score: Any,
    pos_label: object,
    weights: NDArray[Any],
    threshold: float | None,
) -> Scores:
    """Count scores, each observation as often as its weight says."""
    names = Shown("y_true", {"y_score": "y_score"})
    read = read_score_rows(
        y_true,
        {"y_score": y_score},
        pos_label,
        None,
        shown=names,
        weights=Weights(weights, "frequency"),
    )
    return Scores.of_rows(read.is_positive, read.scores["y_score"], threshold, read.counts)


def require_test_set(
    model: str,
    table: Scores,
    y_true: Labels | None,
    pos_label: object = None,
    *,
    by: Labels | None = None,
) -> None:
    """Raise unless scores are counted on the same test set as the labels of other models."""
    if not table.total:
        raise InvalidPredictionsError(
            f"{model} must have at least one observation (got empty Scores)"
        )
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with a score per observation ({model} is Scores, which have no rows to "
            "group); evaluate the Scores of each group as models of their own",
            parameter="by",
        )
    if y_true is None:
        return
    rate = BaseRate.of(y_true, pos_label)
    if table.test_set != rate:
        raise InvalidPredictionsError(
            f"{model} must be counted on the labels of y_true, {rate} (got {table.test_set})"
        )


def _counted(rows: ScoreRows, threshold: float | None) -> dict[str, dict[Any, Scores]]:
    return {
        name: {
            group: Scores.of_rows(
                rows.is_positive[where], scores[where], threshold, _counts(rows, where)
            )
            for group, where in rows.groups.items()
        }
        for name, scores in rows.scores.items()
    }


def _paired(read: ScoreRows, rows: Rows, threshold: float | None) -> JointObservations:
    pairs = {
        (one, other): {
            group: JointScores.of_rows(
                read.is_positive[where],
                read.scores[one][where],
                read.scores[other][where],
                threshold,
                _counts(read, where),
            )
            for group, where in read.groups.items()
        }
        for one, other in pairs_of(list(read.scores), with_first=rows.with_first)
    }
    return JointObservations(pairs, read.dropped)


def _counts(rows: ScoreRows, where: Any) -> NDArray[Any] | None:
    """Return how often some rows were seen; None if once."""
    return None if rows.counts is None else rows.counts[where]
