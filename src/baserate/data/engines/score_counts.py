"""Count scores in any data frame or engine, without collecting the rows.

The engine counts the positives and the negatives of each distinct score, and only those counts come
back. If there are more than a million distinct scores, it puts them in bins, and the lowest and the
highest score of each bin come back too: they bound what is lost.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.paired import pairs_of
from baserate.data.engines.frames import (
    as_frame,
    codings_of,
    engine_errors,
    is_in_memory,
    require_columns,
    weights_in,
)
from baserate.data.engines.score_queries import Answer, ScoreQuery, require_types, too_many_pairs
from baserate.data.engines.score_scale import Scale
from baserate.data.engines.texts import typed_groups
from baserate.data.engines.weights import seen_frame
from baserate.data.files import is_text, reads_groups, with_progress
from baserate.data.groups import ordered_groups
from baserate.data.labels import count_missing
from baserate.data.number_rows import ScoreRows, read_score_rows
from baserate.data.numbers import are_labels, compared, require_no_labels
from baserate.data.rows import Shown
from baserate.data.score_counts import joined
from baserate.data.weights import seen_rows
from baserate.exceptions import InvalidLabelsError, InvalidScoresError
from baserate.formatting import setting, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.task import Weights
    from baserate.data.engines.aggregation import Frame
    from baserate.data.groups import Group
    from baserate.data.score_counts import ScoreCounts

# The most distinct scores, per model, and pairs of them, per two models, that leave an engine. More
# scores are put in bins; more pairs are an error.
MOST_SCORES = 10**6
MOST_PAIRS = 5 * 10**6
# So few bins are left if there are very many groups.
_FEWEST_BINS = 10**4
# An error names at most this many columns.
_MOST_NAMED = 12

PairOfScores = tuple[Any, Any, Any, Any]
"""The scores of both models, the positives and the negatives, per distinct pair."""


class FrameScores(NamedTuple):
    """The scores of a frame: its rows if they are in memory, or counts by model and group."""

    found: ScoreRows | dict[str, dict[Group | None, ScoreCounts]]
    dropped: int


class FrameScorePairs(NamedTuple):
    """The same for each pair of models."""

    found: ScoreRows | dict[tuple[str, str], dict[Group | None, PairOfScores]]
    dropped: int


def count_frame_scores(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    *,
    by: str | None = None,
    pos_label: object = None,
    drop: bool = False,
    threshold: float | None = None,
    weight: str | None = None,
) -> FrameScores:
    """Count the scores of every model of a frame, as a whole and in each group.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth
        The column of true labels.
    predictions
        The columns of scores, keyed by model name.
    by
        The column of groups.
    pos_label
        The positive class.
    drop
        Whether to drop rows with a missing label or score.
    threshold
        A score that no bin reaches across.
    weight
        The column of how often each row was seen; None if once.
    """
    with engine_errors():
        query = _query(native, truth, predictions, by, pos_label, weight=weight)
        if isinstance(query, _InMemory):
            rows = query.read(drop=drop)
            return FrameScores(rows, rows.dropped)
        answers = {
            model: with_progress(native, partial(_answered, query, name, threshold))
            for model, name in predictions.items()
        }
        _require_no_labels(query, answers.values())
    _require_complete(truth, predictions, list(answers.values()), drop=drop)
    found = {
        model: _by_group(answer, query, _kind(query, predictions[model]))
        for model, answer in answers.items()
    }
    return FrameScores(found, next(iter(answers.values())).dropped)


def count_frame_score_pairs(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    *,
    by: str | None = None,
    pos_label: object = None,
    drop: bool = False,
    weight: str | None = None,
    with_first: bool = False,
) -> FrameScorePairs:
    """Count the scores of pairs of models of a frame; see `count_frame_scores`."""
    pairs = pairs_of(list(predictions), with_first=with_first)
    with engine_errors():
        query = _query(native, truth, predictions, by, pos_label, weight=weight)
        if isinstance(query, _InMemory):
            rows = query.read(drop=drop)
            return FrameScorePairs(rows, rows.dropped)
        answers = {
            pair: with_progress(native, partial(_paired, query, [predictions[m] for m in pair]))
            for pair in pairs
        }
        _require_no_labels(query, answers.values())
    _require_complete(truth, predictions, list(answers.values()), drop=drop)
    found = {
        pair: _pairs_by_group(answer, query, [_kind(query, predictions[each]) for each in pair])
        for pair, answer in answers.items()
    }
    return FrameScorePairs(found, next(iter(answers.values())).dropped)


class _InMemory(NamedTuple):
    """The columns of a frame in memory, which an error calls by their names in the frame."""

    columns: dict[str, Any]
    truth: str
    predictions: Mapping[str, str]
    by: str | None
    pos_label: object
    weights: Weights | None

    def read(self, *, drop: bool) -> ScoreRows:
        models = {model: self.columns[name] for model, name in self.predictions.items()}
        names = Shown(_shown(self.truth), {m: _shown(name) for m, name in self.predictions.items()})
        groups = None if self.by is None else self.columns[self.by]
        truth = self.columns[self.truth]
        try:
            options: Any = {"drop": drop, "shown": names, "weights": self.weights}
            rows = read_score_rows(truth, models, self.pos_label, groups, **options)
        except (InvalidLabelsError, InvalidScoresError):
            wanted = (self.truth, *self.predictions.values())
            labels = {name: self.columns[name] for name in wanted}
            missing = count_missing(seen_rows(self.weights, truth, labels).models)
            if any(missing.values()) and not drop:
                raise _missing(missing) from None
            raise
        for name in self.predictions.values():
            require_no_labels(_shown(name), self.columns[name])
        return rows


def _shown(column: str) -> str:
    return f"column {shown(column)}"


def _query(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    by: str | None,
    pos_label: object,
    *,
    weight: str | None,
) -> ScoreQuery | _InMemory:
    """Return the query of a frame, or its columns if they are in memory."""
    frame: Frame = as_frame(native)
    scores, groups = list(predictions.values()), [] if by is None else [by]
    schema = require_columns(frame, [truth, *scores], by, weight)
    if is_in_memory(frame):
        held: Any = frame
        columns = {name: held[name].to_native() for name in {truth, *scores, *groups}}
        weights = weights_in(frame, weight)
        return _InMemory(columns, truth, predictions, by, pos_label, weights)
    require_types(schema, scores, is_text=is_text(native))
    rows = seen_frame(frame, weight, schema, text=is_text(native))
    codings = codings_of(native, schema, (truth,), pos_label, rows)
    options: Any = {"schema": schema, "scores": scores, "is_text": is_text(native)}
    options["reads_groups"] = reads_groups(native, by)
    return ScoreQuery(rows, codings, by, (), weight, **options)


def _answered(query: ScoreQuery, name: str, threshold: float | None) -> Answer:
    """Count one model's scores, in bins if there are too many distinct ones."""
    query = replace(query, counted=[name], most=MOST_SCORES)
    answer = query.answer()
    if isinstance(answer, Answer):
        return answer
    border = None
    if threshold is not None:
        border = float(compared(threshold, np.dtype(_kind(query, name))))
    bins = max(MOST_SCORES // max(answer.groups, 1), _FEWEST_BINS)
    scale = Scale.of(answer.sample, bins, border)
    query = replace(query, most=4 * MOST_SCORES)
    while not isinstance(answer, Answer):
        answer, scale = replace(query, scale=scale).answer(), scale.coarser()
    return answer


def _paired(query: ScoreQuery, names: Sequence[str]) -> Answer:
    answer = replace(query, counted=names, most=MOST_PAIRS).answer()
    if not isinstance(answer, Answer):
        raise too_many_pairs(MOST_PAIRS)
    return answer


def _kind(query: ScoreQuery, name: str) -> str:
    """Return the precision in which scores of a column are compared with a threshold."""
    import narwhals.stable.v2 as nw

    return "float32" if query.schema[name] == nw.Float32 else "float64"


def _require_no_labels(query: ScoreQuery, answers: Iterable[Answer]) -> None:
    """Raise if what should be scores are labels, as `require_no_labels` does of arrays."""
    for answer in answers:
        is_known = answer.columns["lacks"] == 0
        for place, name in enumerate(answer.names):
            found = np.unique(answer.columns[f"low{place}"][is_known])
            if found.size == 2 and np.isin(found, (-1, 0, 1)).all() and query.is_whole(name):
                low, high = (query.whole(name)(each) for each in found)
                raise are_labels(_shown(name), low, high)


def _require_complete(
    truth: str, predictions: Mapping[str, str], answers: Sequence[Answer], *, drop: bool
) -> None:
    """Raise if labels or scores are missing and must not be, or if nothing is left."""
    missing = {truth: answers[0].missing[0]}
    for answer in answers:
        missing |= dict(zip(answer.names, answer.missing[1:], strict=True))
    if any(missing.values()) and not drop:
        raise _missing({name: missing[name] for name in (truth, *predictions.values())})
    if not any((answer.columns["lacks"] == 0).any() for answer in answers):
        raise InvalidLabelsError(f"{truth} must hold at least one label (got none)")


def _missing(counts: Mapping[str, int]) -> InvalidScoresError:
    """Return the error about missing labels and scores, by column."""
    missing = [f"{count:,} in {shown(name)}" for name, count in counts.items() if count]
    found = ", ".join(missing[:_MOST_NAMED]) + (", …" if len(missing) > _MOST_NAMED else "")
    return InvalidScoresError(
        f"labels and scores must not be missing (got {found}); fill them, or leave those rows out "
        "with ",
        setting("missing", "drop"),
    )


def _places(answer: Answer, query: ScoreQuery) -> dict[Group | None, NDArray[Any]]:
    """Return the rows of an answer that are of the whole test set, and of each group."""
    is_known = answer.columns["lacks"] == 0
    found: dict[Group | None, NDArray[Any]] = {None: np.flatnonzero(is_known)}
    if query.by is None:
        return found
    renamed = typed_groups(set(answer.groups)) if query.reads_groups else {}
    groups = [renamed.get(group, group) for group in answer.groups]
    names = ordered_groups({groups[place] for place in found[None].tolist()})
    numbers = {name: number for number, name in enumerate(names)}
    codes = np.array([numbers.get(group, -1) for group in groups])
    return found | {
        name: np.flatnonzero(is_known & (codes == number)) for name, number in numbers.items()
    }


def _by_group(answer: Answer, query: ScoreQuery, kind: str) -> dict[Group | None, ScoreCounts]:
    """Return the counts of the whole test set, and of each group."""
    columns = answer.columns
    negatives = columns["rows"] - columns["positive"]
    return {
        group: joined(
            columns["low0"][rows],
            columns["high0"][rows],
            columns["positive"][rows],
            negatives[rows],
            kind,
        )
        for group, rows in _places(answer, query).items()
    }


def _pairs_by_group(
    answer: Answer, query: ScoreQuery, kinds: Sequence[str]
) -> dict[Group | None, PairOfScores]:
    columns = answer.columns
    negatives = columns["rows"] - columns["positive"]
    first, second = (columns[f"low{place}"].astype(kind) for place, kind in enumerate(kinds))
    return {
        group: _summed(first[rows], second[rows], columns["positive"][rows], negatives[rows])
        for group, rows in _places(answer, query).items()
    }


def _summed(first: Any, second: Any, positives: Any, negatives: Any) -> PairOfScores:
    """Return pairs of scores that may repeat with each once, ascending."""
    order = np.lexsort((second, first))
    first, second, positives, negatives = (
        each[order] for each in (first, second, positives, negatives)
    )
    differ = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    start = np.flatnonzero(np.append(True, differ))
    sums = (np.add.reduceat(each, start) for each in (positives, negatives))
    return (first[start], second[start], *sums)
