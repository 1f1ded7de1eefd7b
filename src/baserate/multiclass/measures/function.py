"""A user's function of a confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.arguments import as_float, is_number
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shortened, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@dataclass(frozen=True)
class TableFunction:
    """A function of one table, called table by table.

    Parameters
    ----------
    key
        The key of its measure, for errors.
    function
        The function.
    """

    key: str
    function: Callable[[Any], Any]

    def __call__(self, tables: NDArray[Any]) -> NDArray[np.float64]:
        """Return the score of each table; infinite ones count as undefined."""
        flat = tables.reshape(-1, *tables.shape[-2:])
        scores = np.array([self._score(table) for table in flat], dtype=float)
        scores[~np.isfinite(scores)] = np.nan
        return scores.reshape(tables.shape[:-2])

    def _score(self, table: NDArray[Any]) -> float:
        try:
            score = self.function(table)
        except ZeroDivisionError:
            return np.nan
        except Exception as error:
            raise InvalidMeasureError(
                f"the function of {shown(self.key)} failed ({type(error).__name__}: "
                f"{shortened(error)}); it is given a table, a row per true class"
            ) from error
        if not is_number(score):
            raise InvalidMeasureError(
                f"the function of {shown(self.key)} must return a number (got {shown(score)})"
            )
        return as_float(score)
