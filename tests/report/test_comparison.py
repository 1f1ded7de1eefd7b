"""What a comparison looks like in every format, and that nothing is lost or commanded by it."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import baserate as br
from baserate.exceptions import InvalidReportError, MissingFileError
from baserate.records import is_report

if TYPE_CHECKING:
    from pathlib import Path

RNG = np.random.default_rng(5)
TRUTH = (RNG.random(300) < 0.3).astype(int)
CHANCE = RNG.random((2, 300))
MODELS = {
    "tree": np.where(TRUTH == 1, CHANCE[0] < 0.5, CHANCE[0] < 0.2).astype(int),
    "forest": np.where(TRUTH == 1, CHANCE[1] < 0.8, CHANCE[1] < 0.1).astype(int),
    "none": 0 * TRUTH,
}
BY = np.array(["north", "south"])[RNG.integers(0, 2, 300)]
COMPARISON = br.compare(TRUTH, MODELS, ["F1", "MCC", "ACC", "FNR"], by=BY, adjust="holm")
SMALL = br.compare(TRUTH, {name: MODELS[name] for name in ("tree", "forest")}, ["F1", "FNR"])
HOSTILE = "a_b|<script>\x1b[31m\n::error::&%$#{}\\"
EVIL = br.compare(TRUTH, {HOSTILE: MODELS["tree"], "b": MODELS["forest"]}, "F1")
FORMATS: dict[str, Any] = {
    "txt": str,
    "md": br.Comparison.to_markdown,
    "tex": br.Comparison.to_latex,
    "html": br.Comparison.to_html,
    "json": br.Comparison.to_json,
    "csv": br.Comparison.to_csv,
}


@pytest.mark.parametrize("suffix", FORMATS)
def test_files_hold_what_is_returned(tmp_path: Path, suffix: str) -> None:
    """Each writer writes what it returns, and a later one may overwrite it."""
    path = tmp_path / f"comparison.{suffix}"
    if suffix == "txt":
        path.write_text(str(COMPARISON), encoding="utf-8")
    else:
        assert FORMATS[suffix](COMPARISON, path) == path.read_text(encoding="utf-8")
    assert is_report(path)


def test_reading_a_file(tmp_path: Path) -> None:
    """JSON is read from a path; a missing file and other text are errors that say so."""
    COMPARISON.to_json(tmp_path / "c.json")
    assert br.Comparison.from_json(tmp_path / "c.json") == COMPARISON
    with pytest.raises(MissingFileError, match="with a comparison"):
        br.Comparison.from_json(tmp_path / "d.json")
    with pytest.raises(InvalidReportError, match=r"Comparison\.to_json"):
        br.Comparison.from_json("{}")
    with pytest.raises(InvalidReportError, match=r"must have the schema 'baserate\.comparison/3'"):
        br.Comparison.from_json(br.evaluate(TRUTH, MODELS, "F1").to_json())


def test_records_and_frames() -> None:
    """Every difference is one flat record, with its eight counts."""
    records = COMPARISON.to_dicts()
    assert len(records) == len(COMPARISON)
    assert (records[0]["first"], records[0]["second"]) == ("tree", "forest")
    counts = [
        value for name, value in records[0].items() if re.match("(positives|negatives)_", name)
    ]
    assert len(counts) == 8
    assert sum(counts) == 300
    undefined = next(record for record in records if record["outcome"] == "undefined")
    assert undefined["p_value"] is None
    for backend in ("pandas", "polars", "pyarrow"):
        assert COMPARISON.to_frame(backend).shape == (len(records), 11)
        frame = COMPARISON.to_frame(backend, full=True)
        assert frame.shape == (len(records), len(records[0]))
    lines = list(csv.DictReader(io.StringIO(COMPARISON.to_csv())))
    assert [line["measure"] for line in lines] == [record["measure"] for record in records]
    assert float(lines[0]["p_value"]) == records[0]["p_value"]


def test_names_are_text() -> None:
    """No format runs a name, and a page loads nothing."""
    assert "http" not in COMPARISON.to_html().replace("http-equiv", "")
    for shown in (EVIL.to_html(), EVIL._repr_html_(), str(EVIL), EVIL.to_latex()):
        assert "<script>a" not in shown
        assert "\x1b" not in shown
        assert "\n::error" not in shown
    rows = [line for line in EVIL.to_markdown().splitlines() if line.startswith("|")]
    # Two tables: the scores beside the best guess, and every difference.
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 2


def test_empty_parts() -> None:
    """A comparison without differences says so in every format."""
    empty = br.Comparison(())
    for text in (str(empty), empty.to_markdown(), empty.to_latex(), empty.to_html()):
        assert "No differences." in text
    assert br.Comparison.from_json(empty.to_json()) == empty


def test_dropped_rows_are_said() -> None:
    """Every format for people says how many rows were left out."""
    truth = [None, *TRUTH.tolist()]
    models = {name: [0, *each.tolist()] for name, each in MODELS.items()}
    found = br.compare(truth, models, "ACC", missing="drop")
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert "1 observation with a missing value left out" in text
