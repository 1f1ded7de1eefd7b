"""What guessing scores on a multiple-choice test, and how well the best of many guessers is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import as_float, is_probability
from baserate.core.measure import Direction
from baserate.core.multiple_testing import Tails, null_levels, require_tries
from baserate.exceptions import InvalidProbabilityError, MisplacedArgumentError
from baserate.formatting import shown
from baserate.multiple_choice.guesses import Guesses
from baserate.multiple_choice.questions import commonest_answer, counted_options

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# A score is a fraction that was rounded: this close to a whole number of answers, it is one.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class GuessDistribution:
    """The distribution of the accuracy of the best of some guessers, with scipy's method names.

    Make one with `chance`. All probabilities are exact up to rounding.

    Parameters
    ----------
    guesses
        The distribution of the number of right answers of one guesser.
    tries
        How many guessers there are; the best one counts.
    commonest
        The answer that is right most often, and how often, if the right answers are known.

    Examples
    --------
    >>> guessing = chance([4] * 198, tries=20)
    >>> low, high = guessing.interval(0.95)
    >>> round(guessing.mean(), 4), round(guessing.std(), 4), round(low, 3), round(high, 3)
    (0.3085, 0.017, 0.278, 0.343)
    >>> round(guessing.p_value(0.31), 3)
    0.415
    """

    guesses: Guesses
    tries: int = 1
    commonest: tuple[Hashable, float] | None = None

    @property
    def exact(self) -> bool:
        """Whether probabilities are exact up to rounding: they are."""
        return True

    @property
    def total(self) -> int:
        """The number of questions."""
        return self.guesses.total

    @cached_property
    def baseline(self) -> float:
        """The expected accuracy of the best answer without reading a question.

        That is guessing, or always the same answer if the commonest one is known.
        """
        guessing = self.guesses.mean / self.total
        return guessing if self.commonest is None else max(guessing, self.commonest[1])

    def mean(self) -> float:
        """Return the expected accuracy of the best guesser."""
        first, masses = self.guesses.central
        above = np.append(np.cumsum(masses[::-1])[::-1][1:], 0.0)
        best_above = -np.expm1(self.tries * np.log1p(-np.minimum(above, 1.0 - 1e-16)))
        return float((first + best_above.sum()) / self.total)

    def std(self) -> float:
        """Return the standard deviation of the accuracy of the best guesser."""
        first, below = self._below
        best = np.diff(below, prepend=0.0)
        scores = np.arange(first, first + best.size) / self.total
        return math.sqrt(float(best @ (scores - best @ scores) ** 2))

    @cached_property
    def _below(self) -> tuple[int, Floats]:
        """The first number of right answers that matters, and the chances of at most so many."""
        first, masses = self.guesses.central
        return first, np.minimum(np.cumsum(masses), 1.0) ** self.tries

    def cdf(self, score: float) -> float:
        """Return the chance that no guesser has more than this accuracy."""
        return self._tails(self._right(score, up=False)).worse

    def sf(self, score: float) -> float:
        """Return the chance that a guesser has more than this accuracy."""
        return self._tails(self._right(score, up=False) + 1).better

    def pmf(self, score: float) -> float:
        """Return the chance that the best guesser has exactly this accuracy."""
        up, down = self._right(score, up=True), self._right(score, up=False)
        if up != down:
            return 0.0
        if self.tries == 1:
            return self.guesses.pmf(up)
        here, below, above = map(self._tails, (up, up - 1, up + 1))
        is_low = here.worse < here.better
        return here.worse - below.worse if is_low else here.better - above.better

    def p_value(self, score: float) -> float:
        """Return the chance that the best guesser does at least as well as a score.

        Examples
        --------
        >>> [round(chance({4: 198}, tries=tries).p_value(0.33), 4) for tries in (1, 20)]
        [0.0053, 0.1002]
        """
        return self.tail(score, Direction.MAXIMIZE)

    def tail(self, score: float, direction: Direction) -> float:
        """Return the probability of a score at least as good."""
        if direction is Direction.MINIMIZE:
            return self.cdf(score)
        return self._tails(self._right(score, up=True)).better

    def ppf(self, level: float) -> float:
        """Return the lowest accuracy that the best guesser stays at or below with this chance."""
        if not is_probability(level):
            raise _no_probability("level", level)
        first, below = self._below
        place = min(int(np.searchsorted(below, level)), below.size - 1)
        return (first + place) / self.total

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the central accuracies of the best guesser."""
        if not is_probability(confidence):
            raise _no_probability("confidence", confidence)
        levels = null_levels(1 - confidence, 1)
        return self.ppf(levels[0]), self.ppf(levels[1])

    def __str__(self) -> str:
        low, high = self.interval()
        who = "one guesser" if self.tries == 1 else f"the best of {self.tries:,} guessers"
        said = (
            f"{self.total:,} question{'s' if self.total > 1 else ''}, {_options(self.guesses)}: "
            f"{who} expects "
            f"{self.mean():.3f}, with 95% between {low:.3f} and {high:.3f}."
        )
        if self.commonest is None:
            return said
        answer, share = self.commonest
        return f"{said} Always answering {answer!r} scores {share:.3f}."

    def _tails(self, right: int) -> Tails:
        one = Tails(self.guesses.at_least(right), self.guesses.at_most(right))
        # Guessers know nothing of each other, so that all of them fall short independently.
        return one.of_best(self.tries)._replace(worse=one.worse**self.tries)

    def _right(self, score: float, *, up: bool) -> int:
        """Return the number of right answers that a score needs, or leaves."""
        if not is_probability(score):
            raise InvalidProbabilityError(
                f"must be a fraction between 0 and 1, such as 0.31 (got {shown(score)})",
                parameter="score",
            )
        exact = as_float(score) * self.total
        nearest = round(exact)
        if abs(exact - nearest) <= _ROUNDING * self.total:
            return nearest
        return math.ceil(exact) if up else math.floor(exact)


