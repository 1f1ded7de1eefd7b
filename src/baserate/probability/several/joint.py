"""The probabilities of two models on the same observations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import mirrored
from baserate.probability.several.observed import TASK, ClassProbabilities
from baserate.ranking.rules import smallest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from baserate.ranking.rules import ScoringRule

    Ints = NDArray[np.int64]
    Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class JointProbabilities:
    """How often each class met each pair of rows.

    Parameters
    ----------
    pairs
        What both models did, each row the probabilities of the first model and then the second's.
    kinds
        The types of the numbers of both, which say where logarithms are clipped.
    """

    pairs: ClassProbabilities
    kinds: tuple[str, str]

    task = TASK

    @classmethod
    def of_rows(
        cls,
        labels: tuple[Any, ...],
        truth: Ints,
        first: Floats,
        second: Floats,
        seen: Ints | None = None,
    ) -> JointProbabilities:
        """Count rows: the place of the true class, and the probabilities of both models."""
        both = np.concatenate([first, second], axis=1)
        kinds = (first.dtype.name, second.dtype.name)
        return cls(ClassProbabilities.of_rows(labels, truth, both, seen), kinds)

    @cached_property
    def first(self) -> ClassProbabilities:
        """What the first model did."""
        return self._alone(0)

    @cached_property
    def second(self) -> ClassProbabilities:
        """What the second model did."""
        return self._alone(1)

    @property
    def mirrored(self) -> JointProbabilities:
        """The same with the second model first."""
        half = len(self.pairs.labels)
        turned = replace(self.pairs, rows=np.roll(self.pairs.rows, half, axis=1))
        return mirrored(self, JointProbabilities(turned, self.kinds[::-1]))

    def rows(self, model: int) -> Floats:
        """Return the rows of one model, in the order of the pairs."""
        classes = len(self.pairs.labels)
        chosen = self.pairs.rows[:, model * classes : (model + 1) * classes]
        return chosen.astype(self.kinds[model])

    def points(self, rule: ScoringRule, model: int, cells: Any = slice(None)) -> Floats:
        """Return what a rule gives to some cells of one model, or to all."""
        known, tiny = self.pairs, smallest(np.dtype(self.kinds[model]))
        return rule.of_cells(self.rows(model), known.given[cells], known.truth[cells], tiny)

    def _alone(self, model: int) -> ClassProbabilities:
        known = self.pairs
        rows = self.rows(model)[known.given]
        return ClassProbabilities.of_rows(known.labels, known.truth, rows, known.counts)

    @cached_property
    def disagreements(self) -> int:
        """The number of observations on which the models differ."""
        differ = (self.rows(0) != self.rows(1)).any(axis=1)
        return int(self.pairs.sizes[differ].sum())

    @property
    def facts(self) -> dict[str, Any]:
        """All counts, as JSON can hold them."""
        return {**self.pairs.facts, "kinds": list(self.kinds)}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> JointProbabilities:
        """Return two models from a JSON record."""
        first, second = facts["kinds"]
        return cls(ClassProbabilities.from_facts(facts), (first, second))

    @property
    def flat(self) -> dict[str, int]:
        """How many observations there are, and on how many the models differ."""
        return {"observations": self.pairs.total, "disagreements": self.disagreements}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointProbabilities):
            return NotImplemented
        return self.pairs == other.pairs and self.kinds == other.kinds

    def __hash__(self) -> int:
        return hash((self.pairs, self.kinds))
