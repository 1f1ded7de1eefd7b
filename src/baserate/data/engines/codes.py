"""Turn labels into small codes, where the rows are."""

from __future__ import annotations

import datetime as dt
import enum
import numbers
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from baserate.arguments import as_float
from baserate.data.columns import is_missing
from baserate.data.labels import EVIDENT_POSITIVE

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

    from baserate.data.engines.aggregation import Frame


class Code(enum.IntEnum):
    """The meaning of a label."""

    NEGATIVE = 0
    POSITIVE = 1
    MINUS_ONE = 2
    OTHER = 3
    MISSING = 4


@dataclass(frozen=True)
class Coding:
    """How the labels of one column become codes.

    Parameters
    ----------
    column
        The name of the column.
    dtype
        Its narwhals type.
    pos_label
        The positive class; None for 0/1, -1/1 and booleans.
    """

    column: str
    dtype: nw.dtypes.DType
    pos_label: object

    @property
    def is_possible(self) -> bool:
        """Whether labels of this type can be compared with the positive class."""
        if self._is_boolean:
            return self.pos_label is None or self.pos_label in (0, 1)
        if self.dtype.is_numeric() and self.pos_label is None:
            return True
        if not isinstance(self.pos_label, _python_types(self.dtype)):
            return False
        has_zone = getattr(self.pos_label, "tzinfo", None) is not None
        return has_zone == (getattr(self.dtype, "time_zone", None) is not None)

    @property
    def known(self) -> list[Any] | None:
        """The labels of the column, if known without reading it."""
        return None

    def widened(self, frame: Frame) -> Coding:  # noqa: ARG002
        """Return a coding that identifies more of the OTHER labels; this one if there is none."""
        return self

    @property
    def has_others(self) -> bool:
        """Whether labels that are not positive may be of several classes."""
        return self.pos_label is not None and not self._is_boolean

    def classes(self, code: Code) -> tuple[Any, ...]:
        """Return the class that a code stands for, if known."""
        if code is Code.POSITIVE:
            return (EVIDENT_POSITIVE if self.pos_label is None else self.pos_label,)
        if code is Code.MINUS_ONE:
            return (-1,)
        if code is Code.NEGATIVE and not self.has_others:
            return (0 if self.pos_label is None else not self.pos_label,)
        return ()

    def key(self) -> nw.Expr:
        """Return the key of each label: a code, or the label itself if it is a small integer."""
        if self.pos_label is None and self._is_boolean:
            return self._label
        if self.pos_label is None and self.dtype.is_integer():
            return self._small_number()
        return self.coded()

    def coded(self) -> nw.Expr:
        """Return the code of each label."""
        code = self._evident() if self.pos_label is None else self._given()
        return _either(self.missing(), Code.MISSING, code)

    def code(self, key: Any) -> Code:
        """Return the code of a key."""
        if is_missing(key):
            return Code.MISSING
        return Code.MINUS_ONE if key == -1 else Code(int(key))

    def other(self) -> nw.Expr:
        """Return each label that is neither positive nor missing."""
        import narwhals.stable.v2 as nw

        return nw.when(~self.missing() & ~self._is_positive).then(self._label)

    def fraction(self) -> nw.Expr:
        """Return each of them that is not a whole number; scores have these."""
        import narwhals.stable.v2 as nw

        is_other = ~self.missing() & ~self._is_positive
        return nw.when(is_other & (self._label % 1 != 0)).then(self._label)

    def missing(self) -> nw.Expr:
        """Flag missing labels, including NaN."""
        is_null = self._label.is_null()
        return is_null | self._label.is_nan() if self.dtype.is_float() else is_null

    def _small_number(self) -> nw.Expr:
        """Keep -1, 0, 1 and missing values: the most common labels, and the fastest way."""
        import narwhals.stable.v2 as nw

        is_other = self._label > 1
        if not self.dtype.is_unsigned_integer():
            is_other |= self._label < -1
        return nw.when(is_other).then(nw.lit(int(Code.OTHER))).otherwise(self._label)

    def _evident(self) -> nw.Expr:
        """Return the code of booleans, 0/1 and -1/1 in columns that may hold other values."""
        import narwhals.stable.v2 as nw

        if self._is_boolean:
            return _either(self._label, Code.POSITIVE, nw.lit(int(Code.NEGATIVE)))
        rest = nw.lit(int(Code.OTHER))
        if not self.dtype.is_unsigned_integer():
            rest = _either(self._label == -1, Code.MINUS_ONE, rest)
        rest = _either(self._label == 0, Code.NEGATIVE, rest)
        return _either(self._label == EVIDENT_POSITIVE, Code.POSITIVE, rest)

    def _given(self) -> nw.Expr:
        """Return the code of labels whose positive class is given."""
        import narwhals.stable.v2 as nw

        is_positive = self._is_positive
        if self._is_boolean:
            is_positive = self._label if self.pos_label == 1 else ~self._label
        return _either(is_positive, Code.POSITIVE, nw.lit(int(Code.NEGATIVE)))

    @property
    def _is_positive(self) -> nw.Expr:
        """Whether a label is positive; always false if the type cannot hold the positive class."""
        import narwhals.stable.v2 as nw

        if self.dtype.is_numeric() and not _holds(self.dtype, self.pos_label):
            return nw.lit(value=False)
        is_positive: nw.Expr = self._label == self._positive
        return is_positive

    @property
    def _positive(self) -> Any:
        """The positive class in a form that engines compare correctly: True as 1."""
        import narwhals.stable.v2 as nw

        if isinstance(self.pos_label, bool) and self.dtype.is_numeric():
            return int(self.pos_label)
        # numpy compares a 32-bit float with 0.7 rounded to 32 bits; not all engines do.
        is_short = self.dtype == nw.Float32
        return float(np.float32(cast("float", self.pos_label))) if is_short else self.pos_label

    @property
    def _label(self) -> nw.Expr:
        import narwhals.stable.v2 as nw

        label = nw.col(self.column)
        # Compare categories as text: some engines use their own order.
        return label.cast(nw.String()) if self._is_categorical else label

    @property
    def _is_boolean(self) -> bool:
        import narwhals.stable.v2 as nw

        return self.dtype == nw.Boolean

    @property
    def _is_categorical(self) -> bool:
        import narwhals.stable.v2 as nw

        return self.dtype in (nw.Categorical, nw.Enum)


