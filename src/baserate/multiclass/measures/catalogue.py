"""The catalogue of the measures of several classes, and all their names."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from baserate.core.catalogue import Catalogue, unknown_measure
from baserate.exceptions.base import Term
from baserate.multiclass.measures.agreement import AGREEMENT
from baserate.multiclass.measures.averages import AVERAGES, averaged_f, micro_f, with_zero_division
from baserate.multiclass.measures.per_class import Average
from baserate.multiclass.measures.recalls import RECALLS
from baserate.multiclass.measures.record import ClassMeasure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.exceptions import UnknownMeasureError

CLASS_MEASURES = Catalogue(__name__, "CLASS_MEASURES", (*AGREEMENT, *RECALLS, *AVERAGES))
"""The measures of several classes, by key."""

REPORTED = ("accuracy", "balanced accuracy", "macro F1", "weighted F1", "MCC", "kappa")
"""The measures that people report, which are judged unless others are asked for."""

# "macro F2" and "f2_macro", with any β.
_BETA = r"(?P<beta>(?:0|[1-9]\d*)(?:\.\d+)?)"
_F_SCORE = re.compile(
    rf"(?P<average>macro|weighted|micro)[\s_-]*f{_BETA}(?:[\s_-]*(?:score|measure))?"
    rf"|f{_BETA.replace('beta', 'beta_first')}[\s_-]*(?P<average_last>macro|weighted|micro)"
)


def get_class_measure(
    name: str | ClassMeasure, *, zero_division: float | None = None
) -> ClassMeasure:
    """Return a measure of several classes by any of its names.

    Parameters
    ----------
    name
        A key, a common abbreviation or scikit-learn's name. Case, spaces, hyphens and underscores
        do not matter. A `ClassMeasure` is returned unchanged.
    zero_division
        What 0/0 is: 0, 1, or nan to leave the class out; scikit-learn's default is 0.

    Examples
    --------
    >>> get_class_measure("f1_macro")
    <Measure macro F1: Macro F1 Score>
    >>> get_class_measure("weighted F2").key
    'weighted F2'
    """
    measure = name if isinstance(name, ClassMeasure) else _named(name)
    return measure if zero_division is None else with_zero_division(measure, zero_division)


def _named(name: object) -> ClassMeasure:
    if not isinstance(name, str):
        raise _unknown(name)
    measure = CLASS_MEASURES.named(name)
    if measure is not None:
        return measure
    f_score = _F_SCORE.fullmatch(unicodedata.normalize("NFKC", name).casefold().strip())
    if f_score is None:
        raise _unknown(name, CLASS_MEASURES.nearest(name))
    average = f_score["average"] or f_score["average_last"]
    beta = float(f_score["beta"] or f_score["beta_first"])
    return micro_f(beta) if average == "micro" else averaged_f(Average(average), beta)


def _unknown(name: object, nearest: Sequence[str] = ()) -> UnknownMeasureError:
    all_names = Term("names", "list(baserate.CLASS_MEASURES) has all names")
    return unknown_measure(name, " of several classes", nearest, all_names)
