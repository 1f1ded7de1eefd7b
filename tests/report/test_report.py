"""Reports: queried, divided, and written for readers and for programs."""

from __future__ import annotations

import csv
import io
import math
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.exceptions import InvalidReportError, MissingDependencyError, NotInReportError
from baserate.measures.two_classes import TWO_CLASS_MEASURES
from reproduction import PAPER_MEASURES
from strategies import tables

if TYPE_CHECKING:
    from pathlib import Path


TABLES = {
    "good": br.ConfusionMatrix(tp=110, fp=20, fn=29, tn=144),
    "timid": br.ConfusionMatrix(tp=40, fp=5, fn=99, tn=159),
    "coin": br.ConfusionMatrix(tp=70, fp=83, fn=69, tn=81),
    "swapped": br.ConfusionMatrix(tp=29, fp=144, fn=110, tn=20),
    "silent": br.ConfusionMatrix(fn=139, tn=164),
}


TEN = [
    "model", "group", "measure", "score", "low", "high", "baseline", "margin", "p_value", "outcome",
]  # fmt: skip


@pytest.fixture(scope="module")
def report() -> br.Report:
    """Five models with every outcome, on the paper's 22 measures."""
    return br.evaluate(None, TABLES, tuple(PAPER_MEASURES))


@pytest.fixture(scope="module")
def grouped() -> br.Report:
    """A model that is fine overall and fails in one group."""
    y_true = [1] * 8 + [0] * 2 + [1] * 2 + [0] * 28
    y_pred = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0] + [1] * 2 + [0] * 28
    groups = [2023] * 10 + [2024] * 30
    return br.evaluate(y_true, {"m": y_pred, "n": y_true}, ["F1", "ACC", "MCC"], by=groups)


# Queries.


def test_a_key_that_cannot_be_looked_up_is_not_there(grouped: br.Report) -> None:
    """A list is not a group; None is the whole test set."""
    with pytest.raises(NotInReportError, match=r"no group \[2023\] \(it has 2023, 2024\)"):
        grouped.group([2023])  # type: ignore[arg-type]
    with pytest.raises(NotInReportError, match=r"no group \[2023\]"):
        grouped["m", "F1", [2023]]  # type: ignore[index]
    with pytest.raises(NotInReportError, match="no model 'tree'"):
        grouped["tree", "F1", 2023]
    with pytest.raises(NotInReportError, match="no measure 'TS'"):
        grouped["m", "TS", 2023]
    assert grouped.group(None) == grouped.overall  # type: ignore[arg-type]
    assert grouped["m", "F1", None] == grouped["m", "F1"]  # type: ignore[index]


# Plain data.


def test_csv_has_the_same_records(report: br.Report, grouped: br.Report, tmp_path: Path) -> None:
    """CSV has one line per verdict, with every digit; undefined values are empty."""
    for each in (report, grouped):
        path = tmp_path / "report.csv"
        assert each.to_csv(path) == path.read_text(encoding="utf-8")
        lines = list(csv.DictReader(io.StringIO(each.to_csv())))
        records = each.to_dicts()
        assert list(lines[0]) == list(records[0])
        for line, record in zip(lines, records, strict=True):
            assert line == {name: "" if v is None else str(v) for name, v in record.items()}


@given(tables(), st.sampled_from([*TWO_CLASS_MEASURES, "F0.5", "PT"]))
def test_json_keeps_every_digit(table: br.ConfusionMatrix, key: str) -> None:
    """Any report survives the round trip."""
    report = br.evaluate(None, {"m": table}, key)
    assert br.Report.from_json(report.to_json()) == report


@pytest.mark.parametrize("number", ["1" * 400, "1" * 5000, "-1e400", "1e999", "NaN", "-Infinity"])
def test_numbers_that_no_report_has(report: br.Report, number: str) -> None:
    """Numbers too large for a float, or not numbers at all, are one clear error."""
    for field in ("score", "p_value", "tp", "null_low", "dropped"):
        text = re.sub(rf'"{field}": [^,]+', f'"{field}": {number}', report.to_json(), count=1)
        with pytest.raises(InvalidReportError, match="a report must be the JSON"):
            br.Report.from_json(text)


@pytest.mark.parametrize("outcome", ["learned", "reversed", "worse"])
def test_an_outcome_that_the_question_does_not_have(outcome: str) -> None:
    """Only against a reference is a model worse; without one, it may have learned or not."""
    reference = None if outcome == "worse" else [0, 0, 1, 1]
    text = br.evaluate([1, 0, 1, 1], {"m": [1, 0, 0, 1]}, "F1", reference=reference).to_json()
    with pytest.raises(InvalidReportError, match="judged against"):
        br.Report.from_json(re.sub(r'"outcome": "\w+"', f'"outcome": "{outcome}"', text))


def test_files_that_are_no_reports(tmp_path: Path) -> None:
    """A missing file, a folder and a binary file are errors of ours."""
    with pytest.raises(br.exceptions.MissingFileError, match=r"no file .*nothing\.json"):
        br.Report.from_json(tmp_path / "nothing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe")
    for name in ("", "binary.json"):
        with pytest.raises(InvalidReportError):
            br.Report.from_json(tmp_path / name)


def test_json_of_other_programs(report: br.Report) -> None:
    """JavaScript writes 1.0 as 1, which is read; text in place of a number is an error."""
    text = report.to_json()
    read = br.Report.from_json(text.replace("1.0,", "1,").replace("0.0,", "0,"))
    assert str(read) == str(report)
    for wrong in ('"score": "abc"', '"score": true'):
        with pytest.raises(InvalidReportError, match="is not of type int or float"):
            br.Report.from_json(re.sub(r'"score": [\d.]+', wrong, text, count=1))
    with pytest.raises(InvalidReportError):
        br.Report.from_json("[" * 100_000)
    with pytest.raises(InvalidReportError, match=r"pass a pathlib\.Path"):
        br.Report.from_json("report.json")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(report: br.Report, grouped: br.Report, backend: str) -> None:
    """A data frame has one row per verdict and typed columns, in the library of choice."""
    assert list(report.to_frame("polars").columns) == TEN
    frame = report.to_frame(backend, full=True)
    assert type(frame).__module__.partition(".")[0] == backend
    assert frame.shape == (110, len(report.to_dicts()[0]))
    assert str(frame["score"].dtype if backend != "pyarrow" else frame["score"].type).lower() in (
        "float64",
        "double",
    )
    scores = frame["score"].to_pylist() if backend == "pyarrow" else frame["score"].to_list()
    expected = [verdict.score for verdict in report]
    for found, score in zip(scores, expected, strict=True):
        assert found == score or (math.isnan(score) and (found is None or math.isnan(found)))
    groups = grouped.to_frame(backend)["group"]
    values = groups.to_pylist() if backend == "pyarrow" else groups.to_list()
    assert values[3] == "2023"
    assert report.failures.failures.measure("TS").to_frame(backend).shape[0] > 0


def test_a_missing_library_says_how_to_install_it() -> None:
    """The error has the pip line."""
    script = (
        "import sys; sys.modules['pandas'] = None\n"
        "import baserate as br\n"
        "try: br.evaluate(None, br.ConfusionMatrix(tp=1, tn=1), 'ACC').to_frame()\n"
        "except br.exceptions.MissingDependencyError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == (
        "to_frame needs pandas, which is not installed: pip install pandas"
    )
    assert issubclass(MissingDependencyError, ImportError)
