"""The calls of the library that the properties make, and what they read of the results.

Everything goes through public names, and through this file alone: where a name changes, it
changes here.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest

import baserate as br
from baserate.cli import main  # the command, as pyproject.toml names it

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Bounds = tuple[float, float]


@dataclass(frozen=True)
class Facts:
    """What is said of one model by one measure."""

    score: float
    baseline: float
    margin: float
    rescaled: float
    p_value: float
    p_worse: float
    exact: bool
    interval: Bounds
    margin_interval: Bounds
    outcome: str


@dataclass(frozen=True)
class Gain:
    """What is said of two models by one measure: by how much the first is better."""

    scores: tuple[float, float]
    gain: float
    interval: Bounds
    p_value: float
    exact: bool
    shown: str  # which of them is better, or neither

    def turned(self) -> Gain:
        """Return what this says of the second against the first."""
        low, high = self.interval
        other = {"first": "second", "second": "first"}.get(self.shown, self.shown)
        return Gain(self.scores[::-1], -self.gain, (-high, -low), self.p_value, self.exact, other)


# What a comparison, and what a verdict against a reference, say of models that differ.
_SHOWN = {"first": "first", "second": "second", "clears": "first", "worse": "second"}


def verdict(y_true: Any, y_pred: Any, measure: str, **options: Any) -> Facts:
    """Judge one model by one measure."""
    return verdicts(y_true, {"model": y_pred}, [measure], **options)["model", measure]


def verdicts(
    y_true: Any, models: Mapping[str, Any], measures: list[str], **options: Any
) -> dict[tuple[str, str], Facts]:
    """Judge models by measures, in one report."""
    with _quiet():
        report = br.evaluate(y_true, models, measures, **options)
    return {(model, measure): _facts(report[model, measure]) for model, measure in _asked(report)}


def frame_verdict(frame: Any, truth: str, column: str, measure: str, **options: Any) -> Facts:
    """Judge a column of a frame, whatever library it is of, by one measure."""
    with _quiet():
        report = br.evaluate(frame, column, measure, truth=truth, **options)
    return _facts(next(iter(report)))


def command_verdict(
    file: Path, truth: str, column: str, measure: str, *, as_scores: bool, **options: Any
) -> Facts:
    """Judge a column of a file by the command, and read the JSON that it writes."""
    words = ["evaluate", str(file), "--truth", truth, "--score" if as_scores else "--model", column]
    words += ["-m", measure, "--format", "json"]
    renamed = {"sample_weight": "weight"}
    for name, value in options.items():
        words += [f"--{renamed.get(name, name)}", str(value)]
    written = file.with_suffix(".json")
    words += ["--output", str(written), "--force"]
    with patch("sys.argv", ["baserate", *words]), pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    return _facts(next(iter(br.Report.from_json(written.read_text(encoding="utf-8")))))


def database_table(frame: Any) -> Any:
    """Put a frame into a database."""
    return duckdb.connect().from_arrow(pa.Table.from_pandas(frame))


def scan(path: Any) -> Any:
    """Name a file as a frame."""
    return br.scan(path)


def gain(y_true: Any, first: Any, second: Any, measure: str, **options: Any) -> Gain:
    """Compare two models by one measure."""
    with _quiet():
        (found,) = br.compare(y_true, {"first": first, "second": second}, measure, **options)
    sign = -1 if found.direction is br.Direction.MAXIMIZE else 1
    low, high = sorted((sign * found.low, sign * found.high))
    return Gain(
        (found.first_score, found.second_score),
        sign * found.difference,
        (low, high),
        found.p_value,
        found.exact,
        _SHOWN.get(found.outcome.value, "neither"),
    )


def gain_on_reference(y_true: Any, first: Any, second: Any, measure: str, **options: Any) -> Gain:
    """Judge the first of two models against the second, by one measure."""
    with _quiet():
        (found,) = br.evaluate(
            y_true, {"first": first}, measure, reference={"second": second}, **options
        )
    return Gain(
        (found.score, found.baseline),
        found.margin,
        (found.margin_low, found.margin_high),
        found.p_value,
        found.exact,
        _SHOWN.get(found.outcome.value, "neither"),
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Let undefined scores and intervals of small data pass: the properties are not about them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.exceptions.UndefinedMeasureWarning)
        yield


def _asked(report: br.Report) -> Iterator[tuple[str, str]]:
    return ((each.model, each.measure) for each in report)


def _facts(found: br.Verdict) -> Facts:
    return Facts(
        found.score,
        found.baseline,
        found.margin,
        found.rescaled,
        found.p_value,
        found.p_worse,
        found.exact,
        (found.low, found.high),
        (found.margin_low, found.margin_high),
        found.outcome.value,
    )
