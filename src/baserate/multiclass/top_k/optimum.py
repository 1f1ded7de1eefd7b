"""The baseline of top-k accuracy: always answering the same classes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

from baserate.core.optimum import TwoEnds
from baserate.formatting import in_words, number_format, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from baserate.multiclass.class_counts import ClassCounts
    from baserate.multiclass.top_k.measures import TopKMeasure

# The most classes that are named.
_MOST_NAMED = 5
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}


@dataclass(frozen=True)
class AnswerSet(Collection[tuple[Any, ...]]):
    """All answers that are equally good, lazy because ties may be many.

    Parameters
    ----------
    fixed
        The classes that every one of them has.
    tied
        Classes that occur equally often.
    chosen
        How many of these an answer has.

    Examples
    --------
    >>> found = AnswerSet(("a",), ("b", "c"), 1)
    >>> found, len(found), ("c", "a") in found
    (AnswerSet({('a', 'b'), ('a', 'c')}), 2, True)
    """

    fixed: tuple[Any, ...]
    tied: tuple[Any, ...] = ()
    chosen: int = 0

    def __len__(self) -> int:
        return comb(len(self.tied), self.chosen)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (self.fixed + some for some in combinations(self.tied, self.chosen))

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        rest = [label for label in value if label not in self.fixed]
        is_once = len(value) == len(set(value)) == len(self.fixed) + self.chosen
        return is_once and len(rest) == self.chosen and all(each in self.tied for each in rest)

    def __repr__(self) -> str:
        few = [str(each) for each, _ in zip(self, range(4), strict=False)]
        more = [f"…: {len(self):,} answers"] if len(self) > len(few) else []
        return f"AnswerSet({{{', '.join([*few, *more])}}})"

    @property
    def in_words(self) -> str:
        """The answers in words.

        Examples
        --------
        >>> print(AnswerSet(("a",), ("b", "c", "d"), 2).in_words)
        always 'a' and two of 'b', 'c' and 'd'
        """
        if not self.tied:
            return f"always {in_words(_named(self.fixed))}"
        number = _NUMBERS.get(self.chosen, f"{self.chosen:,}")
        if not self.fixed and len(self.tied) > _MOST_NAMED:
            return f"always any {number} of the {len(self.tied):,} classes"
        some = f"{number} of {in_words(_named(self.tied))}"
        return f"always {in_words([*_named(self.fixed), some])}"


def _named(labels: Sequence[Any]) -> list[str]:
    left = len(labels) - _MOST_NAMED
    more = [f"{left:,} more"] if left > 0 else []
    return [*map(shown, labels[:_MOST_NAMED]), *more]


@dataclass(frozen=True)
class TopOptimum:
    """An extreme of the expected score, and all constant answers that attain it.

    Any mixture of them attains it too.

    Parameters
    ----------
    value
        The expected score.
    decks
        The answers.
    exact
        True: it is known where the extremes are.
    """

    value: float
    decks: AnswerSet
    exact: bool = True


@dataclass(frozen=True)
class TopBaseline(TwoEnds[TopOptimum]):
    """The top-k accuracy that comes for free on a test set.

    Parameters
    ----------
    measure
        The measure.
    test_set
        The classes that occur.
    max, min
        The largest and the smallest expected score of any answer that ignores its input.

    Examples
    --------
    >>> import baserate as br
    >>> base = br.baseline(br.ClassCounts({"a": 40, "b": 30, "c": 20, "d": 10}), "top-2 accuracy")
    >>> base.best.value, base.worst.value, base.reference
    (0.7, 0.3, "always 'a' and 'b'")
    """

    measure: TopKMeasure
    test_set: ClassCounts
    max: TopOptimum
    min: TopOptimum

    @property
    def reference(self) -> str:
        """The best answers in words."""
        return self.best.decks.in_words

    def __str__(self) -> str:
        write = number_format((self.best.value, self.worst.value))
        return (
            f"{self.measure.key} baseline {write(self.best.value)}: {self.reference}; the worst "
            f"expects {write(self.worst.value)} ({self.test_set.described})"
        )


def top_baseline(test_set: ClassCounts, measure: TopKMeasure) -> TopBaseline:
    """Return the baseline of top-k accuracy: the score that comes for free.

    An answer that ignores its input is right as often as its classes occur together, so the best
    one has the k most frequent classes. References answer classes that occur; if these are fewer
    than k, all of them.

    Parameters
    ----------
    test_set
        How often each class occurs.
    measure
        Top-k accuracy for some k.

    Examples
    --------
    >>> from baserate.multiclass.class_counts import ClassCounts
    >>> from baserate.multiclass.top_k.measures import get_top_k
    >>> base = top_baseline(ClassCounts({"a": 50, "b": 30, "c": 20}), get_top_k("top-2 accuracy"))
    >>> base.best.value, base.best.decks, base.worst.value
    (0.8, AnswerSet({('a', 'b')}), 0.5)
    >>> print(base)
    top-2 accuracy baseline 0.800: always 'a' and 'b'; the worst expects 0.500
    (100 observations, 3 classes: 50.0% 'a', 30.0% 'b' and 20.0% 'c')
    """
    known = test_set.occurring
    highest, lowest = (_optimum(known, measure.k, sign) for sign in (1, -1))
    return TopBaseline(measure, known, max=highest, min=lowest)


def _optimum(known: ClassCounts, k: int, sign: int) -> TopOptimum:
    """Return the k largest classes, or the k smallest, and what they add up to."""
    size = min(k, len(known.labels))
    ranked = sorted(known.counts, reverse=sign > 0)
    last = ranked[size - 1]
    pairs = list(zip(known.labels, known.counts, strict=True))
    fixed = tuple(label for label, count in pairs if sign * count > sign * last)
    tied = tuple(label for label, count in pairs if count == last)
    chosen = size - len(fixed)
    value = sum(ranked[:size]) / known.total
    if chosen == len(tied):
        return TopOptimum(value, AnswerSet(_in_order(known, fixed + tied)))
    return TopOptimum(value, AnswerSet(fixed, tied, chosen))


def _in_order(known: ClassCounts, labels: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(label for label in known.labels if label in set(labels))
