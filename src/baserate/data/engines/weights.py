"""Frequencies where the rows are: sums of a column of weights take the place of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.data.columns import is_missing
from baserate.data.engines.frames import fetched, values_of
from baserate.data.engines.texts import number_of, require_types
from baserate.data.numbers import WEIGHTS
from baserate.data.weights import require_sum
from baserate.exceptions import InvalidWeightsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    import narwhals.stable.v2 as nw

    from baserate.data.engines.frames import Frame


# Beyond all sums that are allowed, and still a whole number of 64 bits.
_HUGE = 1e18


def seen_frame(frame: Frame, weight: str | None, schema: Mapping[str, Any], *, text: bool) -> Frame:
    """Return the rows that were seen at all, with frequencies as whole numbers, or raise.

    Parameters
    ----------
    frame
        The rows.
    weight
        The column of frequencies; None if every row was seen once.
    schema
        The types of the columns.
    text
        Whether the frame has no types, only text.
    """
    import narwhals.stable.v2 as nw

    if weight is None:
        return frame
    require_types(schema, [weight], is_text=text, wanted=WEIGHTS)
    # Floats are exact up to the largest test set.
    number = number_of(nw.col(weight), is_read=text and schema[weight] == nw.String)
    is_good = _is_good(number)
    _require(frame, weight, number, is_good)
    # What is cast is whole; an engine may also cast rows that it leaves out.
    whole = nw.when(is_good).then(number).otherwise(nw.lit(0.0)).cast(nw.Int64())
    return frame.with_columns(whole.alias(weight)).filter(nw.col(weight) > 0)


def _is_good(number: nw.Expr) -> nw.Expr:
    """Flag finite whole numbers of at least 0; a number that is not there is none."""
    import narwhals.stable.v2 as nw

    # Some engines make a whole number of what they round, and know no very large one.
    size = nw.when((number >= 0) & (number < _HUGE)).then(number)
    return nw.when(~size.is_null()).then(size.floor() == size).otherwise(nw.lit(value=False))


def _require(frame: Frame, weight: str, number: nw.Expr, is_good: nw.Expr) -> None:
    """Raise unless all weights are whole numbers, some are above 0, and their sum is not huge."""
    import narwhals.stable.v2 as nw

    bad = nw.when(is_good).then(nw.lit(0)).otherwise(nw.lit(1))
    rows = frame.select(total=nw.when(is_good).then(number).otherwise(nw.lit(0.0)), bad=bad)
    answer = fetched(rows.select(nw.len().alias("rows"), nw.col("total", "bad").sum()))
    found = {name: values_of(column)[0] for name, column in answer.items()}
    if not found["rows"]:
        return  # an error about labels says so
    if found["bad"]:
        value = values_of(fetched(frame.filter(~is_good).select(weight).head(1))[weight])[0]
        got = "a missing value" if is_missing(value) else shown(value)
        raise InvalidWeightsError.of_bad_value(
            f"{got} in column {shown(weight)}", "sample_weight", whole=True
        )
    if not found["total"]:
        raise InvalidWeightsError("must not all be zero", parameter="sample_weight")
    require_sum(float(found["total"]))
