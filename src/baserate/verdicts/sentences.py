"""The sentences that explain a verdict, whatever it is judged against. Nothing is computed here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.core.clusters import FEW
from baserate.formatting import confidence, in_words, number_format, p_equals, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.data.groups import Group
    from baserate.verdicts.difference import Difference
    from baserate.verdicts.standard import Standard
    from baserate.verdicts.verdict import Performance, Verdict

_ADJUSTED_BY = {"holm": "Holm", "bh": "Benjamini and Hochberg"}
# A warning names this many groups and counts the others.
_MOST_NAMES = 12
_ITSELF = "it "


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


def rows_in(rows: int, clusters: int | None) -> str:
    """Say in how many clusters rows are; empty if they are independent.

    Examples
    --------
    >>> rows_in(1300, 30)
    '1,300 rows in 30 clusters'
    """
    return "" if clusters is None else f"{rows:,} rows in {clusters:,} clusters"


def in_clusters(numbers: Sequence[int | None]) -> str:
    """Say how far claims about rows in clusters can be trusted; empty if there are none."""
    known = [number for number in numbers if number is not None]
    if not known:
        return ""
    said = (
        "Whole clusters are drawn, tested and swapped, since their rows belong together. Claims "
        "are then approximate: in simulations, at most 8% of them were false at the 5% level."
    )
    few = f" With fewer than {FEW} clusters, little can be shown." if min(known) < FEW else ""
    return said + few


def score_of(verdict: Verdict, by: str | None = None) -> str:
    """Name the measure and the model of a verdict, and its group if it has one."""
    return f"{printable(verdict.measure)} of {subject(verdict.performance, by)}"


def explanation(verdict: Verdict, by: str | None = None) -> str:
    """Explain a verdict."""
    who = score_of(verdict, by)
    predicate = verdict.voice.predicate(verdict)
    if predicate.startswith(_ITSELF):  # why there is no score, told of the measure itself
        return f"{who} {predicate.removeprefix(_ITSELF)}"
    return f"{who}: {predicate}"


def way(verdict: Verdict) -> str:
    """Say what a rescaled score means; empty if there is none."""
    if math.isnan(verdict.rescaled) or not verdict.informative:
        return ""
    return verdict.voice.way(verdict)


def evidence(standard: Standard, claims: int, *, adjustable: bool) -> str:
    """Say how much evidence each claim needed, and how many were tested.

    Parameters
    ----------
    standard
        The evidence that a claim needs.
    claims
        How many there are: the level holds for each of them, not for all together.
    adjustable
        Whether an adjustment is worth a mention: there are several models or groups.
    """
    each = "Each claim" if claims < 2 else f"Each of {claims:,} claims"
    parts = [f"{each} is tested at the {100 * standard.alpha:.6g}% level"]
    if standard.adjust is not None:
        what = "p-values and intervals of margins" if standard.adjust == "holm" else "p-values"
        parts.append(f"{what} are adjusted by {_ADJUSTED_BY[standard.adjust]}")
    elif adjustable:
        parts.append('adjust="holm" tests them all together')
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
    is_are = "is" if len(names) == 1 else "are"
    return performances[0].voice.too_small(f"{shown}{rest} {is_are}", alpha)


def _place(performance: Performance, by: str | None) -> str:
    return "The test set" if performance.group is None else group_name(performance.group, by)


def finding(verdicts: Sequence[Verdict], by: str | None = None) -> str:
    """Say where a model fails in one group and succeeds overall."""
    losses = [f"{verdict.measure} ({_loss(verdict)})" for verdict in verdicts]
    who, what = subject(verdicts[0].performance, by), verdicts[0].voice.in_a_group
    return f"{who} does not beat {what} by {in_words(losses)}; overall it does."


def summary(verdicts: Sequence[Verdict], by: str | None = None) -> str:
    """Say in one sentence how a model did, from all the verdicts of one performance."""
    return verdicts[0].voice.summary(subject(verdicts[0].performance, by), verdicts)


def _loss(verdict: Verdict) -> str:
    if math.isnan(verdict.score):
        return verdict.performance.table.one_class
    return f"{' against '.join(both_scores(verdict))}, {p_in_words(verdict)}"


def both_scores(verdict: Verdict) -> tuple[str, str]:
    """Format the score and the baseline of a verdict, with enough digits to tell them apart."""
    numbers = (verdict.score, verdict.baseline)
    score, base = map(number_format(numbers, counted=verdict.counts), numbers)
    for digits in range(4, 17):
        if score != base or not verdict.margin:
            break
        score, base = (f"{number:.{digits}f}" for number in numbers)
    return score, base


def margin_in_words(verdict: Verdict) -> str:
    """Write the margin, its interval and the p-value."""
    numbers = (verdict.margin, verdict.margin_low, verdict.margin_high)
    write = number_format(numbers, counted=verdict.counts)
    level = confidence(verdict.alpha)
    ends = f"{level} interval {write(verdict.margin_low)} to {write(verdict.margin_high)}"
    known = "" if math.isnan(verdict.margin_low) else f"{ends}; "
    return f"the margin is {write(verdict.margin)} ({known}{p_in_words(verdict)})"


def p_in_words(verdict: Verdict) -> str:
    """Write the p-value, adjusted if that was asked for."""
    return p_equals(verdict.p_adjusted, exact=verdict.exact, floor=verdict.p_floor)


def more_rows(judged: Verdict | Difference) -> str:
    """Say how many more rows would settle what is not sure; empty if nothing is known of it."""
    if math.isnan(judged.rows_needed):
        return ""
    is_one = judged.rows_needed == 1
    rows = "1 more row" if is_one else f"{judged.rows_needed:,.0f} more rows"
    return f" About {rows} like {'this' if is_one else 'these'} would settle it (80% power)."


def one_class(verdict: Verdict) -> str:
    """Say that a model predicts one class only; empty if it does not."""
    alone = verdict.performance.table.one_class
    return f" It {alone}." if alone else ""
