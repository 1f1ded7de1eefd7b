"""What is said of verdicts, whatever they are against."""

from __future__ import annotations

import numpy as np
import pytest

import baserate as br
from baserate.verdicts.free_voice import FreeVoice
from baserate.verdicts.reference_voice import ReferenceVoice
from baserate.verdicts.voice import Voice

TRUTH = np.tile([0, 1], 20)
GROUPS = np.repeat(["a", "b"], [34, 6])


def _said(voice: type) -> set[str]:
    return {name for name in dir(voice) if not name.startswith("_")}


@pytest.mark.parametrize("voice", [FreeVoice, ReferenceVoice])
def test_every_voice_says_the_same_things(voice: type) -> None:
    """A renderer finds whatever it asks for."""
    assert not _said(Voice) - _said(voice) - set(voice.__dataclass_fields__)  # type: ignore[attr-defined]


def test_measures_that_neither_model_nor_reference_has() -> None:
    """Specificity of positives only: undefined, with the reason, and no judgement."""
    report = br.evaluate(
        [1] * 6, {"m": [1, 1, 0, 1, 1, 1]}, ["TNR", "ACC"], reference=[1, 0, 0, 1, 1, 1]
    )
    verdict = report["m", "TNR"]
    assert verdict.outcome.name == "UNDEFINED"
    assert np.isnan([verdict.baseline_min, verdict.baseline_max]).all()
    assert "it needs N > 0 (got negatives = 0)." in verdict.voice.predicate(verdict)


def test_groups_against_a_reference() -> None:
    """Where a model is worse than the reference in one group, that is said of the group."""
    flipped = np.where(GROUPS == "a", TRUTH, 1 - TRUTH)
    half = np.where(np.arange(40) % 4 < 2, TRUTH, 1 - TRUTH)
    text = str(br.evaluate(TRUTH, {"m": flipped}, ["ACC"], reference=half, by=GROUPS))
    assert "the reference there" in text


def test_a_model_that_is_reversed() -> None:
    """Its summary says where to look; a measure with one baseline for all says how bad it is."""
    report = br.evaluate(TRUTH, {"m": 1 - TRUTH}, ["J"])
    said = report.voice.summary("m", list(report))
    assert "does worse than chance (p = 7.3e-12), so look for swapped labels" in said
    assert report.voice.way(report["m", "J"]) == "worse than any draw expects"


def test_measures_that_cannot_judge() -> None:
    """The count of true positives is best by a draw of everything."""
    report = br.evaluate(TRUTH, {"m": TRUTH}, ["TP"])
    assert "m cannot be judged by these measures" in str(report)
    assert "a draw is perfect by it or there is no baseline" in report.to_html()
    assert report.voice.low_bar(["TP"]) == ""


def test_a_test_set_that_is_too_small() -> None:
    """Nothing can be shown by two observations."""
    report = br.evaluate([0, 1], {"m": [0, 1]}, ["ACC"])
    assert "The test set is too small to show that a model learned: even" in str(report)


def test_a_reference_that_is_perfect() -> None:
    """No model can be better."""
    report = br.evaluate(TRUTH, {"m": TRUTH}, ["ACC"], reference=TRUTH)
    verdict = report["m", "ACC"]
    assert verdict.outcome.name == "UNINFORMATIVE"
    assert "has the best possible score" in verdict.voice.predicate(verdict)
    assert "the reference is perfect by it or has no score" in report.to_html()


def test_a_group_without_a_score_says_why() -> None:
    """A model that predicts no positives in one group fails there, whatever it does overall."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    predicted = np.where(rng.random(400) < 0.9, truth, 1 - truth)
    predicted[200:] = 0
    report = br.evaluate(truth, predicted, "PPV", by=np.repeat(["a", "b"], 200))
    assert [verdict.group for verdict in report.findings] == ["b"]
    said = " ".join(str(report).split())
    assert "model in group b does not beat that group's own baseline by PPV (predicts no" in said
