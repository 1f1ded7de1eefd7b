"""The answer in a sentence, and what to do next: rules from outcomes to words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from baserate.formatting import confidence, in_words, number_format, printable
from baserate.report.digest import MOST_NAMES, Digest, Tally, grouping, number
from baserate.report.document import Answer, Step, short_p
from baserate.verdicts.verdict import Outcome, Significance
from baserate.verdicts.wording import both_scores, capitalised, guessing, measure_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from baserate.data.rows import Group
    from baserate.verdicts.verdict import Verdict


def report_answer(digest: Digest) -> Answer:
    """Return the first sentence of a report."""
    shown, bar = digest.overall, digest.bar
    if not digest.report:
        return Answer("–", "No verdicts.")
    if len(digest.report.groups) > 1:
        return _of_groups(digest) if shown else _groups_alone(digest)
    if not any(each.judged for each in shown):
        return _nothing(digest)
    return _one(shown[0], bar) if len(shown) == 1 else _many(shown, bar)


def _nothing(digest: Digest) -> Answer:
    """Say why nothing can be shown."""
    report, shown = digest.report, digest.overall
    takes_labels = "tp" in shown[0].performance.table.flat
    if report.too_small:
        rows = capitalised(_rows(shown[0].performance.table.test_set.total))
        said = f"{rows} cannot show anything: even perfect predictions would not be evidence."
        if not takes_labels or report.significance != Significance(report.alpha):
            return Answer("–", said)
        # The smallest test set of two classes on which perfect predictions are evidence.
        fewest = next(n for n in range(2, 10_000) if math.comb(n, n // 2) * report.alpha > 1)
        rows = f"{number(fewest)} rows with {number(fewest // 2)} of one class"
        level = f"At the {100 * report.alpha:.6g}% level"
        return Answer("–", said, f"{level}, {rows} are the fewest that can.")
    if shown[0].having(Outcome.UNINFORMATIVE):
        what = "a guess gets a perfect score"
        if shown[0].performance.against is not None:
            what = f"{digest.bar} is perfect already"
        said = f"These measures cannot show whether a model is good: {what}."
        return Answer("–", said, "Add balanced accuracy, MCC or F1." if takes_labels else "")
    reason = next((verdict.reason for each in shown for verdict in each.verdicts), "")
    return Answer("–", "No measure is defined here.", f"{capitalised(reason)}.")


def _rows(rows: int) -> str:
    return "this row" if rows == 1 else f"these {rows:,} rows"


def _by(verdicts: Sequence[Verdict]) -> str:
    """Name measures, or count them."""
    if len(verdicts) > MOST_NAMES:
        return f"{number(len(verdicts))} measures"
    return in_words([measure_name(verdict) for verdict in verdicts])


def _all_of(verdicts: Sequence[Verdict]) -> str:
    """Say that it is by all measures."""
    if len(verdicts) == 1:
        return measure_name(verdicts[0])
    return "both measures" if len(verdicts) == 2 else f"all {number(len(verdicts))} measures"


def _settled(verdicts: Sequence[Verdict]) -> str:
    """Say how many rows would settle what is unsure; empty if that is not known."""
    needed = max((v.rows_needed for v in verdicts if not math.isnan(v.rows_needed)), default=0.0)
    rows = "row" if needed == 1 else "rows"
    return f"about {needed:,.0f} more {rows} would settle it" if needed else ""


def _margin(verdict: Verdict) -> str:
    """Write a margin with its sign."""
    return f"{verdict.margin:+.3f}" if abs(verdict.margin) < 1000 else f"{verdict.margin:+,.0f}"


def _ends(verdict: Verdict) -> str:
    write = number_format((verdict.margin_low, verdict.margin_high), counted=verdict.counts)
    return f"{write(verdict.margin_low)} to {write(verdict.margin_high)}"


def _one(tally: Tally, bar: str) -> Answer:
    """Say how one model does."""
    model, judged = tally.model, tally.judged
    if tally.passes:
        if len(judged) == 1:
            return _one_measure(model, judged[0], bar)
        closest = min(judged, key=lambda verdict: verdict.rescaled)
        score, base = both_scores(closest)
        best = "best guess" if bar == "guessing" else bar
        second = f"The closest call is {measure_name(closest)}: {score}, {best} {base}."
        return Answer("✓", f"Yes: {model} beats {bar} by {_all_of(judged)}.", second)
    rest = []
    if tally.failing and len(tally.failing) < len(judged):
        rest.append(f"Not by {_by(tally.failing)}.")
    if tally.unsure:
        settled = _settled(tally.unsure)
        named = "" if len(tally.unsure) == len(judged) == 1 else f"Unsure by {_by(tally.unsure)}"
        said = ": ".join(filter(None, (named, settled)))
        rest += [f"{capitalised(said)}."] if said else []
    if tally.cleared:
        some = f"{number(len(tally.cleared))} of {number(len(judged))} measures"
        return Answer("~", f"{model} beats {bar} by {some}.", " ".join(rest))
    if tally.unsure:
        by = "" if len(tally.unsure) == len(judged) else f" by {_by(tally.unsure)}"
        rows = _rows(tally.performance.table.test_set.total)
        return Answer(
            "~", f"{model} is ahead of {bar}{by}, but {rows} cannot show it.", " ".join(rest)
        )
    return _none(tally, bar)


def _one_measure(model: str, verdict: Verdict, bar: str) -> Answer:
    score, base = both_scores(verdict)
    best = f"the best guess, {base} ({printable(verdict.reference)})"
    best = best if bar == "guessing" else f"{bar}, {base}"
    level = f"{confidence(verdict.alpha)} interval {_ends(verdict)}"
    second = "" if math.isnan(verdict.margin_low) else f"Margin {_margin(verdict)}, {level}."
    return Answer("✓", f"Yes: {model}'s {measure_name(verdict)} of {score} beats {best}.", second)


def _none(tally: Tally, bar: str) -> Answer:
    """Say what is known of a model that beats the bar by no measure."""
    model, table = tally.model, tally.performance.table
    alone = f"It {table.one_class}." if table.one_class else ""
    if tally.having(Outcome.WORSE):
        return Answer("✗", f"{model} is worse than {bar}.", alone)
    if tally.having(Outcome.REVERSED):
        suspect = table.words.suspect
        return Answer("✗", f"{model} is worse than chance: check for {suspect}.", alone)
    if learned := tally.having(Outcome.LEARNED):
        p = max(verdict.p_adjusted for verdict in learned)
        said = f"{model} learned something, but {bar} scores as well."
        return Answer("✗", said, f"{short_p(p)}: {learned[0].remedy}.")
    if bar != "guessing":
        return Answer("✗", f"No: nothing shows that {model} is better than {bar}.", alone)
    p = min((v.p_value for v in tally.failing if not math.isnan(v.p_value)), default=math.nan)
    much = "" if tally.p == p else f" (adjusted {short_p(tally.p)})"
    often = f"Shuffled predictions score as well in {p:.0%} of cases{much}."
    second = alone or ("" if math.isnan(p) else often)
    return Answer("✗", f"No: nothing shows that {model} learned anything.", second)


def _many(shown: Sequence[Tally], bar: str) -> Answer:
    """Say how several models do."""
    judged = [each for each in shown if each.judged]
    passing = [each for each in judged if each.passes]
    some = [each for each in judged if each.cleared and not each.passes]
    every = "every measure"
    if {len(each.judged) for each in judged} == {1}:
        every = measure_name(judged[0].judged[0])
    total = number(len(shown))
    if len(passing) == len(shown):
        who = "Both models" if len(shown) == 2 else f"All {total} models"
        is_same = len({each.performance.table.test_set for each in shown}) == 1
        second = _highest(passing) if is_same else ""
        return Answer("✓", f"{who} beat {bar} by {every}.", second)
    rest = " ".join(_others([each for each in judged if each not in passing], bar))
    if passing:
        names = f": {_named(passing)}" if len(passing) <= MOST_NAMES else ""
        beat = "beats" if len(passing) == 1 else "beat"
        said = f"{capitalised(number(len(passing)))} of {total} models {beat} {bar} by {every}"
        return Answer("✓", f"{said}{names}.", rest)
    none = "Neither model beats" if len(shown) == 2 else f"None of {total} models beats"
    if some:
        best = max(some, key=lambda each: len(each.cleared))
        closest = f"{number(len(best.cleared))} of {number(len(best.judged))}"
        said = f"{none} {bar} by {every}; {best.model} comes closest ({closest})."
        return Answer("~", said, "")
    ahead = [each for each in judged if each.unsure]
    if ahead:
        rows = _rows(shown[0].performance.table.test_set.total)
        are = "is" if len(ahead) == 1 else "are"
        said = f"{none.replace('beats', 'clearly beats')} {bar}; {_named(ahead)} {are} ahead, but"
        return Answer("~", f"{said} {rows} cannot show it.", "")
    return Answer("✗", f"{none} {bar}.", rest)


def _named(found: Sequence[Tally]) -> str:
    if len(found) > MOST_NAMES:
        return number(len(found))
    return in_words([each.model for each in found])


def _highest(found: Sequence[Tally]) -> str:
    """Name the model with the best score by the first measure."""
    best = max(found, key=lambda each: each.judged[0].margin)
    verdict = best.judged[0]
    is_high = verdict.direction.value == "maximize"
    score, _ = both_scores(verdict)
    said = f"{'Highest' if is_high else 'Lowest'} {measure_name(verdict)}: {best.model}, {score}."
    return f"{said} Use compare to see whether it is really better."


def _others(found: Sequence[Tally], bar: str) -> Iterator[str]:
    """Say of the other models in one clause for each kind what is known of them."""
    kinds: dict[str, list[Tally]] = {}
    for each in found:
        kinds.setdefault(_kind(each), []).append(each)
    for kind in filter(kinds.get, _CLAUSES):
        alike = kinds[kind]
        clauses = _CLAUSES[kind]
        if kind == "no_evidence" and bar != "guessing":
            clauses = ("is no better", "are no better")
        who = _named(alike)
        who = capitalised(who) if len(alike) > MOST_NAMES else who
        yield f"{who} {clauses[len(alike) > 1]}."


def _kind(tally: Tally) -> str:
    """Return the kind of a model that does not beat the bar by every measure."""
    if tally.cleared:
        return "some"
    if tally.unsure:
        return "ahead"
    outcomes = {verdict.outcome for verdict in tally.failing}
    for outcome in (Outcome.REVERSED, Outcome.WORSE, Outcome.LEARNED):
        if outcome in outcomes:
            return outcome.value
    return "one_class" if tally.performance.table.one_class else "no_evidence"


_CLAUSES = {
    "some": ("beats it by some measures", "beat it by some measures"),
    "ahead": ("is ahead, but not significantly", "are ahead, but not significantly"),
    "learned": ("learned something", "learned something"),
    "no_evidence": ("shows no evidence of learning", "show no evidence of learning"),
    "one_class": ("always predicts the same", "always predict the same"),
    "reversed": ("is worse than chance", "are worse than chance"),
    "worse": ("is worse", "are worse"),
}


def _of_groups(digest: Digest) -> Answer:
    """Say where models fail that beat the bar as a whole, or where some beat it that do not."""
    overall, rest = digest.overall, digest.rest
    beating = [each for each in overall if each.beats]
    is_one, several = len(overall) == 1, number(len(overall))
    if not beating:
        partial = any(each.cleared for each in overall)
        who = f"{overall[0].model} does not beat" if is_one else "no model beats"
        every = " by every measure" if partial else ""
        does = "it does" if is_one else "one does"
        fine = [group for group, of in digest.large.items() if any(each.beats for each in of)]
        where = f"; for {digest.named(fine)} {does}" if fine else ""
        mark = "~" if partial or any(each.unsure for each in overall) else "✗"
        return Answer(mark, f"Overall {who} {digest.bar}{every}{where}.", rest)
    who, verb, none = f"all {several} models", "beat", "none does"
    if is_one:
        who, verb, none = overall[0].model, "beats", "it does not"
    elif len(beating) < len(overall):
        who = f"{number(len(beating))} of {several} models"
        verb = "beats" if len(beating) == 1 else "beat"
    elif len(overall) == 2:
        who, none = "both models", "neither does"
    said = f"Overall {who} {verb} {digest.bar}"
    if digest.states["bad"]:
        return Answer("~", f"{said}, but {none} for {digest.named(digest.states['bad'])}.", rest)
    if digest.states["partly"]:
        where = f"but not by every measure for {digest.named(digest.states['partly'])}"
        return Answer("~", f"{said}, {where}.", rest)
    count = len(digest.large)
    if digest.states["open"] or count < 2:
        return Answer("✓", f"{said}.", rest)
    every = f"all {number(count)}" if count > 2 else "both"
    who = who if is_one else capitalised(who)
    where = f"overall and in {every} {grouping(digest.report.by, 2)}"
    return Answer("✓", f"{who} {verb} {digest.bar}, {where}.", rest)


def _groups_alone(digest: Digest) -> Answer:
    """Say where models fail, in a part of a report without the whole test set."""
    if digest.states["bad"]:
        said = f"No model beats {digest.bar} for {digest.named(digest.states['bad'])}."
        return Answer("✗", said, digest.rest)
    if digest.states["partly"]:
        said = f"Not every measure beats {digest.bar} for {digest.named(digest.states['partly'])}."
        return Answer("~", said, digest.rest)
    count = len(digest.large)
    said = f"No model fails in {number(count)} {grouping(digest.report.by, count)}."
    return Answer("✓", said, digest.rest)


def report_steps(digest: Digest, most: int = 12) -> tuple[Step, ...]:
    """Return what to do next: a step for each kind of failure, the worst first."""
    steps = [*_group_steps(digest)] if len(digest.report.groups) > 1 else []
    steps += _failing_steps(digest.overall, digest.bar)
    steps += [_unsure_step(each) for each in digest.overall if each.unsure]
    if len(steps) > most:
        steps = [*steps[:most], Step("", "", f"… and {len(steps) - most:,} more.")]
    return tuple(steps)


def _unsure_step(tally: Tally) -> Step:
    """Say how many more rows would help."""
    settled = _settled(tally.unsure)
    hope = f" {capitalised(settled)}, if the margin stays as it is." if settled else ""
    who = f"{tally.model}, {_by(tally.unsure)}"
    if len(tally.unsure) > 1:
        return Step("~", who, f"ahead, but the intervals include 0.{hope}")
    (verdict,) = tally.unsure
    level = f"the {confidence(verdict.alpha)} interval includes 0 ({_ends(verdict)})"
    if not verdict.margin_low <= 0:
        level = f"not significantly ({short_p(verdict.p_adjusted)})"
    return Step("~", who, f"{_margin(verdict)} ahead, but {level}.{hope}")


def _failing_steps(found: Sequence[Tally], bar: str) -> Iterator[Step]:
    """Say what to look for in models that fail, those alike together."""
    alike: dict[tuple[str, str], list[Verdict]] = {}
    for tally in found:
        for verdict in tally.having(Outcome.LEARNED):
            alike.setdefault((measure_name(verdict), verdict.remedy), []).append(verdict)
    for tally in found:
        kind = _kind(tally) if tally.failing else ""
        others = [v for v in tally.failing if v.outcome is not Outcome.LEARNED]
        if kind in ("reversed", "worse", "no_evidence", "one_class"):
            yield Step("✗", tally.model, _said_of(kind, tally, bar))
        elif others:
            ps = [v.p_adjusted for v in others if not math.isnan(v.p_adjusted)]
            p = f" ({short_p(min(ps))})" if ps else ""
            yield Step("✗", f"{tally.model}, {_by(others)}", f"no better than {bar}{p}.")
    by_model: dict[tuple[tuple[str, ...], str], list[list[Verdict]]] = {}
    for (_, remedy), verdicts in alike.items():
        models = tuple(printable(verdict.model) for verdict in verdicts)
        by_model.setdefault((models, remedy), []).append(verdicts)
    for (models, remedy), several in by_model.items():
        firsts, count = [verdicts[0] for verdicts in several], len(models)
        who = in_words(models) if count <= MOST_NAMES else f"{number(count)} models"
        said = dict.fromkeys(short_p(v.p_adjusted) for verdicts in several for v in verdicts)
        p = f" ({in_words(list(said))})" if len(said) <= MOST_NAMES else ""
        best = f"{guessing(firsts[0])} scores {both_scores(firsts[0])[1]}"
        but = f"but {best}" if len(firsts) == 1 else "but a guess scores as well"
        learned = {1: "", 2: "both "}.get(count, "all ") + "learned something"
        yield Step("✗", f"{who}, {_by(firsts)}", f"{learned}{p}, {but}: {remedy}.")


def _said_of(kind: str, tally: Tally, bar: str) -> str:
    table = tally.performance.table
    p = "" if math.isnan(tally.p) else f" ({short_p(tally.p)})"
    no_better = f"no better than {bar}{p}."
    if bar == "guessing":
        no_better = f"no evidence of learning{p}. Check its inputs and its training."
    return {
        "reversed": f"worse than chance. Check for {table.words.suspect}.",
        "worse": f"worse than {bar}{p}.",
        "one_class": f"{table.one_class}.",
    }.get(kind, no_better)


def _group_steps(digest: Digest) -> Iterator[Step]:
    """Say where models fail, groups with the same failure together."""
    models = len(digest.report.models)
    alike: dict[tuple[str, str], list[tuple[Group, list[Tally]]]] = {}
    for group, tallies in digest.large.items():
        if failing := [each for each in tallies if each.failing]:
            kind = min(map(_kind, failing), key=_WORST.index)
            some = sorted({measure_name(v) for each in failing for v in each.failing})
            by = in_words(some) if kind == "some" and len(some) <= MOST_NAMES else ""
            alike.setdefault((kind, by), []).append((group, failing))
    for (kind, by), several in sorted(alike.items(), key=lambda each: _WORST.index(each[0][0])):
        who = digest.named([group for group, _ in several])
        names = {each.model for _, failing in several for each in failing}
        whom = f", {in_words(sorted(names))}" if len(names) < models <= 2 * MOST_NAMES else ""
        both = ", both models" if models == 2 == len(names) else ""
        said = _said_of(kind, several[0][1][0], digest.bar)
        if kind in ("some", "ahead", "learned"):
            said = f"no better than {digest.bar}{f' by {by}' if by else ' by some measures'}."
        elif len(several) > 1 and kind == "no_evidence" and digest.bar == "guessing":
            said = "no evidence of learning. Check for misaligned rows."
        yield Step("✗", f"{who}{whom or both}", said)


_WORST = ("reversed", "worse", "no_evidence", "one_class", "learned", "ahead", "some")


def clause(tally: Tally, bar: str) -> str:
    """Say in a few words how a model does, below its name."""
    judged, kind = tally.judged, _kind(tally)
    if not judged:
        return "cannot be judged by these measures"
    if tally.passes:
        return f"beats {bar} by {_all_of(judged)}"
    said = []
    if tally.cleared:
        said.append(f"beats {bar} by {number(len(tally.cleared))} of {number(len(judged))}")
        said += [f"not by {_by(tally.failing)}"] if tally.failing else []
    elif not tally.unsure:
        p = "" if math.isnan(tally.p) or kind == "reversed" else f" ({short_p(tally.p)})"
        return {
            "learned": f"learned something{p}, but guessing scores as well",
            "reversed": "worse than chance",
            "worse": f"worse than {bar}{p}",
            "one_class": tally.performance.table.one_class,
        }.get(kind, f"no evidence of {'learning' if bar == 'guessing' else 'being better'}{p}")
    elif tally.failing:
        said.append(f"not by {_by(tally.failing)}")
    if tally.unsure:
        settled = _settled(tally.unsure)
        said.append(f"unsure by {_by(tally.unsure)}{f' ({settled})' if settled else ''}")
    return "; ".join(said)


def in_short(found: Sequence[Tally], bar: str) -> str:
    """Say in a few words how all models do in a group."""
    if all(each.fails for each in found):
        kind = min(map(_kind, found), key=_WORST.index)
        return _IN_SHORT.get(kind, f"no better than {bar}")
    failing = {measure_name(v): v for each in found for v in each.failing}
    if failing:
        return f"not by {_by(list(failing.values()))}"
    unsure = {measure_name(v): v for each in found for v in each.unsure}
    return f"unsure by {_by(list(unsure.values()))}" if unsure else f"beats {bar}"


_IN_SHORT = {"reversed": "worse than chance", "no_evidence": "no evidence of learning"}
