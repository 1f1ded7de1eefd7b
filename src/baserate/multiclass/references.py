"""What the best predictions that ignore their input expect, at the class frequencies of tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.multiclass.measures.forms import OfTable
from baserate.multiclass.measures.place import Place
from baserate.multiclass.tables import Tables, needs_cells, scored

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.tables import Floats

# Places that do not move with the frequencies of the classes: no other guess becomes better.
_FIXED = (Place.EVERYWHERE, Place.LIKE_TRUTH, Place.EVERY_CLASS)
# How many constant classes are compared, of a function that may prefer any of them.
_CONSTANTS = 16


@dataclass(frozen=True, eq=False)
class Reference:
    """A prediction that ignores its input, on test sets of any class frequencies.

    Parameters
    ----------
    measure
        The measure.
    shares
        How often it predicts each class, as a function of how often classes occur; in fractions.
    offset
        By how much its expectation is above the score of the expected table. It is 0 if the score
        is linear in the table, and for a constant class, whose table is certain.
    """

    measure: ClassMeasure
    shares: Callable[[Floats], Floats]
    offset: float = 0.0

    @classmethod
    def of(cls, measure: ClassMeasure, shares: Floats) -> Reference:
        """Return a reference that always predicts each class equally often."""
        return cls(measure, lambda p: np.broadcast_to(shares, p.shape))

    def expected(self, n: Floats) -> Floats:
        """Return its expected score for class counts of shape (…, K)."""
        total = n.sum(axis=-1, keepdims=True)
        q = self.shares(n / total)
        # E C_kj = n_k m_j / M.
        cells = n[..., :, np.newaxis] * q[..., np.newaxis, :] if needs_cells(self.measure) else None
        return scored(self.measure, Tables(n * q, n, q * total, cells)) + self.offset


@dataclass(frozen=True, eq=False)
class References:
    """The references that may be best on test sets like this one.

    Parameters
    ----------
    each
        The references.
    n
        How often each class occurs here.
    """

    each: tuple[Reference, ...]
    n: Floats

    def chosen(self, n: Floats) -> Floats:
        """Return the expectation of whichever is best for class counts of shape (…, K)."""
        best = np.fmax if self.each[0].measure.direction is Direction.MAXIMIZE else np.fmin
        return np.asarray(best.reduce([each.expected(n) for each in self.each]))

    def kept(self, n: Floats) -> Floats:
        """Return the expectation of the one that is best here, with the shares it has here."""
        here = [float(each.expected(self.n)) for each in self.each]
        best = np.flatnonzero(np.abs(here - self.chosen(self.n)) <= COMPUTATION)
        found = [self._as_here(self.each[place]).expected(n) for place in best]
        return np.asarray(np.mean(found, axis=0))

    def _as_here(self, reference: Reference) -> Reference:
        if reference.shares is not most_frequent:
            return reference
        # Classes that tie are predicted equally often.
        tied = self.n == self.n.max()
        return Reference.of(reference.measure, tied / tied.sum())

    @property
    def are_fixed(self) -> bool:
        """Whether there is one, and its expectation does not depend on the class frequencies."""
        if len(self.each) > 1:
            return False
        size = self.n.size
        tilts = np.stack([np.ones(size), np.linspace(0.9, 1.1, size), np.linspace(1.2, 0.8, size)])
        return bool(np.ptp(self.each[0].expected(tilts * self.n)) <= COMPUTATION)


def references(measure: ClassMeasure, value: float, deck: Floats, n: Floats) -> References:
    """Return the references that may be best on test sets like this one.

    They are the most frequent class, or any class for a function of one's own, and the best deck.

    Parameters
    ----------
    measure
        The measure.
    value
        The expected score of the best deck here.
    deck
        The best deck here.
    n
        How often each class occurs.
    """
    is_maximized = measure.direction is Direction.MAXIMIZE
    where = measure.maximum if is_maximized else measure.minimum
    like_truth = where is Place.LIKE_TRUTH
    plain = Reference(measure, lambda p: p) if like_truth else Reference.of(measure, deck / n.sum())
    offset = value - float(plain.expected(n))
    best = replace(plain, offset=0.0 if np.isnan(offset) else offset)
    if where in _FIXED:
        return References((best,), n)
    found = [Reference(measure, most_frequent)]
    if measure.form == OfTable():
        constants = [Reference.of(measure, row) for row in np.eye(n.size)[n > 0]]
        scores = np.array([float(each.expected(n)) for each in constants])
        order = np.argsort(-scores if is_maximized else scores, kind="stable")[:_CONSTANTS]
        found = [constants[place] for place in order if not np.isnan(scores[place])]
    if np.count_nonzero(deck) > 1 or not found:
        found.append(best)
    return References(tuple(found), n)


def most_frequent(p: Floats) -> Floats:
    """Return the shares of always predicting the most frequent class."""
    return np.asarray(np.arange(p.shape[-1]) == p.argmax(axis=-1)[..., np.newaxis], dtype=float)