def chance(
    options: int | Mapping[int, int] | Iterable[int],
    questions: int | None = None,
    *,
    tries: int = 1,
    answers: Iterable[Any] | None = None,
) -> GuessDistribution:
    """Return what guessing scores on a multiple-choice test.

    Parameters
    ----------
    options
        How many options each question has. If questions differ, a number for each of them, or how
        many questions have each number of options: ``[4, 4, 5]`` or ``{4: 2, 5: 1}``.
    questions
        How many questions there are, if all have as many options.
    tries
        How many guessers there are, if only the best one is reported: models, prompts, seeds.
    answers
        The right answer to each question, such as its letter: always giving the commonest one is
        a baseline of its own.

    Returns
    -------
    GuessDistribution
        The distribution of the accuracy of the best guesser.

    Examples
    --------
    >>> guessing = chance(options=4, questions=198, tries=20)
    >>> round(guessing.mean(), 4)
    0.3085
    >>> print(guessing)
    198 questions, 4 options each: the best of 20 guessers expects 0.309, with 95% between 0.278 and
    0.343.
    >>> round(chance(4, 198).p_value(0.31), 3), round(guessing.p_value(0.31), 3)
    (0.026, 0.415)
    """
    if questions is not None:
        if not isinstance(options, int | np.integer):
            forms = ("4, 198", "[4, 4, 5]", "{4: 198}")
            raise MisplacedArgumentError.called("chance", forms, (options, questions))
        options = {int(options): questions}
    counted = counted_options(options)
    commonest = commonest_answer(answers, counted)
    return GuessDistribution(Guesses(counted), require_tries(tries), commonest)


def _options(guesses: Guesses) -> str:
    kinds = sorted(guesses.questions)
    if len(kinds) == 1:
        return f"{kinds[0]} option{'s' if kinds[0] > 1 else ''} each"
    return f"{kinds[0]} to {kinds[-1]} options"


def _no_probability(name: str, value: object) -> InvalidProbabilityError:
    return InvalidProbabilityError(f"must be between 0 and 1 (got {shown(value)})", parameter=name)
