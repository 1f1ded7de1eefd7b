"""How often each class occurs in a test set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import whole_number
from baserate.data.classes import count_column
from baserate.data.groups import plain_group
from baserate.exceptions import InvalidCountError
from baserate.formatting import in_words, listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from baserate.data.columns import Labels

# A test set is described by its most frequent classes.
_MOST_DESCRIBED = 4


@dataclass(frozen=True, init=False)
class ClassCounts:
    """How often each class occurs in a test set: all that a baseline needs.

    Parameters
    ----------
    counts
        The number of observations of each class, keyed by its label; together at most 10¹⁵.

    Examples
    --------
    >>> counts = ClassCounts({"a": 70, "b": 20, "c": 10})
    >>> counts.total, counts.labels
    (100, ('a', 'b', 'c'))
    >>> ClassCounts.of(["b", "a", "b", "c"])
    ClassCounts({'a': 1, 'b': 2, 'c': 1})
    """

    labels: tuple[Any, ...]
    """The classes."""
    counts: tuple[int, ...]
    """How often each of them occurs."""

    def __init__(self, counts: Mapping[Any, int]) -> None:
        if not isinstance(counts, Mapping):
            raise InvalidCountError(
                f"must be a mapping from classes to counts, as in {{'a': 70, 'b': 30}} (got "
                f"{shown(counts)}); ClassCounts.of counts labels",
                parameter="counts",
            )
        sizes = tuple(
            whole_number(f"the count of {shown(label)}", counts[label]) for label in counts
        )
        if min(sizes, default=0) < 0:
            raise InvalidCountError(
                f"must be at least 0 (got {min(sizes)}): they count observations",
                parameter="counts",
            )
        if not sum(sizes):
            raise InvalidCountError(
                "must have at least one observation (got none)", parameter="counts"
            )
        whole_number("the total", sum(sizes))
        object.__setattr__(self, "labels", tuple(counts))
        object.__setattr__(self, "counts", sizes)

    @classmethod
    def of(cls, y_true: Labels) -> ClassCounts:
        """Count the labels of a test set.

        Parameters
        ----------
        y_true
            The true labels, of any number of classes.
        """
        return cls(dict(count_column("y_true", y_true)))

    @property
    def total(self) -> int:
        """The number of observations, M."""
        return sum(self.counts)

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """The number of observations of each class."""
        return self.counts

    @cached_property
    def occurring(self) -> ClassCounts:
        """The classes that occur; a reference predicts no other, as that is never right."""
        if all(self.counts):
            return self
        pairs = zip(self.labels, self.counts, strict=True)
        return ClassCounts({label: count for label, count in pairs if count})

    @cached_property
    def array(self) -> NDArray[np.int64]:
        """The counts, as an array."""
        return np.array(self.counts, dtype=np.int64)

    def require_guess(self, guess: Sequence[int] | Mapping[Any, int]) -> tuple[int, ...]:
        """Return how often each class is predicted, or raise unless it adds up to the test set."""
        if isinstance(guess, Mapping):
            unknown = [label for label in guess if label not in self.labels]
            if unknown:
                raise InvalidCountError(
                    f"must name classes of the test set (got {shown(unknown[0])}, which is not "
                    f"among {listed(self.labels)})",
                    parameter="y_pred",
                )
            guess = [guess.get(label, 0) for label in self.labels]
        try:
            counts = tuple(whole_number("y_pred", count) for count in guess)
        except TypeError:
            counts = ()
        if len(counts) != len(self.labels) or min(counts) < 0 or sum(counts) != self.total:
            raise InvalidCountError(
                f"must be {len(self.labels)} counts that add up to {self.total:,} observations "
                f"(got {shown(guess)})",
                parameter="y_pred",
            )
        return counts

    @property
    def described(self) -> str:
        """The test set in a few words.

        Examples
        --------
        >>> ClassCounts({"a": 70, "b": 20, "c": 10}).described
        "100 observations, 3 classes: 70.0% 'a', 20.0% 'b' and 10.0% 'c'"
        """
        known = self.occurring
        observations = "observation" if self.total == 1 else "observations"
        classes = "class" if len(known.labels) == 1 else "classes"
        by_size = sorted(zip(known.labels, known.counts, strict=True), key=lambda each: -each[1])
        shares = [
            f"{count / self.total:.1%} {shown(label)}" for label, count in by_size[:_MOST_DESCRIBED]
        ]
        left = len(by_size) - _MOST_DESCRIBED
        names = in_words([*shares, *([f"{left:,} more"] if left > 0 else [])])
        return f"{self.total:,} {observations}, {len(by_size):,} {classes}: {names}"

    @property
    def facts(self) -> dict[str, Any]:
        """The classes and their counts, for JSON."""
        labels = list(map(plain_group, self.labels))
        return {"labels": labels, "counts": list(self.counts), "total": self.total}

    @property
    def share(self) -> tuple[str, str]:
        """What a table says of a group in one cell, and the title of that column."""
        return "observations", f"{self.total:,}"

    def __repr__(self) -> str:
        return f"ClassCounts({shown(dict(zip(self.labels, self.counts, strict=True)), most=200)})"
