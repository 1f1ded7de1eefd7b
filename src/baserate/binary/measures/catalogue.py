"""The catalogue: every built-in measure and all its names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from baserate.binary.measures.agreement import AGREEMENT
from baserate.binary.measures.counts import COUNTS
from baserate.binary.measures.f_score import F1, fbeta
from baserate.binary.measures.geometric import GEOMETRIC, PT
from baserate.binary.measures.other_tasks import what_it_needs
from baserate.binary.measures.predictive import PREDICTIVE
from baserate.binary.measures.rates import RATES
from baserate.binary.measures.record import Measure
from baserate.exceptions import InvalidMeasureError, UnknownMeasureError
from baserate.exceptions.base import Term, shown


class Catalogue(Mapping[str, Measure]):
    """An immutable mapping of measures by key; a copy or a pickle of it is the catalogue itself."""

    def __init__(self, measures: Iterable[Measure]) -> None:
        self._by_key = {measure.key: measure for measure in measures}

    def __getitem__(self, key: str) -> Measure:
        return self._by_key[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_key)

    def __len__(self) -> int:
        return len(self._by_key)

    def __repr__(self) -> str:
        return f"<MEASURES: {', '.join(self)}>"

    def __reduce__(self) -> str:
        """Pickle the catalogue by its name in this module."""
        return "MEASURES"


MEASURES = Catalogue((*COUNTS, *RATES, *PREDICTIVE, F1, *AGREEMENT, *GEOMETRIC))
"""The measures that have a baseline, by key. The paper's 22 are in the order of its Table 1."""

REPORTED = ("ACC", "BACC", "PPV", "TPR", "F1", "MCC", "KAPPA")
"""The measures that people report, which are judged unless others are asked for."""
ALL = "all"
"""The word for all of `MEASURES`."""

_NEEDS_BETA = ("fbeta", "fβ", "fbetascore", "fβscore")
# A β as in F2, f0.5, F.5, "fbeta 2" or F1e-05. F05 could mean F0.5, so it is not accepted.
_BETA = r"((?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)"
_F_SCORE = re.compile(rf"f(?:beta)?[\s_-]*{_BETA}(?:[\s_-]*(?:score|measure))?")


def _folded(name: str) -> str:
    """Return a name without the details that people vary: case, spaces and punctuation."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


_COUNTS = frozenset(measure.key for measure in COUNTS)

# Folded name -> the name as written, and its measure.
_KNOWN = {
    _folded(name): (name, measure)
    for measure in (*MEASURES.values(), PT)
    for name in (measure.key, measure.name, *measure.aliases)
}


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
    elif _folded(name) in _NEEDS_BETA:
        return _with_beta(name, beta)
    else:
        measure = _named(name)
    if beta is not None:
        raise InvalidMeasureError(
            f"{shown(measure.key)} takes no beta (got beta={shown(beta)}); only 'fbeta' does"
        )
    return measure


def is_count(key: str) -> bool:
    """Return whether the scores of a measure are numbers of observations."""
    return key in _COUNTS


def chosen_measures(
    measures: str | Measure | Iterable[str | Measure] | None,
) -> tuple[Measure, ...]:
    """Return the requested measures, each once; those that people report for None."""
    if measures is None:
        return tuple(MEASURES[key] for key in REPORTED)
    if isinstance(measures, str) and _folded(measures) == ALL:
        return tuple(MEASURES.values())
    if isinstance(measures, str | Measure):
        measures = [measures]
    try:
        names = iter(measures)
    except TypeError:
        raise _unknown(measures) from None
    chosen = {}
    for measure in map(get_measure, names):
        if measure.key in chosen:
            raise InvalidMeasureError(
                f"every measure must have its own key (got {shown(measure.key)} twice)"
            )
        chosen[measure.key] = measure
    if not chosen:
        raise InvalidMeasureError(
            "must have at least one measure (got none); leave it out for those that people report",
            parameter="measures",
        )
    return tuple(chosen.values())


def _with_beta(name: str, beta: float | None) -> Measure:
    if beta is None:
        by_name = Term("beta by name", f"get_measure({shown(name)}, beta=2), or by name, 'F2'")
        raise InvalidMeasureError(f"{shown(name)} must come with a beta: ", by_name)
    return fbeta(beta)


def _named(name: str) -> Measure:
    f_score = _F_SCORE.fullmatch(unicodedata.normalize("NFKC", name).casefold().strip())
    if f_score is not None:
        return fbeta(float(f_score[1]))
    if _folded(name) in _KNOWN:
        return _KNOWN[_folded(name)][1]
    needs = what_it_needs(_folded(name))
    if needs:
        raise UnknownMeasureError(f"{shown(name)} ", *needs)
    raise _unknown(name, _nearest(name))


def _unknown(name: object, nearest: Sequence[str] = ()) -> UnknownMeasureError:
    all_names = Term("names", "list(baserate.MEASURES) has all names")
    advice: tuple[str | Term, ...] = (all_names,)
    if nearest:
        advice = (f"did you mean {' or '.join(map(repr, nearest))}?",)
    elif not isinstance(name, str):
        advice = ("a measure must be a Measure or a name such as 'F1'; ", all_names)
    return UnknownMeasureError(f"unknown measure {shown(name)}: ", *advice)


def _nearest(name: str) -> list[str]:
    """Return the most similar names, one per measure."""
    import difflib

    close = difflib.get_close_matches(_folded(name), _KNOWN, n=6, cutoff=0.6)
    first_of_each: dict[str, str] = {}
    for known, measure in (_KNOWN[match] for match in close):
        first_of_each.setdefault(measure.key, known)
    return list(first_of_each.values())[:3]
