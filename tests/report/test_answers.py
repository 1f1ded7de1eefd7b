"""The first sentence of a report and of a comparison, by situation, from outcomes alone."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import baserate as br

GOOD = br.Confusion(tp=110, fp=20, fn=29, tn=144)
FINE = br.Confusion(tp=109, fp=21, fn=30, tn=143)
TIMID = br.Confusion(tp=40, fp=5, fn=99, tn=159)
COIN = br.Confusion(tp=70, fp=83, fn=69, tn=81)
SWAPPED = br.Confusion(tp=29, fp=144, fn=110, tn=20)
SILENT = br.Confusion(fn=139, tn=164)
SMALL = br.Confusion(tp=9, fp=4, fn=7, tn=11)
PRIVATE = re.compile(
    r"\b(deck|deal|dealt|card|luck|yardstick|plausible|law|voice|for free|not surely|how sure)\b"
)
REPORTS: dict[str, tuple[Any, Any, str]] = {
    "one model, all measures": (
        {"forest": GOOD},
        None,
        (
            "✓ Yes: forest beats guessing by all six measures. The closest call is F1: 0.818, best "
            "guess 0.629."
        ),
    ),
    "one model, some": (
        {"forest": TIMID},
        None,
        "~ forest beats guessing by five of six measures. Not by F1.",
    ),
    "one model, unsure": (
        {"forest": SMALL},
        ["ACC", "MCC"],
        (
            "~ forest is ahead of guessing, but these 31 rows cannot show it. Unsure by accuracy "
            "and "
            "MCC: about 180 more rows would settle it."
        ),
    ),
    "one model, learned": (
        {"forest": TIMID},
        ["F1"],
        (
            "✗ forest learned something, but guessing scores as well. p < 0.001: the threshold "
            "or the "
            "class balance may not suit this measure."
        ),
    ),
    "one model, no evidence": (
        {"forest": COIN},
        None,
        (
            "✗ No: nothing shows that forest learned anything. Shuffled predictions score as "
            "well in "
            "56% of cases."
        ),
    ),
    "one model, reversed": (
        {"forest": SWAPPED},
        None,
        "✗ forest is worse than chance: check for swapped labels.",
    ),
    "one model, one class": (
        {"forest": SILENT},
        None,
        "✗ No: nothing shows that forest learned anything. It predicts no positives.",
    ),
    "one measure": (
        {"forest": GOOD},
        ["F1"],
        (
            "✓ Yes: forest's F1 of 0.818 beats the best guess, 0.629 (everyone positive). Margin "
            "+0.189, 95% interval 0.121 to 0.251."
        ),
    ),
    "many models, all pass": (
        {"a": GOOD, "b": FINE},
        None,
        (
            "✓ Both models beat guessing by every measure. Highest accuracy: a, 0.838. Use compare "
            "to see whether it is really better."
        ),
    ),
    "many models, some pass": (
        {"a": GOOD, "b": FINE, "c": TIMID, "d": COIN},
        None,
        (
            "✓ Two of four models beat guessing by every measure: a and b. c beats it by some "
            "measures. d shows no evidence of learning."
        ),
    ),
    "many models, none by every measure": (
        {"a": TIMID, "b": COIN},
        None,
        "~ Neither model beats guessing by every measure; a comes closest (five of six).",
    ),
    "many models, all fail": (
        {"a": COIN, "b": COIN, "c": SWAPPED},
        None,
        (
            "✗ None of three models beats guessing. a and b show no evidence of learning. c is "
            "worse "
            "than chance."
        ),
    ),
    "more than three names": (
        {**dict.fromkeys("abcd", GOOD), "e": COIN},
        ["F1"],
        "✓ Four of five models beat guessing by F1. e shows no evidence of learning.",
    ),
    "a guess is perfect": (
        {"a": GOOD},
        ["TPR"],
        (
            "– These measures cannot show whether a model is good: a guess gets a perfect score. "
            "Add "
            "balanced accuracy, MCC or F1."
        ),
    ),
}


def _answer(found: br.Report | br.Comparison) -> str:
    """Return the first sentence with its mark, and the second line."""
    answer = found.document().answer
    return " ".join(filter(None, answer))


@pytest.mark.parametrize("situation", REPORTS)
def test_the_first_sentence_of_a_report(situation: str) -> None:
    """It says what a person would say, and every rendering begins with it."""
    tables, measures, said = REPORTS[situation]
    report = br.evaluate(None, tables, measures)
    assert _answer(report) == said
    first = " ".join(str(report).split())
    assert first.startswith(said.partition(". ")[0])
    headline = report.document().answer.headline
    for text in (report.to_html(), report._repr_html_()):
        assert headline.replace("'", "&#39;") in text


GROUPS = np.repeat(["Ashford", "Beacon", "Castle", "Dunmore"], [60, 60, 60, 4])
TRUTH = np.tile([1, 0, 0, 1], 46)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (
            (),
            (
                "✓ Both models beat guessing, overall and in all three groups. Dunmore is too "
                "small "
                "to judge."
            ),
        ),
        (
            ("Castle",),
            (
                "~ Overall both models beat guessing, but neither does for Castle. Dunmore is too "
                "small to judge."
            ),
        ),
        (
            ("Ashford", "Beacon"),
            (
                "✗ Overall no model beats guessing; for Castle one does. Dunmore is too small to "
                "judge."
            ),
        ),
    ],
    ids=["all fine", "some fail", "overall fails"],
)
def test_the_first_sentence_of_groups(bad: tuple[str, ...], said: str) -> None:
    """It says where models fail that are fine as a whole, and the other way round."""
    wrong = np.isin(GROUPS, bad)
    models = {name: np.where(wrong, 1 - TRUTH, TRUTH) for name in "ab"}
    assert _answer(br.evaluate(TRUTH, models, ["ACC", "MCC"], by=GROUPS)) == said


def _with_errors(share: float, seed: int) -> Any:
    return np.where(np.random.default_rng(seed).random(TRUTH.size) < share, 1 - TRUTH, TRUTH)


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ({"a": 0.05, "b": 0.3}, r"✓ a is better than b by accuracy\. Accuracy 0\.\d+ and 0\.\d+"),
        ({"a": 0.05, "b": 0.4, "c": 0.5}, r"✓ a is better than both others by accuracy\."),
        ({"a": 0.05, "b": 0.06, "c": 0.5}, r"✓ a and b lead; these 184 rows cannot tell the two"),
        ({"a": 0.3, "b": 0.31}, r"~ These 184 rows show no difference between a and b\. The cl"),
        ({"a": 0.0, "b": 0.0}, r"~ Both models give the same answers\."),
        ({"a": 0.6, "b": 0.9}, r"✗ a scores best, but does not beat guessing\. a is better than b"),
    ],
    ids=["two", "a winner", "tied leaders", "nothing shown", "the same", "all below guessing"],
)
def test_the_first_sentence_of_a_comparison(models: dict[str, float], said: str) -> None:
    """It says who leads, if anybody does."""
    found = {name: _with_errors(share, seed) for seed, (name, share) in enumerate(models.items())}
    assert re.match(said, _answer(br.compare(TRUTH, found, "ACC")))


def test_against_a_reference() -> None:
    """Sentences name the reference, and warn of one that does not beat guessing itself."""
    model, poor = _with_errors(0.05, 1), _with_errors(0.5, 2)
    report = br.evaluate(TRUTH, {"m": model}, ["ACC", "F1"], reference={"rule": poor})
    assert _answer(report).startswith("✓ Yes: m beats rule by both measures.")
    assert "rule itself does not beat the best guess" in " ".join(str(report).split())
    turned = br.evaluate(TRUTH, {"m": poor}, ["ACC"], reference={"rule": model})
    assert _answer(turned) == "✗ m is worse than rule."


@pytest.mark.parametrize("table", [GOOD, TIMID, COIN, SWAPPED, SILENT, SMALL])
def test_sentences_are_in_the_words_of_the_field(table: br.Confusion) -> None:
    """No private word is in a sentence or on a page; str and repr are the same sentence."""
    report = br.evaluate(None, {"m": table}, "all")
    for verdict in report:
        assert str(verdict) == repr(verdict)
        assert verdict.measure in str(verdict) or verdict.measure in ("ACC", "KAPPA")
        assert not PRIVATE.search(str(verdict))
    for text in (str(report), report.to_html(), report._repr_html_()):
        assert not PRIVATE.search(re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL))


def test_close_calls_have_more_digits() -> None:
    """Digits are added until score and baseline differ, up to sixteen."""
    for step, score in ((1e-15, "0.001000000000004"), (1e-17, "0.0010000000000000")):
        measure = br.Measure.custom("close", lambda tp, fp, fn, tn, e=step: 0.001 + e * (tp - fp))
        (verdict,) = br.evaluate(None, br.Confusion(tp=5, fp=1, fn=1, tn=5), measure)
        assert verdict.beats
        assert f"{score} exceeds the baseline of 0.001" in str(verdict)
