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


LOOKED_AT = ("three_classes", "is_my_rmse_good")
OTHERS = [
    path.stem
    for path in sorted((ROOT / "docs" / "gallery").glob("*.py"))
    if path.stem not in LOOKED_AT
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
    shuffled = [measure.score(br.ConfusionMatrix.of(y, rng.permutation(y))) for _ in range(400)]
    assert np.mean(shuffled) == pytest.approx(1 / 3, abs=4 * np.std(shuffled) / 20)


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
