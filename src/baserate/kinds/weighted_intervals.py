"""How scores of rows that matter more or less vary over test sets; a row keeps its weight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.measure import Direction, Rule
from baserate.core.observed import summed
from baserate.intervals.bootstrap import Statistic
from baserate.intervals.limits import Margin
from baserate.kinds.class_scores import class_columns, of_class_means, what_rows_say
from baserate.kinds.classes_intervals import references, spare_rows
from baserate.kinds.scores_intervals import (
    ALONE,
    PAIRED,
    RowScores,
    baselines,
    block_starts,
    blocks_of,
    merged,
)
from baserate.kinds.weighted_null import joined
from baserate.measures.class_areas import Areas, Placements
from baserate.measures.class_scores import ClassScoreMeasure, MeanOf
from baserate.measures.classes_record import ClassMeasure
from baserate.measures.scores import ScoreMeasure
from baserate.observed.class_scores import ClassProbabilities
from baserate.observed.labels import BaseRate
from baserate.observed.scores import RankedScores
from baserate.observed.weighted import Weighted, WeightedTestSet, of_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.core.baseline import Baseline
    from baserate.kinds.scores_intervals import Fineness
    from baserate.measures.weighted import WeightedMeasure
    from baserate.observed.weighted import WeightedJoint

    Floats = NDArray[Any]
    Ints = NDArray[np.int64]


# Of more kinds of rows, those of one cell and nearly the same weight are joined, to so many.
_MOST_KINDS, _WEIGHTS = 2**14, 16
# The most cells of tables that are scored at once: they should stay near the processor.
_AT_ONCE = 2**16


class WeightedFamily:
    """What is known of any kind of prediction with weights: a unit is a cell and a weight."""

    def proportion(self, measure: WeightedMeasure, observed: Weighted) -> None:
        """Return None: no proportion decides a score."""

    def score(self, measure: WeightedMeasure, observed: Weighted) -> Statistic | None:
        """Return a score; None if nothing is known of how it varies."""
        of, exact = measure.of, measure.score_or_reason(observed)[0]
        rule = _rule_of(of)
        if rule is not None:
            return _rows(measure, exact, observed).score()
        if isinstance(of, ClassScoreMeasure):
            return _areas(measure, exact, observed) if isinstance(of.form, Areas) else None
        found = _Layout.of(measure, observed)
        ends = (measure.codomain.lower, measure.codomain.upper)
        return found.statistic(found.score, exact, ends=ends)

    def margin(self, baseline: Baseline, observed: Weighted) -> Margin | None:
        """Return a margin over the guess that is best in each resample, and over that of the data.

        None if the baseline is the same on all test sets.
        """
        measure: Any = baseline.measure
        of, exact = measure.of, measure.score_or_reason(observed)[0]
        if _rule_of(of) is not None:
            return _rows(measure, exact, observed).margin()
        if isinstance(of, ClassScoreMeasure):
            return None
        layout, sign = _Layout.of(measure, observed), _sign(measure)
        guesses = _guesses(baseline, observed)
        if guesses is None:
            return None
        margin = sign * (exact - baseline.value)

        def over(guess: Callable[[Floats], Floats]) -> Statistic:
            return layout.statistic(
                lambda sums: sign * (layout.score(sums) - guess(layout.by_class(sums))), margin
            )

        return Margin(over(guesses[0]), over(guesses[1]))

    def difference(self, measure: WeightedMeasure, joint: WeightedJoint) -> Statistic | None:
        """Return the second score minus the first; None if it is not known how it varies."""
        of, sides = measure.of, joint.sides
        exact = measure.score_or_reason(joint.second)[0] - measure.score_or_reason(joint.first)[0]
        if _rule_of(of) is not None:
            return _rows(measure, exact, *sides).difference()
        if isinstance(of, ClassScoreMeasure):
            return _areas(measure, exact, *sides) if isinstance(of.form, Areas) else None
        found = _Layout.of(measure, *sides)
        return found.statistic(lambda sums: found.score(sums, 1) - found.score(sums, 0), exact)

    def contributions(
        self, observed: Weighted, clusters: Sequence[Weighted], measure: Any = None
    ) -> Floats:
        """Return what each cluster of rows adds to the association of truth and predictions.

        It is what a row says of the true class, doubly centred by how much rows matter.
        """
        cells, codes = of_clusters(observed, clusters)
        said = _said(observed, cells, measure)
        heavy = cells.importance * cells.rows / observed.total
        shares = np.bincount(cells.truth, heavy, said.shape[1])
        said = said - heavy @ said
        centred = said[np.arange(codes.size), cells.truth] - said @ shares
        return np.bincount(codes, heavy * centred, len(clusters)).astype(float)


WEIGHTED = WeightedFamily()


def _sign(measure: WeightedMeasure) -> int:
    return 1 if measure.direction is Direction.MAXIMIZE else -1


def _said(observed: Weighted, cells: Weighted, measure: Any) -> Floats:
    """Return what rows say of each class."""
    plain: Any = observed.plain
    if isinstance(plain, RankedScores):
        levels = plain.levels
        ranks = (levels.total - levels.upto + levels.sizes / 2) / levels.total
        return np.stack([np.zeros(cells.given.size), ranks[cells.given]], axis=1)
    if isinstance(plain, ClassProbabilities):
        return np.asarray(what_rows_say(plain, cells.plain.rows, measure)[cells.given])
    return np.eye(cells.shape[1])[cells.given]


def spare_weight(test_set: WeightedTestSet) -> float:
    """Return the weight of the spare row: half way to the heaviest, in logarithms.

    It is the geometric mean of the heaviest weight and of the mean weight by weight. With the
    latter limits were wrong too often where a model errs on what is heavy, and with the heaviest
    they were too wide (docs/decisions/0011-weights.md).
    """
    heavy, rows = test_set.importance, test_set.rows
    return math.sqrt(float(heavy.max()) * float(rows @ heavy**2) / float(rows @ heavy))


# --- Means of rules, and areas --------------------------------------------------------------------


def _rule_of(measure: Any) -> Any:
    """Return the scoring rule whose mean a measure is; None if it is none."""
    form = getattr(measure, "form", None)
    return form.rule if isinstance(form, MeanOf) else getattr(measure, "rule", None)


def _rows(measure: WeightedMeasure, exact: float, *models: Weighted) -> RowScores:
    """Return what a rule gives to cells: of one model, or of a second one minus a first."""
    of, known = measure.of, models[0]
    rule: Any = _rule_of(of)
    is_skill = getattr(of, "form", of).relative

    def points(sides: Sequence[Weighted], cells: Any = slice(None)) -> Floats:
        found = []
        for each in sides:
            if isinstance(of, ClassScoreMeasure):
                found.append(rule.of_cells(each.as_counts, cells))
            else:
                found.append(np.where(each.truth[cells], *rule.of_two(each.said[cells])))
        return np.asarray(found[0] if len(found) == 1 else found[1] - found[0])

    def clustered(clusters: Sequence[Any]) -> tuple[Floats, Ints, Ints, Ints, Floats]:
        sides, codes = _together(models, clusters)
        first = sides[0]
        return points(sides), first.truth, first.rows, codes, first.importance

    cells = known.truth, known.rows, known.shape[0]
    heavy, spare = known.importance, spare_weight(known.test_set)
    ask = lambda cells: points(models, cells)  # noqa: E731
    return RowScores(
        measure, rule, is_skill, exact, ask, *cells, clustered, weights=heavy, spare=spare
    )


def _together(models: Sequence[Weighted], clusters: Sequence[Any]) -> tuple[list[Weighted], Ints]:
    """Return the cells of clusters of one model or two, and their clusters."""
    if len(models) == 1:
        found = [of_clusters(models[0], clusters)]
    else:
        each = [part.sides for part in clusters]
        found = [of_clusters(m, [part[k] for part in each]) for k, m in enumerate(models)]
    return [cells for cells, _ in found], found[0][1]


def _areas(measure: WeightedMeasure, exact: float, *models: Weighted) -> Statistic:
    """Return an average of areas, as a function of the means of the classes."""
    form, heavy = measure.of.form, models[0].importance
    known = [Placements.of(form, each.as_counts) for each in models]
    ends: dict[str, Any] = {"rule": Rule.SEEN, "ends": (-1.0, 1.0)}
    if len(models) == 1:
        every, spare = np.arange(known[0].n.size), spare_weight(models[0].test_set)
        spares = [class_columns(each, every, every.size, spare) for each in known[0].ends]
        ends = {"rule": measure.interval, "ends": (0.0, 1.0), "spares": np.concatenate(spares)}

    def parts(clusters: Sequence[Any]) -> tuple[list[ClassProbabilities], Ints, Ints, Floats]:
        sides, codes = _together(models, clusters)
        first = sides[0]
        return [each.as_counts for each in sides], codes, first.rows, first.importance

    cells = [each.as_counts for each in models]
    return of_class_means(exact, known, cells, parts, weights=heavy, rows=models[0].rows, **ends)


# --- Scores of tables -----------------------------------------------------------------------------


class _Model(NamedTuple):
    """The tables of a model: how many predictions there are, and which each cell has."""

    score: Callable[[Floats], Floats]  # of tables (…, classes, predictions)
    predictions: int
    places: Callable[[Weighted], Ints]
    spares: tuple[int, ...]  # the predictions that a spare row may have


@dataclass(frozen=True, eq=False)
class _Layout:
    """The sums over the rows that tables are made of: how much the rows of each cell matter."""

    measure: WeightedMeasure
    sides: Sequence[Weighted]
    models: Sequence[_Model]
    cells: Sequence[Ints]  # of each model, those that may have rows
    spares: Sequence[Ints]  # the classes of spare rows, and the predictions of each model

    @classmethod
    def of(cls, measure: WeightedMeasure, *sides: Weighted) -> _Layout:
        """Return the sums of one model, or of two."""
        of = measure.of
        fineness = ALONE if len(sides) == 1 else PAIRED
        models = [_model(measure, each, fineness) for each in sides]
        if isinstance(of, ClassMeasure):
            spares = spare_rows(of, [each.plain for each in sides])
        else:
            axes = np.meshgrid([0, 1], *(each.spares for each in models), indexing="ij")
            spares = [each.ravel() for each in axes]
        cells = []
        for each, side, given in zip(models, sides, spares[1:], strict=True):
            met = side.truth * each.predictions + each.places(side)
            spare = spares[0] * each.predictions + given
            every = np.arange(4) if each.predictions == 2 else np.append(met, spare)
            cells.append(np.unique(every))
        return cls(measure, sides, models, cells, spares)

    def score(self, sums: Floats, model: int = 0) -> Floats:
        """Return the scores of a model."""
        known, cells = self.models[model], self.cells[model]
        start = self.cells[0].size if model else 0
        flat = sums[..., start : start + cells.size].reshape(-1, cells.size)
        every = self.sides[0].shape[0] * known.predictions
        if cells.size == every:
            found = known.score(flat.reshape(len(flat), -1, known.predictions))
            return found.reshape(sums.shape[:-1])
        step, parts = max(_AT_ONCE // every, 1), []
        for at in range(0, len(flat), step):
            some = flat[at : at + step]
            tables = np.zeros((len(some), every))
            tables[:, cells] = some
            parts.append(known.score(tables.reshape(len(some), -1, known.predictions)))
        return np.concatenate(parts).reshape(sums.shape[:-1])

    def by_class(self, sums: Floats) -> Floats:
        """Return how much the rows of each class matter."""
        truth = self.cells[0] // self.models[0].predictions
        return sums[..., : truth.size] @ np.eye(self.sides[0].shape[0])[truth]

    def statistic(
        self,
        of: Callable[[Floats], Floats],
        exact: float,
        ends: tuple[float, float] = (-math.inf, math.inf),
    ) -> Statistic:
        """Return a number that is a function of these sums."""
        truth, heavy, rows = self._kinds(self.sides)
        spare = spare_weight(self.sides[0].test_set)
        is_ranking = isinstance(self.measure.of, ScoreMeasure)
        # With a spare row at opposite ends of the scores, models that resemble each other could
        # never be told apart: it is the worst row that was seen.
        is_seen = is_ranking and len(self.sides) > 1
        spares = self._columns(self._keys(self.spares), np.full(self.spares[0].size, spare))
        return Statistic(
            of,
            rows.astype(float),
            Rule.SEEN if is_seen else self.measure.interval,
            columns=self._columns(truth, heavy),
            spares=None if is_seen else spares,
            ends=ends,
            observed=np.asarray(exact) if is_ranking else None,
            of_clusters=self._of_clusters,
        )

    def _keys(self, places: Sequence[Ints]) -> list[Ints]:
        """Return the sums that rows are part of, by their classes and the predictions."""
        truth, *given = places
        starts, found = (0, self.cells[0].size), []
        for known, cells, said, start in zip(self.models, self.cells, given, starts, strict=False):
            found.append(start + np.searchsorted(cells, truth * known.predictions + said))
        return found

    def _kinds(self, sides: Sequence[Weighted]) -> tuple[list[Ints], Floats, Ints]:
        """Return the sums of each kind of row, its weight, and how many rows it has."""
        first = sides[0]
        said = (known.places(each) for known, each in zip(self.models, sides, strict=True))
        keys, place = np.unique(self._keys([first.truth, *said]), axis=1, return_inverse=True)
        kinds = np.stack([place.ravel().astype(float), first.importance])
        kinds, where = np.unique(kinds, axis=1, return_inverse=True)
        truth, heavy = kinds[0].astype(np.int64), kinds[1]
        rows = np.bincount(where.ravel(), first.rows).astype(np.int64)
        if rows.size > _MOST_KINDS:
            truth, heavy, rows = joined(truth, heavy, rows, _WEIGHTS)
        return list(keys[:, truth]), heavy, rows

    def _columns(self, keys: Sequence[Ints], heavy: Floats) -> Any:
        from scipy.sparse import csr_array

        every = np.arange(heavy.size)
        shape = heavy.size, sum(each.size for each in self.cells)
        places = np.concatenate(keys), np.tile(every, len(keys))
        found = csr_array((np.tile(heavy, len(keys)), places[::-1]), shape=shape)
        return found.toarray() if shape[0] * shape[1] <= _AT_ONCE * 16 else found

    def _of_clusters(self, clusters: Sequence[Any]) -> tuple[Any, Floats]:
        sides, codes = _together(self.sides, clusters)
        said = [known.places(each) for known, each in zip(self.models, sides, strict=True)]
        columns = self._columns(self._keys([sides[0].truth, *said]), sides[0].importance)
        return summed(codes, sides[0].rows, columns)


def _model(measure: WeightedMeasure, side: Weighted, fineness: Fineness) -> _Model:
    """Return the tables of a model; of rankings, with an empty block above and below all."""
    plain = side.plain
    if not isinstance(measure.of, ScoreMeasure):
        score = _scores_of_two(measure) if side.shape[1] == 2 else measure.kernel(plain)
        return _Model(score, side.shape[1], lambda each: each.given, (0, 1))
    starts = block_starts(plain, fineness)
    values = np.concatenate([[1.0], merged(plain, starts)[0], [0.0]])  # as probabilities have them
    score = measure.kernel(_Values(values))
    last = values.size - 1
    return _Model(
        score, values.size, lambda each: 1 + blocks_of(plain, starts, each.said), (0, last)
    )


class _Values(NamedTuple):
    """The scores of blocks."""

    values: Floats


@lru_cache(maxsize=256)
def _scores_of_two(measure: WeightedMeasure) -> Callable[[Floats], Floats]:
    """Return what scores tables of two classes: the same function each time."""
    return measure.kernel(None)


# --- The best guess, chosen again -----------------------------------------------------------------


def _guesses(baseline: Any, observed: Weighted) -> tuple[Any, Any] | None:
    """Return the score of the guess that is best, chosen again or not, by the weights of classes.

    None if it is the same on all test sets.
    """
    measure, test_set = baseline.measure, observed.test_set
    of, n = measure.of, test_set.by_class.array
    if isinstance(of, ScoreMeasure):
        positives = min(max(round(float(n[1])), 1), observed.total - 1)
        known = baselines(of, BaseRate(positives=positives, total=observed.total))
        if known is None:
            return None
        shift = baseline.value - float(known(n[1]))
        guess = lambda n: known(n[..., 1]) + shift  # noqa: E731
        return guess, guess
    if isinstance(of, ClassMeasure):
        counts = dict(zip(baseline.test_set.labels, next(iter(baseline.guesses)), strict=True))
        mix = np.array([float(counts.get(label, 0)) for label in observed.plain.labels])
        every = np.zeros(mix.size)
        every[observed.plain.true_counts > 0] = n
        found = references(of, baseline.value, mix, every)
        return None if found.are_fixed else (found.chosen, found.kept)
    return _of_draws(baseline)


def _of_draws(baseline: Any) -> tuple[Any, Any]:
    """Return the score of the best of some draws: the constant ones, and the best one.

    If all tie, one will do.
    """
    measure, best, total = baseline.measure, baseline.guesses.counts, baseline.test_set.total
    compared = [best[0][0]]
    if baseline.max.value != baseline.min.value:
        allowed = measure.of.allowed(baseline.test_set.plain)
        ends = [end for end in (0, total) if end in allowed]
        is_constant = any(end in part for part in best for end in ends)
        compared = ends if is_constant else [*ends, *compared]
    score, sign = _scores_of_two(measure), _sign(measure)

    def at(share: float, n: Floats) -> Floats:
        return score(np.stack([(1 - share) * n, share * n], axis=-1))

    def over(draws: Sequence[int]) -> Callable[[Floats], Floats]:
        # The expected score is another one than that of the mean table, by how much draws vary;
        # so it is on this test set, and about as much on others.
        known = []
        for drawn in draws:
            share, shift = drawn / total, 0.0
            if share not in (0, 1) and any(drawn in part for part in best):
                shift = baseline.best.value - float(at(share, baseline.test_set.by_class.array))
            known.append((share, shift))
        return lambda n: sign * np.fmax.reduce([sign * (at(s, n) + shift) for s, shift in known])

    return over(compared), over([best[0][0]])
