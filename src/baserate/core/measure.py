"""What every kind of prediction declares of a measure, and measures by their names."""

from __future__ import annotations

import abc
import enum
import math
import numbers
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from enum import Enum
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np

from baserate.arguments import as_float, is_number
from baserate.exceptions import (
    InvalidMeasureError,
    UndefinedMeasureWarning,
    UnknownMeasureError,
)
from baserate.formatting import Term, shortened, shown


class Rule(Enum):
    """How an interval is made of resamples."""

    END = "a spare row, the worst possible one"
    AVERAGE = "the same, never narrower than the jackknife's: small classes show no spread"
    LOSS = "Student's t from the mean of the resamples"
    CORRELATION = "the worst row seen as a spare one, and Student's t"
    SEEN = "the worst unit seen as a spare one, and Student's t by how many units carry the error"


class Direction(enum.StrEnum):
    """The direction of a measure: whether higher or lower is better."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"

    @property
    def arrow(self) -> str:
        """The arrow that tables show."""
        return "↑" if self is Direction.MAXIMIZE else "↓"

    @property
    def opposite(self) -> Direction:
        """The other direction."""
        return Direction.MINIMIZE if self is Direction.MAXIMIZE else Direction.MAXIMIZE

    @property
    def better(self) -> str:
        """The better scores, in one word."""
        return "higher" if self is Direction.MAXIMIZE else "lower"


@dataclass(frozen=True)
class Codomain:
    """The values that a measure can take over all tables, from `lower` to `upper`.

    Examples
    --------
    >>> print(Codomain(-1, 1))
    [-1, 1]
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        # An end may become the limit of a score, which is a float.
        object.__setattr__(self, "lower", float(self.lower))
        object.__setattr__(self, "upper", float(self.upper))

    @classmethod
    def of(cls, ends: object) -> Codomain:
        """Return the codomain between two ends, or raise if they are not valid."""
        try:
            lower, upper = tuple(ends)  # type: ignore[arg-type, var-annotated]
        except (TypeError, ValueError):
            raise InvalidMeasureError.codomain(ends) from None
        if not (is_number(lower) and is_number(upper) and as_float(lower) <= as_float(upper)):
            raise InvalidMeasureError.codomain(ends)
        return cls(as_float(lower), as_float(upper))

    @property
    def rule(self) -> Rule:
        """How the confidence interval of a measure is made of which nothing else is known."""
        is_bounded = math.isfinite(self.lower) and math.isfinite(self.upper)
        return Rule.END if is_bounded else Rule.LOSS

    def __str__(self) -> str:
        left = "(" if math.isinf(self.lower) else "["
        right = ")" if math.isinf(self.upper) else "]"
        return f"{left}{self.lower:g}, {self.upper:g}{right}"


UNIT = Codomain(0, 1)
SIGNED = Codomain(-1, 1)
COUNT = Codomain(0, math.inf)


Number: TypeAlias = Any
"""An int, a float, a Fraction, an mpmath number or an array of floats; formulas accept all."""


@dataclass(frozen=True)
class Formula:
    """A formula that can be computed and printed."""

    latex: str
    function: Callable[..., Number] = field(repr=False)

    def __call__(self, *arguments: Number) -> Number:
        """Compute the formula."""
        return self.function(*arguments)


ZERO = Formula("0", lambda _: 0)
ONE = Formula("1", lambda _: 1)


def sqrt(value: Number) -> Number:
    """Return the square root in the number type of the value; a Fraction's is a float."""
    if isinstance(value, np.ndarray):
        return np.sqrt(value)
    if hasattr(value, "sqrt"):  # mpmath and decimal numbers
        return value.sqrt()
    return math.sqrt(value)


