"""Count scores where the rows are.

The engine counts how often each label has each distinct score, and only those counts come back. If
there are more than a million distinct scores, it puts them in bins, and the lowest and the highest
score of each bin come back too: they bound what is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from baserate.core.observed import Weights
from baserate.data.engines.frames import engine_errors, fetched, values_of
from baserate.data.engines.query import Columns, Source, distinct_rows, require_no_text
from baserate.data.files import with_progress
from baserate.data.numbers import SCORES, compared, number_array, require_no_labels
from baserate.data.score_counts import joined, read_score_rows
from baserate.exceptions import InvalidFrameError, InvalidScoresError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from baserate.core.observed import Rows
    from baserate.data.engines.frames import Frame
    from baserate.data.engines.query import DistinctRows, Expressions
    from baserate.data.rows import Group, Key, ReadColumns

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
    *,
    keys: Sequence[Key],
    build: Callable[..., Any],
    threshold: float | None = None,
) -> tuple[dict[Key, dict[Group | None, Any]], int]:
    """Return what was observed of scores of a frame, and how many observations were dropped.

    It is built, for one model or two that are taken together, of which rows are positive, their
    scores, and how often each was seen; or of counts of each score of one model. No bin of scores
    reaches across the threshold.
    """
    with engine_errors():
        source, dropped = Source.of(native, truth, predictions, rows), 0
        if source.is_in_memory:
            read = _read(source, source.in_memory())
            return read.tables(keys, build), read.dropped
        source.numbers(list(source.predictions.values()), SCORES)  # or raise
        if source.is_weighed:
            read = with_progress(source.native, partial(_weighed_there, source))
            return read.tables(keys, build), read.dropped
        source = source.seen()
        if rows.drop and len(keys) > 1:  # what lacks a score of one model is left out for all
            source, dropped = source.complete()
        count = partial(_counted_there, source, build=build, threshold=threshold)
        counted = {key: with_progress(source.native, partial(count, key)) for key in keys}
    dropped = dropped or max(more for _, more in counted.values())
    return {key: found for key, (found, _) in counted.items()}, dropped


def _counted_there(
    source: Source, key: Key, build: Callable[..., Any], threshold: float | None
) -> tuple[dict[Group | None, Any], int]:
    """Count the scores of one model, or the pairs of scores of two, in each group."""
    if len(key) == 1:
        return _counted(source, key[0], build, threshold)
    two = source.of_models(key)
    found = _distinct(two, list(two.predictions.values()), MOST_PAIRS)
    if not found.is_whole:
        raise InvalidFrameError(
            f"two models must have at most {MOST_PAIRS:,} distinct pairs of scores to be "
            "compared where the rows are (got more): round the scores, to three digits "
            "perhaps, or compare a random sample of the rows in memory"
        )
    scores = {model: found.columns[f"score{place}"] for place, model in enumerate(key)}
    rows = _read(two, two.columns_of(found, scores), source)
    return rows.tables([key], build)[key], rows.dropped


def _weighed_there(source: Source) -> ReadColumns:
    """Return the distinct rows of labels, scores and importance weights."""
    found = _distinct(source, list(source.predictions.values()), MOST_PAIRS)
    if not found.is_whole:
        raise InvalidFrameError(
            f"must have at most {MOST_PAIRS:,} different rows of labels, scores and weights (got "
            "more), since these leave the engine: evaluate a random sample of the rows",
            parameter="sample_weight",
        )
    scores = {model: found.columns[f"score{k}"] for k, model in enumerate(source.predictions)}
    weights = source.labels_of(str(source.weight), found.columns["importance"])
    columns = source.columns_of(found, scores)._replace(weights=Weights(weights, "importance"))
    return _read(source, columns, times=found.times)


def _read(
    source: Source, columns: Columns, whole: Source | None = None, times: Any = None
) -> ReadColumns:
    """Read labels and scores by the rules of arrays, or raise what is wrong with them.

    An error says what is missing in all columns, if the source is a part of them. With importance
    weights, rows may have been seen several times.
    """
    truth, scores, groups, weights = columns
    asked = source.rows._replace(by=groups, weights=weights, pos_label=source.pos_label)
    with (whole or source).naming_gaps("labels and scores", InvalidScoresError):
        rows = read_score_rows(truth, scores, asked, source.shown, times=times)
    for model, each in scores.items():
        name = source.predictions[model]
        require_no_labels(source.shown.models[model], _typed(source, name, each))
    return rows


def _typed(source: Source, name: str, scores: Any) -> Any:
    """Return scores in the type of their column; whole numbers if texts were read as such."""
    if not source.is_read(name):
        return scores
    numbers = number_array(name, scores, SCORES)
    if np.isin(numbers, (-1, 0, 1)).all():
        floats: Any = source.frame.filter(nw.col(name).str.contains(_FRACTION)).select(name).head(1)
        if not values_of(fetched(floats)[name]):
            return numbers.astype(int)
    return numbers


def _counted(
    source: Source, model: str, build: Callable[..., Any], threshold: float | None
) -> tuple[dict[Group | None, Any], int]:
    """Count the scores of one model in each group, in bins if there are too many of them."""
    name = source.predictions[model]
    kind = np.dtype("float32" if source.schema[name] == nw.Float32 else "float64")
    border = None if threshold is None else float(compared(threshold, kind))
    found = _distinct(source, [name], MOST_SCORES)
    low = high = found.columns["score0"]
    if not found.is_whole:
        sample = number_array("score", low, SCORES).astype(float)
        groups = 1 if source.rows.by is None else len(set(values_of(found.columns["group"])))
        bins = max(MOST_SCORES // groups, _FEWEST_BINS)
        scale = Scale.of(sample[np.isfinite(sample)], bins, border)
        found = _distinct(source, [name], 4 * MOST_SCORES, scale)
        low, high = (found.columns[f"score0_{end}"] for end in ("low", "high"))
    ends = replace(source, predictions={"low": name, "high": name})
    rows = _read(ends, ends.columns_of(found, {"low": low, "high": high}), source)

    def binned(is_positive: Any, low: Any, high: Any, counts: Any) -> Any:
        positives = np.where(is_positive, counts, 0)
        ends = low.astype(float), high.astype(float)
        return build(joined(*ends, positives, counts - positives, kind))

    return rows.tables([("low", "high")], binned)["low", "high"], rows.dropped


def _distinct(
    source: Source, names: Sequence[str], most: int, scale: Scale | None = None
) -> DistinctRows:
    """Count the distinct scores, or bins of them, beside each label; raise if one is text."""
    numbers = source.numbers(names, SCORES)
    scores = {key: each for key, each in numbers.items() if key.startswith("score")}
    texts = {key: each for key, each in numbers.items() if key.startswith("text")}
    keys, weight = source.group() | {"truth": source.label(source.truth)}, source.weight
    if source.is_weighed:  # one more thing by which rows are alike
        keys, weight = keys | {"importance": source.label(str(weight))}, None
    if scale is None:
        found = distinct_rows(source.frame, keys | scores, most, ends=texts, weight=weight)
    else:
        found = scale.counted(source.frame, keys, scores | texts, most, weight=weight)
    require_no_text(names, found.columns, SCORES)
    return found


# Bins, if there are too many distinct scores to hand over. They are equally wide on a scale that is
# stretched where the scores are: as they come, or as log-odds if they are probabilities.

# A spread of floats that can still be divided by.
_WIDEST = 2.0**1000
# What is farther away than this is in one bin.
_FARTHEST = 1e300
# Scores beyond this are infinite, or nearly so.
_LARGEST = 1.797e308
# Log-odds of floats are between minus this and this.
_HIGHEST = 750.0


@dataclass(frozen=True)
class Scale:
    """How a score becomes the number of a bin; a higher score never has a lower one."""

    # The median and the interquartile range of some scores, or of their log-odds.
    centre: float
    spread: float
    steps: float  # how many bins there are per unit of the scale
    odds: bool  # whether scores are probabilities
    border: float | None = None  # a score that no bin reaches across: from it on, bins are others

    @classmethod
    def of(cls, sample: NDArray[Any], bins: int, border: float | None = None) -> Scale:
        """Return a scale with about this many bins, for scores like some of them."""
        odds = bool(sample.min() >= 0 and sample.max() <= 1)
        inside = sample[(sample > 0) & (sample < 1)] if odds else sample
        units = np.log(inside) - np.log1p(-inside) if odds else inside
        low, centre, high = np.quantile(units, [0.25, 0.5, 0.75])
        # Round numbers, so that another sample of the same scores gives the same bins.
        spread = _power(min(high - low or max(abs(centre), 1.0), _WIDEST))
        centre = float(np.rint(centre / spread)) * spread
        away = (np.array([units.min(), units.max()]) - centre) / spread
        first, last = np.sign(away) * np.log1p(np.abs(away))
        return cls(centre, spread, _power(bins / max(last - first, 1.0)), odds, border)

    def counted(
        self, frame: Frame, keys: Expressions, scores: Expressions, most: int, **asked: Any
    ) -> DistinctRows:
        """Count rows by keys and the bin of the first score, as finely as may come back.

        The ends of all scores are fetched; see `distinct_rows`.
        """
        number = next(iter(scores.values())).cast(nw.Float64())
        every = {**keys, **self.keys(number)}
        found = distinct_rows(frame, every, most, ends=scores, **asked)
        if found.is_whole:
            return found
        coarser = replace(self, steps=self.steps / 8)
        return coarser.counted(frame, keys, scores, most, **asked)

    def keys(self, score: nw.Expr) -> dict[str, nw.Expr]:
        """Return the number of each score's bin, and on which side of the border it is.

        Infinite scores have sides of their own.
        """
        unit = self._odds(score) if self.odds else score
        away = (unit - self.centre) / self.spread
        # Some engines make a whole number of what they round, and know no infinite one.
        far = nw.when(away.abs() < _FARTHEST).then(away.abs()).otherwise(nw.lit(_FARTHEST))
        size = (far + 1.0).log() * self.steps
        place = nw.when(away < 0).then(size * -1.0).otherwise(size).floor()
        side = nw.lit(0)
        if self.border is not None:
            side = nw.when(score >= self.border).then(nw.lit(1)).otherwise(side)
        side = nw.when(score > _LARGEST).then(nw.lit(2)).otherwise(side)
        side = nw.when(score < -_LARGEST).then(nw.lit(-1)).otherwise(side)
        return {"bin": place, "side": side}

    def _odds(self, score: nw.Expr) -> nw.Expr:
        """Return the log-odds of probabilities; other scores lie beyond them, in their order."""
        # An engine may take the logarithm in rows where it is not asked for.
        inside = nw.when((score > 0) & (score < 1)).then(score).otherwise(nw.lit(0.5))
        below = nw.when(score <= 0).then(score * -1.0).otherwise(nw.lit(0.0))
        above = nw.when(score >= 1).then(score - 1.0).otherwise(nw.lit(0.0))
        odds = inside.log() - (1.0 - inside).log()
        outside = nw.when(score >= 1).then(_HIGHEST + (above + 1.0).log())
        beyond = outside.otherwise(-_HIGHEST - (below + 1.0).log())
        return nw.when((score > 0) & (score < 1)).then(odds).otherwise(beyond)


def _power(number: float) -> float:
    """Return the next lower power of 2."""
    return float(2.0 ** np.floor(np.log2(number)))
