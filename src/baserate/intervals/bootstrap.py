"""Confidence intervals over test sets like this one, by one bootstrap.

A score, a margin or a difference is a function of sums over the rows. Rows are given random weights
(`weights.py`), and the interval is made of the numbers that result, by the rule that a measure
follows:

- *with an end* (labels, rankings): one spare row is added where it does most harm, and one where it
  does most good. Of a proportion these are the limits of Clopper and Pearson (1934); of a mean with
  ends, those of Learned-Miller and Thomas (2019).
- *a loss*, which has no end: the distance from the mean of the resamples, stretched by Student's t
  with the degrees of freedom of Satterthwaite (1946).
- *a correlation*: the worst row that was seen as a spare one, Student's t on Fisher's scale, and
  never narrower than Fisher's own interval.

docs/ideas/intervals.md has how often each is wrong, and how wide it is. Arrays may have leading
axes, so that many test sets are resampled at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from baserate.core.baseline import COMPUTATION
from baserate.core.measure import Rule
from baserate.intervals.weights import batches, exponential_weights, gamma_weights, spare_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.intervals.weights import Batch

    Floats: TypeAlias = NDArray[np.float64]
    Ints: TypeAlias = NDArray[np.int64]

# More units are merged with those of nearly the same influence, but for so many at either end.
MOST_UNITS, _AT_ENDS = 1_024, 256
# With fewer rows, nothing can be said of how much others differ.
FEWEST_ROWS = 3
# Sums that differ by less are the same.
_SAME = 1e-9
# The most sums that are read at once: they should stay near the processor.
AT_ONCE = 2**18


class Scale(NamedTuple):
    """A scale on which a number is nearly normal."""

    to: Callable[[Any], Any]
    back: Callable[[Any], Any]


PLAIN = Scale(lambda x: x, lambda z: z)
LOG = Scale(np.log, np.exp)
SHARE = Scale(lambda x: -np.log1p(-x), lambda z: -np.expm1(-z))
FISHER = Scale(np.arctanh, np.tanh)


@dataclass(frozen=True, eq=False)
class Statistic:
    """A number as a function of sums over units: distinct rows, or clusters of them.

    Parameters
    ----------
    of
        The number, of sums along the last axis, and of facts. Sums are scaled to as many rows as
        were observed.
    rows, columns
        How many units are alike, of shape (…, units), and what one of them adds to each sum, of
        shape (…, units, sums); None if the sums are the units.
    sizes
        How many rows a unit has; one, if left out.
    rule, scale, ends, fisher
        How its interval is made, on which scale, between which values it is, and whether it is at
        least as wide as Fisher's of a correlation.
    spares
        What one spare row may add to the sums, of shape (ways, sums), for measures with an end.
    observed, shrunk
        Its value, if the units are too coarse for it, and how near the ends are, beside those of
        these units alone: less than 1 if they are a sample.
    of_clusters
        The sums of clusters of rows, from what was observed of each, and how many rows they have.
    facts
        What else the number depends on, such as the best guess of a test set. Statistics with the
        same function, which differ in their units and in these, are resampled at once.
    """

    of: Callable[..., Floats]
    rows: Floats
    rule: Rule
    columns: Any = None
    sizes: Floats | None = None
    scale: Scale = PLAIN
    spares: Any = None
    ends: tuple[float, float] = (-math.inf, math.inf)
    observed: Floats | None = None
    shrunk: float = 1.0
    fisher: bool = False
    of_clusters: Callable[[Sequence[Any]], tuple[Any, Floats]] | None = None
    facts: tuple[Any, ...] = ()

    def clustered(self, clusters: Sequence[Any]) -> Statistic | None:
        """Return the same number with clusters as its units; None if their sums are not known."""
        if self.of_clusters is None:
            return None
        sums, sizes = self.of_clusters(clusters)
        columns = _dense(sums).astype(float)
        # In an order that does not depend on that of the rows; those without rows say nothing.
        order = np.lexsort([*np.round(columns, 9).T, sizes])
        order = order[sizes[order] > 0]
        return replace(
            self,
            rows=np.ones(order.size),
            rule=Rule.SEEN,
            columns=columns[order],
            sizes=np.asarray(sizes[order], dtype=float),
            spares=None,
            shrunk=1.0,
            fisher=False,
        )

    @property
    def size(self) -> Floats:
        """How many rows there are."""
        return np.asarray((self.rows * (1.0 if self.sizes is None else self.sizes)).sum(axis=-1))

    def sums(self, weights: Floats) -> Floats:
        """Return the sums of each set of weights of the units."""
        if self.columns is None:
            return weights
        if not isinstance(self.columns, np.ndarray):
            return np.asarray(weights @ self.columns)
        # With the draws side by side in memory.
        found = np.swapaxes(self.columns, -1, -2) @ np.swapaxes(weights, -1, -2)
        return np.asarray(np.swapaxes(found, -1, -2))

    def read(self, sums: Floats, total: Floats | None = None, out: Floats | None = None) -> Floats:
        """Return the number of some sums, which are of so many rows; nan if it is not finite."""
        if total is not None:
            factor = self.size[..., np.newaxis] / total
            sums = np.multiply(sums, factor[..., np.newaxis], out=out)
        found = self.of(sums, *(each[..., np.newaxis] for each in self.facts))
        is_finite = np.isfinite(found)
        return found if is_finite.all() else np.where(is_finite, found, np.nan)

    def effects(self, sums: Floats, columns: Any, times: float, at: Floats) -> Floats:
        """Return by how much the number changes if a row is added, or left out, for each column."""
        units = self.rows.shape[-1] if columns is None else columns.shape[-2]
        is_own = self.sizes is not None and columns is self.columns
        sizes: Any = self.sizes if is_own else np.ones(units)
        total = self.size[..., np.newaxis]
        step = max(AT_ONCE // max(sums.size, 1), 1)
        found = []
        for start in range(0, units, step):
            part = slice(start, start + step)
            some = np.eye(units)[part] if columns is None else _dense(columns[..., part, :])
            added = sums[..., np.newaxis, :] + times * some
            found.append(self.read(added, total + times * sizes[part]))
        return np.concatenate(found, axis=-1) - at[..., np.newaxis]


class Interval:
    """The ends of a confidence interval; each is wrong about alpha / 2 of the time.

    With fewer than three units, they are nan.
    """

    def __init__(self, statistic: Statistic, alpha: float) -> None:
        self.alpha = alpha
        with np.errstate(all="ignore"):
            self.units = statistic.rows.sum(axis=-1)
            found = _in_order(_merged(statistic))
            self.statistic, self.ranks, self.influences, self.sums, self.of_units = found
            self.at = self.of_units if statistic.observed is None else statistic.observed
            self.drawn = [self._drawn(batch) for batch in batches(alpha)]

    def ends(self, side: int = 0) -> tuple[Floats, Floats, Floats]:
        """Return both ends and the standard error, that of the resamples of the lower end.

        For a side, one end is enough; of a loss, both are of the same resamples. What is left out,
        or beyond the range of floats, is nan.
        """
        sides = (-1, 1) if self.statistic.rule is Rule.LOSS or not side else (side,)
        found = {each: self.end(each) for each in sides}
        is_known = np.all([np.isfinite(each) for each in found.values()], axis=0)
        none = np.full(self.units.shape, np.nan)
        low, high = (np.where(is_known, found.get(each, none), np.nan) for each in (-1, 1))
        if side > 0:
            return low, high, none
        with np.errstate(all="ignore"):
            away = self._of_low - _mean(self._of_low)[..., np.newaxis]
            error = self.statistic.shrunk * np.sqrt(_mean(away**2))
        return low, high, np.where(self.units < FEWEST_ROWS, np.nan, error)

    @cached_property
    def _of_low(self) -> Floats:
        return self._resampled(None if self.statistic.rule is Rule.LOSS else self._spare(-1))

    def _drawn(self, batch: Batch) -> tuple[Floats, Floats, Floats]:
        """Return the sums of resamples, how many rows they have, and a spare row's weight."""
        rows, sizes = self.statistic.rows, self.statistic.sizes
        if (rows == 1).all() and self.statistic.columns is not None:
            weights, total = exponential_weights(rows.shape[-1], batch)
        else:
            weights = gamma_weights(rows, self.ranks, batch)
            total = weights.sum(axis=-1)
        total = total if sizes is None else weights @ sizes
        return self.statistic.sums(weights), total, spare_weights(batch)

    def _resampled(self, spare: tuple[Floats, float] | None) -> Floats:
        """Return the number of each resample, with a spare unit if its sums and size are given."""
        found = []
        for sums, total, weight in self.drawn:
            if spare is None:
                found.append(self.statistic.read(sums, total))
                continue
            # With the draws side by side in memory, as those of the sums are.
            more = np.moveaxis(np.moveaxis(spare[0], -1, 0)[..., np.newaxis] * weight, 0, -1)
            more += sums
            found.append(self.statistic.read(more, total + weight * spare[1], out=more))
        return np.concatenate(found, axis=-1)

    def end(self, side: int) -> Floats:
        """Return the lower end for a side of -1, or the upper one."""
        from scipy.special import ndtri, stdtrit

        statistic, rule, n = self.statistic, self.statistic.rule, self.units
        to, back = statistic.scale.to, statistic.scale.back
        z = -float(ndtri(self.alpha / 2))
        with np.errstate(all="ignore"):
            same = side < 0 or rule is Rule.LOSS
            values = self._of_low if same else self._resampled(self._spare(side))
            center, shift, stretch = to(self.at), to(self.of_units) - to(self.at), 1.0
            if rule is Rule.LOSS:
                # A guess that is chosen again is better in each resample: counted once, not twice.
                shift = _mean(to(values)) - center
            if rule not in (Rule.END, Rule.AVERAGE):
                freedom = n - 1 if rule is Rule.CORRELATION else self._jackknifed[1]
                stretch = stdtrit(freedom, 1 - self.alpha / 2) / z * np.sqrt((n + 1) / (n - 1))
            quantile = _quantile(values, self.alpha / 2 if side < 0 else 1 - self.alpha / 2)
            shift = np.where(np.isfinite(shift), shift, 0.0)
            end = back(center + statistic.shrunk * stretch * (to(quantile) - shift - center))
            end = np.where(np.isfinite(end), end, quantile)
            if rule is Rule.LOSS:
                # Rows that all lose the same say nothing of how much others lose.
                is_same = np.ptp(values, axis=-1) <= COMPUTATION * np.abs(values).max(axis=-1)
                if is_same.any():
                    end = np.where(is_same, self._of_spare(side, quantile), end)
            if rule is Rule.AVERAGE:
                error, freedom = self._jackknifed
                half = stdtrit(freedom, 1 - self.alpha / 2) * error
                end = _outer(side, end, self.at + side * statistic.shrunk * half)
            if statistic.fisher:
                half = z / np.sqrt(np.maximum(n / statistic.shrunk**2 - 3, 0.1))
                end = _outer(side, end, np.tanh(np.arctanh(self.at) + side * half))
            end = np.where(np.isnan(end), end, _outer(side, end, self.at))
        return np.where(n < FEWEST_ROWS, np.nan, np.clip(end, *statistic.ends))

    def _of_spare(self, side: int, same: Floats) -> Floats:
        """Return the end by a spare row, if there is one; a loss without an end has none."""
        if self.statistic.spares is None:
            return same * (np.nan if self.statistic.scale is LOG else 1.0)
        return Interval(replace(self.statistic, rule=Rule.END), self.alpha).end(side)

    def _spare(self, side: int) -> tuple[Floats, float]:
        """Return what the spare unit that moves the number most to one side adds, and its rows."""
        statistic = self.statistic
        ways, effects = statistic.columns, self.influences
        if statistic.rule in (Rule.END, Rule.AVERAGE) and statistic.spares is not None:
            ways, effects = statistic.spares, self._of_spares
        worst = np.argmax(np.where(np.isnan(effects), -np.inf, side * effects), axis=-1)
        if statistic.sizes is not None:
            return ways[worst], float(statistic.sizes[worst])
        if ways is None:
            return np.asarray(np.eye(statistic.rows.shape[-1])[worst]), 1.0
        if ways.ndim == 2:
            return _dense(ways[worst]), 1.0
        found = np.take_along_axis(ways, worst[..., np.newaxis, np.newaxis], -2)
        return np.asarray(found[..., 0, :]), 1.0

    @cached_property
    def _of_spares(self) -> Floats:
        """By how much each spare row moves the number."""
        return self.statistic.effects(self.sums, self.statistic.spares, 1.0, self.of_units)

    @cached_property
    def _jackknifed(self) -> tuple[Floats, Floats]:
        """The jackknife's standard error, and its degrees of freedom.

        These are few, if few units carry it (Satterthwaite).
        """
        statistic, rows, n = self.statistic, self.statistic.rows, self.units[..., np.newaxis]
        effects = statistic.effects(self.sums, statistic.columns, -1.0, self.of_units)
        away = np.where(np.isfinite(effects), -(n - 1) * effects, n * self.influences)
        away = np.where(np.isfinite(away) & (rows > 0), away, 0.0)
        away -= (rows * away).sum(axis=-1, keepdims=True) / n
        n = self.units
        second = (rows * away**2).sum(axis=-1) / n
        kurtosis = (rows * away**4).sum(axis=-1) / n / second**2
        found = 2 * n / np.maximum(kurtosis - (n - 3) / (n - 1), 1e-9)
        freedom = np.where(second > 0, np.minimum(found, n - 1), n - 1)
        return np.sqrt(second / (n - 1)), freedom