@dataclass(frozen=True)
class SklearnCall:
    """A call of `sklearn.metrics` that gives the same score.

    Examples
    --------
    >>> print(SklearnCall("recall_score", {"pos_label": 0}))
    recall_score(y_true, y_pred, pos_label=0)
    >>> SklearnCall("recall_score", {"pos_label": 0}).score([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """

    function: str
    options: dict[str, Any] | None = None
    cell: tuple[int, int] | None = None
    argument: str = "y_pred"

    def __str__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in (self.options or {}).items())
        cell = "" if self.cell is None else f"[{self.cell[0]}, {self.cell[1]}]"
        return f"{self.function}(y_true, {self.argument}{options}){cell}"

    def score(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Call the function."""
        from sklearn import metrics

        options = {**(self.options or {}), "sample_weight": sample_weight}
        result = getattr(metrics, self.function)(y_true, y_pred, **options)
        return float(result if self.cell is None else result[self.cell])


S = TypeVar("S")


@dataclass(frozen=True, kw_only=True, eq=False)
class Measure(abc.ABC, Generic[S]):
    """A measure of any task, which scores an observed S, such as a confusion table.

    Parameters
    ----------
    key
        The canonical short name.
    name
        The full name.
    aliases
        Every other name by which `get_measure` knows it.
    meaning
        One sentence for a newcomer.
    pitfall
        When it misleads; empty for a measure of your own.
    sklearn
        The call of scikit-learn that gives the same score, if there is one.
    direction
        Whether a larger or a smaller score is better.
    codomain
        The values that it can take.
    rounds
        Whether equal scores may differ in their last places, as those of a user's function do.
    counts
        Whether scores are numbers of observations, which are shown without decimals.
    remedy
        What to look for in a model that learned something and does not beat the baseline; empty
        if the task says it.
    interval
        By which rule its confidence interval is made.
    """

    key: str
    name: str
    aliases: tuple[str, ...] = ()
    meaning: str
    pitfall: str = ""
    sklearn: SklearnCall | None = None
    direction: Direction
    codomain: Codomain
    rounds: bool = False
    counts: bool = False
    remedy: str = ""
    interval: Rule = Rule.END

    @staticmethod
    def custom(key: str, function: Callable[..., Any], **facts: Any) -> Measure[Any]:
        """Make a measure of your own, which has all that built-in ones have.

        Parameters
        ----------
        key
            Its short name, for tables and errors.
        function
            A function that returns a number, or nan where the measure is undefined: of the four
            counts (tp, fp, fn, tn) of two classes; of one table, a row per true class; or of
            (y_true, y_pred), for predicted numbers.
        **facts
            `direction` ("maximize" or "minimize"), `name`, `meaning` and `codomain`, the smallest
            and the largest possible score. For four counts also `smooth`, whether the function is
            differentiable between all counts, and `shape`, "concave" or "convex" in how many are
            predicted positive: with them large test sets take no time.

        Examples
        --------
        >>> import baserate as br
        >>> cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: 5 * fn + fp,
        ...     direction="minimize")
        >>> br.baseline(br.BaseRate(positives=20, total=100), cost).guess
        'everyone positive'
        >>> worst = br.Measure.custom("worst recall", lambda table: min(
        ...     row[k] / max(row.sum(), 1) for k, row in enumerate(table)))
        >>> worst.score(br.ConfusionMatrix([[8, 2], [4, 6]]))
        0.6
        """
        from baserate.measures.custom import custom

        return custom(key, function, **facts)

    takes: ClassVar[tuple[type, ...]]
    """What it scores."""
    counted_by: ClassVar[str]
    """What makes that of labels, for errors."""

    def __repr__(self) -> str:
        return f"<Measure {self.key}: {self.name}>"

    @property
    def declared(self) -> dict[str, Any]:
        """What every task declares of it, for another measure that is made of this one."""
        return {field.name: getattr(self, field.name) for field in fields(Measure)}

    @property
    def is_custom(self) -> bool:
        """Whether it is anyone's own function, whose best guess is searched and may take long."""
        return False

    @property
    def made_of(self) -> dict[str, Any]:
        """What was declared of a measure of anyone's own."""
        return {
            "direction": self.direction,
            "name": self.name,
            "meaning": self.meaning,
            "codomain": (self.codomain.lower, self.codomain.upper),
        }

    def score(self, table: S, undefined: float = math.nan) -> float:
        """Return the score of what was observed.

        Parameters
        ----------
        table
            What a model did: a `ConfusionMatrix`, `RankedScores`,
            `ClassProbabilities` or `NumericPredictions`, whatever the measure takes.
        undefined
            What to return if there is no score; an `UndefinedMeasureWarning` says why.

        Examples
        --------
        >>> import baserate as br
        >>> br.get_measure("F1").score(br.ConfusionMatrix(tp=12, fp=3, fn=2, tn=13))
        0.8275862068965517
        >>> br.get_measure("MAE").score(br.NumericPredictions.of([1.0, 2, 3, 10], [1.5, 2, 2, 7]))
        1.125
        """
        if not isinstance(table, self.takes):
            wanted = self.counted_by.partition(".")[0]
            wanted = wanted if wanted.endswith("s") else f"a {wanted}"
            raise InvalidMeasureError(
                f"{self.key} must be given {wanted} to score (got {type(table).__name__}); pass "
                f"{self.counted_by}"
            )
        value, reason = self.score_or_reason(table)
        if not reason:
            return value
        warnings.warn(f"{self.key} is undefined: {reason}", UndefinedMeasureWarning, stacklevel=2)
        return undefined

    @abc.abstractmethod
    def score_or_reason(self, observed: S) -> tuple[float, str]:
        """Return the score of what was observed, or nan and why it has none."""

    def score_error(self, observed: S) -> float:  # noqa: ARG002
        """Return how far the score may be from that of the rows, if not all counts left them."""
        return 0.0

    def parts(self, observed: S) -> tuple[tuple[str, float], ...]:  # noqa: ARG002
        """Return the parts that add up to the score, each with its name, if it has any."""
        return ()

    def require_baseline(self) -> None:
        """Raise if the measure cannot have a baseline."""

    def magnitude(self, largest: float) -> float:
        """Return the size of the numbers that rounding errors come from, on scores up to this."""
        bound = max(abs(self.codomain.lower), abs(self.codomain.upper))
        return bound if math.isfinite(bound) else largest


