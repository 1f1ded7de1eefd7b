"""Draw the pictures of the documentation: `python docs/pictures`."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import baserate as br

HERE = Path(__file__).parent


def main() -> None:
    """Draw the pictures of the first pages, and every display with models of the Cleveland data."""
    mpl.use("agg")
    pictures = {"labels": labels(), "several": several(), "scores": scores(), "numbers": numbers()}
    for file, figure in {**pictures, **displays()}.items():
        figure.savefig(HERE / f"{file}.png", dpi=100)


def labels() -> Figure:
    """Draw the models of the first page of two classes."""
    y_true = [1] * 40 + [0] * 60
    models = {"tree": [1] * 30 + [0] * 62 + [1] * 8, "knn": [1] * 12 + [0] * 78 + [1] * 10}
    return br.plots.BaselineDisplay.from_predictions(y_true, models, "F1").figure_


def several() -> Figure:
    """Draw the model of the page of several classes: its matrix, and its null distribution."""
    matrix = br.ConfusionMatrix([[50, 15, 5], [8, 10, 2], [4, 3, 3]], labels=["a", "b", "c"])
    figure = Figure(figsize=(9.6, 4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[2, 3])
    counts = ConfusionMatrixDisplay(matrix.counts, display_labels=matrix.labels)
    counts.plot(ax=left, colorbar=False, cmap="Blues")
    br.plots.NullDistributionDisplay.from_predictions(
        None, matrix, "accuracy", name="tree", ax=right
    )
    best = br.baseline(matrix.test_set, "accuracy").best.value
    label = f"best guess: always 'a', {best:.3g}"
    right.axvline(best, color="black", linestyle="--", label=label)
    right.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize="small")
    return figure


def scores() -> Figure:
    """Draw the model of the first page of scores."""
    rng = np.random.default_rng(1)
    y_true = (rng.random(400) < 0.1).astype(int)
    blood = rng.normal(size=400) + 1.2 * y_true
    forest = 1 / (1 + np.exp(1.5 - 1.5 * blood))
    return br.plots.RankingDisplay.from_predictions(y_true, {"forest": forest}).figure_


def numbers() -> Figure:
    """Draw the models of the first page of numbers."""
    rng = np.random.default_rng(1)
    price = rng.gamma(3, 100, 200)
    ridge = 60 + 0.8 * price + rng.normal(0, 60, 200)
    forest = 150 + 0.2 * price + rng.normal(0, 80, 200)
    return br.plots.ResidualDisplay.from_predictions(
        price, {"ridge": ridge, "forest": forest}
    ).figure_


def displays() -> dict[str, Figure]:
    """Fit models on the Cleveland data, and draw them in every display of two classes."""
    data = br.datasets.load_cleveland()
    features = data.features[:, :10]  # the first ten lack nothing
    x_train, x_test, y_train, y_test = train_test_split(
        features, data.target, test_size=0.3, random_state=0
    )
    tree = DecisionTreeClassifier(random_state=0).fit(x_train, y_train)
    plain = KNeighborsClassifier().fit(x_train, y_train)
    scaled = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(x_train, y_train)
    models = {"decision tree": tree, "k-nearest neighbours": plain, "the same, scaled": scaled}
    name = "k-nearest neighbours"
    stated = {"bold": br.ConfusionMatrix(tp=98, fp=62, fn=41, tn=102)}
    stated["timid"] = br.ConfusionMatrix(tp=52, fp=41, fn=87, tn=123)
    drawn = {
        "curve": br.plots.BaselineDisplay.from_predictions(None, stated, "F1"),
        "baseline": br.plots.BaselineDisplay.from_estimator(models, x_test, y_test, "F1"),
        "null": br.plots.NullDistributionDisplay.from_estimator(
            plain, x_test, y_test, "F1", name=name
        ),
        "report-strips": br.plots.ReportDisplay.from_estimator(models, x_test, y_test),
        "threshold": br.plots.ThresholdDisplay.from_estimator(
            plain, x_test, y_test, "F1", name=name
        ),
    }
    return {file: display.figure_ for file, display in drawn.items()}


if __name__ == "__main__":
    main()
