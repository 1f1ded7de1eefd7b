"""The answers of a model as sets of classes: all that the distribution of hits depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.top_k.answers import numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.top_k.answers import TopAnswers

    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sets:
    """The answers of a model as sets of classes that occur.

    Parameters
    ----------
    n
        How often each class occurs that does.
    classes
        The distinct sets, as places in n; a class that never occurs has the place behind the last.
    m
        How often each set is answered.
    """

    n: Ints
    classes: Ints
    m: Ints

    @classmethod
    def of(cls, answers: TopAnswers, k: int) -> Sets:
        """Return the sets of some answers, for a k."""
        return cls.given(answers.true_counts, answers.answers[:, :k], answers.answer_counts)

    @classmethod
    def given(cls, n: Ints, classes: Ints, m: Ints) -> Sets:
        """Return sets from classes that may never occur, and sets that may be equal."""
        met = np.flatnonzero(n)
        place = np.full(n.size, met.size)
        place[met] = np.arange(met.size)
        distinct, number = numbered(np.sort(place[classes[m > 0]], axis=1), met.size + 1)
        counts = np.bincount(number, m[m > 0], len(distinct)).astype(np.int64)
        return cls(n[met], distinct, counts)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Which classes are in which sets: a row per class."""
        member = np.zeros((self.m.size, self.n.size + 1), dtype=bool)
        np.put_along_axis(member, self.classes, values=True, axis=1)
        return member[:, :-1].T
