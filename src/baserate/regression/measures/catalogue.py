"""The catalogue of the measures of numbers, and all their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.core.catalogue import Catalogue, unknown_measure
from baserate.exceptions.base import Term
from baserate.regression.measures.bent import BENT
from baserate.regression.measures.correlations import CORRELATIONS
from baserate.regression.measures.deviances import DEVIANCES
from baserate.regression.measures.errors import ERRORS
from baserate.regression.measures.explained import EXPLAINED
from baserate.regression.measures.names import with_number
from baserate.regression.measures.record import NumberMeasure
from baserate.regression.measures.relative import RELATIVE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.exceptions import UnknownMeasureError

NUMBER_MEASURES = Catalogue(
    __name__,
    "NUMBER_MEASURES",
    (*ERRORS, *RELATIVE, *BENT, *DEVIANCES, *EXPLAINED, *CORRELATIONS),
)
"""The measures of numbers, by key."""

REPORTED = ("RMSE", "MAE", "R2")
"""The measures that people report, which are judged unless others are asked for."""


def get_number_measure(name: str | NumberMeasure) -> NumberMeasure:
    """Return a measure of numbers by any of its names.

    Parameters
    ----------
    name
        A key, a common abbreviation or scikit-learn's name, of a function or of a scorer. Case,
        spaces, hyphens and underscores do not matter. A `NumberMeasure` is returned unchanged.

    Examples
    --------
    >>> get_number_measure("neg_mean_absolute_error")
    <Measure MAE: Mean Absolute Error>
    >>> get_number_measure("pinball@0.9").key
    'pinball@0.9'
    """
    if isinstance(name, NumberMeasure):
        return name
    if not isinstance(name, str):
        raise _unknown(name)
    # A number first: without its point, 0.5 is 05.
    found = with_number(name) or NUMBER_MEASURES.named(name)
    if found is None:
        raise _unknown(name, NUMBER_MEASURES.nearest(name))
    return found


def _unknown(name: object, nearest: Sequence[str] = ()) -> UnknownMeasureError:
    all_names = Term("names", "list(baserate.NUMBER_MEASURES) has all names")
    return unknown_measure(name, " of numbers", nearest, all_names)
