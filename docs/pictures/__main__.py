"""Draw the pictures of the documentation: `python docs/pictures`."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import baserate as br

HERE = Path(__file__).parent


def main() -> None:
    """Fit two models on the Cleveland data, and draw them in every display."""
    mpl.use("agg")
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
    stated = {"bold": br.Confusion(tp=98, fp=62, fn=41, tn=102)}
    stated["timid"] = br.Confusion(tp=52, fp=41, fn=87, tn=123)
    displays = {
        "curve": br.BaselineDisplay.from_predictions(None, stated, "F1"),
        "baseline": br.BaselineDisplay.from_estimator(models, x_test, y_test, "F1"),
        "law": br.ScoreDistributionDisplay.from_estimator(plain, x_test, y_test, "F1", name=name),
        "comparison": br.ComparisonDisplay.from_estimator(models, x_test, y_test),
        "threshold": br.ThresholdDisplay.from_estimator(plain, x_test, y_test, "F1", name=name),
    }
    for file, display in displays.items():
        display.figure_.savefig(HERE / f"{file}.png", dpi=100)


if __name__ == "__main__":
    main()
