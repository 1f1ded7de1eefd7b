"""What holds of every picture, whatever it shows."""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate import plots
from baserate.exceptions import InvalidReportError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(120) < 0.4).astype(int)
X = np.column_stack([TRUTH + RNG.normal(0, 1, 120), RNG.normal(0, 1, 120)])
MODELS = {"good": np.where(RNG.random(120) < 0.85, TRUTH, 1 - TRUTH), "none": 0 * TRUTH}
NUMBERS = {"line": 3 * X[:, 0] + RNG.normal(size=120), "far": RNG.normal(5, 2, 120)}
MODEL = LogisticRegression().fit(X, TRUTH)
CURVE = br.threshold_curve(TRUTH, X[:, 0], "MCC", threshold=0.5)
CALIBRATION = br.reliability_curve(TRUTH, MODEL.predict_proba(X)[:, 1], threshold=0.5)
BASELINE = plots.BaselineDisplay.from_predictions(TRUTH, MODELS, "F1", ax=Figure().subplots())
FEW = br.evaluate(TRUTH, MODELS, ["F1", "MCC"])
ALL = br.evaluate(TRUTH, MODELS, "all")
COMPARED = br.compare(TRUTH, MODELS, ["ACC", "BACC"])
NULL = br.null_distribution(TRUTH, MODELS["good"], "F1")

# Each picture, on given axes or on new ones.
PLOTS: dict[str, Callable[[Any], Any]] = {
    "baseline": BASELINE.plot,
    "null distribution": lambda ax: NULL.plot(ax=ax),
    "a model beside it": plots.NullDistributionDisplay(NULL, FEW["good", "F1"]).plot,
    "report": lambda ax: FEW.plot(ax=ax),
    "report of all measures": lambda ax: ALL.plot(ax=ax),
    "report of one model": lambda ax: ALL["good"].plot(ax=ax),
    "comparison": lambda ax: COMPARED.plot(ax=ax),
    "threshold": lambda ax: CURVE.plot(ax=ax),
    "reliability": lambda ax: CALIBRATION.plot(ax=ax),
}
RANKING = plots.RankingDisplay.from_estimator(MODEL, X, TRUTH, ax=Figure().subplots(1, 2))
RESIDUALS = plots.ResidualDisplay.from_predictions(X[:, 0], NUMBERS, ax=Figure().subplots(1, 2))
PAIRS = {"ranking": RANKING.plot, "residuals": RESIDUALS.plot}


def _is_pair(name: str) -> bool:
    return name in PAIRS


def _new(name: str, **options: Any) -> Any:
    return Figure(**options).subplots(1, 2 if _is_pair(name) else 1)


@pytest.fixture(params=[*PLOTS, *PAIRS])
def name(request: pytest.FixtureRequest) -> str:
    """Every picture in turn."""
    return str(request.param)


@pytest.fixture
def make(name: str) -> Callable[[Any], Any]:
    """Draw it."""
    return {**PLOTS, **PAIRS}[name]


def test_it_is_drawn_where_it_is_told(name: str, make: Callable[[Any], Any]) -> None:
    """With given axes pyplot is not touched; without, there is a new figure."""
    _, other = pyplot.subplots()
    before, settings = pyplot.get_fignums(), dict(mpl.rcParams)
    given = _new(name)
    display = make(given)
    first = given[0] if _is_pair(name) else given
    assert display.ax_ is first
    assert display.figure_ is first.figure
    assert pyplot.get_fignums() == before
    new = make(None)
    assert new.ax_ not in (first, other)
    assert not other.has_data()
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize(
    ("size", "font"),
    [
        pytest.param((6.4, 4.8), 10, marks=pytest.mark.exhaustive),
        ((3.4, 2.8), 10),
        ((10, 5.6), 16),
    ],
    ids=str,
)
def test_it_fits_a_screen_a_column_and_a_slide(
    name: str, make: Callable[[Any], Any], size: tuple[float, float], font: float
) -> None:
    """Everything that is drawn is inside the figure."""
    if _is_pair(name):  # with a legend below
        size = font, 0.8 * font
    with mpl.rc_context({"font.size": font}):
        ax = _new(name, figsize=size, layout="constrained")
        figure = make(ax).figure_
        figure.draw_without_rendering()
    inside = figure.bbox
    for part in (each.get_tightbbox() for each in figure.axes):
        assert part.x0 >= inside.x0 - 1
        assert part.y0 >= inside.y0 - 1
        assert part.x1 <= inside.x1 + 1
        assert part.y1 <= inside.y1 + 1


