"""The first sentence of a report and of a comparison, by situation, from outcomes alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

GOOD = br.ConfusionMatrix(tp=110, fp=20, fn=29, tn=144)
FINE = br.ConfusionMatrix(tp=109, fp=21, fn=30, tn=143)
TIMID = br.ConfusionMatrix(tp=40, fp=5, fn=99, tn=159)
COIN = br.ConfusionMatrix(tp=70, fp=83, fn=69, tn=81)
SWAPPED = br.ConfusionMatrix(tp=29, fp=144, fn=110, tn=20)
SILENT = br.ConfusionMatrix(fn=139, tn=164)
SMALL = br.ConfusionMatrix(tp=9, fp=4, fn=7, tn=11)
PRIVATE = re.compile(
    r"\b(deck|deal|dealt|card|luck|yardstick|plausible|law|voice|for free|not surely|how sure)\b"
)
REPORTS: dict[str, tuple[Any, Any]] = {
    "one model, all measures": ({"forest": GOOD}, None),
    "one model, some": ({"forest": TIMID}, None),
    "one model, unsure": ({"forest": SMALL}, ["ACC", "MCC"]),
    "one model, learned": ({"forest": TIMID}, ["F1"]),
    "one model, no evidence": ({"forest": COIN}, None),
    "one model, reversed": ({"forest": SWAPPED}, None),
    "one model, one class": ({"forest": SILENT}, None),
    "one measure": ({"forest": GOOD}, ["F1"]),
    "many models, all pass": ({"a": GOOD, "b": FINE}, None),
    "many models, some pass": ({"a": GOOD, "b": FINE, "c": TIMID, "d": COIN}, None),
    "many models, none by every measure": ({"a": TIMID, "b": COIN}, None),
    "many models, all fail": ({"a": COIN, "b": COIN, "c": SWAPPED}, None),
    "more than three names": ({**dict.fromkeys("abcd", GOOD), "e": COIN}, ["F1"]),
    "a guess is perfect": ({"a": GOOD}, ["TPR"]),
}
GROUPS = np.repeat(["Ashford", "Beacon", "Castle", "Dunmore"], [60, 60, 60, 4])
TRUTH = np.tile([1, 0, 0, 1], 46)
BAD_GROUPS = {"all fine": (), "some fail": ("Castle",), "overall fails": ("Ashford", "Beacon")}
# How often each model is wrong.
COMPARED = {
    "two": {"a": 0.05, "b": 0.3},
    "a winner": {"a": 0.05, "b": 0.4, "c": 0.5},
    "tied leaders": {"a": 0.05, "b": 0.06, "c": 0.5},
    "nothing shown": {"a": 0.3, "b": 0.31},
    "the same": {"a": 0.0, "b": 0.0},
    "all below guessing": {"a": 0.6, "b": 0.9},
}


def _answer(found: br.Report | br.Comparison) -> str:
    """Return the first sentence with its mark, and the second line."""
    answer = found.document().answer
    return " ".join(filter(None, answer))


def _with_errors(share: float, seed: int) -> Any:
    return np.where(np.random.default_rng(seed).random(TRUTH.size) < share, 1 - TRUTH, TRUTH)


def test_the_first_sentence_of_a_report(snapshot: SnapshotAssertion) -> None:
    """It says what a person would say, and every rendering begins with it."""
    said = []
    for situation, (tables, measures) in REPORTS.items():
        report = br.evaluate(None, tables, measures)
        said.append(f"{situation}:\n{_answer(report)}\n")
        headline = report.document().answer.headline
        assert " ".join(str(report).split()).startswith(_answer(report).partition(". ")[0])
        for text in (report.to_html(), report._repr_html_()):
            assert headline.replace("'", "&#39;") in text
    for situation, bad in BAD_GROUPS.items():
        models = {name: np.where(np.isin(GROUPS, bad), 1 - TRUTH, TRUTH) for name in "ab"}
        answer = _answer(br.evaluate(TRUTH, models, ["ACC", "MCC"], by=GROUPS))
        said.append(f"groups, {situation}:\n{answer}\n")
    assert "\n".join(said) == snapshot


def test_the_first_sentence_of_a_comparison(snapshot: SnapshotAssertion) -> None:
    """It says who leads, if anybody does."""
    said = []
    for situation, models in COMPARED.items():
        wrong = {
            name: _with_errors(share, seed) for seed, (name, share) in enumerate(models.items())
        }
        said.append(f"{situation}:\n{_answer(br.compare(TRUTH, wrong, 'ACC'))}\n")
    assert "\n".join(said) == snapshot


def test_against_a_reference() -> None:
    """Sentences name the reference, and warn of one that does not beat guessing itself."""
    model, poor = _with_errors(0.05, 1), _with_errors(0.5, 2)
    report = br.evaluate(TRUTH, {"m": model}, ["ACC", "F1"], reference={"rule": poor})
    assert _answer(report).startswith("✓ Yes: m beats rule by both measures.")
    assert "rule itself does not beat the best guess" in " ".join(str(report).split())
    turned = br.evaluate(TRUTH, {"m": poor}, ["ACC"], reference={"rule": model})
    assert _answer(turned) == "✗ m is worse than rule."


@pytest.mark.parametrize("table", [GOOD, TIMID, COIN, SWAPPED, SILENT, SMALL])
def test_sentences_are_in_the_words_of_the_field(table: br.ConfusionMatrix) -> None:
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
        (verdict,) = br.evaluate(None, br.ConfusionMatrix(tp=5, fp=1, fn=1, tn=5), measure)
        assert verdict.beats
        assert f"{score} exceeds the baseline of 0.001" in str(verdict)
