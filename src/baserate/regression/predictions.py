"""Put the predictions of models beside the truth, per model and group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from baserate.core.paired import pairs_of
from baserate.core.task import JointObservations, Observations
from baserate.data.number_rows import read_number_rows
from baserate.data.numbers import read_numbers, require_no_nan
from baserate.data.rows import named_models
from baserate.data.weights import frequencies
from baserate.data.weights import repeated as repeated_places
from baserate.exceptions import InvalidPredictionsError, InvalidScoresError
from baserate.formatting import shown
from baserate.regression.fit import Fit
from baserate.regression.numbers import Numbers
from baserate.regression.paired.joint import JointFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baserate.core.task import Rows
    from baserate.data.columns import Labels
    from baserate.data.number_rows import NumberRows


def fits(y_true: Labels | None, predictions: Any, rows: Rows) -> Observations:
    """Put every model beside the truth, as a whole and in each group."""
    models = named_models(predictions)
    given = {name: each for name, each in models.items() if isinstance(each, Fit)}
    columns = {name: each for name, each in models.items() if name not in given}
    tables: dict[str, dict[Any, Fit]] = {}
    dropped = 0
    if columns:
        if y_true is None:
            raise InvalidPredictionsError(
                f"must be given for the numbers of model {shown(next(iter(columns)))} (got None); "
                "only a Fit can do without",
                parameter="y_true",
            )
        read = read_number_rows(y_true, columns, rows.by, drop=rows.drop, weights=rows.weights)
        tables, dropped = fits_of_rows(read), read.dropped
    for name, fit in given.items():
        require_test_set(f"model {shown(name)}", fit, y_true, by=rows.by)
        tables[name] = {None: fit}
    return Observations({name: tables[name] for name in models}, dropped)


def pairs_of_fits(y_true: Labels, models: Mapping[str, Any], rows: Rows) -> JointObservations:
    """Put every pair of models beside the truth, as a whole and in each group."""
    options: Any = {"drop": rows.drop, "weights": rows.weights}
    read = read_number_rows(y_true, models, rows.by, **options)
    return pairs_of_rows(read, with_first=rows.with_first)


def repeated(y_true: Labels, y_pred: Any, weights: NDArray[Any]) -> Fit:
    """Put predictions beside the truth, each observation as often as its weight says."""
    fit = Fit.of(y_true, y_pred)
    places = repeated_places(frequencies(weights, fit.total))
    return Fit(fit.truth[places], fit.predicted[places])


def numbers_of(test_set: Any) -> Numbers:
    """Return the numbers of any description of a test set."""
    if isinstance(test_set, Numbers):
        return test_set
    if isinstance(test_set, Fit):
        return test_set.test_set
    numbers = read_numbers("y_true", test_set)
    require_no_nan("y_true", numbers)
    return Numbers(numbers)


def require_test_set(
    model: str,
    fit: Fit,
    y_true: Labels | None,
    pos_label: object = None,  # noqa: ARG001
    *,
    by: Labels | None = None,
) -> None:
    """Raise unless a model is beside the same truth as the others."""
    if by is not None:
        raise InvalidPredictionsError(
            f"must come with a number per observation ({model} is a Fit, whose rows may be in "
            "another order); pass the predictions",
            parameter="by",
        )
    if y_true is None:
        return
    numbers = numbers_of(y_true)
    if fit.test_set != numbers:
        raise InvalidPredictionsError(
            f"{model} must be beside the numbers of y_true, {numbers.described} (got "
            f"{fit.test_set.described})"
        )


def numbers_of_guess(guess: Any, total: int) -> NDArray[np.float64]:
    """Return the predictions of a guess: a number per observation, or how often each."""
    if isinstance(guess, Mapping):
        values = read_numbers("y_pred", list(guess))
        counts = [int(count) for count in guess.values()]
        guess = np.repeat(values, counts)
    found = read_numbers("y_pred", guess)
    require_no_nan("y_pred", found)
    if found.size != total:
        raise InvalidScoresError(
            f"must have a number for each of the {total:,} observations (got {found.size:,})",
            parameter="y_pred",
        )
    return found


def fits_of_rows(rows: NumberRows) -> dict[str, dict[Any, Fit]]:
    """Put every model beside the truth, as a whole and in each group."""
    return {
        name: {
            group: Fit(rows.truth[where], each[where], rows.weights_of(where))
            for group, where in rows.groups.items()
        }
        for name, each in rows.predicted.items()
    }


def pairs_of_rows(read: NumberRows, *, with_first: bool = False) -> JointObservations:
    """Put pairs of models beside the truth, as a whole and in each group."""
    pairs = {
        (one, other): {
            group: JointFit(
                read.truth[where],
                read.predicted[one][where],
                read.predicted[other][where],
                read.weights_of(where),
            )
            for group, where in read.groups.items()
        }
        for one, other in pairs_of(list(read.predicted), with_first=with_first)
    }
    return JointObservations(pairs, read.dropped)
