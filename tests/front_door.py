"""The library's public names, as the net of golden results and properties calls them.

Public names may change; then this file changes, and nothing that is compared does. Results are
plain: dictionaries of numbers, texts and lists. Nothing here imports an internal module.
"""

from __future__ import annotations

import math
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
from baserate.core.measure import Direction
from baserate.kinds.scores import SCORE_MEASURES
from baserate.measures.class_scores import CLASS_SCORE_MEASURES
from baserate.measures.classes import CLASS_MEASURES
from baserate.measures.numbers import NUMBER_MEASURES
from baserate.measures.two_classes import TWO_CLASS_MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

Record = dict[str, Any]


def two_classes(tp: int, fp: int, fn: int, tn: int) -> Any:
    """Return an observed table of two classes."""
    return br.ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn)


def several_classes(table: Sequence[Sequence[int]]) -> Any:
    """Return an observed table of several classes: a row per true class."""
    return br.ConfusionMatrix(table)


def base_rate(positives: int, total: int) -> Any:
    """Return a test set of two classes."""
    return br.BaseRate(positives=positives, total=total)


def class_counts(counts: Mapping[str, int]) -> Any:
    """Return a test set of several classes."""
    return br.BaseRate(counts)


def custom(key: str, function: Any, **facts: Any) -> Any:
    """Return a measure of the user's own, a function of the four counts."""
    return br.Measure.custom(key, function, **facts)


def custom_of_table(key: str, function: Any, **facts: Any) -> Any:
    """Return a measure of the user's own, a function of a table of several classes."""
    return br.Measure.custom(key, function, **facts)


def catalogue(kind: str) -> list[str]:
    """Return the names of all measures of one kind of prediction."""
    names = {
        "two classes": TWO_CLASS_MEASURES,
        "several classes": CLASS_MEASURES,
        "scores": SCORE_MEASURES,
        "class probabilities": CLASS_SCORE_MEASURES,
        "numbers": NUMBER_MEASURES,
    }
    return list(names[kind])


def evaluate(*arguments: Any, **options: Any) -> dict[str, Record]:
    """Return every verdict of a report by its model, group and measure."""
    return {_title(each): _verdict(each) for each in br.evaluate(*arguments, **options)}


def compare(*arguments: Any, **options: Any) -> dict[str, Record]:
    """Return every difference of a comparison by its models, group and measure."""
    return {_pair(each): _difference(each) for each in br.compare(*arguments, **options)}


def _verdict(found: Any) -> Record:
    """Return the numbers of one verdict."""
    return {
        "score": found.score,
        "low": found.low,
        "high": found.high,
        "baseline": found.baseline,
        "margin": found.margin,
        "margin_low": found.margin_low,
        "margin_high": found.margin_high,
        "p_value": _p(found.p_value, exact=found.exact),
        "p_worse": _p(found.p_worse, exact=found.exact),
        "p_adjusted": _p(found.p_adjusted, exact=found.exact),
        "exact": found.exact,
        "chance_low": found.null_low,
        "chance_high": found.null_high,
        "rescaled": found.rescaled,
        "dutch_scaler": found.dutch_scaler,
        "informative": found.informative,
        "outcome": str(found.outcome),
        "rows_needed": found.rows_needed,
    }


def _difference(found: Any) -> Record:
    """Return the numbers of one difference: the first score minus the second."""
    return {
        "first": found.first_score,
        "second": found.second_score,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "p_value": _p(found.p_value, exact=found.exact),
        "p_adjusted": _p(found.p_adjusted, exact=found.exact),
        "exact": found.exact,
        "outcome": str(found.outcome),
        "rows_needed": found.rows_needed,
    }


def baseline(test_set: Any, measure: Any, **options: Any) -> Record:
    """Return the best and the worst guess of a test set."""
    found = br.baseline(test_set, measure, **options)
    return {
        "baseline": found.best.value,
        "worst": found.worst.value,
        "guesses": _guesses(found.best),
        "certain": found.best.exact,
    }


def p_value(*arguments: Any, exact: bool, **options: Any) -> Record:
    """Return the p-value of a model by one measure, which is known to be exact or may not be."""
    return {"p_value": _p(br.p_value(*arguments, **options), exact=exact)}


def confidence_interval(*arguments: Any, **options: Any) -> Record:
    """Return a score and its interval."""
    found = br.confidence_interval(*arguments, **options)
    return {"score": found.score, "low": found.low, "high": found.high}


def null_distribution(test_set: Any, guess: Any, measure: Any, at: Iterable[float]) -> Record:
    """Return the distribution of a shuffled guess: moments, and the chance of some scores."""
    found = br.null_distribution(test_set, guess, measure)
    up, down = Direction.MAXIMIZE, Direction.MINIMIZE
    return {
        "mean": found.mean(),
        "variance": found.var(),
        "sf": [_p(found.tail(score, up), exact=found.exact) for score in at],
        "cdf": [_p(found.tail(score, down), exact=found.exact) for score in at],
        "exact": found.exact,
    }


def rescaled_score(*arguments: Any, **options: Any) -> Record:
    """Return a score between the worst guess, the best guess and perfection."""
    return {"rescaled": br.rescaled_score(*arguments, **options)}


def dutch_scaler(*arguments: Any, **options: Any) -> Record:
    """Return how much of an oracle explains a score."""
    return {"dutch_scaler": br.dutch_scaler(*arguments, **options)}


def expected_score(test_set: Any, measure: Any, theta: Sequence[float]) -> Record:
    """Return the expected score of the Dutch Draw for some θ."""
    return {"expected": [float(br.expected_score(test_set, measure, each)) for each in theta]}


