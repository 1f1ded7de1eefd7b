"""Measures of a user's own functions."""

from __future__ import annotations

import inspect
import math
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from baserate.core.measure import Codomain, Direction, Formula
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown
from baserate.measures.classes_record import ClassMeasure, OfTable, TableFunction
from baserate.measures.numbers_record import NumberMeasure, OfRows
from baserate.measures.two_classes_record import TwoClassMeasure, UnderDraw, UserFunction

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.core.measure import Measure


def custom(
    key: str,
    function: Callable[..., Any],
    *,
    direction: Direction | Literal["maximize", "minimize"] = Direction.MAXIMIZE,
    name: str | None = None,
    meaning: str = "A measure of your own.",
    codomain: tuple[float, float] = (-math.inf, math.inf),
    smooth: bool = False,
    shape: Literal["concave", "convex"] | None = None,
) -> Measure[Any]:
    """Make a measure of any function; see `Measure.custom`.

    A function of four counts that only adds them and multiplies them by constants, such as a cost,
    is recognised: it needs no declaration, and all its results are exact. One that is declared
    smooth and is not raises, and an optimum found by integrals is never called exact.
    """
    if not isinstance(key, str) or not key.strip():
        raise InvalidMeasureError(
            f"a measure's key must be a string that is not empty (got {shown(key)})"
        )
    for text in (meaning, key if name is None else name):
        if not isinstance(text, str):
            raise InvalidMeasureError(
                f"the name and the meaning of measure {shown(key)} must be texts "
                f"(got {shown(text)})"
            )
    if not isinstance(direction, str) or direction not in tuple(Direction):
        raise InvalidMeasureError(
            f"must be 'maximize' or 'minimize' (got {shown(direction)})", parameter="direction"
        )
    if shape is not None and (not isinstance(shape, str) or shape not in ("concave", "convex")):
        raise InvalidMeasureError(
            f"must be 'concave', 'convex' or None (got {shown(shape)})", parameter="shape"
        )
    if not isinstance(smooth, bool):
        raise InvalidMeasureError(
            f"must be True or False (got {shown(smooth)})", parameter="smooth"
        )
    ends = Codomain.of(codomain)
    facts: dict[str, Any] = {
        "key": key,
        "name": name or key,
        "meaning": meaning,
        "direction": Direction(direction),
        "codomain": ends,
        "interval": ends.rule,
        "rounds": True,
    }
    takes = _arguments(key, function)
    if takes == 4:
        return TwoClassMeasure(
            **facts,
            definition=Formula(rf"\text{{{key}}}", UserFunction.probed(key, function)),
            smooth=smooth,
            monotone=False,
            may_be_undefined=True,
            draw=UnderDraw(shape=shape),
        )
    if smooth or shape is not None:
        raise InvalidMeasureError(
            f"smooth and shape are facts of a function of (tp, fp, fn, tn) (got one of {takes} "
            f"arguments as measure {shown(key)}); leave them out"
        )
    if takes == 1:
        return ClassMeasure(
            **facts,
            latex=rf"\text{{{key}}}",
            form=OfTable(TableFunction(key, function)),
            may_be_undefined=True,
        )
    rows = OfRows(key, function)
    sign = 1 if facts["direction"] is Direction.MAXIMIZE else -1
    return NumberMeasure(
        **facts,
        definition=rf"\text{{{key}}}",
        constants=partial(rows.constants, sign=sign),
        form=rows,
    )


def _arguments(key: str, function: Any) -> int:
    """Return how many arguments a function needs: four counts, one table, or two columns."""
    wanted = "a function of (tp, fp, fn, tn), of a table, or of (y_true, y_pred)"
    if not callable(function):
        raise InvalidMeasureError(
            f"measure {shown(key)} must have {wanted} (got {shown(function)})"
        )
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of a function in C; counts are tried
        return 4
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    places = [each for each in given if each.kind in kinds]
    needed = sum(each.default is each.empty for each in places)
    if any(each.kind is each.VAR_POSITIONAL for each in given) and needed < 4:
        return 4
    if needed not in (1, 2, 4):
        raise InvalidMeasureError(
            f"measure {shown(key)} must have {wanted} (got one that needs {needed} arguments)"
        )
    return needed
