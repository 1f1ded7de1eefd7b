"""Count scores where the rows are.

The engine counts how often each label has each distinct score, and only those counts come back. If
there are more than a million distinct scores, it puts them in bins, and the lowest and the highest
score of each bin come back too: they bound what is lost.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.observed import Weights, pairs_of
from baserate.data.engines.frames import engine_errors, fetched, values_of
from baserate.data.engines.query import Columns, Scale, Source, distinct_rows, require_no_text
from baserate.data.files import with_progress
from baserate.data.number_rows import ScoreRows, read_score_rows
from baserate.data.numbers import SCORES, compared, number_array, require_no_labels
from baserate.data.score_counts import joined
from baserate.exceptions import InvalidFrameError, InvalidScoresError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from baserate.core.observed import Rows
    from baserate.data.engines.query import DistinctRows
    from baserate.data.groups import Group
    from baserate.data.score_counts import ScoreCounts

# The most distinct scores, per model, and pairs of them, per two models, that leave an engine. More
# scores are put in bins; more pairs are an error.
MOST_SCORES = 10**6
MOST_PAIRS = 5 * 10**6
# So few bins are left if there are very many groups.
_FEWEST_BINS = 10**4
# A number with a decimal point or an exponent.
_FRACTION = r"[0-9]\.|\.[0-9]|[0-9][eE]"


def count_frame_scores(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    rows: Rows,
    threshold: float | None = None,
) -> tuple[ScoreRows | dict[str, dict[Group | None, ScoreCounts]], int]:
    """Count the scores of every model of a frame, as a whole and in each group.

    Returns the rows if they are in memory, or counts by model and group; and how many observations
    were dropped.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth, predictions
        The names of the columns; those of scores by the names of the models.
    rows
        How the rows are read.
    threshold
        A score that no bin reaches across.
    """
    with engine_errors():
        source = Source.of(native, truth, predictions, rows)
        if source.is_in_memory:
            found = _read(source, source.in_memory())
            return found, found.dropped
        source, dropped = _there(source, [(model,) for model in predictions])
        counts = {
            model: with_progress(native, partial(_counted, source, model, threshold))
            for model in predictions
        }
    tables = {model: each for model, (each, _) in counts.items()}
    return tables, dropped or max(more for _, more in counts.values())


def count_frame_score_pairs(
    native: Any, truth: str, predictions: Mapping[str, str], rows: Rows
) -> tuple[ScoreRows | dict[tuple[str, str], ScoreRows], int]:
    """Return the rows of a frame in memory, or the distinct rows of each pair of models."""
    pairs = pairs_of(list(predictions), with_first=rows.with_first)
    with engine_errors():
        source = Source.of(native, truth, predictions, rows)
        if source.is_in_memory:
            found = _read(source, source.in_memory())
            return found, found.dropped
        source, dropped = _there(source, pairs)
        counted = {pair: with_progress(native, partial(_pair, source, pair)) for pair in pairs}
    return counted, dropped or max(each.dropped for each in counted.values())


def _there(source: Source, parts: Sequence[Sequence[str]]) -> tuple[Source, int]:
    """Return what is counted part by part, and how many observations are left out.

    A row that lacks a score of one model is left out for all.
    """
    source.numbers(list(source.predictions.values()), SCORES)  # or raise
    source = source.seen()
    return source.complete() if source.rows.drop and len(parts) > 1 else (source, 0)


def _read(source: Source, columns: Columns, whole: Source | None = None) -> ScoreRows:
    """Read labels and scores by the rules of arrays, or raise what is wrong with them.

    An error says what is missing in all columns, if the source is a part of them.
    """
    truth, scores, groups, weights = columns
    options: Any = {"drop": source.rows.drop, "shown": source.shown, "weights": weights}
    with (whole or source).naming_gaps("labels and scores", InvalidScoresError):
        rows = read_score_rows(truth, scores, source.pos_label, groups, **options)
    for model, each in scores.items():
        name = source.predictions[model]
        require_no_labels(source.shown.models[model], _typed(source, name, each))
    return rows


def _typed(source: Source, name: str, scores: Any) -> Any:
    """Return scores in the type of their column; whole numbers if texts were read as such."""
    import narwhals.stable.v2 as nw

    if not source.is_read(name):
        return scores
    numbers = number_array(name, scores, SCORES)
    if np.isin(numbers, (-1, 0, 1)).all():
        floats: Any = source.frame.filter(nw.col(name).str.contains(_FRACTION)).select(name).head(1)
        if not values_of(fetched(floats)[name]):
            return numbers.astype(int)
    return numbers


def _counted(
    source: Source, model: str, threshold: float | None
) -> tuple[dict[Group | None, ScoreCounts], int]:
    """Count the scores of one model in each group, in bins if there are too many of them."""
    import narwhals.stable.v2 as nw

    whole, name = source, source.predictions[model]
    source = replace(source, predictions={"low": name, "high": name})
    kind = np.dtype("float32" if source.schema[name] == nw.Float32 else "float64")
    found = _distinct(source, [name], MOST_SCORES)
    low = high = found.columns["score0"]
    if not found.is_whole:
        found = _binned(source, found, None if threshold is None else compared(threshold, kind))
        low, high = (found.columns[f"score0_{end}"] for end in ("low", "high"))
    rows = _rows(source, found, {"low": low, "high": high}, whole)
    assert rows.counts is not None  # noqa: S101
    positives = np.where(rows.is_positive, rows.counts, 0)
    columns: list[Any] = [each.astype(float) for each in rows.scores.values()]
    columns += [positives, rows.counts - positives]
    counted = {
        group: joined(*[each[where] for each in columns], kind)  # type: ignore[call-arg]
        for group, where in rows.groups.items()
    }
    return counted, rows.dropped


def _pair(source: Source, pair: tuple[str, str]) -> ScoreRows:
    """Return the distinct pairs of scores of two models, beside the truth."""
    two = source.of_models(pair)
    found = _distinct(two, list(two.predictions.values()), MOST_PAIRS)
    if not found.is_whole:
        raise InvalidFrameError(
            f"two models must have at most {MOST_PAIRS:,} distinct pairs of scores to be "
            "compared where the rows are (got more): round the scores, to three digits "
            "perhaps, or compare a random sample of the rows in memory"
        )
    scores = {model: found.columns[f"score{place}"] for place, model in enumerate(pair)}
    return _rows(two, found, scores, source)


def _distinct(
    source: Source, names: Sequence[str], most: int, scale: Scale | None = None
) -> DistinctRows:
    """Count the distinct scores, or bins of them, beside each label; raise if one is text."""
    import narwhals.stable.v2 as nw

    numbers = source.numbers(names, SCORES)
    scores = {key: each for key, each in numbers.items() if key.startswith("score")}
    texts = {key: each for key, each in numbers.items() if key.startswith("text")}
    keys, ends = source.group() | {"truth": source.label(source.truth)}, texts
    if scale is None:
        keys |= scores
    else:
        keys |= scale.keys(scores["score0"].cast(nw.Float64()))
        ends |= scores
    found = distinct_rows(source.frame, keys, most, ends=ends, weight=source.weight)
    require_no_text(names, found.columns, SCORES)
    return found


def _binned(source: Source, found: DistinctRows, border: float | None) -> DistinctRows:
    """Count scores in bins, as finely as may come back."""
    sample = number_array("score", found.columns["score0"], SCORES).astype(float)
    groups = 1 if source.rows.by is None else len(set(values_of(found.columns["group"])))
    bins = max(MOST_SCORES // groups, _FEWEST_BINS)
    scale = Scale.of(sample[np.isfinite(sample)], bins, None if border is None else float(border))
    while not found.is_whole:
        names = list(source.predictions.values())[:1]
        found, scale = _distinct(source, names, 4 * MOST_SCORES, scale), scale.coarser()
    return found


def _rows(source: Source, found: DistinctRows, scores: dict[str, Any], whole: Source) -> ScoreRows:
    """Read distinct rows as arrays."""
    truth = source.labels_of(source.truth, found.columns["truth"])
    weights = Weights(found.times, "frequency") if found.times.size else None
    return _read(source, Columns(truth, scores, source.groups_of(found.columns), weights), whole)
