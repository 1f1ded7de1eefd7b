"""The sentences that explain a verdict. Nothing is computed here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.binary.measures.catalogue import is_count
from baserate.core.direction import Direction
from baserate.harmless import printable
from baserate.support.formatting import confidence, in_words, number_format, p_equals
from baserate.verdicts.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.core.words import Words
    from baserate.data.groups import Group
    from baserate.verdicts.standard import Standard
    from baserate.verdicts.verdict import Performance, Verdict

_ADJUSTED_BY = {"holm": "Holm", "bh": "Benjamini and Hochberg"}
# A warning names this many groups and counts the others.
_MOST_NAMES = 12


def subject(performance: Performance, by: str | None = None) -> str:
    """Name a model, and its group if it has one."""
    model = printable(performance.model)
    if performance.group is None:
        return model
    return f"{model} in {group_name(performance.group, by)}"


def group_name(group: Group, by: str | None = None) -> str:
    """Name a group; a group "store 03" of "store" needs its name only once."""
    name = str(group)
    is_named = by is not None and name.casefold().startswith(by.casefold())
    return printable(name if is_named else f"{by or 'group'} {name}")


def explanation(verdict: Verdict, by: str | None = None) -> str:
    """Explain a verdict."""
    predicate = _PREDICATES[verdict.outcome](verdict)
    return f"{printable(verdict.measure)} of {subject(verdict.performance, by)}: {predicate}"


def way(verdict: Verdict) -> str:
    """Say what a rescaled score means; empty if there is none."""
    share = f"{abs(verdict.rescaled):.0%} of the way from the baseline to"
    if math.isnan(verdict.rescaled) or not verdict.informative:
        return ""
    if verdict.baseline_min == verdict.baseline_max and verdict.rescaled < 0:
        return f"worse than any {_words(verdict).deck} expects"
    worst = f"the worst {_words(verdict).deck}"
    return f"{share} {worst if verdict.rescaled < 0 else 'perfection'}"


def evidence(standard: Standard) -> str:
    """Say how much evidence a claim needed."""
    parts = [f"A claim that is false is made at most {100 * standard.alpha:.6g}% of the time"]
    if standard.adjust is not None:
        parts.append(f"p-values are adjusted by {_ADJUSTED_BY[standard.adjust]}")
    if standard.tries > 1:
        parts.append(f"each model is the best of {standard.tries:,} tries")
    return f"{'; '.join(parts)}."


def too_small(performances: Sequence[Performance], alpha: float, by: str | None = None) -> str:
    """Warn of test sets on which nothing can be shown; empty if there is none."""
    names = list(dict.fromkeys(_place(performance, by) for performance in performances))
    if not names:
        return ""
    rest = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES + 1 else ""
    shown = ", ".join(names[:_MOST_NAMES]) if rest else in_words(names)
    return (
        f"Too small to show that a model learned: {shown}{rest}. There even a prediction without "
        f"errors would have a p-value of {alpha:g} or more."
    )


def _place(performance: Performance, by: str | None) -> str:
    return "the test set" if performance.group is None else group_name(performance.group, by)


def finding(verdicts: Sequence[Verdict], by: str | None = None) -> str:
    """Say where a model fails in one group and clears the baselines overall."""
    losses = [f"{verdict.measure} ({_loss(verdict)})" for verdict in verdicts]
    who = subject(verdicts[0].performance, by)
    return f"{who} does not beat that group's own baseline by {in_words(losses)}; overall it does."


def summary(verdicts: Sequence[Verdict], by: str | None = None) -> str:
    """Say in one sentence how a model did, from all the verdicts of one performance."""
    performance = verdicts[0].performance
    who, alone = subject(performance, by), performance.table.one_class
    judged = [v for v in verdicts if v.fails or v.outcome in (Outcome.CLEARS, Outcome.UNSURE)]
    if alone:
        return f"{who} {alone}{_failing_alone(judged)}."
    return f"{who} {_clears(judged)}; {_luck(verdicts)}."


def _written(verdict: Verdict) -> tuple[str, str]:
    """Format the score and the baseline of a verdict, with enough digits to tell them apart."""
    numbers = (verdict.score, verdict.baseline)
    score, base = map(number_format(numbers, counted=is_count(verdict.measure)), numbers)
    for digits in range(4, 17):
        if score != base or not verdict.margin:
            break
        score, base = (f"{number:.{digits}f}" for number in numbers)
    return score, base


def _loss(verdict: Verdict) -> str:
    if math.isnan(verdict.score):
        return verdict.performance.table.one_class
    return f"{' against '.join(_written(verdict))}, {_p(verdict)}"


def _margin(verdict: Verdict) -> str:
    """Write the margin, its interval and the p-value."""
    numbers = (verdict.margin, verdict.margin_low, verdict.margin_high)
    write = number_format(numbers, counted=is_count(verdict.measure))
    level = confidence(verdict.alpha)
    ends = f"{level} interval {write(verdict.margin_low)} to {write(verdict.margin_high)}"
    known = "" if math.isnan(verdict.margin_low) else f"{ends}; "
    return f"the margin is {write(verdict.margin)} ({known}{_p(verdict)})"


def _p(verdict: Verdict) -> str:
    return p_equals(verdict.p_adjusted, exact=verdict.exact)


def _words(verdict: Verdict) -> Words:
    return verdict.performance.table.words


def _relation(verdict: Verdict) -> str:
    if verdict.margin == 0:
        return "no better than"
    return "below" if verdict.direction is Direction.MAXIMIZE else "above"


def _baseline(verdict: Verdict) -> str:
    """Write the baseline and whose it is."""
    _, base = _written(verdict)
    return f"the baseline {base} of {verdict.reference}"


def _one_class(verdict: Verdict) -> str:
    alone = verdict.performance.table.one_class
    return f" It {alone}." if alone else ""


def _says_clears(verdict: Verdict) -> str:
    return f"{_written(verdict)[0]} clears {_baseline(verdict)}: {_margin(verdict)}."


def _says_unsure(verdict: Verdict) -> str:
    return (
        f"{_written(verdict)[0]} is better than {_baseline(verdict)}, but not surely: "
        f"{_margin(verdict)}.{_one_class(verdict)}"
    )


def _says_learned(verdict: Verdict) -> str:
    return (
        f"{_written(verdict)[0]} is {_relation(verdict)} {_baseline(verdict)}, but there is "
        f"evidence that it learned something ({_p(verdict)}): {verdict.remedy}."
    )


def _says_no_evidence(verdict: Verdict) -> str:
    return (
        f"{_written(verdict)[0]} is {_relation(verdict)} {_baseline(verdict)}, and there is "
        f"no evidence of learning ({_p(verdict)}).{_one_class(verdict)}"
    )


def _says_reversed(verdict: Verdict) -> str:
    return (
        f"{_written(verdict)[0]} is {_relation(verdict)} {_baseline(verdict)} and worse than "
        f"chance: {_words(verdict).null} rarely score so badly "
        f"({p_equals(verdict.p_worse, exact=verdict.exact)}). Look for swapped labels."
    )


def _says_uninformative(verdict: Verdict) -> str:
    score, base = _written(verdict)
    return (
        f"{score} shows nothing by itself: {verdict.reference} has the best possible score, "
        f"{base}, for free."
    )


def _says_undefined(verdict: Verdict) -> str:
    why = "" if math.isnan(verdict.baseline) else _one_class(verdict)
    return f"{verdict.reason}.{why}"


_PREDICATES: dict[Outcome, Callable[[Verdict], str]] = {
    Outcome.CLEARS: _says_clears,
    Outcome.UNSURE: _says_unsure,
    Outcome.LEARNED: _says_learned,
    Outcome.NO_EVIDENCE: _says_no_evidence,
    Outcome.REVERSED: _says_reversed,
    Outcome.UNINFORMATIVE: _says_uninformative,
    Outcome.UNDEFINED: _says_undefined,
}


def _clears(judged: Sequence[Verdict]) -> str:
    """Say which baselines a model clears, which it may clear, and which it does not."""
    if not judged:
        return "cannot be judged by these measures"
    cleared = [verdict.measure for verdict in judged if verdict.outcome is Outcome.CLEARS]
    unsure = [verdict.measure for verdict in judged if verdict.outcome is Outcome.UNSURE]
    failing = [verdict.measure for verdict in judged if verdict.fails]
    if len(cleared) == len(judged):
        return f"clears {_all_baselines(cleared)}"
    if len(unsure) == len(judged):
        return f"is better than {_all_baselines(unsure)}, but not surely"
    if len(failing) == len(judged):
        return f"does not beat {_baselines_of(failing)}"
    rest = [f"unsure: {in_words(unsure)}"] if unsure else []
    rest += [f"not beaten: {in_words(failing)}"] if failing else []
    return f"clears {len(cleared) or 'none'} of {len(judged)} baselines ({'; '.join(rest)})"


def _all_baselines(measures: Sequence[str]) -> str:
    if len(measures) == 1:
        return _baselines_of(measures)
    return "both baselines" if len(measures) == 2 else f"all {len(measures)} baselines"


def _baselines_of(measures: Sequence[str]) -> str:
    return f"the baseline{'' if len(measures) == 1 else 's'} of {in_words(measures)}"


def _failing_alone(judged: Sequence[Verdict]) -> str:
    failing = [verdict.measure for verdict in judged if verdict.fails]
    return f" and does not beat {_baselines_of(failing)}" if failing else ""


def _luck(verdicts: Sequence[Verdict]) -> str:
    worse = [verdict for verdict in verdicts if verdict.outcome is Outcome.REVERSED]
    if worse:
        least = max(worse, key=lambda verdict: verdict.p_worse)
        p_worse = p_equals(least.p_worse, exact=least.exact)
        return f"it does worse than chance ({p_worse}), so look for swapped labels"
    shared = [verdict for verdict in verdicts if verdict.shares_p_value]
    known = shared[:1] or [each for each in verdicts if not math.isnan(each.p_adjusted)]
    learned = [verdict for verdict in known if verdict.p_adjusted < verdict.alpha]
    if not learned:
        best = min(known, key=lambda verdict: verdict.p_adjusted, default=verdicts[0])
        return f"there is no evidence that it learned ({_p(best)})"
    by = "" if len(learned) == len(known) else f" by {in_words([v.measure for v in learned])}"
    least = max(learned, key=lambda verdict: verdict.p_adjusted)
    return f"there is evidence that it learned something{by} ({_p(least)})"
