"""Examples of each error: run the code that a user would type, and show the message."""

from __future__ import annotations

import sys
import tempfile
import warnings
from contextlib import chdir, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd

import baserate as br

# The code to run, keyed by the name of the error. The base of all errors is never raised itself.
TYPED = {
    "InvalidCountError": (
        "br.BaseRate(positives=0.3, total=1)",
        "br.BaseRate(positives=12, total=10)",
        "br.ConfusionMatrix(tp=-1)",
        "br.ConfusionMatrix([[50, 15, 5], [8, 10, 2]])",
    ),
    "InvalidFileError": (
        'br.scan("predictions.xlsx")',
        'br.scan("predictions.csv")',
    ),
    "InvalidFrameError": (
        (
            'frame = pd.DataFrame({"y": [1, 0], "tree": [1, 0]})\n'
            'br.evaluate(frame, truth="y", y_pred=["treee"])'
        ),
        'br.evaluate([1, 0], truth="y", y_pred=["tree"])',
    ),
    "InvalidLabelsError": (
        'br.evaluate(["ill", "well"], ["ill", "ill"])',
        'br.evaluate(["ill", "well"], ["ill", "ill"], pos_label="sick")',
        'br.ConfusionMatrix.of(["0", "1"], [0, 1], pos_label=1)',
        "br.evaluate([1, 0, None], [1, 0, 1])",
        "br.evaluate([1, 0], [1, 0, 1])",
        (
            'frame = pd.DataFrame({"y": [1, 0, None], "tree": [1, 0, 1]})\n'
            'br.evaluate(frame, truth="y", y_pred="tree")'
        ),
    ),
    "InvalidMeasureError": (
        "br.fbeta(-1)",
        'br.get_measure("fbeta")',
        'br.evaluate([1, 0], [1, 0], ["F1", "f1"])',
        'br.get_measure("macro F1", zero_division=1)',
        'br.Measure.custom("lift", lambda tp, fp, fn, tn: "high")',
    ),
    "InvalidPredictionsError": (
        "br.evaluate(None, [1, 0, 1])",
        "br.evaluate([1, 0], {})",
        'br.evaluate([1, 0], [1, 0], by=["a", "b", "c"])',
    ),
    "InvalidProbabilityError": ('br.assert_beats_baseline([1, 0], [1, 0], "F1", alpha=5)',),
    "InvalidReportError": ('br.Report.from_json("report.json")',),
    "InvalidSampleError": ("br.DutchDraw([1, 0, 0], theta=0.5).predict(rng=-1)",),
    "InvalidScoresError": (
        'br.threshold_curve([1, 0], [[0.1, 0.9], [0.8, 0.2]], "F1")',
        'br.threshold_curve([1, 0], [0.9, float("nan")], "F1")',
    ),
    "InvalidTargetError": (
        'br.sklearn.DutchDrawClassifier("F1").fit([[0], [0], [0]], [1, 1, 1])',
        'br.sklearn.DutchDrawClassifier("F1").fit([[0], [0], [0]], [0, 1, 2])',
    ),
    "InvalidThetaError": (
        "br.DutchDraw([1, 0, 0], theta=40)",
        "br.DutchDraw([1, 0, 0])",
    ),
    "InvalidWeightsError": (
        "br.evaluate([1, 0], [1, 0], sample_weight=[3, 1])",
        'br.evaluate([1, 0], [1, 0], sample_weight=[3, 0.5], weights="frequency")',
        'br.evaluate([1, 0], [1, 0], sample_weight=[3, -1], weights="importance")',
    ),
    "MisalignedRowsError": (
        (
            "y_true = pd.Series([1, 0, 1], index=[7, 8, 9])\n"
            "br.evaluate(y_true, y_true.sort_values())"
        ),
        (
            "y_true = pd.Series([1, 0, 1], index=[7, 8, 9])\n"
            "br.evaluate(y_true, pd.Series([1, 0, 0]))"
        ),
    ),
    "MisplacedArgumentError": (
        'br.rescaled_score([1, 0, 1], 0.8, "F1")',
        'br.evaluate(["F1", "MCC"], [1, 0, 1], [1, 0, 0])',
        'br.evaluate({"tree": [1, 0, 1]}, [1, 0, 0])',
    ),
    "MissingDependencyError": ("br.evaluate([1, 0], [1, 0]).to_frame()",),
    "MissingFileError": ('br.scan("predictions.parquet")',),
    "MissingLabelsWarning": (
        (
            'frame = pd.DataFrame({"y": [1, 0, 1], "tree": [1, 0, None]})\n'
            'br.ConfusionMatrix.from_frame(frame, "y", "tree", missing="drop")'
        ),
    ),
    "NoBaselineError": ('br.baseline([1, 0, 0], "PT")',),
    "NotInReportError": ('br.evaluate([1, 0], {"tree": [1, 0]})["forest"]',),
    "TooManyClassesError": (
        'br.evaluate([0, 1, 2], {"tree": [0, 1, 1]}, "F1")',
        'br.threshold_curve(["a", "b", "c"], [0.9, 0.5, 0.1], "F1")',
    ),
    "TooManyValuesError": (
        (
            "rate = br.BaseRate(positives=10**11, total=10**12)\n"
            'square = br.Measure.custom("square", lambda tp, fp, fn, tn: tp**2)\n'
            "br.null_distribution(rate, 10**11, square).cdf(0)"
        ),
    ),
    "UndefinedMeasureError": (
        'br.baseline([0, 0, 0], "F1")',
        'br.DutchDraw([1, 0, 0], theta=0).score("PPV")',
    ),
    "UndefinedMeasureWarning": ('br.get_measure("PPV").score(br.ConfusionMatrix(fn=3, tn=7))',),
    "UnknownMeasureError": (
        'br.get_measure("precison")',
        'br.get_measure("zzz")',
    ),
    "UnseenClassWarning": (
        'br.evaluate(["a", "b", "c", "a"], ["a", "b", "C", "a"], "macro F1", task="multiclass")',
    ),
    "UnwritableFileError": ('br.evaluate([1, 0], [1, 0]).to_html("nowhere/report.html")',),
}
# Files that are there, and a package that is not.
_FILES = ("predictions.xlsx", "predictions.csv")
_WITHOUT: dict[str, dict[str, Any]] = {"MissingDependencyError": {"pandas": None}}


def examples(error: type[Exception]) -> list[str]:
    """Return what is typed and what is said, as sessions; none for the base of all errors."""
    absent = _WITHOUT.get(error.__name__)
    # The patch also forgets what is first imported inside: compiled modules load only once.
    with patch.dict(sys.modules, absent) if absent else nullcontext():
        return [_session(typed, error) for typed in TYPED.get(error.__name__, ())]


def _session(typed: str, error: type[Exception]) -> str:
    said = _said(typed)
    if type(said) is not error:
        raise TypeError(f"{typed!r} must end in {error.__name__} (got {said!r})")
    lines = "\n".join(f">>> {line}" for line in typed.splitlines())
    return f"```python\n{lines}\n{error.__name__}: {said}\n```"


def _said(typed: str) -> Warning | Exception | str | None:
    """Run the code in its own folder, and return the error or the warning."""
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        for file in _FILES:
            Path(file).touch()
        try:
            exec(typed, {"br": br, "pd": pd})  # noqa: S102
        except br.exceptions.BaserateError as error:
            return error
    return caught[0].message if caught else None
