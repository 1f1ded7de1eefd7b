"""What a person would say of a verdict and of a difference. Nothing is computed here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.core.measure import Direction
from baserate.core.observed import FEW
from baserate.formatting import (
    confidence,
    in_words,
    number_format,
    p_equals,
    printable,
    probability,
    whole,
)
from baserate.verdicts.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from baserate.data.rows import Group
    from baserate.verdicts.verdict import Difference, Performance, Significance, Verdict

# What people call the measures that the paper names by a key. All others are called by their key.
_COMMON = {
    "TP": "true positives", "TN": "true negatives", "FN": "false negatives",
    "FP": "false positives", "TPR": "recall", "TNR": "specificity", "FNR": "miss rate",
    "FPR": "false positive rate", "PPV": "precision", "NPV": "negative predictive value",
    "FDR": "false discovery rate", "FOR": "false omission rate", "J": "Youden's J",
    "MK": "markedness", "ACC": "accuracy", "BACC": "balanced accuracy", "KAPPA": "kappa",
    "FM": "Fowlkes-Mallows", "G2": "G-mean", "TS": "threat score", "AP": "average precision",
    "Brier": "Brier score", "ECE": "calibration error",
}  # fmt: skip
_ITSELF = "it "


def measure_name(judged: Verdict | Difference) -> str:
    """Return what people call a measure, in the middle of a sentence."""
    key = printable(judged.measure)
    # A custom measure has its key for a name, and may be called like one of the paper's.
    return key if judged.name == judged.measure else _COMMON.get(key, key)


def measure_title(judged: Verdict | Difference) -> tuple[str, str]:
    """Return the same for the head of a table, and the paper's key unless it says the same."""
    name, key = measure_name(judged), printable(judged.measure)
    title = capitalised(name)
    return title, "" if key.casefold() in name.casefold() else key


def measure_with_key(judged: Verdict | Difference) -> str:
    """Return what people call a measure, with the paper's key, as "precision (PPV)"."""
    name, (_, key) = measure_name(judged), measure_title(judged)
    return f"{name} ({key})" if key else name


