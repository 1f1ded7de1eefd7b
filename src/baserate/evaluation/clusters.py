"""Rows that belong together: how a call names their clusters, and what is then computed.

A cluster is one more group: tasks count each of them, in arrays, frames and engines alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from baserate.core.clusters import FEWEST, Clustered, score_test
from baserate.data.engines.frames import as_frame, engine_errors, is_in_memory, require_columns
from baserate.data.engines.texts import typed_groups
from baserate.data.files import derived, reads_groups
from baserate.data.groups import MISSING, Groups, plain_group
from baserate.exceptions import InvalidFrameError, InvalidPredictionsError, InvalidWeightsError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from baserate.core.multiple_testing import Tails
    from baserate.core.observed import Rows, Weights
    from baserate.data.groups import Group
    from baserate.task import Task

T = TypeVar("T")

# The name of a column that tells the group and the cluster of each row.
_COLUMN, _BETWEEN = "baserate: group and cluster", "\x1f"


class ClusterKey(NamedTuple):
    """The cluster of each row, and one key for its group and its cluster.

    Parameters
    ----------
    source
        The truth, or the data frame with a column of the key.
    clusters
        The cluster of each row, or the name of their column.
    key
        The key of each row, or the name of their column; None if there are no groups.
    group_of
        The group of each key.
    """

    source: Any
    clusters: Any
    key: Any = None
    group_of: Mapping[Any, Group] = MappingProxyType({})

    @classmethod
    def of(
        cls, clusters: Any, by: Any, source: Any, truth: str | None, weights: Weights | None
    ) -> ClusterKey | None:
        """Return the clusters of a call, or raise if they cannot be read; None without them.

        Parameters
        ----------
        clusters, by, source, truth, weights
            The arguments of `evaluate`.
        """
        if clusters is None:
            return None
        if weights is not None and weights.kind == "importance":
            raise InvalidWeightsError(
                "must be 'frequency' with clusters (got 'importance'): how sure a weighted score "
                "of rows that belong together is, is not known",
                parameter="weights",
            )
        if truth is not None:
            return cls._of_frame(clusters, by, source)
        if source is None:
            raise InvalidPredictionsError(
                "must come with y_true and a prediction per row (got None): a table does not say "
                "which rows are whose",
                parameter="clusters",
            )
        found = Groups.of(clusters, len(source), "clusters")
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
        with engine_errors():
            frame: Any = as_frame(source)
            require_columns(frame, [clusters], by)
            keyed = frame.with_columns(_key(by, clusters))
            pairs = keyed.select(by, _COLUMN).unique()
            found = (pairs if is_in_memory(keyed) else pairs.collect()).to_dict(as_series=False)
            native = derived(source, keyed.to_native())
        groups = list(map(plain_group, found[by]))
        read = typed_groups(groups) if reads_groups(source, by) else {}
        named = [read.get(group, group) for group in groups]
        return cls(native, clusters, _COLUMN, dict(zip(found[_COLUMN], named, strict=True)))

    def by_group(
        self, whole: Mapping[Any, Any], keyed: Mapping[Any, Any]
    ) -> dict[Group, Clustered]:
        """Return each group and its clusters, from the tables of groups and of keys."""
        parts: dict[Group, list[Any]] = {}
        for key, part in keyed.items():
            if key is not None:
                parts.setdefault(self.group_of[key], []).append(part)
        return {group: Clustered(whole[group], parts[group]) for group in whole if group in parts}


def clustered(
    observe: Callable[[Task[Any], Rows], T], together: ClusterKey | None
) -> Callable[[Task[Any], Rows], T]:
    """Return what observes each cluster, too, of all rows and of each group.

    Parameters
    ----------
    observe
        Observes models, or pairs of them, as a whole and in each group.
    together
        Which rows belong together; None if all are independent.
    """
    if together is None:
        return observe

    def observed(task: Task[Any], rows: Rows) -> Any:
        asked = rows._replace(clustered=True)
        found: Any = observe(task, asked._replace(by=together.clusters))
        tables: Any = {name: {None: _clustered(each)} for name, each in found[0].items()}
        if together.key is not None:
            ask: Any = observe
            groups, keyed = (ask(task, asked._replace(by=by))[0] for by in (rows.by, together.key))
            for name, each in tables.items():
                each.update(together.by_group(groups[name], keyed[name]))
        return type(found)(tables, found.dropped)

    return observed


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


@dataclass(frozen=True)
class ClusteredTask:
    """A task whose rows are in clusters: what it is asked about is `Clustered`.

    Parameters
    ----------
    task
        The task of independent rows.
    """

    task: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.task, name)

    def nulls(self, observed: Sequence[Clustered], levels: object) -> list[_ScoreTests]:  # noqa: ARG002
        """Return the tests of each model."""
        return [_ScoreTests(self.task, each) for each in observed]

    def tails(self, observed: Sequence[Clustered]) -> list[Tails]:
        """Return the p-values of each model that monotone measures share."""
        return [_ScoreTests(self.task, each).tails(None, 0.0) for each in observed]

    def uncertainty(self, observed: Clustered, alpha: float) -> Any:
        """Return how sure the scores of a model are."""
        return self.task.uncertainty(observed.whole, alpha, observed.clusters)

    def paired(self, joint: Clustered, alpha: float) -> Any:
        """Return how much two models differ."""
        return self.task.paired(joint.whole, alpha, joint.clusters)


@dataclass(frozen=True, eq=False)
class _ScoreTests:
    """The score test of a model, by one measure after another."""

    task: Any
    observed: Clustered

    def tails(self, measure: Any, score: float) -> Tails:
        """Return the p-values of no association; nan if there is no score."""
        found = score_test(self.task.contributions(*self.observed, measure))
        return found._replace(better=math.nan, worse=math.nan) if math.isnan(score) else found

    def luck_interval(self, measure: Any) -> tuple[float, float]:  # noqa: ARG002
        """Return nan: shuffled predictions would not belong together."""
        return math.nan, math.nan

    def is_exact(self, measure: Any) -> bool:  # noqa: ARG002
        """Return False: Student's t is an approximation."""
        return False
