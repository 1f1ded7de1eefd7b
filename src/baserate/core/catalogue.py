"""A catalogue of measures: every one of a task, and all their names."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from baserate.core.measure import Measure
from baserate.exceptions import InvalidMeasureError, UnknownMeasureError
from baserate.formatting import Term, shown

ALL = "all"
"""The word for all measures of a catalogue."""
# Signs that people leave out or put in as they like, beside spaces and dashes.
_VARIED = "_'’"

M = TypeVar("M", bound=Measure[Any])
T = TypeVar("T", bound=Measure[Any])


class Catalogue(Mapping[str, M], Generic[M]):
    """An immutable mapping of measures by key; a copy or a pickle of it is the catalogue itself."""

    def __init__(
        self, module: str, variable: str, measures: Iterable[M], others: Iterable[M] = ()
    ) -> None:
        self.__module__, self._variable = module, variable
        self._by_key: dict[str, M] = {}
        for measure in measures:
            self._by_key.setdefault(measure.key, measure)
        # Folded name -> the name as it is first written, and its measure.
        self._known: dict[str, tuple[str, M]] = {}
        for measure in (*self._by_key.values(), *others):
            for name in (measure.key, measure.name, *measure.aliases):
                self._known.setdefault(folded(name), (name, measure))

    def __getitem__(self, key: str) -> M:
        return self._by_key[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_key)

    def __len__(self) -> int:
        return len(self._by_key)

    def __repr__(self) -> str:
        return f"<{self._variable}: {', '.join(self)}>"

    def __reduce__(self) -> str:
        """Pickle the catalogue by its name in its module."""
        return self._variable

    def named(self, name: str) -> M | None:
        """Return the measure that has a name, whatever its case, spaces and hyphens."""
        found = self._known.get(folded(name))
        return None if found is None else found[1]

    def nearest(self, name: str) -> list[str]:
        """Return the most similar names, one per measure."""
        import difflib

        plain = folded(name)
        if len(plain) > 3 * max(map(len, self._known)):  # a text that long resembles no name
            return []
        close = difflib.get_close_matches(plain, self._known, n=6, cutoff=0.6)
        first_of_each: dict[str, str] = {}
        for known, measure in (self._known[match] for match in close):
            first_of_each.setdefault(measure.key, known)
        return list(first_of_each.values())[:3]


def folded(name: str) -> str:
    """Return a name without the details that people vary, and any other sign as it is.

    These are case, spaces, hyphens, underscores and apostrophes. "@" is read as "at".

    Examples
    --------
    >>> folded("Youden's J"), folded("top-3 accuracy"), folded("precision@5%")
    ('youdensj', 'top3accuracy', 'precisionat5%')
    """
    plain = unicodedata.normalize("NFKC", name).casefold().replace("@", "at")
    return "".join(letter for letter in plain if not _is_varied(letter))


def _is_varied(letter: str) -> bool:
    return letter in _VARIED or letter.isspace() or unicodedata.category(letter) == "Pd"


def chosen(
    every: Iterable[str], measures: Any, get: Callable[[Any], T], reported: Iterable[str]
) -> tuple[T, ...]:
    """Return the measures that are asked for, each once, or raise if one is not known."""
    if measures is None:
        measures = reported
    elif isinstance(measures, str) and folded(measures) == ALL:
        measures = every
    elif isinstance(measures, str | Measure):
        measures = [measures]
    try:
        names = iter(measures)
    except TypeError:
        names = iter([measures])  # which is unknown
    return each_once(map(get, names))


def unknown_measure(
    name: object, of: str, nearest: Sequence[str], *advice: str | Term
) -> UnknownMeasureError:
    """Return the error about a name that nobody knows."""
    said = (did_you_mean(nearest),) if nearest else advice
    return UnknownMeasureError(f"unknown measure {shown(name)}{of}: ", *said)


def did_you_mean(names: Sequence[str]) -> str:
    """Ask whether one of some names was meant."""
    *others, last = map(repr, names)
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"


def each_once(measures: Iterable[T]) -> tuple[T, ...]:
    """Return measures that were asked for, or raise if there is none, or one twice."""
    chosen: dict[str, T] = {}
    for measure in measures:
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