def _mean(values: Floats) -> Floats:
    """Return the mean along the last axis; nan values do not count."""
    return np.asarray(np.nansum(values, axis=-1) / (~np.isnan(values)).sum(axis=-1))


def _outer(side: int, end: Floats, other: Floats) -> Floats:
    """Return the end that is farther out; one that is not known says nothing."""
    return np.fmin(end, other) if side < 0 else np.fmax(end, other)


def _dense(columns: Any) -> Floats:
    return np.asarray(columns if isinstance(columns, np.ndarray) else columns.toarray())


def _in_order(
    statistic: Statistic, *, merging: bool = False
) -> tuple[Statistic, Ints, Floats, Floats, Floats]:
    """Return the units, the ranks of what they do, and their influences; their sums and number.

    They are ordered by how many rows they have, or first by their influences for merging.
    The stream of random numbers is given to them by rank. So the interval is the same whatever the
    order of rows and classes, and mirrored for a number with the other sign.
    """
    sums = statistic.sums(statistic.rows[..., np.newaxis, :])[..., 0, :]
    at = statistic.read(sums[..., np.newaxis, :])[..., 0]
    influences = np.nan_to_num(_influences(statistic, sums, at))
    largest = np.abs(influences).max(axis=-1, keepdims=True)
    key = np.round(influences / np.where(largest > 0, largest, 1.0), 9)
    skew = (statistic.rows * key**3).sum(axis=-1, keepdims=True)
    side = np.where(np.abs(skew) > _SAME, skew, at[..., np.newaxis])
    keys = np.where(side < 0, -key, key), statistic.rows
    order = np.lexsort(keys[::-1] if merging else keys, axis=-1)
    if statistic.columns is None:
        return statistic, np.argsort(order, axis=-1), influences, sums, at
    sizes = None if statistic.sizes is None else statistic.sizes[order]
    rows, influences = (np.take_along_axis(a, order, -1) for a in (statistic.rows, influences))
    if order.ndim > 1:
        columns = np.take_along_axis(statistic.columns, order[..., np.newaxis], -2)
    else:
        columns = statistic.columns[order]
    ordered = replace(statistic, rows=rows, columns=columns, sizes=sizes)
    ranks = np.broadcast_to(np.arange(order.shape[-1]), order.shape)
    return ordered, ranks, influences, sums, at


