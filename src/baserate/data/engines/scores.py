"""Count scores where the rows are.

The engine counts how often each label has each distinct score, and only those counts come back. If
there are more than a million distinct scores, it puts them in bins, and the lowest and the highest
score of each bin come back too: they bound what is lost.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.observed import Weights
from baserate.core.paired import pairs_of
from baserate.data.engines.bins import Scale
from baserate.data.engines.distinct import Source, distinct_rows
from baserate.data.engines.frames import column_name, engine_errors, fetched, values_of
from baserate.data.engines.labels import missing_in_columns, named_counts, positive_label
from baserate.data.engines.texts import is_number, number_of, require_types
from baserate.data.files import with_progress
from baserate.data.number_rows import ScoreRows, read_score_rows
from baserate.data.numbers import SCORES, compared, number_array, require_no_labels
from baserate.data.rows import Shown
from baserate.data.score_counts import joined
from baserate.exceptions import InvalidFrameError, InvalidLabelsError, InvalidScoresError
from baserate.formatting import setting, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from baserate.data.engines.distinct import DistinctRows
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


class FrameScores(NamedTuple):
    """The scores of a frame: its rows if they are in memory, or counts by model and group."""

    found: ScoreRows | dict[str, dict[Group | None, ScoreCounts]]
    dropped: int


class FrameScorePairs(NamedTuple):
    """The same for each pair of models: the rows in memory, or the distinct rows of each pair."""

    found: ScoreRows | dict[tuple[str, str], ScoreRows]
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
        source = Source.of(native, truth, predictions, by, weight)
        read = _Reader(source, pos_label, drop=drop)
        if source.is_in_memory:
            rows = read.in_memory()
            return FrameScores(rows, rows.dropped)
        parts, dropped = read.parts([(model,) for model in predictions])
        counts = {
            model: with_progress(native, partial(parts.counts, model, threshold))
            for model in predictions
        }
    found = {model: each for model, (each, _) in counts.items()}
    return FrameScores(found, dropped or max(more for _, more in counts.values()))


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
        source = Source.of(native, truth, predictions, by, weight)
        read = _Reader(source, pos_label, drop=drop)
        if source.is_in_memory:
            rows = read.in_memory()
            return FrameScorePairs(rows, rows.dropped)
        parts, dropped = read.parts(pairs)
        found = {pair: with_progress(native, partial(parts.pair, pair)) for pair in pairs}
    return FrameScorePairs(found, dropped or max(each.dropped for each in found.values()))


class _Reader:
    """Read the labels and scores of a frame, by the rules of arrays.

    Parameters
    ----------
    source
        The columns.
    pos_label
        The positive class.
    drop
        Whether to drop rows with a missing label or score.
    """

    def __init__(self, source: Source, pos_label: object, *, drop: bool) -> None:
        self.source, self.drop = source, drop
        self.pos_label = positive_label(source, pos_label)

    def in_memory(self) -> ScoreRows:
        """Read rows in memory."""
        source = self.source
        columns, weights = source.in_memory()
        groups = None if source.by is None else columns[source.by]
        scores = {model: columns[name] for model, name in source.predictions.items()}
        try:
            rows = self._read(columns[source.truth], scores, groups, source.shown, weights)
        except (InvalidLabelsError, InvalidScoresError):
            missing = missing_in_columns(source, columns, weights)
            if any(missing.values()) and not self.drop:
                raise _missing(missing) from None
            raise
        for model, each in scores.items():
            require_no_labels(source.shown.models[model], each)
        return rows

    def _read(self, *columns: Any) -> ScoreRows:
        truth, scores, groups, names, weights = columns
        options: Any = {"drop": self.drop, "shown": names, "weights": weights}
        return read_score_rows(truth, scores, self.pos_label, groups, **options)

    def parts(self, parts: Sequence[Sequence[str]]) -> tuple[_Reader, int]:
        """Return a reader of one part after another, and how many observations it leaves out.

        A row that lacks a score of one model is left out for all.
        """
        source = self.source
        scores = list(source.predictions.values())
        require_types(source.schema, scores, is_text=source.is_text)
        rows, dropped = source.seen(), 0
        if self.drop and len(parts) > 1:
            rows, dropped = rows.complete()
        return _Reader(rows, self.pos_label, drop=self.drop), dropped

    # Where the rows are.

    def counts(
        self, model: str, threshold: float | None
    ) -> tuple[dict[Group | None, ScoreCounts], int]:
        """Count the scores of one model in each group, in bins if there are too many of them."""
        source, name = self.source.of_models([model]), self.source.predictions[model]
        found = self._distinct(source, MOST_SCORES)
        if not found.is_whole:
            self._require_numbers(source, found)
            found = self._binned(source, found, threshold)
            low, high = (found.columns[f"score0_{end}"] for end in ("low", "high"))
        else:
            low = high = found.columns["score0"]
        rows = self._rows(source, found, {"low": low, "high": high}, {"low": name, "high": name})
        assert rows.counts is not None  # noqa: S101
        positives = np.where(rows.is_positive, rows.counts, 0)
        kind = "float32" if _is_short(source, name) else "float64"
        columns: list[Any] = [each.astype(float) for each in rows.scores.values()]
        columns += [positives, rows.counts - positives]
        counted = {
            group: joined(*[each[where] for each in columns], kind)  # type: ignore[call-arg]
            for group, where in rows.groups.items()
        }
        return counted, rows.dropped

    def pair(self, pair: tuple[str, str]) -> ScoreRows:
        """Return the distinct pairs of scores of two models, beside the truth."""
        source = self.source.of_models(pair)
        found = self._distinct(source, MOST_PAIRS)
        if not found.is_whole:
            raise InvalidFrameError(
                f"two models must have at most {MOST_PAIRS:,} distinct pairs of scores to be "
                "compared where the rows are (got more): round the scores, to three digits "
                "perhaps, or compare a random sample of the rows in memory"
            )
        scores = {model: found.columns[f"score{place}"] for place, model in enumerate(pair)}
        return self._rows(source, found, scores, source.predictions)

    def _keys(self, source: Source) -> dict[str, Any]:
        return source.group() | {"truth": source.label(source.truth)}

    def _distinct(self, source: Source, most: int, **options: Any) -> DistinctRows:
        """Count the distinct scores beside each label."""
        import narwhals.stable.v2 as nw

        names = list(source.predictions.values())
        scores = {
            f"score{place}": number_of(nw.col(name), is_read=True)
            if source.is_read(name)
            else nw.col(name)
            for place, name in enumerate(names)
        }
        strange: dict[str, Any] = {
            f"text{place}": nw.when(~is_number(nw.col(name)) & ~source.missing(name)).then(
                nw.col(name)
            )
            for place, name in enumerate(names)
            if source.is_read(name)
        }
        keys, ends = self._keys(source) | scores, strange
        if "scale" in options:
            bins = options["scale"].keys(scores["score0"].cast(nw.Float64()))
            keys, ends = self._keys(source) | bins, strange | scores
        return distinct_rows(source.frame, keys, most, ends=ends, weight=source.weight)

    def _binned(self, source: Source, found: DistinctRows, threshold: float | None) -> DistinctRows:
        """Count scores in bins, as finely as may come back."""
        (name,) = source.predictions.values()
        sample = number_array("score", found.columns["score0"], SCORES).astype(float)
        border = None
        if threshold is not None:
            kind = np.dtype("float32" if _is_short(source, name) else "float64")
            border = float(compared(threshold, kind))
        groups = 1 if source.by is None else len(set(values_of(found.columns["group"])))
        bins = max(MOST_SCORES // groups, _FEWEST_BINS)
        scale = Scale.of(sample[np.isfinite(sample)], bins, border)
        while not found.is_whole:
            found, scale = self._distinct(source, 4 * MOST_SCORES, scale=scale), scale.coarser()
        return found

    def _require_numbers(self, source: Source, found: DistinctRows) -> None:
        """Raise if a text is no number."""
        for place, name in enumerate(source.predictions.values()):
            texts = values_of(found.columns.get(f"text{place}_low", []))
            strange = next((each for each in texts if isinstance(each, str)), None)
            if strange is not None:
                raise SCORES.error(column_name(name), f"text such as {shown(strange)}")

    def _rows(
        self,
        source: Source,
        found: DistinctRows,
        scores: Mapping[str, Any],
        names: Mapping[str, str],
    ) -> ScoreRows:
        """Read distinct rows as arrays, or raise what is wrong with them.

        Parameters
        ----------
        source
            The columns that were counted.
        found
            Their distinct rows.
        scores
            The scores of these rows, by any keys.
        names
            The column of each.
        """
        self._require_numbers(source, found)
        truth = source.labels_of(source.truth, found.columns["truth"])
        weights = Weights(found.times, "frequency") if found.times.size else None
        shown_as = Shown(
            column_name(source.truth), {key: column_name(name) for key, name in names.items()}
        )
        try:
            rows = self._read(truth, scores, source.groups_of(found.columns), shown_as, weights)
        except (InvalidLabelsError, InvalidScoresError):
            missing = self.source.count_missing()
            if any(missing.values()) and not self.drop:
                raise _missing(missing) from None
            raise
        for key, name in names.items():
            require_no_labels(column_name(name), _typed(source, name, scores[key]))
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


def _is_short(source: Source, name: str) -> bool:
    """Return whether scores are compared with a threshold in 32 bits."""
    import narwhals.stable.v2 as nw

    return bool(source.schema[name] == nw.Float32)


def _missing(counts: Mapping[str, int]) -> InvalidScoresError:
    """Return the error about missing labels and scores, by column."""
    return InvalidScoresError(
        f"labels and scores must not be missing (got {named_counts(counts)}); fill them, or leave "
        "those rows out with ",
        setting("missing", "drop"),
    )
