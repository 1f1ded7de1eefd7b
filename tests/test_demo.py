"""The demo: five models on real data, as a newcomer runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import baserate as br
from baserate import demo
from baserate.measures.two_classes import REPORTED

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_data_are_the_paper_s() -> None:
    """The data have 303 patients, 139 of them ill, 13 features, and an attribution."""
    data = br.datasets.load_cleveland()
    assert br.BaseRate.of(data.target) == br.BaseRate(positives=139, total=303)
    assert data.features.shape == (303, len(data.feature_names)) == (303, 13)
    assert int(np.isnan(data.features).any(axis=1).sum()) == 6
    assert data.feature_names[:2] == ("age", "sex")
    assert "CC BY 4.0" in data.description


def test_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It judges all patients, shows the report, writes it to a file, and says where it is.

    It does so twice the same, and replaces its own report. The page of commands runs the program.
    """
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    demo.main(said.append)
    report = br.Report.from_json(tmp_path / "report.json")
    assert f"\n{report}" in said
    assert "Open report.html" in said[-1]
    assert report.models == tuple(demo.models(demo.SEED))
    assert report.measures == REPORTED
    assert report.performances[0].table.total == 303
    assert {"clears", "learned"} <= {verdict.outcome.value for verdict in report}
    assert "<!DOCTYPE html>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    demo.main(said.append)
    assert br.Report.from_json(tmp_path / "report.json") == report
