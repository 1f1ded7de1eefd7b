"""The displays, tested by what they draw."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import baserate as br
from baserate.displays.style import MODELS
from baserate.displays.thinning import outline
from baserate.exceptions import (
    InvalidPredictionsError,
    InvalidReportError,
    MissingDependencyError,
    UndefinedMeasureError,
)
from baserate.null.histogram import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(200) < 0.4).astype(int)
X = np.column_stack([TRUTH + RNG.normal(0, 1, 200), RNG.normal(0, 1, 200)])
GOOD = np.where(RNG.random(200) < 0.85, TRUTH, 1 - TRUTH)
POOR = np.where(RNG.random(200) < 0.1, TRUTH, 0)
MODEL = LogisticRegression().fit(X, TRUTH)

# Each display, on given axes or on new ones.
DISPLAYS: dict[str, Callable[[Axes | None], Any]] = {
    "baseline": lambda ax: br.BaselineDisplay.from_predictions(
        TRUTH, {"good": GOOD, "poor": POOR}, "F1", ax=ax
    ),
    "law": lambda ax: br.ScoreDistributionDisplay.from_predictions(TRUTH, GOOD, "F1", ax=ax),
    "comparison": lambda ax: br.ComparisonDisplay.from_predictions(
        TRUTH, {"good": GOOD, "poor": POOR}, "all", ax=ax
    ),
    "comparison of few": lambda ax: br.ComparisonDisplay.from_predictions(
        TRUTH, {"good": GOOD, "poor": POOR}, ["F1", "MCC"], ax=ax
    ),
    "threshold": lambda ax: br.ThresholdDisplay.from_estimator(MODEL, X, TRUTH, "MCC", ax=ax),
}


@pytest.fixture(params=DISPLAYS.values(), ids=DISPLAYS)
def make(request: pytest.FixtureRequest) -> Callable[[Axes | None], Any]:
    """Every display in turn."""
    return request.param  # type: ignore[no-any-return]


def _labels(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def test_a_display_draws_where_it_is_told(make: Callable[[Axes | None], Any]) -> None:
    """With given axes a display does not touch pyplot; without, it makes its own figure."""
    from matplotlib import pyplot

    _, other = pyplot.subplots()
    before, settings = pyplot.get_fignums(), dict(mpl.rcParams)
    given = Figure().subplots()
    display = make(given)
    assert display.ax_ is given
    assert display.figure_ is given.figure
    assert pyplot.get_fignums() == before
    new = make(None)
    assert new.ax_ not in (given, other)
    assert not other.has_data()
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize(
    ("size", "font"),
    [
        pytest.param((6.4, 4.8), 10, marks=pytest.mark.exhaustive),
        pytest.param((3.4, 2.6), 8, marks=pytest.mark.exhaustive),
        ((3.4, 2.6), 10),
        ((10, 5.6), 16),
    ],
)
def test_it_fits_a_screen_a_column_and_a_slide(
    make: Callable[[Axes | None], Any], size: tuple[float, float], font: float, tmp_path: Any
) -> None:
    """Everything drawn is inside the figure, at any size and font."""
    with mpl.rc_context({"font.size": font}):
        figure = Figure(figsize=size, layout="constrained")
        display = make(figure.subplots())
        figure.savefig(tmp_path / "figure.png")
        inside = figure.bbox
        labels = [axis.label for axis in (display.ax_.xaxis, display.ax_.yaxis)]
        parts = [*figure.axes, *(label for label in labels if label.get_text())]
    for part in (each.get_tightbbox() for each in parts):
        assert part.x0 >= inside.x0 - 1
        assert part.y0 >= inside.y0 - 1
        assert part.x1 <= inside.x1 + 1
        assert part.y1 <= inside.y1 + 1
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_names_with_dollars_are_no_formulas() -> None:
    """Neither of a model nor of a measure; half a formula made every picture fail."""
    name = r"$\frac{$"
    table = br.Confusion(tp=9, fp=4, fn=7, tn=11)
    own = br.Measure.custom(name, lambda tp, fp, fn, tn: tp - fp, smooth=False)
    drawn = (
        br.BaselineDisplay.from_predictions(None, {name: table}, own),
        br.ScoreDistributionDisplay.from_predictions(None, table, own, name=name),
        br.ComparisonDisplay.from_predictions(None, {name: table}, own),
        br.ThresholdDisplay.from_predictions([0, 1, 1, 0], [1, 2, 3, 4], own, name=name),
        br.DifferenceDisplay.from_predictions(TRUTH, {name: GOOD, f"{name}2": POOR}, own),
    )
    for display in drawn:
        display.figure_.canvas.draw()


def test_a_legend_that_fits_nowhere() -> None:
    """A name too long for any figure is cut at its edge, in the smallest font."""
    tables = {"a model with a very long name " * 9: br.Confusion(tp=9, fp=4, fn=7, tn=11)}
    ax = Figure(figsize=(2, 2)).subplots()
    br.BaselineDisplay.from_predictions(None, tables, "F1", ax=ax)
    assert ax.get_legend().get_window_extent().width > ax.get_window_extent().width


def test_a_display_is_drawn_again(make: Callable[[Axes | None], Any]) -> None:
    """The data are stored, so plot draws the same on other axes."""
    display = make(None)
    first = display.ax_
    again = display.plot(Figure().subplots())
    assert again is display
    assert again.ax_ is not first
    assert len(again.ax_.get_children()) == len(first.get_children())
    assert again.ax_.get_ylabel() == first.get_ylabel()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_display_yields_its_table(make: Callable[[Axes | None], Any], backend: str) -> None:
    """The drawn data come as a data frame of the requested library."""
    frame = make(Figure().subplots()).frame(backend)
    assert type(frame).__module__.partition(".")[0] == backend
    assert len(frame) > 3


def test_an_unknown_library(make: Callable[[Axes | None], Any]) -> None:
    """An unknown library is one clear error."""
    with pytest.raises(InvalidReportError, match="backend must be"):
        make(Figure().subplots()).frame("excel")


def test_without_matplotlib(
    make: Callable[[Axes | None], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error has the line that installs it."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match="pip install matplotlib"):
        make(None)


def test_the_baseline_display() -> None:
    """It draws the curve, the band, the baseline, and models, filled or hollow, at their own θ*."""
    display = DISPLAYS["baseline"](None)
    base = br.baseline(TRUTH, "F1")
    theta, expected = display.expectation_.get_data()
    np.testing.assert_allclose(expected, br.expected_score(TRUTH, "F1", theta))
    assert display.baseline_.get_ydata()[0] == base.best.value
    low, high = display.draws.low, display.draws.high
    assert np.nanmin(display.band_.get_paths()[0].vertices[:, 1]) == low.min()
    assert np.nanmax(display.band_.get_paths()[0].vertices[:, 1]) == high.max()
    good, poor = display.points_
    assert good.get_xdata()[0] == GOOD.mean()
    assert good.get_ydata()[0] == br.get_measure("F1").score(br.Confusion.of(TRUTH, GOOD))
    assert (good.get_markerfacecolor(), poor.get_markerfacecolor()) == (MODELS[0], "none")
    baseline = f"baseline {base.best.value:.3f}"
    assert _labels(display.ax_) == [
        "95% of draws",
        "expected of a draw",
        baseline,
        "good",
        "poor (fails)",
    ]
    assert display.ax_.get_ylabel() == "F1 score (higher is better)"
    frame = display.frame()
    assert frame["what"].tolist()[-2:] == ["good", "poor"]
    assert frame["score"].max() == good.get_ydata()[0]


def test_the_baseline_without_models_and_of_estimators() -> None:
    """A test set is enough; one or more estimators are asked to predict."""
    alone = br.BaselineDisplay.from_test_set(br.BaseRate(positives=3, total=10), "FDR")
    assert alone.points_ == []
    assert "lower is better" in alone.ax_.get_ylabel()
    models = {"logistic": MODEL, "dummy": DummyClassifier().fit(X, TRUTH)}
    display = br.BaselineDisplay.from_estimator(models, X, TRUTH, "ACC")
    assert [verdict.model for verdict in display.verdicts] == ["logistic", "dummy"]
    text = np.where(TRUTH == 1, "ill", "well")
    named = br.BaselineDisplay.from_estimator(LogisticRegression().fit(X, text), X, text, "F1")
    assert named.verdicts[0].model == "LogisticRegression"
    assert named.baseline.base_rate == br.BaseRate.of(text, pos_label="well")
    with pytest.raises(InvalidPredictionsError, match="at least one model"):
        br.BaselineDisplay.from_estimator({}, X, TRUTH, "F1")


def test_the_law_of_a_score() -> None:
    """The bars are the distribution; those at least as good as the model sum to its p-value."""
    table = br.Confusion(tp=8, fp=6, fn=4, tn=12)
    display = br.ScoreDistributionDisplay.from_predictions(None, table, "MCC", name="tree")
    below = np.cumsum(display.bars.probabilities)[:-1]
    found = [display.null.cdf(score) for score in display.bars.scores[:-1]]
    np.testing.assert_allclose(below, found)
    reached = sum(bar.get_height() for bar in display.reached_)
    assert reached == pytest.approx(display.p_value, rel=1e-4)
    assert display.p_value == pytest.approx(br.p_value(table), rel=1e-14)
    heights = [bar.get_height() for bar in (*display.bars_, *display.reached_)]
    assert sum(heights) == pytest.approx(1, abs=1e-4)
    assert display.score_.get_xdata()[0] == display.score
    label = f"tree: {display.score:.4g} (p = {display.p_value:.3f})"
    assert _labels(display.ax_) == [label, "draws of 14 of 30", "at least as good"]


@pytest.mark.parametrize("key", ["F1", "FDR", "G2", "MCC"])
@pytest.mark.parametrize("total", [10**4, 10**7, 10**12])
def test_the_bars_of_a_long_law(key: str, total: int) -> None:
    """Scores are binned, never across the model's own; the mean and the tail are kept."""
    rate = br.BaseRate(positives=3 * total // 10, total=total)
    law = br.DutchDraw(rate, theta=0.25).score(key)
    score = law.ppf(0.8)
    direction = br.get_measure(key).direction
    bars = Histogram.of(law, direction, score)
    assert bars.scores.size <= 121
    assert bars.probabilities.sum() == pytest.approx(1, abs=1e-4)
    assert float(bars.scores @ bars.probabilities) == pytest.approx(law.mean(), rel=1e-4, abs=1e-6)
    assert bars.reached == law.tail(score, direction)
    assert bars.probabilities[bars.is_reached].sum() == pytest.approx(bars.reached, rel=1e-9)
    assert (bars.widths > 0).all()


def test_laws_of_other_kinds() -> None:
    """A distribution may have no model, a single score, or a custom measure."""
    rate = br.BaseRate(positives=4, total=10)
    null = br.DutchDraw(rate, theta=0.5).score("F1")
    alone = br.ScoreDistributionDisplay.from_null(null, "F1")
    assert alone.reached_ is None
    assert alone.score_ is None
    only = br.null_distribution(rate, 10, "F1")
    single = br.ScoreDistributionDisplay.from_null(only, "F1")
    assert len(single.bars_) == 1
    odd = br.Measure.custom("odd", lambda tp, fp, fn, tn: np.abs(tp - 2.0))
    table = br.Confusion(tp=0, fp=5, fn=4, tn=1)
    custom = br.ScoreDistributionDisplay.from_predictions(None, table, odd)
    assert custom.p_value == br.null_distribution(rate, 5, odd).sf(2)
    nowhere = br.Measure.custom("nowhere", lambda tp, fp, fn, tn: 1 / (tp - 0.0))
    with pytest.raises(UndefinedMeasureError, match="nowhere is undefined for this model"):
        br.ScoreDistributionDisplay.from_predictions(None, table, nowhere)
    by_model = br.ScoreDistributionDisplay.from_estimator(MODEL, X, TRUTH, "MCC")
    assert by_model.name == "LogisticRegression"


def test_the_comparison() -> None:
    """Each cell has a number, baselines are bold, and failing cells are boxed."""
    display = DISPLAYS["comparison"](None)
    report = display.report
    assert len(display.texts_) == len(br.MEASURES) * 4
    assert len(display.boxes_) == len(report.failures) > 0
    bold = [text for text in display.texts_ if text.get_weight() == "bold"]
    assert len(bold) == len(br.MEASURES)
    rows = [label.get_text() for label in display.ax_.get_yticklabels()]
    row = rows.index("F1 ↑")
    f1 = display.texts_[4 * row : 4 * row + 4]
    verdict = report["good", "F1"]
    assert f1[1].get_text() == f"{verdict.baseline:.3f}"
    assert f1[1].get_weight() == "bold"
    assert f1[2].get_text() == f"{verdict.score:.3f}"
    colours = display.cells_.get_array()
    assert colours[row, 0] == verdict.rescaled
    assert colours.mask[rows.index("TPR ↑")].all()
    headers = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert headers[2].startswith("good\np ")


def test_a_comparison_by_group_shows_the_whole() -> None:
    """A comparison shows the whole test set; one of estimators shows each of them."""
    report = br.evaluate(TRUTH, {"good": GOOD}, ["F1"], by=np.arange(200) % 2)
    assert len(br.ComparisonDisplay(report).plot().texts_) == 3
    one_group = br.ComparisonDisplay(report.group(1)).plot()
    assert len(one_group.texts_) == 3
    models = {"a very long name of a model": MODEL, "b": MODEL}
    display = br.ComparisonDisplay.from_estimator(models, X, TRUTH, ["F1", "MCC"])
    assert display.report.models == tuple(models)


def test_several_test_sets_do_not_share_a_baseline() -> None:
    """Tables with different base rates cannot share one baseline."""
    tables = {"a": br.Confusion(tp=9, fp=4, fn=7, tn=11), "b": br.Confusion(tp=5, fn=5, tn=190)}
    for display in (br.BaselineDisplay, br.ComparisonDisplay):
        with pytest.raises(br.exceptions.InvalidPredictionsError, match=r"one test set.*got 2"):
            display.from_predictions(None, tables, "F1")


def test_the_largest_test_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test set of 10¹⁵ observations is drawn too; here by a few sizes of draws."""
    sizes = [0, 1, 10**15 // 3, 10**15 - 1, 10**15]
    monkeypatch.setattr("baserate.binary.draw._grid", lambda total: sizes)
    _draw_the_largest()


@pytest.mark.exhaustive
def test_the_largest_test_set_in_full() -> None:
    """The same by as many sizes as a picture can show, for which many quantiles are computed."""
    _draw_the_largest()


def _draw_the_largest() -> None:
    rate = br.BaseRate(positives=10**15 // 3, total=10**15)
    display = br.BaselineDisplay.from_test_set(rate, "F1")
    assert display.expectation_.get_xdata()[-1] == 1
    assert len(repr(display)) < 100  # as in the output of a notebook


def test_the_threshold_display() -> None:
    """It draws the model's line, best cut-off and own threshold; the title is the diagnosis."""
    display = DISPLAYS["threshold"](None)
    curve = display.curve
    np.testing.assert_array_equal(display.line_.get_ydata(), curve.scores)
    assert display.best_.get_ydata()[0] == curve.best.verdict.score
    assert curve.threshold == 0.5
    own = br.Confusion.of(TRUTH, MODEL.predict(X))
    assert display.own_.get_xdata()[0] == own.predicted_positives / 200
    assert curve.own.verdict.performance.table == own
    title = display.ax_.get_legend().get_title().get_text()
    assert title == curve.diagnosis.sentence
    assert display.frame()["cutoff"].notna().sum() == curve.cutoffs.size


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_a_tie_that_goes_to_the_other_class(kind: Any) -> None:
    """The threshold is just above one half, in the precision of the scores."""
    model = KNeighborsClassifier(4).fit(X, TRUTH)

    class InLessPrecision:
        """The same classifier with scores of lower precision."""

        classes_ = model.classes_
        predict = model.predict

        def predict_proba(self, features: Any) -> Any:
            return model.predict_proba(features).astype(kind)

    curve = br.ThresholdDisplay.from_estimator(InLessPrecision(), X, TRUTH, "F1").curve
    assert curve.threshold == np.nextafter(kind(0.5), kind(1))
    assert curve.own.verdict.performance.table == br.Confusion.of(TRUTH, model.predict(X))


def test_thresholds_of_other_estimators() -> None:
    """A decision function is cut at zero and flips for the other class; labels alone fail."""
    svc = LinearSVC().fit(X, TRUTH)
    display = br.ThresholdDisplay.from_estimator(svc, X, TRUTH, "MCC")
    assert display.curve.threshold == 0
    assert display.curve.own.verdict.performance.table == br.Confusion.of(TRUTH, svc.predict(X))
    text = np.where(TRUTH == 1, "ill", "well")
    for model in (LinearSVC().fit(X, text), LogisticRegression().fit(X, text)):
        ill = br.ThresholdDisplay.from_estimator(model, X, text, "MCC", pos_label="ill").curve
        assert ill.own.verdict.performance.table.tp == np.sum(
            (model.predict(X) == "ill") & (text == "ill")
        )
    coarse = KNeighborsClassifier(4).fit(X, TRUTH)  # ties of two against two go to the first class
    fixed = FixedThresholdClassifier(LogisticRegression(), threshold=0.2).fit(X, TRUTH)
    for model in (coarse, fixed, _Unlike().fit(X, TRUTH)):
        own = br.ThresholdDisplay.from_estimator(model, X, TRUTH, "F1").curve.own
        assert own.verdict.performance.table == br.Confusion.of(TRUTH, model.predict(X))
    nothing = br.ThresholdDisplay.from_predictions(TRUTH, X[:, 0], "F1", name="first")
    assert nothing.own_ is None

    class Labels:
        """A classifier that only predicts labels."""

        classes_ = np.array([0, 1])

    with pytest.raises(InvalidPredictionsError, match="must have predict_proba or decision"):
        br.ThresholdDisplay.from_estimator(Labels(), X, TRUTH, "F1")


class _Unlike(LogisticRegression):
    """A model whose probabilities disagree with its predictions, like an SVM's."""

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        """Return unrelated probabilities."""
        return 1 - super().predict_proba(X)


def test_predictions_that_no_cut_off_makes() -> None:
    """If no cut-off gives the predictions, the model's own threshold is unknown."""

    class Random(DummyClassifier):
        """Predictions unrelated to the probabilities."""

        def predict(self, X: Any) -> Any:  # noqa: ARG002, N803
            return RNG.permutation(TRUTH)

    model = Random(strategy="prior").fit(X, TRUTH)
    assert br.ThresholdDisplay.from_estimator(model, X, TRUTH, "F1").own_ is None


def test_what_is_no_failure_is_not_drawn_as_one() -> None:
    """The title names a measure that shows nothing, and one that is undefined."""
    perfect = br.BaselineDisplay.from_predictions(TRUTH, TRUTH, "TPR")
    assert _labels(perfect.ax_)[-1] == "model (shows nothing)"
    assert perfect.points_[0].get_markerfacecolor() == MODELS[0]
    nothing = br.BaselineDisplay.from_predictions(TRUTH, 0 * TRUTH, "MCC")
    assert _labels(nothing.ax_)[-1] == "model (predicts no positives)"


def test_the_p_value_of_a_very_good_model() -> None:
    """The p-value is shown even if no bar is that far out, and equals the report's."""
    table = br.Confusion(tp=95, fp=10, fn=5, tn=190)
    display = br.ScoreDistributionDisplay.from_predictions(None, table, "MCC")
    assert display.reached_ is None
    assert "(p = 1.6e-59)" in _labels(display.ax_)[0]
    cost = br.Measure.custom("cost", lambda tp, fp, fn, tn: fp + 5 * fn, direction="minimize")
    large = br.Confusion(tp=503_000, fp=496_503_000, fn=497_000, tn=502_497_000)
    of_cost = br.ScoreDistributionDisplay.from_predictions(None, large, cost)
    assert of_cost.p_value == br.p_value(large) > 0


def test_a_long_curve_is_thinned_to_what_is_seen() -> None:
    """The ends, the highest and the lowest points stay, and the first ones, as on a log axis."""
    values = np.random.default_rng(0).random(100_000)
    values[[500, 70_000]] = 2, -1
    values[20_000:20_400] = np.nan
    kept = outline(values)
    assert kept.size < 8200
    assert {*range(50), 500, 70_000, 99_999} <= set(kept.tolist())
    assert (np.diff(kept) > 0).all()
    assert outline(values[:1000]).size == 1000


def test_a_long_name_leaves_room_for_the_display() -> None:
    """A name of thousands of letters is cut, and any value may be a name."""
    for name in ("x" * 5000, 7):
        display = br.ThresholdDisplay.from_predictions(
            [0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3], "F1", name=name, threshold=0.5
        )
        labels = display.ax_.get_legend_handles_labels()[1]
        assert max(map(len, labels)) < 100
