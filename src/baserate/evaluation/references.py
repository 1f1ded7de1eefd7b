"""Models that others are judged against: which one it is, and that it has rows."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Any

from baserate.data.rows import DEFAULT_NAME, named_columns, named_models
from baserate.evaluation.arguments import require_one_measure, without_name_of_truth
from baserate.evaluation.clusters import clustered
from baserate.exceptions import InvalidPredictionsError, MisplacedArgumentError
from baserate.formatting import listed, shown
from baserate.task import is_measure
from baserate.tasks import TASKS
from baserate.verdicts.difference import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from baserate.core.observed import JointObservations, Rows
    from baserate.evaluation.clusters import ClusterKey
    from baserate.task import Task

_REFERENCE = "reference"


def with_reference(
    predictions: Any, reference: Any, y_true: Any = None, truth: str | None = None
) -> dict[str, Any]:
    """Return the reference and then the models, by name.

    A text is the name of a column in a data frame, and otherwise that of one of the models, which
    is then not judged.

    Parameters
    ----------
    predictions
        The predictions of the models, or the names of columns.
    reference
        The predictions of the reference, a mapping from its name to them, or a name.
    y_true, truth
        The truth; or the data frame that holds all columns, and the column of the truth.
    """
    if truth is not None:
        models: dict[str, Any] = named_columns(predictions)
        name, column = _named_column(reference)
        models = {model: each for model, each in models.items() if each != column}
    else:
        reference = without_name_of_truth(reference, y_true, _REFERENCE)
        models = _models(predictions, reference)
        name, column = _named_model(reference, models)
        if isinstance(reference, str):
            del models[name]
    if name in models:
        raise InvalidPredictionsError(
            f"must have a name of its own (got {shown(name)}, which a model has); name it as in "
            "reference={'last value': …}",
            parameter="reference",
        )
    if not models:
        raise InvalidPredictionsError(
            f"must have a model beside the reference {shown(name)} (got none)",
            parameter="predictions",
        )
    if truth is None:
        require_rows({name: column}, "reference")
        require_rows(models, "predictions")
        require_truth(y_true)
    return {name: column} | models


def paired_with_reference(
    y_true: Any, truth: str | None, models: Mapping[str, Any], together: ClusterKey | None = None
) -> Callable[[Task[Any], Rows], tuple[list[Pair], int]]:
    """Return what pairs the first model with each of the others, in arrays or in a data frame."""

    def observe(task: Task[Any], rows: Rows) -> JointObservations:
        if truth is None:
            return task.observe_pairs(y_true, models, rows)
        return task.observe_frame_pairs(y_true, truth, models, rows)

    def pairs(task: Task[Any], rows: Rows) -> tuple[list[Pair], int]:
        counted = clustered(observe, together)(task, rows._replace(with_first=True))
        return list(pairs_of_models(counted)), counted.dropped

    return pairs


def row_by_row(function: str, positional: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """Return the truth, the predictions and the measure of a call about one model."""
    y_true, y_pred, measure = positional
    require_one_measure(function, measure)
    if is_measure(y_pred) and measure is None:  # a table, which `evaluate` will not take
        y_true, y_pred, measure = None, y_true, y_pred
    if not is_measure(measure) or is_measure(y_pred):
        given = [each for each in positional if each is not None]
        raise MisplacedArgumentError.called(function, ("y_true, y_pred, measure",), given)
    return y_true, y_pred, measure


def _named_column(reference: Any) -> tuple[str, str]:
    """Return the name of the reference and of its column in a data frame."""
    if not isinstance(reference, str):
        _require_one(reference)
        if not isinstance(reference, Mapping) or not all(
            isinstance(column, str) for column in reference.values()
        ):
            raise InvalidPredictionsError(
                "must be the name of a column when truth is one, such as reference='last_value' "
                f"(got {shown(reference)})",
                parameter="reference",
            )
    ((name, column),) = named_columns(reference).items()
    return name, column


def _named_model(reference: Any, models: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name and the predictions of the reference."""
    if isinstance(reference, str):
        if reference not in models:
            raise InvalidPredictionsError(
                f"must be predictions, or the name of a model, {listed(models)} (got "
                f"{shown(reference)})",
                parameter="reference",
            )
        return reference, models[reference]
    _require_one(reference)
    if _is_table(reference):
        return _REFERENCE, reference
    ((name, column),) = named_models(reference).items()
    is_named = isinstance(reference, Mapping) or name != DEFAULT_NAME
    return name if is_named else _REFERENCE, column


def _models(predictions: Any, reference: Any) -> dict[str, Any]:
    """Return the models by name; beside a table with a column per class, so is one of them."""
    is_one = _is_table(reference) and not isinstance(predictions, Mapping)
    return {DEFAULT_NAME: predictions} if is_one else named_models(predictions)


def _is_table(predictions: Any) -> bool:
    """Return whether predictions have several columns, one per class."""
    columns = getattr(predictions, "columns", None)
    return isinstance(columns, Sized) and len(columns) > 1


def _require_one(reference: Any) -> None:
    if isinstance(reference, Mapping) and len(reference) != 1:
        raise InvalidPredictionsError(
            f"must be the predictions of one model (got {len(reference)})", parameter="reference"
        )


def require_rows(models: Mapping[str, object], parameter: str) -> None:
    """Raise if a model is a table, which does not say on which rows it is right."""
    for name, labels in models.items():
        if any(task.counted(labels) for task in TASKS.values()):
            raise InvalidPredictionsError(
                f"must be given row by row (model {name!r} is a {type(labels).__name__}, "
                "which does not say which rows are right); pass the predictions of both models",
                parameter=parameter,
            )


def require_truth(y_true: object) -> None:
    """Raise if there is no truth to score two models by."""
    if y_true is None:
        raise InvalidPredictionsError(
            "must be given to compare models (got None)", parameter="y_true"
        )


def pairs_of_models(counted: JointObservations) -> Iterator[Pair]:
    """Return what was observed of two models at a time."""
    for (first, second), of_groups in counted.pairs.items():
        for group, table in of_groups.items():
            yield Pair(first=first, second=second, group=group, table=table)
