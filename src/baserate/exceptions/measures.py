"""What can be wrong with a measure, and where it is undefined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from baserate.exceptions.base import BaserateError, shown

if TYPE_CHECKING:
    from collections.abc import Sequence


class InvalidMeasureError(BaserateError, ValueError):
    """A measure that is declared, called or parametrised wrongly."""

    @classmethod
    def beta(cls, beta: object, most: float) -> Self:
        """Report a β for which there is no F score."""
        return cls(
            f"beta must be a number above 0, from {1 / most:g} to {most:g} (got {shown(beta)})"
        )

    @classmethod
    def needs_beta(cls, name: str) -> Self:
        """Report an F score without its β."""
        return cls(
            f"{name!r} must come with a beta: get_measure({name!r}, beta=2), or by name, 'F2'"
        )

    @classmethod
    def takes_no_beta(cls, name: str, beta: object) -> Self:
        """Report a β for a measure that has none, or that has its own."""
        return cls(f"{shown(name)} takes no beta (got beta={shown(beta)}); only 'fbeta' does")

    @classmethod
    def direction(cls, direction: object) -> Self:
        """Report an unknown direction."""
        return cls(f"direction must be 'maximize' or 'minimize' (got {shown(direction)})")

    @classmethod
    def shape(cls, shape: object) -> Self:
        """Report an unknown shape."""
        return cls(f"shape must be 'concave', 'convex' or None (got {shown(shape)})")

    @classmethod
    def smooth(cls, smooth: object) -> Self:
        """Report a smoothness that is neither declared nor not."""
        return cls(f"smooth must be True or False (got {shown(smooth)})")

    @classmethod
    def not_text(cls, key: str, text: object) -> Self:
        """Report a name or a meaning that nobody can read."""
        return cls(f"the name and the meaning of measure {key!r} must be texts (got {shown(text)})")

    @classmethod
    def not_of_shape(cls) -> Self:
        """Report a curve that contradicts its declared shape."""
        return cls(
            "shape must be that of the expectation as a function of P̂ (got one that bends the "
            "other way); leave shape out, and every draw is looked at"
        )

    @classmethod
    def not_smooth(cls) -> Self:
        """Report a function that contradicts what was declared of it."""
        return cls(
            "a function made with smooth=True must be finite between whole counts and change "
            "little from one to the next (got a pole, a kink, a step or a wave); leave smooth "
            "out, and its expectation is summed over the whole counts"
        )

    @classmethod
    def codomain(cls, codomain: object) -> Self:
        """Report a codomain that is no pair of numbers."""
        found = shown(codomain)
        return cls(
            f"codomain must be the lowest and the highest score, such as (0, 1) (got {found})"
        )

    @classmethod
    def not_a_table(cls, key: str, table: object) -> Self:
        """Report a score of something else than a confusion table."""
        return cls(
            f"{key} must be given a Confusion to score (got {type(table).__name__}); "
            "pass Confusion.of(y_true, y_pred)"
        )

    @classmethod
    def none(cls) -> Self:
        """Report an evaluation without measures."""
        return cls("measures must have at least one measure (got none); leave it out for all")

    @classmethod
    def duplicate(cls, key: str) -> Self:
        """Report a measure that is asked for twice, or two of one name."""
        return cls(f"every measure must have its own key (got {shown(key)} twice)")

    @classmethod
    def strategy(cls, strategy: object) -> Self:
        """Report an unknown strategy of the estimator."""
        return cls(
            f"strategy must be 'max', 'min' or 'best' (got {shown(strategy)}); the measure decides "
            "which fraction is drawn, unless theta=… sets it"
        )

    @classmethod
    def scaled(cls, scaled: object, known: Sequence[str]) -> Self:
        """Report an unknown way to scale a score."""
        names = ", ".join(map(repr, known))
        return cls(f"scaled must be True, False or one of {names} (got {shown(scaled)})")

    @classmethod
    def margin(cls, margin: object) -> Self:
        """Report a margin that is no distance."""
        return cls(f"margin must be a number of at least 0 (got {shown(margin)})")

    @classmethod
    def score(cls, score: object) -> Self:
        """Report a score that is no number."""
        return cls(
            f"score must be a finite number (got {shown(score)} of type {type(score).__name__})"
        )

    @classmethod
    def undefined(cls, undefined: object) -> Self:
        """Report a stand-in that is no number."""
        return cls(f"undefined must be a number, such as 0 or math.nan (got {shown(undefined)})")

    @classmethod
    def scores(cls, scores: object) -> Self:
        """Report scores or probabilities to look up that are no numbers."""
        return cls(f"a law must be asked for a number or an array of numbers (got {shown(scores)})")

    @classmethod
    def not_callable(cls, key: str, function: object) -> Self:
        """Report a custom measure without a function."""
        return cls(
            f"measure {shown(key)} must have a function of (tp, fp, fn, tn) (got {shown(function)})"
        )

    @classmethod
    def empty_key(cls, key: object) -> Self:
        """Report a measure without a name."""
        return cls(f"a measure's key must be a string that is not empty (got {shown(key)})")

    @classmethod
    def function_raised(cls, key: str, counts: tuple[object, ...], error: Exception) -> Self:
        """Report a custom function that fails on a table it must be able to score."""
        return cls(
            f"the function of measure {shown(key)} must return a number for every table "
            f"(got {type(error).__name__}: {error}, at {_counts(counts)}); "
            "return math.nan where the measure is undefined"
        )

    @classmethod
    def not_a_number(cls, key: str, counts: tuple[object, ...], value: object) -> Self:
        """Report a custom function that returns no number."""
        return cls(
            f"the function of measure {shown(key)} must return one number per table "
            f"(got {shown(value)} of type {type(value).__name__}, at {_counts(counts)})"
        )


class UnknownMeasureError(BaserateError, ValueError):
    """A measure's name that nobody knows."""

    @classmethod
    def named(cls, name: object, nearest: Sequence[str]) -> Self:
        """Report an unknown name, with the nearest known ones."""
        advice = (
            f"did you mean {' or '.join(repr(match) for match in nearest)}?"
            if nearest
            else "list(baserate.MEASURES) has them all"
        )
        return cls(f"unknown measure {shown(name)}: {advice}")


