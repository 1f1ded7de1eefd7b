"""Which classes are right for which answers: all that the distribution of hits depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baserate.multiclass.top_k.answers import numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.multiclass.top_k.answers import TopAnswers

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Board:
    """Kinds of classes and kinds of answers.

    Classes that are in the same answers are of one kind, and so are answers with the same classes.

    Parameters
    ----------
    n, m
        How many observations are of each kind of class, and get each kind of answer.
    hits
        Which kinds of classes are in which kinds of answers.
    """

    n: tuple[int, ...]
    m: tuple[int, ...]
    hits: NDArray[np.bool_]

    @classmethod
    def of(cls, sets: Sets) -> Board:
        """Return the board of some answers."""
        member = np.zeros((len(sets.m), len(sets.n) + 1), dtype=bool)
        np.put_along_axis(member, sets.classes, values=True, axis=1)
        kinds, kind = np.unique(member[:, :-1].T, axis=0, return_inverse=True)
        n = np.bincount(kind.reshape(-1), sets.n, len(kinds))
        return cls(tuple(n.astype(int).tolist()), tuple(sets.m.tolist()), kinds)

    @property
    def matching(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """The same as classes and predicted classes; None if a kind has several partners."""
        if (self.hits.sum(axis=0) > 1).any() or (self.hits.sum(axis=1) > 1).any():
            return None
        rows, columns = np.nonzero(self.hits)
        classes = [r for r in range(len(self.n)) if r not in rows]
        answers = [s for s in range(len(self.m)) if s not in columns]
        n = [*(self.n[r] for r in rows), *(self.n[r] for r in classes), *(0 for _ in answers)]
        m = [*(self.m[s] for s in columns), *(0 for _ in classes), *(self.m[s] for s in answers)]
        return tuple(n), tuple(m)

    @property
    def reversed(self) -> Board:
        """The board on which a hit is a miss."""
        return Board(self.n, self.m, ~self.hits)

    @property
    def most(self) -> int:
        """The most hits that the answers can have: a maximal flow from classes to answers."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_flow

        rows, columns = len(self.n), len(self.m)
        if sum(self.n) >= 2**31:  # more than flows are computed for: a bound will do
            return sum(self.n)
        flows = np.zeros((rows + columns + 2,) * 2, dtype=np.int32)
        flows[0, 1 : rows + 1], flows[rows + 1 : -1, -1] = self.n, self.m
        room = np.minimum.outer(self.n, self.m)
        flows[1 : rows + 1, rows + 1 : -1] = np.where(self.hits, room, 0)
        return int(maximum_flow(csr_array(flows), 0, rows + columns + 1).flow_value)


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
    def of_one_class(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """How often each class occurs and is answered, if an answer is one class."""
        m = np.bincount(self.classes[:, 0], self.m, self.n.size + 1).astype(np.int64)
        return (*self.n.tolist(), 0), tuple(m.tolist())

    @property
    def cells(self) -> int:
        """How many pairs of a class and a set there are."""
        return self.n.size * self.m.size

    def moments(self) -> tuple[float, float, float]:
        """Return the mean, the standard deviation and the skewness of the number of hits.

        With d, the 0/1 of each pair of rows less its means over the rows and over the columns, the
        variance is Σd²/(M - 1) and the third moment MΣd³/((M - 1)(M - 2)). Where a class is not in
        the set, -d is the sum of a number of the class and one of the set, whose moments follow
        from those of both.
        """
        total = float(self.n.sum())
        share = np.append(self.n / total, 0.0)
        by_set = share[self.classes].sum(axis=1)
        weight = self.m / total
        by_class = np.bincount(
            self.classes.ravel(), np.repeat(weight, self.classes.shape[1]), share.size
        )
        mean = float(weight @ by_set)
        u, v = by_set - mean, by_class
        pairs = weight[:, np.newaxis] * share[self.classes]
        off = u[:, np.newaxis] + v[self.classes]
        second = float(weight @ u**2 + share @ v**2) + float((pairs * (1 - 2 * off)).sum())
        # E(u + v)³, as u has the mean 0; and what the pairs inside a set change.
        outside = float(weight @ u**3 + 3 * (weight @ u**2) * (share @ v) + share @ v**3)
        third = float((pairs * ((1 - off) ** 3 + off**3)).sum()) - outside
        if total < 3 or second <= 0:
            return total * mean, 0.0, 0.0
        variance = total**2 * second / (total - 1)
        cube = total**3 * third / ((total - 1) * (total - 2))
        return total * mean, float(np.sqrt(variance)), float(cube / variance**1.5)
