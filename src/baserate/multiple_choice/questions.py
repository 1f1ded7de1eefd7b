"""Read the questions of a multiple-choice test: how many options each has, and what is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from baserate.arguments import whole_number
from baserate.exceptions import InvalidCountError, InvalidPredictionsError
from baserate.formatting import shown

_MOST_QUESTIONS = 10**7


def counted_options(options: int | Mapping[int, int] | Iterable[int]) -> Counter[int]:
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


def commonest_answer(
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