def test_it_is_drawn_again(name: str, make: Callable[[Any], Any]) -> None:
    """The data are stored, so plot draws the same on other axes."""
    display = make(None)
    first = display.ax_
    again = display.plot(_new(name))
    assert again is display
    assert again.ax_ is not first
    assert len(again.ax_.get_children()) == len(first.get_children())
    assert again.ax_.get_ylabel() == first.get_ylabel()
    assert len(repr(display)) < 100  # as in the output of a notebook


def test_it_yields_its_data(name: str, make: Callable[[Any], Any]) -> None:
    """They come as a data frame of the requested library."""
    display = make(_new(name))
    for backend in ("pandas", "polars", "pyarrow"):
        frame = display.frame(backend)
        assert type(frame).__module__.partition(".")[0] == backend
        assert len(frame) > 1
    with pytest.raises(InvalidReportError, match="backend must be"):
        display.frame("excel")


def test_without_matplotlib(make: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the line that installs it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match="pip install matplotlib"):
        make(None)


def test_names_with_dollars_are_no_formulas() -> None:
    """Neither of a model nor of a measure nor of a class; half a formula would raise."""
    name = r"$\frac{$"
    table = br.ConfusionMatrix(tp=9, fp=4, fn=7, tn=11)
    own = br.Measure.custom(name, lambda tp, fp, fn, tn: tp - fp, smooth=False)
    drawn = (
        plots.BaselineDisplay.from_predictions(None, {name: table}, own),
        plots.NullDistributionDisplay.from_predictions(None, table, own, name=name),
        br.evaluate(None, {name: table}, [own, "F1"]).plot(),
        plots.ThresholdDisplay.from_predictions([0, 1, 1, 0], [1, 2, 3, 4], own, name=name),
        br.compare(TRUTH, {name: MODELS["good"], "b": MODELS["none"]}, own).plot(),
    )
    for display in drawn:
        display.figure_.canvas.draw()


def test_all_ways_to_a_picture_draw_the_same() -> None:
    """From estimators, from their predictions and from a report."""
    models = {"logistic": MODEL, "dummy": DummyClassifier().fit(X, TRUTH)}
    predicted = {name: model.predict(X) for name, model in models.items()}
    report = br.evaluate(TRUTH, predicted, ["F1"])
    for display in (plots.BaselineDisplay, plots.ReportDisplay):
        made = [
            display.from_estimator(models, X, TRUTH, "F1"),
            display.from_predictions(TRUTH, predicted, "F1"),
            display.from_report(report, "f1"),
            display.from_report(report),
        ]
        assert len({_drawn(each.ax_) for each in made}) == 1
    single = plots.NullDistributionDisplay
    made = [
        single.from_estimator(MODEL, X, TRUTH, "F1", name="logistic"),
        single.from_predictions(TRUTH, predicted["logistic"], "F1", name="logistic"),
    ]
    assert len({_drawn(each.ax_) for each in made}) == 1
    one = plots.ComparisonDisplay.from_estimator(models, X, TRUTH, "ACC")
    assert one.comparison == br.compare(TRUTH, predicted, "ACC")


def _drawn(ax: Axes) -> bytes:
    lines = [line.get_xydata() for line in ax.lines]
    bars = [(bar.get_x(), bar.get_height()) for bar in ax.patches]
    return pickle.dumps((lines, bars, [text.get_text() for text in ax.texts], ax.get_ylabel()))


@pytest.mark.parametrize(
    "draw",
    [
        br.Report.plot,
        plots.BaselineDisplay.from_report,
        plots.NullDistributionDisplay.from_report,
        plots.RankingDisplay.from_report,
    ],
)
def test_a_report_without_verdicts_is_not_drawn(draw: Any) -> None:
    """A report without failures has nothing to draw."""
    failures = br.evaluate(*np.tile([0, 1] * 50, (2, 1)), "F1").failures
    with pytest.raises(InvalidReportError, match="a verdict to draw"):
        draw(failures)
