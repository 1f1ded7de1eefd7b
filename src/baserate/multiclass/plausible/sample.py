"""The occupied cells of one table, or of the joint table of two models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.plausible.tables import Tables

if TYPE_CHECKING:
    from baserate.multiclass.matrix import ConfusionMatrix
    from baserate.multiclass.plausible.tables import Floats, Ints


@dataclass(frozen=True, eq=False)
class Sample:
    """Cells that have observations.

    Parameters
    ----------
    truth
        The true class of each cell.
    answers
        What each model says there.
    counts
        How many observations there are.
    classes
        The number of classes.
    """

    truth: Ints
    answers: tuple[Ints, ...]
    counts: Ints
    classes: int

    @classmethod
    def of(cls, table: ConfusionMatrix) -> Sample:
        """Return the sample of one model."""
        truth, answers = np.nonzero(table.counts)
        return cls(truth, (answers,), table.counts[truth, answers], len(table.counts))

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return int(self.counts.sum())

    @cached_property
    def observed(self) -> tuple[Tables, ...]:
        """The table of each model, of shape (1, K)."""
        return self.tables(self.counts[:, np.newaxis].astype(float), whole=True)

    def cells(self, model: int) -> Floats:
        """Return the table of a model."""
        found = np.zeros((self.classes, self.classes))
        np.add.at(found, (self.truth, self.answers[model]), self.counts)
        return found

    def drawn(self, rng: np.random.Generator, points: int) -> Floats:
        """Return gamma variables for each cell, of shape (cells, points), with mean its count."""
        shape = self.counts[:, np.newaxis].astype(float)
        return rng.standard_gamma(shape, (self.counts.size, points))

    @cached_property
    def occurs(self) -> Ints:
        """The classes that occur."""
        return np.unique(self.truth)

    def seen_by(self, model: int) -> Ints:
        """Return the classes that occur or that a model predicts."""
        return np.unique(np.concatenate([self.truth, self.answers[model]]))

    def tables(self, values: Floats, *, whole: bool) -> tuple[Tables, ...]:
        """Return the tables of each model from the values of its cells.

        Parameters
        ----------
        values
            Of shape (cells, points).
        whole
            Whether all cells of the tables are needed.
        """
        n = self._sums(values, self.truth)
        return tuple(self._tables(values, n, each, whole=whole) for each in self.answers)

    def _tables(self, values: Floats, n: Floats, answers: Ints, *, whole: bool) -> Tables:
        if whole:
            places = self.truth * self.classes + answers
            flat = self._sums(values, places, self.classes**2).T
            cells = flat.reshape(self.classes, self.classes, -1)
            return Tables.of(np.moveaxis(cells, -1, 0))
        hits = self.truth == answers
        right = self._sums(values[hits], self.truth[hits])
        return Tables(right, n, self._sums(values, answers))

    def _sums(self, values: Floats, keys: Ints, size: int | None = None) -> Floats:
        """Return the sums of values with the same key, of shape (points, size)."""
        found = np.zeros((size or self.classes, values.shape[1]))
        if keys.size:
            order = np.argsort(keys, kind="stable")
            starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
            found[keys[order][starts]] = np.add.reduceat(values[order], starts, axis=0)
        # Points lie next to each other in memory: sums over a few classes are then quick.
        return found.T
