"""The sentences that explain a verdict. Nothing is computed here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.core.direction import Direction
from baserate.harmless import printable
from baserate.support.formatting import in_words, number_format, p_equals
from baserate.verdicts.outcome import SIGNIFICANT, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.binary.base_rate import BaseRate
    from baserate.data.groups import Group
    from baserate.verdicts.verdict import Performance, Verdict


def test_set(rate: BaseRate) -> str:
    """Describe a test set."""
    share = f"{rate.rate:.1%}" if rate.rate >= 0.001 or not rate.positives else f"{rate.rate:.1e}"
    return f"{rate.total:,} observations, {rate.positives:,} positive ({share})"


def subject(performance: Performance, by: str | None = None) -> str:
    """Name a model, and its group if it has one."""
    model = printable(performance.model)
    if performance.group is None:
        return model
    return f"{model} in {group_name(performance.group, by)}"


def group_name(group: Group, by: str | None = None) -> str:
    """Name a group."""
    return printable(f"{by or 'group'} {group}")


def explanation(verdict: Verdict, by: str | None = None) -> str:
    """Explain a verdict."""
    predicate = _PREDICATES[verdict.outcome](verdict)
    return f"{printable(verdict.measure)} of {subject(verdict.performance, by)}: {predicate}"


def finding(verdicts: Sequence[Verdict], by: str | None = None) -> str:
    """Say where a model fails in one group and clears the baselines overall."""
    losses = [f"{verdict.measure} ({' against '.join(_written(verdict))})" for verdict in verdicts]
    who = subject(verdicts[0].performance, by)
    return f"{who} does not clear that group's own baseline by {in_words(losses)}; overall it does."


def summary(verdicts: Sequence[Verdict], by: str | None = None) -> str:
    """Say in one sentence how a model did, from all the verdicts of one performance."""
    performance = verdicts[0].performance
    judged = [v for v in verdicts if v.outcome is Outcome.CLEARS or v.outcome.fails]
    return f"{subject(performance, by)} {_clears(judged)}; {_luck(_p_value(verdicts))}."


def _written(verdict: Verdict) -> tuple[str, str]:
    """Format the score and the baseline of a verdict, with enough digits to tell them apart."""
    numbers = (verdict.score, verdict.baseline)
    score, base = map(number_format(numbers), numbers)
    for digits in range(4, 17):
        if score != base or not verdict.margin:
            break
        score, base = (f"{number:.{digits}f}" for number in numbers)
    return score, base


def _relation(verdict: Verdict) -> str:
    if verdict.margin == 0:
        return "no better than"
    return "below" if verdict.direction is Direction.MAXIMIZE else "above"


def _draw(verdict: Verdict) -> str:
    return f"the draw θ* = {verdict.theta_star:.3g}"


def _says_clears(verdict: Verdict) -> str:
    score, base = _written(verdict)
    doubt = "" if verdict.p_value < SIGNIFICANT else ", but it may be luck"
    p = p_equals(verdict.p_value)
    return f"{score} clears the baseline {base} of {_draw(verdict)}{doubt} ({p})."


def _says_learned(verdict: Verdict) -> str:
    score, base = _written(verdict)
    return (
        f"{score} is {_relation(verdict)} the baseline {base} of {_draw(verdict)}, but it learned "
        f"something ({p_equals(verdict.p_value)}): its threshold or its class balance is "
        "wrong for this measure."
    )


def _says_no_evidence(verdict: Verdict) -> str:
    score, base = _written(verdict)
    return (
        f"{score} is {_relation(verdict)} the baseline {base} of {_draw(verdict)}, and there is "
        f"no evidence of learning ({p_equals(verdict.p_value)})."
    )


def _says_worse(verdict: Verdict) -> str:
    is_maximized = verdict.direction is Direction.MAXIMIZE
    worst = verdict.baseline_min if is_maximized else verdict.baseline_max
    write = number_format((verdict.score, worst))
    extreme = "lowest" if is_maximized else "highest"
    p = p_equals(verdict.p_value)
    if math.isclose(verdict.score, worst):
        return f"{write(verdict.score)} is what the worst draw expects ({p})."
    if verdict.baseline_min == verdict.baseline_max:
        return (
            f"{write(verdict.score)} is worse than what every draw expects, {write(worst)} ({p})."
        )
    return (
        f"{write(verdict.score)} is worse than every draw: even the {extreme} expects "
        f"{write(worst)} ({p})."
    )


def _says_uninformative(verdict: Verdict) -> str:
    score, base = _written(verdict)
    return (
        f"{score} shows nothing by itself: {_draw(verdict)} has the best possible score, {base}, "
        "for free."
    )


def _says_undefined(verdict: Verdict) -> str:
    return f"{verdict.reason}."


_PREDICATES: dict[Outcome, Callable[[Verdict], str]] = {
    Outcome.CLEARS: _says_clears,
    Outcome.LEARNED: _says_learned,
    Outcome.NO_EVIDENCE: _says_no_evidence,
    Outcome.WORSE: _says_worse,
    Outcome.UNINFORMATIVE: _says_uninformative,
    Outcome.UNDEFINED: _says_undefined,
}


def _clears(judged: Sequence[Verdict]) -> str:
    failing = [verdict.measure for verdict in judged if verdict.outcome.fails]
    if not judged:
        return "cannot be judged by these measures"
    if not failing:
        one = f"the baseline of {judged[0].measure}"
        return f"clears {one if len(judged) == 1 else f'all {_baselines(len(judged))}'}"
    if len(judged) == len(failing):
        return f"does not clear the baseline of {in_words(failing)}"
    cleared = len(judged) - len(failing)
    return f"clears {cleared} of {_baselines(len(judged))}, failing {in_words(failing)}"


def _baselines(count: int) -> str:
    return f"{count} informative baselines"


def _p_value(verdicts: Sequence[Verdict]) -> float:
    """Return the p-value that verdicts share, or the largest of those that share none."""
    if any(verdict.shares_p_value for verdict in verdicts):
        return verdicts[0].performance.p_value
    known = [verdict.p_value for verdict in verdicts if not math.isnan(verdict.p_value)]
    return max(known, default=math.nan)


def _luck(p: float) -> str:
    if p < SIGNIFICANT:
        return f"it learned something ({p_equals(p)})"
    return f"there is no evidence that it learned ({p_equals(p)})"