def called(
    key: str, function: Callable[..., Any], *arguments: Any, given: Callable[..., str]
) -> float:
    """Return what a user's function returns; nan where it divides by zero or is too large.

    `given` says what the function is given, for errors.
    """
    try:
        score = function(*arguments)
    except (ZeroDivisionError, OverflowError):
        return math.nan
    except Exception as error:
        raise InvalidMeasureError(
            f"the function of measure {shown(key)} failed ({type(error).__name__}: "
            f"{shortened(error)}); it is given {given(*arguments)}, and must return math.nan where "
            "the measure is undefined"
        ) from error
    if type(score) is float:  # the common case, first
        return score
    if isinstance(score, np.generic | np.ndarray) and score.ndim == 0:
        score = score.item()  # numpy.where returns a zero-dimensional array
    if not isinstance(score, numbers.Real | Decimal):
        raise InvalidMeasureError(
            f"the function of measure {shown(key)} must return a number (got {shown(score)} of "
            f"type {type(score).__name__}); it is given {given(*arguments)}"
        )
    return as_float(score)


ALL = "all"
"""The word for all measures of a catalogue."""
# Signs that people leave out or put in as they like, beside spaces and dashes.
_VARIED = "_'’"

M = TypeVar("M", bound=Measure[Any])
T = TypeVar("T", bound=Measure[Any])


class Catalogue(Mapping[str, M], Generic[M]):
    """An immutable mapping of measures by key; a copy or a pickle of it is the catalogue itself."""

    def __init__(
        self,
        module: str,
        variable: str,
        measures: Iterable[M],
        *,
        of: str = "",  # what they are measures of, for errors
        others: Iterable[M] = (),
        numbered: Callable[[str], M | None] = lambda _: (
            None
        ),  # those that a name with a number means
    ) -> None:
        self.__module__, self._variable = module, variable
        self._of, self._numbered = of, numbered
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

    def named(self, name: object) -> M | None:
        """Return the measure that has a name, whatever its case, spaces and hyphens."""
        if not isinstance(name, str):
            return None
        # A number first: without its point, 0.5 is 05.
        numbered = self._numbered(unicodedata.normalize("NFKC", name).casefold().strip())
        found = None if numbered is not None else self._known.get(folded(name))
        return numbered if found is None else found[1]

    def find(self, name: Any) -> M:
        """Return a measure by any of its names, or as it is; raise if none has it.

        Case, spaces, hyphens, underscores and apostrophes do not matter.
        """
        if isinstance(name, type(next(iter(self._by_key.values())))):
            return name
        found = self.named(name)
        if found is not None:
            return found
        nearest = self.nearest(name) if isinstance(name, str) else ()
        said = (
            "" if isinstance(name, str) else "a measure must be a Measure or a name such as 'F1'; "
        )
        all_names = Term("names", "list(baserate.MEASURES) has them all")
        raise unknown_measure(name, self._of, nearest, said, all_names)

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
