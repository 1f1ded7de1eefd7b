"""Examples of each error: run the code that a user would type, and show the message."""

from __future__ import annotations

import sys
import tempfile
import warnings
from contextlib import chdir
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd

import baserate as br

# The code to run, keyed by the name of the error. The base of all errors is never raised itself.
TYPED = {
    "InvalidCountError": "br.BaseRate(positives=0.3, total=1)",
    "InvalidFileError": 'br.scan("predictions.xlsx")',
    "InvalidFrameError": (
        'frame = pd.DataFrame({"y": [1, 0], "tree": [1, 0]})\n'
        'br.evaluate(frame, truth="y", predictions=["treee"])'
    ),
    "InvalidLabelsError": 'br.evaluate(["ill", "well"], ["ill", "ill"])',
    "InvalidMeasureError": "br.fbeta(-1)",
    "InvalidPredictionsError": "br.evaluate(None, [1, 0, 1])",
    "InvalidProbabilityError": 'br.assert_beats_baseline([1, 0], [1, 0], "F1", alpha=5)',
    "InvalidReportError": 'br.Report.from_json("report.json")',
    "InvalidSampleError": "br.DutchDraw([1, 0, 0], theta=0.5).predict(rng=-1)",
    "InvalidScoresError": 'br.threshold_curve([1, 0], [[0.1, 0.9], [0.8, 0.2]], "F1")',
    "InvalidTargetError": 'br.DutchDrawClassifier("F1").fit([[0], [0], [0]], [1, 1, 1])',
    "InvalidThetaError": "br.DutchDraw([1, 0, 0], theta=40)",
    "MissingDependencyError": "br.evaluate([1, 0], [1, 0]).to_frame()",
    "MissingFileError": 'br.scan("predictions.parquet")',
    "MissingLabelsWarning": (
        'frame = pd.DataFrame({"y": [1, 0, 1], "tree": [1, 0, None]})\n'
        'br.Confusion.from_frame(frame, "y", "tree", missing="drop")'
    ),
    "NoBaselineError": 'br.baseline([1, 0, 0], "PT")',
    "NotInReportError": 'br.evaluate([1, 0], {"tree": [1, 0]})["forest"]',
    "TooManyValuesError": (
        "rate = br.BaseRate(positives=10**9, total=10**10)\n"
        'br.DutchDraw(rate, theta=0.5).score("F1").values()'
    ),
    "UndefinedMeasureError": 'br.baseline([0, 0, 0], "F1")',
    "UndefinedMeasureWarning": 'br.get_measure("PPV").score(br.Confusion(fn=3, tn=7))',
    "UnknownMeasureError": 'br.get_measure("precison")',
    "UnwritableFileError": 'br.evaluate([1, 0], [1, 0]).to_html("nowhere/report.html")',
}
# A file that exists, and a package that does not.
_FILE = "predictions.xlsx"
_WITHOUT: dict[str, dict[str, Any]] = {"MissingDependencyError": {"pandas": None}}


def example(error: type[Exception]) -> str:
    """Return the code and its message as a session; empty for the base of all errors."""
    typed = TYPED.get(error.__name__)
    if typed is None:
        return ""
    lines = "\n".join(f">>> {line}" for line in typed.splitlines())
    with patch.dict(sys.modules, _WITHOUT.get(error.__name__, {})):
        said = _said(typed)
    if type(said) is not error:
        raise TypeError(f"{typed!r} must end in {error.__name__} (got {said!r})")
    return f"```python\n{lines}\n{error.__name__}: {said}\n```"


def _said(typed: str) -> Warning | Exception | str | None:
    """Run the code in its own folder, and return the error or the warning."""
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        Path(_FILE).touch()
        try:
            exec(typed, {"br": br, "pd": pd})  # noqa: S102
        except br.exceptions.BaserateError as error:
            return error
    return caught[0].message if caught else None