def _influences(statistic: Statistic, sums: Floats, at: Floats) -> Floats:
    """Return what one more unit of each kind changes; of many, the sum of what its sums do."""
    columns, units = statistic.columns, statistic.rows.size
    if units <= MOST_UNITS or columns is None or isinstance(columns, np.ndarray):
        return statistic.effects(sums, columns, 1.0, at)
    from scipy.sparse import eye_array

    slopes = statistic.effects(sums, eye_array(sums.size, format="csr"), 1.0, at)
    return np.asarray(columns @ np.nan_to_num(slopes))


def _merged(statistic: Statistic) -> Statistic:
    """Return fewer units, those of nearly the same influence together, if there are many."""
    columns, units = statistic.columns, statistic.rows.size
    if units <= MOST_UNITS or columns is None or columns.ndim > 2:
        return statistic
    if statistic.rule is Rule.AVERAGE:  # the jackknife needs small classes as they are
        return statistic
    ordered = _in_order(statistic, merging=True)[0]
    inner = np.linspace(_AT_ENDS, units - _AT_ENDS, MOST_UNITS - 2 * _AT_ENDS + 1).astype(np.int64)
    starts = np.unique(
        np.concatenate([np.arange(_AT_ENDS), inner, np.arange(units - _AT_ENDS, units)])
    )
    from scipy.sparse import csr_array

    rows = np.add.reduceat(ordered.rows, starts)
    group = np.repeat(np.arange(starts.size), np.diff(starts, append=units))
    shares = csr_array((ordered.rows / rows[group], (group, np.arange(units))))
    sizes = None if ordered.sizes is None else shares @ ordered.sizes
    return replace(ordered, rows=rows, columns=shares @ ordered.columns, sizes=sizes)


def _quantile(values: Floats, level: float) -> Floats:
    """Return a quantile along the last axis by Hazen's rule; nan values do not count."""
    known = (~np.isnan(values)).sum(axis=-1, keepdims=True)
    last = np.maximum(known - 1, 0)
    place = np.clip(level * known - 0.5, 0, last)
    below = place.astype(np.int64)
    above = np.minimum(below + 1, last)
    if (known == values.shape[-1]).all():
        ordered = np.partition(values, (int(below.flat[0]), int(above.flat[0])), axis=-1)
    else:
        ordered = np.sort(values, axis=-1)
    low, high = (np.take_along_axis(ordered, each, -1) for each in (below, above))
    return np.asarray(low + (place - below) * (high - low))[..., 0]
