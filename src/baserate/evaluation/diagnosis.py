"""Diagnose a model that gives scores: it may lack signal, or have the wrong threshold."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from baserate.formatting import confidence, number_format, p_equals, weight
from baserate.verdicts.verdict import Outcome
from baserate.verdicts.wording import p_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.evaluation.threshold import CutOff, ThresholdCurve


class Diagnosis(enum.StrEnum):
    """The diagnosis of a threshold curve: a stable code, which `sentence` puts in words.

    Examples
    --------
    >>> Diagnosis("wrong_threshold").sentence
    'the threshold is wrong, not the model'
    """

    CLEARS = "clears"
    WRONG_THRESHOLD = "wrong_threshold"
    UNSURE = "unsure"
    NO_CUTOFF = "no_cutoff"
    UNINFORMATIVE = "uninformative"
    NO_SIGNAL = "no_signal"
    REVERSED = "reversed"

    @property
    def sentence(self) -> str:
        """The diagnosis in words."""
        return _SENTENCES[self]


_SENTENCES = {
    Diagnosis.CLEARS: "the model beats the baseline",
    Diagnosis.WRONG_THRESHOLD: "the threshold is wrong, not the model",
    Diagnosis.UNSURE: "there is signal, but it may not beat the baseline",
    Diagnosis.NO_CUTOFF: "there is signal, but no cut-off beats the baseline",
    Diagnosis.UNINFORMATIVE: "the measure shows nothing by itself",
    Diagnosis.NO_SIGNAL: "there is no evidence of signal",
    Diagnosis.REVERSED: "the scores are upside down",
}


def advice(curve: ThresholdCurve) -> str:
    """Explain a threshold curve."""
    return _ADVICE[curve.diagnosis](curve)


def _at(curve: ThresholdCurve, cut: CutOff) -> str:
    """Format the score at a cut-off."""
    return f"at {cut.threshold:.4g} {curve.measure.key} is {_written(curve, cut.verdict.score)}"


def _best(curve: ThresholdCurve) -> str:
    return f"{_at(curve, curve.best)} (rescaled {weight(curve.best.verdict.rescaled)})"


def _the_best(curve: ThresholdCurve) -> str:
    """Say what the best score is, and where."""
    best = curve.best
    return (
        f"the best {curve.measure.key} is {_written(curve, best.verdict.score)} at "
        f"{best.threshold:.4g} (rescaled {weight(best.verdict.rescaled)})"
    )


def _baseline(curve: ThresholdCurve) -> str:
    return f"the baseline is {_written(curve, curve.baseline.best.value)}"


def _written(curve: ThresholdCurve, value: float) -> str:
    """Format a score in the way of all scores of the curve."""
    numbers = (value, curve.best.verdict.score, curve.baseline.best.value)
    return number_format(numbers, counted=curve.measure.counts)(value)


def _signal(curve: ThresholdCurve) -> str:
    """Say where the signal is: in the ranking, or only at a cut-off."""
    if curve.has_ranking:
        return f"The scores tell the classes apart ({_auc(curve)})."
    if curve.own is not None and curve.has_signal_at_its_own:
        own = p_in_words(curve.own.verdict)
        return f"Its positive predictions beat chance ({own}); its ranking may not ({_auc(curve)})."
    return f"Its best cut-off beats chance; its ranking may not ({_auc(curve)})."


def _chance(curve: ThresholdCurve) -> str:
    """Say how often the best cut-off of shuffled scores does as well."""
    return f"The best cut-off of shuffled scores does as well with {_best_p(curve)}."


def _best_p(curve: ThresholdCurve) -> str:
    """Format the p-value of the best cut-off."""
    return p_equals(curve.p_value, exact=curve.exact, floor=curve.floor)


def _auc(curve: ThresholdCurve) -> str:
    p = p_equals(curve.ranking.p_value, exact=curve.ranking.exact, floor=curve.ranking.floor)
    return f"AUC {curve.ranking.auc:.3f}, {p}"


def _says_clears(curve: ThresholdCurve) -> str:
    used = f"{_at(curve, curve.own)}, and {_the_best(curve)}" if curve.own else _best(curve)
    said = f"The model beats the baseline: {used}; {_baseline(curve)}."
    return f"{said} {_chance(curve)} {_signal(curve)}"


def _says_wrong_threshold(curve: ThresholdCurve) -> str:
    assert curve.own is not None  # noqa: S101
    return (
        f"The threshold is wrong, not the model: {_at(curve, curve.own)} and {_baseline(curve)}; "
        f"{_best(curve)}. {_chance(curve)} {_signal(curve)}"
    )


def _says_unsure(curve: ThresholdCurve) -> str:
    """Say how large the margin may be where the model is better, at its threshold or elsewhere."""
    own, best = curve.own, curve.best
    used = f"{_at(curve, own)}, {_best(curve)}," if own else _best(curve)
    better = own if own is not None and own.verdict.beats else best
    verdict = better.verdict
    ends = f"{_written(curve, verdict.margin_low)} to {_written(curve, verdict.margin_high)}"
    return (
        f"The model may not beat the baseline: {used} and {_baseline(curve)}. At "
        f"{better.threshold:.4g} the {confidence(verdict.alpha)} interval of the margin is {ends}. "
        f"{_chance(curve)} {_signal(curve)}"
    )


def _says_no_cutoff(curve: ThresholdCurve) -> str:
    return (
        f"No cut-off beats the baseline: {_the_best(curve)}, and {_baseline(curve)}. "
        f"{_signal(curve)}"
    )


def _says_uninformative(curve: ThresholdCurve) -> str:
    return (
        f"{curve.measure.key} shows nothing by itself: {_baseline(curve)}, as good as perfect. "
        "Take another measure."
    )


def _says_no_signal(curve: ThresholdCurve) -> str:
    return (
        f"There is no evidence that the scores tell the classes apart ({_tests(curve)}), so "
        f"another threshold is no help: {_as_good_as_it_gets(curve)}."
    )


def _tests(curve: ThresholdCurve) -> str:
    """Format the p-values that are too large, and the level that several tests would need."""
    if curve.tests == 1:
        return _auc(curve)
    found = [_auc(curve), f"{_best_p(curve)} for the best cut-off"]
    if curve.tests == 3 and curve.own is not None:
        found.append(f"{p_in_words(curve.own.verdict)} at {curve.own.threshold:.4g}")
    count = "two" if curve.tests == 2 else "three"
    return f"{'; '.join(found)}; one of the {count} must be below {curve.level:.3g}"


def _as_good_as_it_gets(curve: ThresholdCurve) -> str:
    if curve.best.verdict.outcome is Outcome.UNDEFINED:
        return f"{curve.measure.key} is undefined at every cut-off"
    return f"{_the_best(curve)}, and {_baseline(curve)}"


def _says_reversed(curve: ThresholdCurve) -> str:
    return (
        f"The scores are upside down (AUC {curve.ranking.auc:.3f}): lower ones go with positive "
        "labels. Look for swapped labels, or for the column of the other class."
    )


_ADVICE: dict[Diagnosis, Callable[[ThresholdCurve], str]] = {
    Diagnosis.CLEARS: _says_clears,
    Diagnosis.WRONG_THRESHOLD: _says_wrong_threshold,
    Diagnosis.UNSURE: _says_unsure,
    Diagnosis.NO_CUTOFF: _says_no_cutoff,
    Diagnosis.UNINFORMATIVE: _says_uninformative,
    Diagnosis.NO_SIGNAL: _says_no_signal,
    Diagnosis.REVERSED: _says_reversed,
}