def threshold_curve(*arguments: Any, **options: Any) -> Record:
    """Return what the sweep of a threshold found."""
    curve = br.threshold_curve(*arguments, **options)
    return {
        "cutoffs": [float(each) for each in curve.cutoffs[:20]],
        "scores": [float(each) for each in curve.scores[:20]],
        "best_cutoff": curve.best.threshold,
        "best": curve.best.verdict.score,
        "baseline": curve.baseline.best.value,
        "p_value": _p(curve.p_value, exact=curve.exact),
        "exact": curve.exact,
        "diagnosis": str(curve.diagnosis),
    }


def reliability_curve(*arguments: Any, **options: Any) -> Record:
    """Return how well probabilities are calibrated."""
    curve = br.reliability_curve(*arguments, **options)
    parts = curve.decomposition
    return {
        "parts": [parts.miscalibration, parts.discrimination, parts.uncertainty],
        "recalibrated": [float(each) for each in curve.recalibrated[:20]],
        "diagnosis": str(curve.diagnosis),
    }


def chance(options: Any, at: Sequence[float], **facts: Any) -> Record:
    """Return what guessing scores on questions with a few options."""
    found = br.chance(options, **facts)
    return {
        "mean": found.mean(),
        "sd": found.std(),
        "sf": [_p(found.p_value(score), exact=True) for score in at],
        "interval": [float(end) for end in found.interval()],
        "baseline": None if found.baseline is None else float(found.baseline),
    }


def passes_gate(*arguments: Any, **options: Any) -> Record:
    """Return whether a model passes the gate of a test suite."""
    try:
        br.assert_beats_baseline(*arguments, **options)
    except AssertionError:
        return {"passes": False}
    return {"passes": True}


def _title(found: Any) -> str:
    group = "" if found.group is None else f" [{found.group}]"
    return f"{found.model}{group} {found.measure}"


def _pair(found: Any) -> str:
    group = "" if found.group is None else f" [{found.group}]"
    return f"{found.first} - {found.second}{group} {found.measure}"


def _guesses(best: Any) -> Any:
    """Return how many guesses are optimal and the first of them, or words where they have them."""
    guesses = best.guesses
    if isinstance(guesses, str):
        return guesses
    if isinstance(guesses, tuple):  # constants, each from a low to a high end; none is the worst
        return [[each.low, each.high] for each in guesses[:3]]
    size = guesses.size if hasattr(guesses, "size") else len(guesses)
    return [min(size, 10**6), next(iter(guesses))]


def _p(value: float, *, exact: bool) -> list[float]:
    """Return a p-value and its stated error, which is 0 if it is exact.

    Where it is not, saddlepoints state up to 7%, simulations are of about 20,000 draws, and no
    p-value below 5e-5 is told apart from that (docs/decisions/0005-one-null-distribution.md).
    """
    if exact or math.isnan(value):
        return [value, 0.0]
    return [value, 0.07 * value + 3 * math.sqrt(value * (1 - value) / 20_000) + 5e-5]


# --- what the properties compare ------------------------------------------------------------------


@dataclass(frozen=True)
class Gain:
    """What is said of two models by one measure: by how much the first is better."""

    scores: tuple[float, float]
    gain: float
    low: float
    high: float
    p_value: float
    exact: bool
    shown: str  # which of them is better, or neither

    def turned(self) -> Gain:
        """Return what this says of the second against the first."""
        other = {"first": "second", "second": "first"}.get(self.shown, self.shown)
        return Gain(
            self.scores[::-1], -self.gain, -self.high, -self.low, self.p_value, self.exact, other
        )


# What a comparison, and what a verdict against a reference, say of models that differ.
_SHOWN = {"first": "first", "second": "second", "clears": "first", "worse": "second"}


def verdict(y_true: Any, y_pred: Any, measure: str, **options: Any) -> br.Verdict:
    """Judge one model by one measure."""
    return verdicts(y_true, {"model": y_pred}, [measure], **options)["model", measure]


def verdicts(
    y_true: Any, models: Mapping[str, Any], measures: list[str], **options: Any
) -> dict[tuple[str, str], br.Verdict]:
    """Judge models by measures, in one report."""
    with _quiet():
        report = br.evaluate(y_true, models, measures, **options)
    return {(each.model, each.measure): each for each in report}


def verdicts_by_group(
    y_true: Any, y_pred: Any, measure: str, **options: Any
) -> dict[Any, br.Verdict]:
    """Judge one model by one measure, as a whole and in groups."""
    with _quiet():
        report = br.evaluate(y_true, y_pred, measure, **options)
    return {each.group: each for each in report}


def frame_verdict(frame: Any, truth: str, column: str, measure: str, **options: Any) -> br.Verdict:
    """Judge a column of a frame, whatever library it is of, by one measure."""
    with _quiet():
        report = br.evaluate(frame, column, measure, truth=truth, **options)
    return next(iter(report))


def command_verdict(
    file: Path, truth: str, column: str, measure: str, *, as_scores: bool, **options: Any
) -> br.Verdict:
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
    return next(iter(br.Report.from_json(written.read_text(encoding="utf-8"))))


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
    sign = 1 if found.direction is Direction.MAXIMIZE else -1
    low, high = sorted((sign * found.low, sign * found.high))
    return Gain(
        (found.first_score, found.second_score),
        sign * found.difference,
        low,
        high,
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
        found.margin_low,
        found.margin_high,
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
