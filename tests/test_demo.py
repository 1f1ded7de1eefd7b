"""The demo: the paper's experiment, as a newcomer runs it."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import baserate as br
from baserate import demo

if TYPE_CHECKING:
    from pathlib import Path


def test_the_data_are_the_paper_s() -> None:
    """The data have 303 patients, 139 of them ill, 13 features, and an attribution."""
    data = br.datasets.load_cleveland()
    assert br.BaseRate.of(data.target) == br.BaseRate(positives=139, total=303)
    assert data.features.shape == (303, len(data.feature_names)) == (303, 13)
    assert int(np.isnan(data.features).any(axis=1).sum()) == 6
    assert data.feature_names[:2] == ("age", "sex")
    assert "CC BY 4.0" in data.description


def test_the_demo(tmp_path: Path) -> None:
    """The demo prints the report, writes it to a file, and says where it is."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-m", "baserate.demo"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={"PYTHONIOENCODING": "utf-8", "PATH": ""},
    )
    assert run.stderr == ""
    for key in br.MEASURES:
        assert re.search(rf"^{key} ", run.stdout, flags=re.MULTILINE)
    assert "k-nearest neighbours clears" in run.stdout
    assert "Open report.html" in run.stdout.splitlines()[-2]
    report = br.Report.from_json(tmp_path / "report.json")
    assert report.models == tuple(demo._models(demo.SEED))
    assert len(report) == 5 * len(br.MEASURES)
    assert report.performances[0].table.total == 31
    assert "<!DOCTYPE html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_demo_is_the_same_every_time() -> None:
    """The split and the models are seeded; another seed gives another split."""
    assert demo.run() == demo.run(demo.SEED)
    assert demo.run(1, ["F1"]) != demo.run(2, ["F1"])


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without scikit-learn, the error says what to install."""
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    with pytest.raises(br.exceptions.MissingDependencyError, match="pip install scikit-learn"):
        demo.run()
