"""The demo, `baserate demo`: the paper's experiment with five models on the Cleveland data.

The report is printed and written to a file.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

from baserate.datasets import load_cleveland
from baserate.evaluation.evaluate import evaluate
from baserate.exceptions import MissingDependencyError
from baserate.support.recognition import require_free

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from baserate.report import Report

# One seed for the split and for the models that draw.
SEED = 0
_HTML, _JSON = "report.html", "report.json"
_BEFORE = (
    "Cleveland Heart Disease: five models of scikit-learn with its defaults, trained on 90%\n"
    "of 303 patients. What are their scores on the other 10% worth?"
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


def run(seed: int = SEED, measures: str | Sequence[str] = "all") -> Report:
    """Return the report of the five models on a test set of one patient in ten.

    Parameters
    ----------
    seed
        The seed of the split and of the models.
    measures
        The names of the measures; all by default.
    """
    y_test, predictions = _predictions(seed)
    return evaluate(y_test, predictions, measures)


def _predictions(seed: int) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.impute import SimpleImputer
        from sklearn.model_selection import train_test_split
    except ModuleNotFoundError:
        raise MissingDependencyError.package("scikit-learn", "the demo") from None
    data = load_cleveland()
    x_train, x_test, y_train, y_test = train_test_split(
        data.features, data.target, test_size=0.1, random_state=seed
    )
    # Six patients have a missing value, which some of these models reject.
    imputer = SimpleImputer(strategy="most_frequent").fit(x_train)
    x_train, x_test = imputer.transform(x_train), imputer.transform(x_test)
    with warnings.catch_warnings():
        # The paper used scikit-learn's default of 100 iterations.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = {name: model.fit(x_train, y_train) for name, model in _models(seed).items()}
    return y_test, {name: model.predict(x_test) for name, model in fitted.items()}


def _models(seed: int) -> dict[str, Any]:
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
    from baserate.cli.ending import exit_code

    sys.exit(exit_code(lambda: main(force="--force" in sys.argv)))
