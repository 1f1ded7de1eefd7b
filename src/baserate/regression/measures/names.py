"""Names with a number in them: pinball@0.9, Huber@2, Tweedie@1.5."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from baserate.regression.measures.bent import huber, pinball
from baserate.regression.measures.deviances import tweedie
from baserate.regression.measures.explained import d2_pinball, d2_tweedie

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.regression.measures.record import NumberMeasure

_NUMBER = r"(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)"
_NAME = re.compile(
    r"(?P<base>(?:neg[\s_-]*)?(?:mean[\s_-]*)?(?:pinball|quantile|huber|tweedie|d[2²][\s_-]*pinball"
    r"|d[2²][\s_-]*tweedie))(?:[\s_-]*(?:loss|score|deviance))?"
    rf"(?:[\s_-]*(?:@|at)[\s_]*|[\s_]+){_NUMBER}"
)
_OF_NUMBER: dict[str, Callable[[float], NumberMeasure]] = {
    "pinball": pinball,
    "quantile": pinball,
    "huber": huber,
    "tweedie": tweedie,
    "d2pinball": d2_pinball,
    "d2tweedie": d2_tweedie,
}


def with_number(name: str) -> NumberMeasure | None:
    """Return the measure that a name with a number means; None if it means none.

    Examples
    --------
    >>> with_number("pinball@0.9"), with_number("mean Tweedie deviance 1.5").key
    (<Measure pinball@0.9: Pinball Loss of the 0.9 Quantile>, 'Tweedie@1.5')
    """
    matched = _NAME.fullmatch(unicodedata.normalize("NFKC", name).casefold().strip())
    if matched is None:
        return None
    base = re.sub(r"[\s_-]|^neg[\s_-]*|mean", "", matched["base"]).removeprefix("neg")
    return _OF_NUMBER[base](float(matched["number"]))
