"""The paper's experiment: five models on one patient in ten of the Cleveland data."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from baserate.datasets import load_cleveland
from baserate.demo import SEED, models
from baserate.evaluation.evaluate import evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from baserate.report import Report


def run(seed: int = SEED, measures: str | Sequence[str] = "all") -> Report:
    """Return the report of the five models on a test set of one patient in ten.

    Parameters
    ----------
    seed
        The seed of the split and of the models.
    measures
        The names of the measures; all by default.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import train_test_split

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
        fitted = {name: model.fit(x_train, y_train) for name, model in models(seed).items()}
    return evaluate(
        y_test, {name: model.predict(x_test) for name, model in fitted.items()}, measures
    )
