"""The sentences that explain a difference between two models. Nothing is computed here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.formatting import (
    UNDEFINED,
    confidence,
    number_format,
    p_equals,
    printable,
    probability,
    whole,
)
from baserate.verdicts.sentences import group_name, more_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.verdicts.difference import Difference


def explanation(difference: Difference, by: str | None = None) -> str:
    """Say whether one of the models is better."""
    return _SAYS[difference.outcome.value](difference, _where(difference, by))


def numbers(difference: Difference) -> dict[str, str]:
    """Return the numbers of a difference as they are shown, in one format."""
    write = _format(difference)
    return {
        "first": write(difference.first_score),
        "second": write(difference.second_score),
        "difference": write(difference.difference),
        "low": write(difference.low),
        "high": write(difference.high),
    }


def interval(difference: Difference) -> str:
    """Return the interval of a difference as it is shown in a table."""
    if math.isnan(difference.low):
        return UNDEFINED
    shown = numbers(difference)
    return f"{shown['low']} to {shown['high']}"


def _format(difference: Difference) -> Callable[[float], str]:
    """Return the format of all numbers: if the scores are counts, so are differences."""
    if difference.counts:
        return whole
    return number_format((difference.first_score, difference.second_score))


def _where(difference: Difference, by: str | None) -> str:
    group = "" if difference.group is None else f" in {group_name(difference.group, by)}"
    return f"by {printable(difference.measure)}{group}"


def _names(difference: Difference) -> tuple[str, str]:
    return printable(difference.first), printable(difference.second)


def _says_second(difference: Difference, where: str) -> str:
    first, second = _names(difference)
    return f"{second} is better than {first} {where}: {_evidence(difference)}."


def _says_first(difference: Difference, where: str) -> str:
    first, second = _names(difference)
    return f"{first} is better than {second} {where}: {_evidence(difference)}."


def _says_no_evidence(difference: Difference, where: str) -> str:
    first, second = _names(difference)
    if not difference.disagreements:
        score = numbers(difference)["first"]
        return f"{second} and {first} give the same answers, so both have {score} {where}."
    evidence = _evidence(difference)
    more = more_rows(difference)
    return f"There is no evidence that {second} and {first} differ {where}: {evidence}.{more}"


def _says_unsure(difference: Difference, where: str) -> str:
    first, second = _names(difference)
    evidence = _evidence(difference)
    return (
        f"{second} and {first} are not alike, but it is not sure which is better {where}: "
        f"{evidence}.{more_rows(difference)}"
    )


def _says_undefined(difference: Difference, where: str) -> str:
    first, second = _names(difference)
    return f"{second} and {first} cannot be compared {where}: {difference.reason}."


def _evidence(difference: Difference) -> str:
    """Write both scores, the first minus the second as in every table, and how sure that is."""
    shown, (first, second) = numbers(difference), _names(difference)
    known = (
        ""
        if math.isnan(difference.low)
        else f"{confidence(difference.alpha)} interval {interval(difference)}; "
    )
    scores = f"{first} {shown['first']}, {second} {shown['second']}"
    return f"{scores}, a difference of {shown['difference']} ({known}{_p(difference)})"


def _p(difference: Difference) -> str:
    exact, floor = difference.exact, difference.p_floor
    written = p_equals(difference.p_value, exact=exact, floor=difference.p_value if floor else 0.0)
    if difference.p_adjusted == difference.p_value:
        return written
    return f"{written}, adjusted {probability(difference.p_adjusted, exact=exact, floor=floor)}"


_SAYS: dict[str, Callable[[Difference, str], str]] = {
    "second": _says_second,
    "first": _says_first,
    "unsure": _says_unsure,
    "no_evidence": _says_no_evidence,
    "undefined": _says_undefined,
}
