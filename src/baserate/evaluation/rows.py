"""Rows that belong together, or that a reference predicts too."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from baserate.core.observed import FEWEST, Clustered, Observations
from baserate.data.rows import DEFAULT_NAME, MISSING, Groups, named_columns, named_models
from baserate.evaluation.request import without_name_of_truth
from baserate.exceptions import InvalidFrameError, InvalidPredictionsError
from baserate.formatting import listed, shown
from baserate.task import is_counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.core.observed import Rows
    from baserate.data.rows import Group
    from baserate.task import Task

# The name of a column that tells the group and the cluster of each row.
_COLUMN, _BETWEEN = "baserate: group and cluster", "\x1f"


class ClusterKey(NamedTuple):
    """The cluster of each row, and one key for its group and its cluster."""

    source: Any  # the truth, or the data frame with a column of the key
    clusters: Any  # the cluster of each row, or the name of their column
    key: Any = None  # the key of each row, or the name of their column; None without groups
    group_of: Mapping[Any, Group] = MappingProxyType({})

    @classmethod
    def of(cls, clusters: Any, by: Any, source: Any, truth: str | None) -> ClusterKey:
        """Return the clusters of a call, or raise if they cannot be read."""
        if truth is not None:
            return cls._of_frame(clusters, by, source)
        if source is None:
            raise InvalidPredictionsError(
                "must come with y_true and a prediction per row (got None): a table does not say "
                "which rows are whose",
                parameter="clusters",
            )
        found = Groups.of(clusters, _length(source), "clusters")
        if by is None:
            return cls(source, _named(found))
        return cls(source, _named(found), *_joined(found, by))

    @classmethod
    def _of_frame(cls, clusters: Any, by: Any, source: Any) -> ClusterKey:
        if not isinstance(clusters, str):
            raise InvalidFrameError(
                "must be the name of a column when truth is one, such as clusters='patient' "
                f"(got {shown(clusters)})",
                parameter="clusters",
            )
        if by is None:
            return cls(source, clusters)
        from baserate.data.engines import frames
        from baserate.data.engines.query import group_names
        from baserate.data.files import derived

        with frames.engine_errors():
            frame: Any = frames.as_frame(source)
            frames.require_columns(frame, [clusters], by)
            keyed = frame.with_columns(_key(by, clusters))
            pairs = keyed.select(by, _COLUMN).unique()
            found = (pairs if frames.is_in_memory(keyed) else pairs.collect()).to_dict(
                as_series=False
            )
            native = derived(source, keyed.to_native())
        named = group_names(source, by, found[by])
        return cls(native, clusters, _COLUMN, dict(zip(found[_COLUMN], named, strict=True)))

    def reader(self, observe: Callable[[Task[Any], Rows], Any]) -> Callable[..., Observations]:
        """Return what observes each cluster, too, of all rows and of each group."""

        def observed(task: Task[Any], rows: Rows) -> Observations:
            asked = rows._replace(clustered=True)
            found = observe(task, asked._replace(by=self.clusters))
            tables: dict[Any, dict[Any, Clustered]] = {
                name: {None: _clustered(each)} for name, each in found.tables.items()
            }
            if self.key is not None:
                groups = observe(task, asked).tables
                keyed = observe(task, asked._replace(by=self.key)).tables
                for name, each in tables.items():
                    each.update(self._by_group(groups[name], keyed[name]))
            return Observations(tables, found.dropped)

        return observed

    def _by_group(
        self, whole: Mapping[Any, Any], keyed: Mapping[Any, Any]
    ) -> dict[Group, Clustered]:
        """Return each group and its clusters, from the tables of groups and of keys."""
        parts: dict[Group, list[Any]] = {}
        for key, part in keyed.items():
            if key is not None:
                parts.setdefault(self.group_of[key], []).append(part)
        return {group: Clustered(whole[group], parts[group]) for group in whole if group in parts}


def _clustered(each: Mapping[Any, Any]) -> Clustered:
    """Return all rows and their clusters, or raise if these are too few."""
    parts = [part for cluster, part in each.items() if cluster is not None]
    if MISSING in each:
        raise _missing()
    if len(parts) < FEWEST:
        raise InvalidPredictionsError(
            f"must be at least {FEWEST} (got {len(parts)}): with fewer, nothing can be said of how "
            "much others would differ",
            parameter="clusters",
        )
    return Clustered(each[None], parts)


def _missing() -> InvalidPredictionsError:
    return InvalidPredictionsError(
        "must not be missing; give rows without one a cluster of their own", parameter="clusters"
    )


def _length(source: Any) -> int | None:
    """Return how many rows there are; None for what is not a column, which is an error later."""
    try:
        return len(source)
    except TypeError:
        return None


def _named(found: Groups) -> Any:
    """Return the number of each row's cluster, or raise if one is missing."""
    if MISSING in found.names:
        raise _missing()
    return found.codes


def _joined(clusters: Groups, by: Any) -> tuple[Any, dict[int, Group]]:
    """Return a number for each row that tells its group and its cluster, and whose group it is."""
    groups, size = Groups.of(by, clusters.codes.size), len(clusters.names)
    codes = groups.codes * size + clusters.codes
    return codes, {code: groups.names[code // size] for code in np.unique(codes).tolist()}


def _key(by: str, clusters: str) -> Any:
    """Return a text for each row of a frame that tells its group and its cluster."""
    import narwhals.stable.v2 as nw

    group = nw.col(by)
    text = nw.when(group.is_null()).then(nw.lit("")).otherwise(group.cast(nw.String))
    parts = (group.is_null().cast(nw.String), text, nw.col(clusters).cast(nw.String))
    return nw.concat_str(*parts, separator=_BETWEEN).alias(_COLUMN)


_REFERENCE = "reference"


def with_reference(
    predictions: Any, reference: Any, y_true: Any, truth: str | None
) -> dict[str, Any]:
    """Return the reference and then the models, by name.

    A text is the name of a column in a data frame, and otherwise that of one of the models, which
    is then not judged.
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
            parameter="y_pred",
        )
    if truth is None:
        require_rows({name: column}, "reference")
    return {name: column} | models


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
        if is_counted(labels):
            raise InvalidPredictionsError(
                f"must be given row by row (model {name!r} is a {type(labels).__name__}, "
                "which does not say which rows are right); pass the predictions of both models",
                parameter=parameter,
            )
