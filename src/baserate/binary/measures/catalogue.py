"""The catalogue: every built-in measure and all its names."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from baserate.binary.measures.agreement import AGREEMENT
from baserate.binary.measures.counts import COUNTS
from baserate.binary.measures.f_score import F1, fbeta
from baserate.binary.measures.geometric import GEOMETRIC, PT
from baserate.binary.measures.other_tasks import what_it_needs
from baserate.binary.measures.predictive import PREDICTIVE
from baserate.binary.measures.rates import RATES
from baserate.binary.measures.record import Measure
from baserate.core.catalogue import Catalogue, folded, unknown_measure
from baserate.exceptions import InvalidMeasureError, UnknownMeasureError
from baserate.formatting import Term, shown

if TYPE_CHECKING:
    from collections.abc import Sequence


MEASURES = Catalogue(
    __name__, "MEASURES", (*COUNTS, *RATES, *PREDICTIVE, F1, *AGREEMENT, *GEOMETRIC), others=(PT,)
)
"""The measures that have a baseline, by key. The paper's 22 are in the order of its Table 1."""

REPORTED = ("ACC", "BACC", "PPV", "TPR", "F1", "MCC", "KAPPA")
"""The measures that people report, which are judged unless others are asked for."""

_NEEDS_BETA = ("fbeta", "fβ", "fbetascore", "fβscore")
# A β as in F2, f0.5, F.5, "fbeta 2" or F1e-05. F05 could mean F0.5, so it is not accepted.
_BETA = r"((?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)"
_F_SCORE = re.compile(rf"f(?:beta)?[\s_-]*{_BETA}(?:[\s_-]*(?:score|measure))?")


def get_measure(name: str | Measure, *, beta: float | None = None) -> Measure:
    """Return a measure by any of its names.

    Parameters
    ----------
    name
        A key, an alternative name of the paper, a common abbreviation or scikit-learn's name.
        Case, spaces, hyphens, underscores and apostrophes do not matter. A `Measure` is returned
        unchanged.
    beta
        The β of ``"fbeta"``.

    Examples
    --------
    >>> get_measure("Youden's index")
    <Measure J: Youden's J Statistic>
    >>> get_measure("matthews_corrcoef")
    <Measure MCC: Matthews Correlation Coefficient>
    >>> get_measure("f0.5") is get_measure("fbeta", beta=0.5)
    True
    >>> get_measure("precison")
    Traceback (most recent call last):
        ...
    baserate.exceptions.UnknownMeasureError: unknown measure 'precison': did you mean 'Precision'?
    """
    if isinstance(name, Measure):
        measure = name
    elif not isinstance(name, str):
        raise _unknown(name)
    elif folded(name) in _NEEDS_BETA:
        return _with_beta(name, beta)
    else:
        measure = _named(name)
    if beta is not None:
        raise InvalidMeasureError(
            f"{shown(measure.key)} takes no beta (got beta={shown(beta)}); only 'fbeta' does"
        )
    return measure


def _with_beta(name: str, beta: float | None) -> Measure:
    if beta is None:
        by_name = Term("beta by name", f"get_measure({shown(name)}, beta=2), or by name, 'F2'")
        raise InvalidMeasureError(f"{shown(name)} must come with a beta: ", by_name)
    return fbeta(beta)


def _named(name: str) -> Measure:
    f_score = _F_SCORE.fullmatch(unicodedata.normalize("NFKC", name).casefold().strip())
    if f_score is not None:
        return fbeta(float(f_score[1]))
    measure = MEASURES.named(name)
    if measure is not None:
        return measure
    needs = what_it_needs(folded(name))
    if needs:
        raise UnknownMeasureError(f"{shown(name)} ", *needs)
    raise _unknown(name, MEASURES.nearest(name))


def _unknown(name: object, nearest: Sequence[str] = ()) -> UnknownMeasureError:
    all_names = Term(
        "names",
        "list(baserate.MEASURES) has those of two classes; CLASS_MEASURES, SCORE_MEASURES, "
        "CLASS_SCORE_MEASURES and NUMBER_MEASURES have the others",
    )
    advice: tuple[str | Term, ...] = (all_names,)
    if not isinstance(name, str):
        advice = ("a measure must be a Measure or a name such as 'F1'; ", *advice)
    return unknown_measure(name, "", nearest, *advice)