def capitalised(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


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


def score_of(verdict: Verdict, by: str | None = None) -> str:
    """Name the measure and the model of a verdict, and its group if it has one."""
    return f"{capitalised(measure_with_key(verdict))} of {subject(verdict.performance, by)}"


def explanation(verdict: Verdict, by: str | None = None) -> str:
    """Explain a verdict."""
    who, said = score_of(verdict, by), predicate(verdict)
    if said.startswith(_ITSELF):  # why there is no score, told of the measure itself
        return f"{who} {said.removeprefix(_ITSELF)}"
    return f"{who}: {said}"


def bar(verdict: Verdict) -> str:
    """Name what a score must beat, with its score: the best guess or another model."""
    _, base = both_scores(verdict)
    if verdict.performance.against is not None:
        return f"the {base} of {reference_name(verdict.performance.against)}"
    return f"the baseline of {base} ({printable(verdict.reference)})"


def guessing(verdict: Verdict) -> str:
    """Name what the best guess does: "guessing everyone positive", "always 23.2"."""
    words = printable(verdict.reference)
    return f"guessing {words}" if words.startswith("everyone") else words


def reference_name(against: str) -> str:
    """Name another model that is to be beaten; without a name it is the reference."""
    return "the reference" if against == "reference" else printable(against)


def predicate(verdict: Verdict) -> str:
    """Explain a verdict, after its subject."""
    outcome, score = verdict.outcome, both_scores(verdict)[0]
    if outcome is Outcome.UNDEFINED:
        return f"{verdict.reason}.{'' if math.isnan(verdict.baseline) else one_class(verdict)}"
    if outcome is Outcome.CLEARS:
        return f"{score} beats {bar(verdict)}: {margin_in_words(verdict)}."
    if outcome is Outcome.UNSURE:
        better = "exceeds" if verdict.direction is Direction.MAXIMIZE else "is better (lower) than"
        return (
            f"{score} {better} {bar(verdict)}, but not significantly: {margin_in_words(verdict)}."
            f"{more_rows(verdict)}{one_class(verdict)}"
        )
    if outcome is Outcome.UNINFORMATIVE:
        return _says_uninformative(verdict, score)
    return f"{score} is {_relation(verdict)} {bar(verdict)}{_why(verdict)}.{one_class(verdict)}"


def _why(verdict: Verdict) -> str:
    """Say what is known of a model that is no better."""
    suspect = verdict.performance.table.words.suspect
    worse = p_equals(verdict.p_worse, exact=verdict.exact)
    margin = margin_in_words(verdict)
    return {
        Outcome.LEARNED: (
            f", but the model learned something ({p_in_words(verdict)}): {verdict.remedy}"
        ),
        Outcome.REVERSED: f" and worse than chance ({worse}): check for {suspect}",
        Outcome.WORSE: f": {margin}",
    }.get(
        verdict.outcome,
        f", with no evidence of learning ({p_in_words(verdict)})"
        if verdict.performance.against is None
        else f", but not significantly worse: {margin}",
    )


def _relation(verdict: Verdict) -> str:
    if verdict.margin == 0:
        return "no better than"
    if verdict.outcome is Outcome.WORSE:
        return "worse than"
    return "below" if verdict.direction is Direction.MAXIMIZE else "worse (higher) than"


def _says_uninformative(verdict: Verdict, score: str) -> str:
    _, base = both_scores(verdict)
    if verdict.performance.against is not None:
        return f"{score} cannot be better: {bar(verdict)} is perfect already."
    return f"{score} is uninformative on its own: {guessing(verdict)} already scores {base}."


def says(outcome: Outcome, against: str | None = None) -> str:
    """Say an outcome in a few words."""
    if against is None:
        return outcome.sentence
    than = reference_name(against)
    return {
        Outcome.CLEARS: f"better than {than}",
        Outcome.UNSURE: f"better than {than}, but not significantly",
        Outcome.NO_EVIDENCE: f"no better than {than}, but not significantly worse",
        Outcome.WORSE: f"worse than {than}",
        Outcome.UNINFORMATIVE: f"{than} is perfect",
    }.get(outcome, outcome.sentence)


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
    ends = f"{level} CI {write(verdict.margin_low)} to {write(verdict.margin_high)}"
    known = "" if math.isnan(verdict.margin_low) else f"{ends}; "
    return f"the margin is {write(verdict.margin)} ({known}{p_in_words(verdict)})"


def p_in_words(verdict: Verdict | Difference) -> str:
    """Write the p-value, adjusted if that was asked for."""
    return p_equals(verdict.p_adjusted, exact=verdict.exact, floor=verdict.p_floor)


def more_rows(judged: Verdict | Difference) -> str:
    """Say how many more rows would settle what is open; empty if nothing is known of it."""
    if math.isnan(judged.rows_needed):
        return ""
    is_one = judged.rows_needed == 1
    rows = "1 more row" if is_one else f"{judged.rows_needed:,.0f} more rows"
    return f" About {rows} like {'this' if is_one else 'these'} would settle it (80% power)."


def one_class(verdict: Verdict) -> str:
    """Say that a model predicts one class only; empty if it does not."""
    alone = verdict.performance.table.one_class
    return f" It {alone}." if alone else ""


# Differences.


def difference_explanation(difference: Difference, by: str | None = None) -> str:
    """Say whether one of two models is better."""
    first, second = printable(difference.first), printable(difference.second)
    group = "" if difference.group is None else f" in {group_name(difference.group, by)}"
    where = f"by {measure_with_key(difference)}{group}"
    better = {"first": (first, second), "second": (second, first)}.get(difference.outcome.value)
    if better is not None:
        return f"{better[0]} is better than {better[1]} {where}: {_evidence(difference)}."
    if difference.outcome.value == "undefined":
        return f"{first} and {second} cannot be compared {where}: {difference.reason}."
    if not difference.disagreements:
        score = _writer(difference)(difference.first_score)
        return f"{first} and {second} give the same answers, so both have {score} {where}."
    said = "differ, but which is better is unclear,"
    if difference.outcome.value == "no_evidence":
        said = "show no difference"
    return f"{first} and {second} {said} {where}: {_evidence(difference)}.{more_rows(difference)}"


def _writer(difference: Difference) -> Callable[[float], str]:
    """Return the one format of all numbers of a difference."""
    scores = (difference.first_score, difference.second_score)
    return whole if difference.counts else number_format(scores)


def _evidence(difference: Difference) -> str:
    """Write both scores, the first minus the second as in every record, and its interval."""
    write = _writer(difference)
    ends = f"{write(difference.low)} to {write(difference.high)}"
    level = f"{confidence(difference.alpha)} CI {ends}; "
    known = "" if math.isnan(difference.low) else level
    first = f"{printable(difference.first)} {write(difference.first_score)}"
    second = f"{printable(difference.second)} {write(difference.second_score)}"
    by = write(difference.difference)
    return f"{first}, {second}, a difference of {by} ({known}{_difference_p(difference)})"


def _difference_p(difference: Difference) -> str:
    exact, floor = difference.exact, difference.p_floor
    written = p_equals(difference.p_value, exact=exact, floor=difference.p_value if floor else 0.0)
    if difference.p_adjusted == difference.p_value:
        return written
    return f"{written}, adjusted {probability(difference.p_adjusted, exact=exact, floor=floor)}"


# What a reader must know of all claims together.


def rows_in(rows: int, clusters: int | None) -> str:
    """Say in how many clusters rows are; empty if they are independent."""
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


def evidence(significance: Significance, claims: int, *, adjustable: bool) -> str:
    """Say how much evidence each claim needed, and how many were tested.

    An adjustment is worth a mention if there are several models or groups.
    """
    level, many = f"{100 * significance.alpha:.6g}%", f"{claims:,} claims"
    if significance.adjust == "holm" and claims > 1:
        any_of = f"The chance that any of {many} is false is at most {level}"
        parts = [f"{any_of}: p-values and intervals are adjusted by Holm"]
    elif significance.adjust == "bh" and claims > 1:
        share = f"Of {many}, those that are made are false at most {level} of the time"
        parts = [f"{share}: p-values are adjusted by Benjamini and Hochberg"]
    else:
        each = "Each claim" if claims < 2 else f"Each of {many}"
        parts = [f"{each} is tested at the {level} level"]
        parts += ['adjust="holm" would adjust for their number'] if adjustable else []
    if significance.tries > 1:
        parts.append(f"each model is the best of {significance.tries:,} tries")
    return f"{'; '.join(parts)}."


def low_bar(verdicts: Sequence[Verdict]) -> str:
    """Say by which measures a reference does not beat guessing itself; empty if by none."""
    weak = [verdict for verdict in verdicts if verdict.is_low_bar]
    if not weak:
        return ""
    than = reference_name(str(weak[0].performance.against))
    measures = in_words(list(dict.fromkeys(map(measure_name, weak))))
    return (
        f"By {measures}, {than} itself does not beat the best guess, so beating {than} shows "
        "little."
    )