def _either(condition: nw.Expr, code: Code, otherwise: nw.Expr) -> nw.Expr:
    import narwhals.stable.v2 as nw

    return nw.when(condition).then(nw.lit(int(code))).otherwise(otherwise)


def _holds(dtype: nw.dtypes.DType, number: Any) -> bool:
    """Return whether a numeric type can hold a number; an engine may fail to write others."""
    import narwhals.stable.v2 as nw

    if dtype.is_float():
        return isinstance(number, float) or bool(as_float(number) == number)
    wide = 128 if dtype in (nw.Int128, nw.UInt128) else 64
    low, high = (-(2 ** (wide - 1)), 2**wide) if dtype.is_integer() else (-(10**38), 10**38)
    return bool(low <= number < high)


def _python_types(dtype: nw.dtypes.DType) -> Any:
    """Return the Python types of a positive class that labels of this type compare with."""
    import narwhals.stable.v2 as nw

    if dtype.is_numeric():
        return numbers.Real | Decimal
    kinds: list[tuple[Any, Any]] = [
        (nw.Datetime, dt.datetime),
        (nw.Date, dt.date),
        (nw.Duration, dt.timedelta),
        (nw.Time, dt.time),
        (nw.Binary, bytes),
        (nw.String, str),
        (nw.Categorical, str),
        (nw.Enum, str),
    ]
    return next((kind for known, kind in kinds if dtype == known), object)
