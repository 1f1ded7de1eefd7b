"""Multiple choice: what guessing scores on questions with a few options each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import as_float, is_probability, whole_number
from baserate.core.multiple_testing import Tails, null_levels, require_tries
from baserate.exceptions import (
    InvalidCountError,
    InvalidPredictionsError,
    InvalidProbabilityError,
    MisplacedArgumentError,
)
from baserate.formatting import Spoken, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_QUESTIONS = 10**7
# A score is a fraction that was rounded: this close to a whole number of answers, it is one.
_ROUNDING = 1e-9
# Chances further from the centre than this many standard deviations are below any float; of
# several kinds of questions, below 1e-70, as distributions are added number by number.
_REACH, _REACH_OF_MANY = 45, 18


@dataclass(frozen=True, eq=False, repr=False)
class GuessDistribution(Spoken):
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

    guesses: _Guesses
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
        first, above = self.guesses.masses[0], np.append(self.guesses.above[1:], 0.0)
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
        return self.guesses.masses[0], np.minimum(self.guesses.below, 1.0) ** self.tries

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

    def facts_in_words(self) -> dict[str, str]:
        """Return the numbers by their names."""
        low, high = self.interval()
        return {
            "questions": f"{self.total:,}",
            "guessers": f"{self.tries:,}",
            "expected accuracy": f"{self.mean():.3f}",
            "95% between": f"{low:.3f} and {high:.3f}",
        }

    def _tails(self, right: int) -> Tails:
        one = self.guesses.tails(right)
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
    counted = _counted_options(options)
    commonest = _commonest_answer(answers, counted)
    return GuessDistribution(_Guesses(counted), require_tries(tries), commonest)


def _counted_options(options: int | Mapping[int, int] | Iterable[int]) -> Counter[int]:
    """Return how many questions have each number of options."""
    is_one = isinstance(options, str | bytes) or getattr(options, "ndim", 1) == 0
    if is_one or not isinstance(options, Iterable):
        raise _no_options(options)
    counted: Counter[int] = Counter()
    pairs = options.items() if isinstance(options, Mapping) else ((each, 1) for each in options)
    for each, count in pairs:
        counted[_whole("options", each, 1)] += _whole("questions", count, 0)
    if not counted:
        raise _no_options(options)
    counted = +counted
    if not counted:
        raise InvalidCountError("must be at least 1 (got 0)", parameter="questions")
    if counted.total() > _MOST_QUESTIONS:
        raise InvalidCountError(
            f"must be of at most {_MOST_QUESTIONS:,} questions (got {counted.total():,})",
            parameter="options",
        )
    return counted


def _whole(name: str, value: Any, least: int) -> int:
    count = whole_number(name, value)
    if count < least:
        raise InvalidCountError(f"must be at least {least} (got {count})", parameter=name)
    return count


def _commonest_answer(
    answers: Iterable[Any] | None, counted: Counter[int]
) -> tuple[Hashable, float] | None:
    """Return the answer that is right most often, the first one of several, and how often it is."""
    if answers is None:
        return None
    known, total = _tallied(answers), counted.total()
    if known.total() != total:
        raise InvalidPredictionsError(
            f"must be one for each of the {total:,} questions (got {known.total():,})",
            parameter="answers",
        )
    if len(known) > max(counted):
        raise InvalidPredictionsError(
            f"must be at most {max(counted)} different ones, as many as a question has options "
            f"(got {len(known):,})",
            parameter="answers",
        )
    answer, count = known.most_common(1)[0]
    return answer, count / total


def _tallied(answers: Iterable[Any]) -> Counter[Hashable]:
    """Count answers, which may be of any library."""
    each = list(answers) if isinstance(answers, str) else answers  # "ABAC" is four letters
    try:
        return Counter(np.asarray(each, dtype=object).ravel().tolist())
    except Exception:  # whatever a user's object raises, or an answer that is a list
        raise InvalidPredictionsError(
            f"must be the right answer to each question (got {shown(answers)})",
            parameter="answers",
        ) from None


def _no_options(options: object) -> InvalidCountError:
    return InvalidCountError(
        "must be the number of options of each question, such as [4] * 198 or {4: 198} "
        f"(got {shown(options)})",
        parameter="options",
    )


def _options(guesses: _Guesses) -> str:
    kinds = sorted(guesses.questions)
    if len(kinds) == 1:
        return f"{kinds[0]} option{'s' if kinds[0] > 1 else ''} each"
    return f"{kinds[0]} to {kinds[-1]} options"


def _no_probability(name: str, value: object) -> InvalidProbabilityError:
    return InvalidProbabilityError(f"must be between 0 and 1 (got {shown(value)})", parameter=name)


@dataclass(frozen=True)
class _Guesses:
    """The distribution of the number of right answers, if every question is answered at random."""

    questions: Counter[int]
    """How many questions have each number of options: {4: 198}."""

    @cached_property
    def total(self) -> int:
        """The number of questions."""
        return self.questions.total()

    @cached_property
    def mean(self) -> float:
        """The expected number of right answers."""
        return math.fsum(count / options for options, count in self.questions.items())

    @cached_property
    def masses(self) -> tuple[int, Floats]:
        """The first number of right answers that is possible, and the chances from there on.

        They are sums of products that are not negative, and keep their digits however small.
        """
        kinds = self.questions.items()
        reach = _REACH if len(kinds) == 1 else _REACH_OF_MANY
        return reduce(_added, [_binomial(count, 1 / options, reach) for options, count in kinds])

    @cached_property
    def below(self) -> Floats:
        """The chances of at most so many right answers, from the first number on."""
        below = np.cumsum(self.masses[1])
        return np.asarray(below / below[-1])

    @cached_property
    def above(self) -> Floats:
        """The chances of at least so many right answers, from the first number on."""
        above = np.cumsum(self.masses[1][::-1])[::-1]
        return np.asarray(above / above[0])

    def tails(self, right: int) -> Tails:
        """Return the chances of at least and of at most so many right answers."""
        first, masses = self.masses
        place = right - first
        better = self.above[max(place, 0)] if place < masses.size else 0.0
        worse = self.below[min(place, masses.size - 1)] if place >= 0 else 0.0
        return Tails(float(better), float(worse))

    def pmf(self, right: int) -> float:
        """Return the chance of exactly so many right answers."""
        first, masses = self.masses
        return float(masses[right - first]) if 0 <= right - first < masses.size else 0.0


def _binomial(count: int, chance: float, reach_in_sd: int) -> tuple[int, Floats]:
    """Return the binomial masses that a float can hold, and where they start."""
    if chance == 1:
        return count, np.ones(1)
    mean, sd = count * chance, math.sqrt(count * chance * (1 - chance))
    reach = math.ceil(reach_in_sd * sd) + 40
    first, last = max(0, math.floor(mean) - reach), min(count, math.ceil(mean) + reach)
    mode = min(max(math.floor((count + 1) * chance), first), last)
    right = np.arange(mode, last)
    left = np.arange(mode, first, -1)
    odds = chance / (1 - chance)
    up = np.cumprod((count - right) / (right + 1) * odds)
    down = np.cumprod(left / (count - left + 1) / odds)
    masses = np.concatenate([down[::-1], [1.0], up])
    return first, masses / masses.sum()


def _added(one: tuple[int, Floats], other: tuple[int, Floats]) -> tuple[int, Floats]:
    """Return the distribution of a sum."""
    return one[0] + other[0], np.convolve(one[1], other[1])