class UndefinedMeasureError(BaserateError, ValueError):
    """A law, an expectation or a baseline that does not exist."""

    @classmethod
    def no_draw(cls, key: str, requirement: str, evidence: str) -> Self:
        """Report a baseline on a test set that no draw can score."""
        return cls(
            f"{key} has no baseline on this test set: it needs {requirement} (got {evidence})"
        )

    @classmethod
    def no_law(cls, key: str, requirement: str, evidence: str) -> Self:
        """Report the score of a draw that the measure cannot score."""
        return cls(f"{key} is undefined for this draw: it needs {requirement} (got {evidence})")

    @classmethod
    def no_score(cls, key: str, why: str) -> Self:
        """Report a table that the measure cannot score."""
        return cls(f"{key} is undefined for this model: {why}")

    @classmethod
    def no_scaler(cls, key: str, why: str) -> Self:
        """Report a score that has no Dutch Scaler."""
        return cls(f"the Dutch Scaler of {key} is undefined: {why}")


class NoBaselineError(UndefinedMeasureError):
    """A measure that has scores and, by its nature, no baseline."""

    @classmethod
    def because(cls, key: str, reason: str) -> Self:
        """Report a measure without a baseline, with the reason."""
        return cls(f"{key} has scores and no baseline: {reason}")


class TooManyValuesError(BaserateError, ValueError):
    """More attainable scores than can be laid out or summed."""

    @classmethod
    def listed(cls, size: int, most: int) -> Self:
        """Report a law that has too many scores to lay them out."""
        return cls(
            f"at most {most:,} scores can be laid out in memory (got a draw with {size:,}); "
            "ask for single ones with pmf, cdf, sf and ppf of a built-in measure"
        )

    @classmethod
    def summed(cls, size: int, most: int) -> Self:
        """Report an expectation that would have to be summed over too many counts."""
        return cls(
            f"at most {most:,} scores can be summed for one draw (got one with {size:,}); "
            "if the measure is smooth between whole counts, make it with smooth=True"
        )


class UndefinedMeasureWarning(UserWarning):
    """A score whose requirement fails; the value given for `undefined` stands in for it."""


def _counts(counts: tuple[object, ...]) -> str:
    names = ("tp", "fp", "fn", "tn")
    return ", ".join(f"{name}={count}" for name, count in zip(names, counts, strict=True))
