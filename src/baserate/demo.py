"""The demo, `baserate demo`: five models on the Cleveland data, and what their scores are worth."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

from baserate.datasets import load_cleveland
from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import MissingDependencyError
from baserate.records import require_free

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.report import Report

# One seed for the folds and for the models that draw.
SEED = 0
_HTML, _JSON = "report.html", "report.json"
_BEFORE = (
    "Cleveland Heart Disease: five models of scikit-learn with its defaults. Each patient is\n"
    "predicted by a model that was trained on others (5 folds). What are the scores worth?"
)
_AFTER = (
    f"\nOpen {_HTML} in a browser for every verdict with its reasons; {_JSON} has every digit.\n"
    "With your own data: baserate.evaluate(y_true, y_pred), or `baserate evaluate` in a shell."
)


def main(show: Callable[[str], object] = print, *, force: bool = False) -> int:
    """Fit and judge the models, print the report and write it to a file."""
    if not force:
        require_free([_HTML, _JSON])
    show(_BEFORE)
    report = run()
    show(f"\n{report}")
    report.to_html(_HTML)
    report.to_json(_JSON)
    show(_AFTER)
    return 0


def run() -> Report:
    """Return the report of the five models on all patients, each predicted out of fold."""
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.impute import SimpleImputer
        from sklearn.model_selection import StratifiedKFold, cross_val_predict
        from sklearn.pipeline import make_pipeline
    except ModuleNotFoundError:
        raise MissingDependencyError.package("scikit-learn", "the demo") from None
    data = load_cleveland()
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    with warnings.catch_warnings():
        # With scikit-learn's defaults, logistic regression stops after 100 iterations.
        warnings.simplefilter("ignore", ConvergenceWarning)
        predictions = {
            # Six patients have a missing value, which some of these models reject.
            name: cross_val_predict(
                make_pipeline(SimpleImputer(strategy="most_frequent"), model),
                data.features,
                data.target,
                cv=folds,
            )
            for name, model in models(SEED).items()
        }
    return evaluate(data.target, predictions)


def models(seed: int) -> dict[str, Any]:
    """Return the models of the paper's experiment, with scikit-learn's defaults."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic regression": LogisticRegression(),
        "decision tree": DecisionTreeClassifier(random_state=seed),
        "random forest": RandomForestClassifier(random_state=seed),
        "k-nearest neighbours": KNeighborsClassifier(),
        "Gaussian naive Bayes": GaussianNB(),
    }


if __name__ == "__main__":
    from baserate.cli.console import exit_code

    sys.exit(exit_code(lambda: main(force="--force" in sys.argv)))
