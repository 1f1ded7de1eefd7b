"""What the best predictions that ignore their input expect, at the class frequencies of tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.direction import Direction
from baserate.core.rounding import COMPUTATION
from baserate.multiclass.measures.place import Place
from baserate.multiclass.plausible.tables import Tables, needs_cells, scored

if TYPE_CHECKING:
    from baserate.multiclass.measures.record import ClassMeasure
    from baserate.multiclass.plausible.tables import Floats

# Places that do not move with the frequencies of the classes: no other deck becomes better.
_FIXED = (Place.EVERYWHERE, Place.LIKE_TRUTH, Place.EVERY_CLASS)
# How many constant classes may be compared: those that score best here.
_CONSTANTS = 6
# A reference is compared if it is best on this share of so many test sets.
_SHARE, _TEST_SETS = 0.02, 200
_SEED = 380


@dataclass(frozen=True, eq=False)
class Reference:
    """A prediction that ignores its input, on test sets of any class frequencies.

    Parameters
    ----------
    measure
        The measure.
    shares
        How often it predicts each class, as fractions; None for as often as the class occurs.
    offset
        By how much its expectation is above the score of the expected table. It is 0 if the score
        is linear in the table, and for a constant class, whose table is certain.
    """

    measure: ClassMeasure
    shares: Floats | None
    offset: float = 0.0

    def expected(self, n: Floats) -> Floats:
        """Return its expected score for class counts of shape (…, K)."""
        p = n / n.sum(axis=-1, keepdims=True)
        q = p if self.shares is None else np.broadcast_to(self.shares, p.shape)
        # E C_kj = n_k m_j / M.
        cells = n[..., :, np.newaxis] * q[..., np.newaxis, :] if needs_cells(self.measure) else None
        m = q * n.sum(axis=-1, keepdims=True)
        return scored(self.measure, Tables(n * q, n, m, cells)) + self.offset

    def everywhere(self, n: Floats) -> float:
        """Return its expectation if that does not depend on the class frequencies, or nan."""
        tilts = np.linspace(0.9, 1.1, n.size) * n, np.linspace(1.2, 0.8, n.size) * n
        here = float(self.expected(n))
        found = self.expected(np.stack(tilts))
        return here if np.abs(found - here).max() <= COMPUTATION else np.nan


def references(measure: ClassMeasure, value: float, deck: Floats, n: Floats) -> list[Reference]:
    """Return the references that may be best on test sets like this one.

    They are the constant classes that may score best, and the best deck if it is none of them.

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
    plain = Reference(measure, None if where is Place.LIKE_TRUTH else deck / n.sum())
    offset = value - float(plain.expected(n))
    best = replace(plain, offset=0.0 if np.isnan(offset) else offset)
    if where in _FIXED:
        return [best]
    sign = 1 if is_maximized else -1
    constants = [Reference(measure, row) for row in np.eye(n.size)[n > 0]]
    scores = np.array([sign * float(each.expected(n)) for each in constants])
    order = np.argsort(-scores, kind="stable")[:_CONSTANTS]
    found = [constants[place] for place in order if not np.isnan(scores[place])]
    if np.count_nonzero(deck) > 1 or not found:
        found.insert(0, best)
    return _often_best(found, n, sign)


def _often_best(found: list[Reference], n: Floats, sign: int) -> list[Reference]:
    """Leave out references that are hardly ever the best on test sets like this one."""
    if len(found) == 1:
        return found
    rng = np.random.default_rng(_SEED)
    drawn = rng.multinomial(int(n.sum()), n / n.sum(), _TEST_SETS).astype(float)
    values = np.nan_to_num([sign * each.expected(drawn) for each in found], nan=-np.inf)
    share = np.bincount(values.argmax(axis=0), minlength=len(found)) / _TEST_SETS
    return [each for each, often in zip(found, share, strict=True) if often >= _SHARE]
