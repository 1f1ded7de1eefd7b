"""Diagnose a model that gives scores: it may lack signal, or have the wrong threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.formatting import confidence, number_format, p_equals, weight
from baserate.verdicts.verdict import Coded, Outcome
from baserate.verdicts.wording import p_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.evaluation.threshold import CutOff, ThresholdCurve


class Diagnosis(Coded):
    """The diagnosis of a threshold curve: a stable code, which `sentence` puts in words.

    Examples
    --------
    >>> Diagnosis("wrong_threshold").sentence
    'the threshold is wrong, not the model'
    """

    CLEARS = "clears", "the model beats the baseline"
    WRONG_THRESHOLD = "wrong_threshold", "the threshold is wrong, not the model"
    UNSURE = "unsure", "there is signal, but it may not beat the baseline"
    NO_CUTOFF = "no_cutoff", "there is signal, but no cut-off beats the baseline"
    UNINFORMATIVE = "uninformative", "the measure shows nothing by itself"
    NO_SIGNAL = "no_signal", "there is no evidence of signal"
    REVERSED = "reversed", "the scores are upside down"


def advice(curve: ThresholdCurve) -> str:
    """Explain a threshold curve."""
    key, own, best = curve.measure.key, curve.own, curve.best

    def write(value: float) -> str:
        """Format a score in the way of all scores of the curve."""
        numbers = (value, best.verdict.score, curve.baseline.best.value)
        return number_format(numbers, counted=curve.measure.counts)(value)

    def at(cut: CutOff) -> str:
        return f"at {cut.threshold:.4g} {key} is {write(cut.verdict.score)}"

    base = f"the baseline is {write(curve.baseline.best.value)}"
    rescaled = f"(rescaled {weight(best.verdict.rescaled)})"
    at_best = f"{at(best)} {rescaled}"
    the_best = f"the best {key} is {write(best.verdict.score)} at {best.threshold:.4g} {rescaled}"
    at_own = at(own) if own else ""
    auc = f"AUC {curve.ranking.auc:.3f}"

    def clears() -> str:
        used = f"{at_own}, and {the_best}" if own else at_best
        return f"The model beats the baseline: {used}; {base}. {_evidence(curve)}"

    def unsure() -> str:
        """Say how large the margin may be where the model is better, at its threshold or else."""
        better = own if own is not None and own.verdict.beats else best
        verdict, used = better.verdict, f"{at_own}, {at_best}," if own else at_best
        ends = f"{write(verdict.margin_low)} to {write(verdict.margin_high)}"
        return (
            f"The model may not beat the baseline: {used} and {base}. At {better.threshold:.4g} "
            f"the {confidence(verdict.alpha)} interval of the margin is {ends}. {_evidence(curve)}"
        )

    def no_signal() -> str:
        reached = f"{the_best}, and {base}"
        if best.verdict.outcome is Outcome.UNDEFINED:
            reached = f"{key} is undefined at every cut-off"
        return (
            f"There is no evidence that the scores tell the classes apart ({_tests(curve)}), so "
            f"another threshold is no help: {reached}."
        )

    said: dict[Diagnosis, Callable[[], str]] = {
        Diagnosis.CLEARS: clears,
        Diagnosis.WRONG_THRESHOLD: lambda: (
            f"The threshold is wrong, not the model: {at_own} and {base}; {at_best}. "
            f"{_evidence(curve)}"
        ),
        Diagnosis.UNSURE: unsure,
        Diagnosis.NO_CUTOFF: lambda: (
            f"No cut-off beats the baseline: {the_best}, and {base}. {_signal(curve)}"
        ),
        Diagnosis.UNINFORMATIVE: lambda: (
            f"{key} shows nothing by itself: {base}, as good as perfect. Take another measure."
        ),
        Diagnosis.NO_SIGNAL: no_signal,
        Diagnosis.REVERSED: lambda: (
            f"The scores are upside down ({auc}): lower ones go with positive labels. Look for "
            "swapped labels, or for the column of the other class."
        ),
    }
    return said[curve.diagnosis]()


def _evidence(curve: ThresholdCurve) -> str:
    """Say how often the best cut-off of shuffled scores does as well, and where the signal is."""
    chance = f"The best cut-off of shuffled scores does as well with {_best_p(curve)}."
    return f"{chance} {_signal(curve)}"


def _signal(curve: ThresholdCurve) -> str:
    """Say where the signal is: in the ranking, or only at a cut-off."""
    if curve.has_ranking:
        return f"The scores tell the classes apart ({curve.ranking})."
    if curve.own is not None and curve.has_signal_at_its_own:
        own = p_in_words(curve.own.verdict)
        return (
            f"Its positive predictions beat chance ({own}); its ranking may not ({curve.ranking})."
        )
    return f"Its best cut-off beats chance; its ranking may not ({curve.ranking})."


def _best_p(curve: ThresholdCurve) -> str:
    """Format the p-value of the best cut-off."""
    return p_equals(curve.p_value, exact=curve.exact, floor=curve.floor)


def _tests(curve: ThresholdCurve) -> str:
    """Format the p-values that are too large, and the level that several tests would need."""
    if curve.tests == 1:
        return str(curve.ranking)
    found = [str(curve.ranking), f"{_best_p(curve)} for the best cut-off"]
    if curve.tests == 3 and curve.own is not None:
        found.append(f"{p_in_words(curve.own.verdict)} at {curve.own.threshold:.4g}")
    count = "two" if curve.tests == 2 else "three"
    return f"{'; '.join(found)}; one of the {count} must be below {curve.level:.3g}"
