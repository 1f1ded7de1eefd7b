"""The confidence intervals of a score, of its margin over the best guess, and of a difference."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from baserate.core.measure import Direction, Rule
from baserate.core.multiple_testing import Limits
from baserate.intervals.bootstrap import AT_ONCE, MOST_UNITS, Interval
from baserate.intervals.weights import DRAWS, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable, Iterable, Sequence

    from baserate.core.baseline import Baseline
    from baserate.core.observed import SwapTest
    from baserate.intervals.bootstrap import Statistic


_NONE = Limits(math.nan, math.nan)


class Proportion(NamedTuple):
    """A score that rises or falls with a proportion of rows, whose interval is exact."""

    hits: int
    misses: int
    score: Callable[[float], float]

    def limits(self, alpha: float) -> Limits:
        """Return the limits of Clopper and Pearson, by quantiles of beta distributions.

        Examples
        --------
        >>> found = Proportion(8, 2, lambda share: share).limits(0.05)
        >>> [round(each, 4) for each in (*found, found.error)]
        [0.4439, 0.9748, 0.1265]
        """
        from scipy.special import betaincinv

        low = float(betaincinv(self.hits, self.misses + 1, alpha / 2)) if self.hits else 0.0
        high = 1.0
        if self.misses:
            high = float(betaincinv(self.hits + 1, self.misses, 1 - alpha / 2))
        first, second = sorted((float(self.score(low)), float(self.score(high))))
        rows = self.hits + self.misses
        share = self.hits / rows
        error = math.sqrt(share * (1 - share) / rows)
        ends = (self.score(min(share + error, 1.0)), self.score(max(share - error, 0.0)))
        return Limits(first, second, abs(float(ends[0]) - float(ends[1])) / 2)


class Margin(NamedTuple):
    """How much better a score is than the guess that is best in each resample, or for the data."""

    chosen: Statistic
    kept: Statistic


class Family(Protocol):
    """What a kind of prediction knows of its numbers, as functions of how much rows weigh."""

    def proportion(self, measure: Any, observed: Any) -> Proportion | None:
        """Return the proportion that decides a score, if one does."""

    def score(self, measure: Any, observed: Any) -> Statistic | None:
        """Return a score; None if nothing is known of how it varies."""

    def margin(self, baseline: Any, observed: Any) -> Margin | None:
        """Return a margin; None if the baseline is the same on all test sets."""

    def difference(self, measure: Any, joint: Any) -> Statistic | None:
        """Return the second score minus the first; None if it is not known how that varies."""


# --- Many numbers that are resampled at once ------------------------------------------------------


class Ends(NamedTuple):
    """The interval of a number, which may be one of several that are resampled at once."""

    of: Interval
    place: Any

    @property
    def low(self) -> float:
        """The lower end."""
        return float(self.of.low[self.place])

    @property
    def high(self) -> float:
        """The upper end."""
        return float(self.of.high[self.place])

    @property
    def error(self) -> float:
        """The standard error."""
        return float(self.of.error[self.place])


R = TypeVar("R")
Asking: TypeAlias = "Generator[Statistic, Ends, R]"
"""What asks for intervals one by one, and returns what it makes of them."""


def answered(asking: Iterable[Asking[R]], alpha: float) -> list[R]:
    """Return what each makes of the intervals that it asks for; many are found at once."""
    found: dict[int, R] = {}
    draws = DRAWS * len(batches(alpha))
    waiting: dict[Hashable, list[tuple[int, Asking[R], Statistic]]] = {}

    def go_on(place: int, asks: Asking[R], told: Ends | None) -> None:
        try:
            wanted = asks.send(told)  # type: ignore[arg-type]
        except StopIteration as end:
            found[place] = end.value
            return
        key = _alike(wanted)
        same = waiting.setdefault(key or place, [])
        same.append((place, asks, wanted))
        sums = wanted.rows.size if wanted.columns is None else wanted.columns.shape[-1]
        if key is None or len(same) * draws * sums >= AT_ONCE:
            tell(key or place)

    def tell(key: Hashable) -> None:
        same = waiting.pop(key)
        together = Interval(_stacked([each for _, _, each in same]), alpha)
        for number, (place, asks, _) in enumerate(same):
            go_on(place, asks, Ends(together, number if len(same) > 1 else ()))

    for place, asks in enumerate(asking):
        go_on(place, asks, None)
    while waiting:
        tell(next(iter(waiting)))
    return [found[place] for place in range(len(found))]


def _alike(of: Statistic) -> Hashable:
    """Return what those have in common that are resampled at once; None if it must be alone."""
    if of.rows.ndim > 1 or of.rows.size > MOST_UNITS or of.sizes is not None:
        return None
    shapes = [None if each is None else each.shape for each in (of.columns, of.spares)]
    how = of.rule, of.scale, of.ends, of.observed is None, of.shrunk, of.fisher
    return (of.of, of.rows.size, *shapes, *how)


def _stacked(statistics: Sequence[Statistic]) -> Statistic:
    """Return statistics that are alike as one, with an axis for them in front if they are many."""
    if len(statistics) == 1:
        return statistics[0]

    def stack(name: str) -> Any:
        first = getattr(statistics[0], name)
        return None if first is None else np.stack([getattr(s, name) for s in statistics])

    names = ("rows", "columns", "spares", "observed")
    facts = tuple(map(np.array, zip(*(each.facts for each in statistics), strict=True)))
    return replace(statistics[0], **{name: stack(name) for name in names}, facts=facts)


# --- What is asked --------------------------------------------------------------------------------


class Asks(abc.ABC):
    """What knows how sure scores are, over test sets like the one that was observed."""

    alpha: float

    @abc.abstractmethod
    def asked_score(self, measure: Any) -> Asking[Limits]:
        """Ask for the interval of a score."""

    @abc.abstractmethod
    def asked_margin(self, measure: Any, baseline: Any) -> Asking[Limits]:
        """Ask for the interval of a margin."""

    def score(self, measure: Any) -> Limits:
        """Return the interval of a score; nan if it has no value here."""
        return answered([self.asked_score(measure)], self.alpha)[0]

    def margin(self, measure: Any, baseline: Any) -> Limits:
        """Return the interval of how much better a score is than the best guess."""
        return answered([self.asked_margin(measure, baseline)], self.alpha)[0]


@dataclass(frozen=True, eq=False)
class Uncertainty(Asks):
    """The confidence intervals of scores and margins, each wrong at most alpha of the time.

    With clusters, which are what was observed of each, whole clusters are resampled.
    """

    family: Family
    observed: Any
    alpha: float
    clusters: Sequence[Any] = ()

    def asked_score(self, measure: Any) -> Asking[Limits]:
        """Ask for the interval of a score; nan if it has no value here."""
        if measure not in self._known:
            self._known[measure] = yield from self._asked_score(measure)
        return self._known[measure]

    @cached_property
    def _known(self) -> dict[Any, Limits]:
        return {}

    @cached_property
    def _scores(self) -> dict[Any, float]:
        return {}

    def _score(self, measure: Any) -> float:
        """Return a score; nan if it has no value here."""
        if measure not in self._scores:
            score, reason = measure.score_or_reason(self.observed)
            self._scores[measure] = math.nan if reason else score
        return self._scores[measure]

    def _asked_score(self, measure: Any) -> Asking[Limits]:
        score = self._score(measure)
        if math.isnan(score):
            return _NONE
        proportion = self.family.proportion(measure, self.observed)
        if proportion is not None:
            known = proportion.limits(self.alpha)
            found = Limits(min(known[0], score), max(known[1], score), known.error)
            if not self.clusters:
                return found
        with np.errstate(all="ignore"):  # numbers may have squares that no float holds
            statistic = self.family.score(measure, self.observed)
        if proportion is None or statistic is None:
            return (yield from _of_rows_and_clusters(statistic, self.clusters))
        return _outer(found, (yield from _of_clusters(statistic, self.clusters)))

    def asked_margin(self, measure: Any, baseline: Baseline) -> Asking[Limits]:
        """Ask for the interval of how much better a score is than the best guess."""
        scale, score = baseline.scale, self._score(measure)
        if math.isnan(score):
            return _NONE
        with np.errstate(all="ignore"):
            found = self.family.margin(baseline, self.observed)
        if found is None:
            sign = 1 if measure.direction is Direction.MAXIMIZE else -1
            known = yield from self.asked_score(measure)
            low, high = sorted(sign * (end - scale.best) for end in known)
        else:
            known = yield from _of_margin(found)
            if self.clusters:
                chosen = (yield from _of_clusters(found.chosen, self.clusters)) or _NONE
                kept = (yield from _of_clusters(found.kept, self.clusters)) or _NONE
                ends = Limits(chosen[0], max(chosen[1], kept[1]), chosen.error)
                known = _outer(known, ends)
            low, high = known
        if math.isnan(low) or math.isnan(high):
            return _NONE
        slack, margin = scale.slack(score, scale.best), scale.advantage(score, scale.best)
        low, high = (0.0 if abs(end) <= slack else end for end in (low, high))
        return Limits(min(low, margin), max(high, margin), known.error)


class Sure(NamedTuple):
    """The confidence intervals of a score and of its margin."""

    score: Limits
    margin: Limits


def found_together(
    known: Sequence[Asks], measures: Sequence[Any], baselines: Sequence[Sequence[Any]]
) -> list[list[Sure]]:
    """Return the intervals of many observations by each measure, of which many are found at once.

    The baselines are those of the measures on each test set; a text where there is none.
    """
    if not known:
        return []
    columns = []
    for place, measure in enumerate(measures):
        scores = answered((each.asked_score(measure) for each in known), known[0].alpha)
        asked = (
            _none() if isinstance(of[place], str) else each.asked_margin(measure, of[place])
            for each, of in zip(known, baselines, strict=True)
        )
        margins = answered(asked, known[0].alpha)
        columns.append(list(map(Sure, scores, margins)))
    return [list(row) for row in zip(*columns, strict=True)]


def _none() -> Asking[Limits]:
    yield from ()
    return _NONE


@dataclass(frozen=True, eq=False)
class PairedModels:
    """Two models on the same observations: how much they differ, by rows or by clusters."""

    family: Family
    joint: Any
    alpha: float
    clusters: Sequence[Any] = ()
    swapped: Callable[..., SwapTest] | None = None

    def swap_test(self, measure: Any) -> SwapTest:
        """Return the p-value of swapping the models row by row, or by whole clusters."""
        assert self.swapped is not None  # noqa: S101
        with np.errstate(all="ignore"):  # squares may be beyond the range of floats
            if self.clusters:
                return self.swapped(measure, self.joint, self.clusters)
            return self.swapped(measure, self.joint)

    def limits(self, measure: Any) -> Limits:
        """Return the interval of the second score minus the first; nan if one is missing."""
        scores = [measure.score_or_reason(each) for each in (self.joint.first, self.joint.second)]
        if any(reason or math.isnan(score) for score, reason in scores):
            return _NONE
        if not self.joint.disagreements:
            return Limits(0.0, 0.0, 0.0)
        # Random numbers are given to cells in their order. So that who is called first does not
        # matter, the model with the larger score is the second; of equal ones, each is in turn.
        (first, _), (second, _) = scores
        found = [self._limits(measure, self.joint, self.clusters)] if first <= second else []
        if first >= second:
            turned = [each.mirrored for each in self.clusters]
            found.append(-self._limits(measure, self.joint.mirrored, turned))
        return found[0] if len(found) == 1 else _outer(*found)

    def _limits(self, measure: Any, joint: Any, clusters: Sequence[Any]) -> Limits:
        with np.errstate(all="ignore"):
            statistic = self.family.difference(measure, joint)
        return answered([_of_rows_and_clusters(statistic, clusters)], self.alpha)[0]


def _of_rows_and_clusters(statistic: Statistic | None, clusters: Sequence[Any]) -> Asking[Limits]:
    if statistic is None:
        return _NONE
    found = _limits((yield statistic))
    return _outer(found, (yield from _of_clusters(statistic, clusters)))


def _of_clusters(statistic: Statistic, clusters: Sequence[Any]) -> Asking[Limits | None]:
    """Ask for the interval of a number whose clusters are resampled; None if there are none."""
    if not clusters:
        return None
    found = statistic.clustered(clusters)
    return _NONE if found is None else _limits((yield found))


def _outer(rows: Limits, clusters: Limits | None) -> Limits:
    """Return the interval of clusters, never narrower than that of rows."""
    if clusters is None or math.isnan(clusters[0] + clusters[1]):
        return clusters or rows
    low, high = float(np.fmin(rows[0], clusters[0])), float(np.fmax(rows[1], clusters[1]))
    return Limits(low, high, max(rows.error, clusters.error))


def _of_margin(margin: Margin) -> Asking[Limits]:
    """Ask for the lower end with the guess chosen again, and the upper one with that of the data.

    A perfect model where half are positive beats each guess by a half. In each resample one of
    them is better than that, so the upper end would be too low.
    """
    chosen = yield margin.chosen
    kept = chosen if margin.kept is margin.chosen else (yield margin.kept)
    is_loss = margin.chosen.rule is Rule.LOSS
    return _finite(chosen.low, np.fmax(kept.high, chosen.high) if is_loss else kept.high, chosen)


def _limits(found: Ends) -> Limits:
    return _finite(found.low, found.high, found)


def _finite(low: float, high: float, found: Ends) -> Limits:
    """Return an interval; none if its ends are beyond the range of floats."""
    if not math.isfinite(low) or not math.isfinite(high):
        return _NONE
    return Limits(low, float(high), found.error if math.isfinite(found.error) else math.nan)
