"""The pages of the gallery run, and what they say of their numbers is so."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

import baserate as br
from baserate.verdicts.verdict import Better
from tools import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


OTHERS = [
    "better_model",
    "choosing_a_threshold",
    "ci_gate",
    "custom_cost",
    "from_dummy_classifier",
    "from_the_dutchdraw_package",
    "is_my_f1_good",
    "multiple_choice",
    "per_group",
]


@pytest.fixture(autouse=True)
def _figures() -> Iterator[None]:
    """Pages close no figures of others."""
    plt.close("all")
    yield
    plt.close("all")


@pytest.mark.parametrize("name", OTHERS)
def test_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages whose numbers are not looked at below run without a warning."""
    monkeypatch.chdir(tmp_path)
    assert _page(name)["br"] is br


def _page(name: str) -> dict[str, Any]:
    """Run a page, and return its names."""
    return runpy.run_path(str(ROOT / "docs" / "gallery" / f"{name}.py"))


def _better(comparison: br.Comparison) -> list[br.Difference]:
    return [each for each in comparison if each.outcome in (Better.FIRST, Better.SECOND)]


def test_leaderboard(capsys: pytest.CaptureFixture[str]) -> None:
    """The first place is earned, the others are luck, and twenty tries explain the guesser."""
    page = _page("leaderboard")
    report, key = page["report"], page["key"]
    assert report["large", "accuracy"].baseline > 0.25
    assert report["large", "accuracy"].outcome is br.Outcome.CLEARS
    assert report["guesser", "accuracy"].p_adjusted < 0.05
    assert page["verdict"].p_value > 0.05  # the best of twenty
    assert round(page["chance"], 2) == 0.31
    assert {(each.first, each.outcome) for each in _better(page["comparison"])} == {
        ("large", Better.FIRST)
    }
    assert len(_better(page["comparison"])) == 4
    assert list(page["board"]["model"][:2]) == ["large", "small"]
    assert all(page["knows"][name] == 2 * page["knows"]["small"] for name in ("medium", "medium 2"))
    assert len(key) == 200
    assert capsys.readouterr().out.count("large is better than") == 4


def test_two_models_by_chance() -> None:
    """The pair that was picked differs, no pair does among all, and nothing is left on others."""
    page = _page("two_models_by_chance")
    chosen, unseen = page["groups"]
    assert chosen.outcome is Better.SECOND
    assert len(page["differences"]) == 190
    assert page["differences"].standard.adjust == "holm"
    assert not page["better"]
    assert unseen.outcome is Better.NO_EVIDENCE
    assert unseen.low < 0 < unseen.high
    assert abs(unseen.difference) < abs(chosen.difference) / 10
    where_chosen, on_others = np.mean(page["gaps"], axis=0)
    assert 0 < on_others < where_chosen / 2


def test_out_of_fold() -> None:
    """One model clears the baseline and the other does not; other folds have other scores."""
    page = _page("out_of_fold")
    report = page["report"]
    assert report["logistic", "F1"].outcome is br.Outcome.CLEARS
    assert report["neighbours", "F1"].outcome is br.Outcome.LEARNED
    assert page["f1"].score(page["table"]) != report["logistic", "F1"].score
    assert {len(rows) for _, rows in page["folds"].split(page["X"], page["y"])} == {30, 31}
    assert max(page["scores"]) - min(page["scores"]) > 0.3


def test_three_classes() -> None:
    """By macro F1 the plain model is below a third, on each split; the balanced one clears it."""
    page = _page("three_classes")
    report = br.evaluate(page["y_test"], page["models"], ["accuracy", "macro F1"])
    plain, balanced = report["plain", "macro F1"], report["balanced", "macro F1"]
    assert plain.baseline == pytest.approx(1 / 3)
    assert plain.outcome is br.Outcome.LEARNED
    assert plain.score < 1 / 3 < plain.high
    assert page["below"] == {"plain": 20, "balanced": 0}
    assert balanced.outcome is br.Outcome.CLEARS
    for name in ("plain", "balanced"):
        assert report[name, "accuracy"].outcome is not br.Outcome.CLEARS
    assert np.mean(page["predicted"] == "low") > 0.95
    found = br.compare(page["y_test"], page["models"], ["accuracy", "macro F1"])
    assert [each.outcome for each in found] == [Better.NO_EVIDENCE, Better.SECOND]
    y, measure, rng = page["y_test"], page["macro_f1"], np.random.default_rng(0)
    dealt = [measure.score(br.ConfusionMatrix.of(y, rng.permutation(y))) for _ in range(400)]
    assert np.mean(dealt) == pytest.approx(1 / 3, abs=4 * np.std(dealt) / 20)


def test_rare_events() -> None:
    """Average precision is three times the share, and just surely better than a random ranking."""
    page = _page("rare_events")
    y, verdict = page["y_test"], page["report"]["model", "AP"]
    assert y.sum() == 11
    assert verdict.score > 3 * y.mean()
    assert y.mean() < verdict.baseline
    assert verdict.outcome is br.Outcome.CLEARS
    assert verdict.margin_low < 0.02
    assert 1 / 45 < verdict.p_value < 1 / 35
    # Random rankings of 12 events in 221 expect 0.076.
    assert min(each.score for each in page["found"]) > 0.076
    assert page["clears"] > len(page["found"]) / 2
    rng = np.random.default_rng(0)
    luck = [
        br.get_measure("AP").score(br.RankedScores.of(y, rng.permutation(221))) for _ in range(400)
    ]
    assert np.mean(luck) == pytest.approx(verdict.baseline, abs=4 * np.std(luck) / 20)


def test_a_constant_beats_a_regression() -> None:
    """The tree learned something and loses to a constant, and large leaves do not."""
    page = _page("is_my_rmse_good")
    report, truth = page["report"], page["y_test"]
    tree = [each for each in report if each.model == "tree"]
    assert [each.outcome for each in tree] == [br.Outcome.LEARNED] * 3
    assert page["verdict"].outcome is br.Outcome.CLEARS  # large leaves
    assert page["predictions"]["tree"].std() > truth.std()
    errors = abs(page["predictions"]["tree"] - truth), abs(np.median(truth) - truth)
    close, far = ([np.mean(each < 30) for each in errors], [np.mean(each > 150) for each in errors])
    assert close[0] > close[1]
    assert far[0] > far[1]
    assert sum(_constant_wins(page["X"], page["y"], seed) for seed in range(20)) == 15


def _constant_wins(features: Any, truth: Any, seed: int) -> bool:
    """Return whether the mean has a lower RMSE than a tree on a split."""
    split = train_test_split(features, truth, test_size=0.4, random_state=seed)
    tree = DecisionTreeRegressor(random_state=0).fit(split[0], split[2])
    return bool(np.mean((tree.predict(split[1]) - split[3]) ** 2) > split[3].var())
