"""The aggregation that counts several classes: group, truth and predictions, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.arguments import whole_number
from baserate.data.classes import too_many
from baserate.data.engines.aggregation import WEIGHT, collected, flag, observations_seen
from baserate.data.engines.codes import Coding
from baserate.data.engines.texts import is_nan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import narwhals.stable.v2 as nw

    from baserate.data.engines.aggregation import Frame

# More combinations than this are not those of classes, and would take gigabytes to hand over.
_MOST_ROWS = 3_000_000


class Part(NamedTuple):
    """Models that are counted together.

    Parameters
    ----------
    models
        One model, or two of them.
    new
        Those that no earlier part has.
    """

    models: tuple[int, ...]
    new: tuple[int, ...]


class Found(NamedTuple):
    """A combination of labels.

    Parameters
    ----------
    part
        The models that are counted here.
    group
        The group, if there are any.
    labels
        The labels of the truth and of these models.
    lacks
        Whether a label is missing in these rows, of these models or of others.
    rows
        How often the combination occurs.
    """

    part: Part
    group: tuple[Any, ...]
    labels: tuple[Any, ...]
    lacks: bool
    rows: int


def parts_of(models: int, pairs: Sequence[tuple[int, int]]) -> list[Part]:
    """Return what to count together: pairs of models, or each model if there are none."""
    parts: list[Part] = []
    seen: set[int] = set()
    alone: list[tuple[int, ...]] = [(model,) for model in range(models)]
    for together in pairs or alone:
        parts.append(Part(together, tuple(model for model in together if model not in seen)))
        seen |= set(together)
    return parts


@dataclass(frozen=True)
class ClassQuery:
    """Count the combinations of labels of some parts, in one aggregation.

    Parameters
    ----------
    frame
        The rows.
    schema
        The types of its columns.
    columns
        The columns of labels, the truth first.
    by
        The column of groups.
    parts
        What to count together.
    is_text
        Whether the frame has no types, only text.
    weight
        The column of how often each row was seen; None if once.
    """

    frame: Frame
    schema: Mapping[str, Any]
    columns: Sequence[str]
    by: str | None
    parts: Sequence[Part]
    is_text: bool
    weight: str | None = None

    def run(self) -> Iterator[Found]:
        """Yield the combinations that occur."""
        for parts in self._alike():
            records = collected(self.grouped(parts))
            if len(records) > _MOST_ROWS:
                raise too_many(" and ".join(self.columns), [each["label0"] for each in records])
            for record in records:
                part = parts[int(record["part"])] if len(parts) > 1 else parts[0]
                labels = (record[f"label{place}"] for place in range(len(part.models)))
                yield Found(
                    part,
                    (record["group"],) if self.by is not None else (),
                    (record["truth"], *labels),
                    bool(record["lacks"]),
                    whole_number("rows", record["rows"]),
                )

    def grouped(self, parts: Sequence[Part]) -> Frame:
        """Return the query for the engine: parts that share their types are stacked."""
        import narwhals.stable.v2 as nw

        keys = {} if self.by is None else {"group": nw.col(self.by)}
        keys |= {"truth": self._label(0), "lacks": flag(self._lacks())}
        models = {model for part in parts for model in part.models}
        weights = {} if self.weight is None else {WEIGHT: nw.col(self.weight)}
        rows = self.frame.select(
            **keys, **weights, **{f"m{model}": self._label(model + 1) for model in models}
        )
        stacked: list[Any] = [
            rows.select(
                *keys,
                *weights,
                *([nw.lit(number).alias("part")] if len(parts) > 1 else []),
                **{f"label{place}": nw.col(f"m{model}") for place, model in enumerate(part.models)},
            )
            for number, part in enumerate(parts)
        ]
        frame: Any = nw.concat(stacked) if len(stacked) > 1 else stacked[0]
        combined = [name for name in frame.collect_schema() if name not in weights]
        counts: Frame = frame.group_by(*combined, drop_null_keys=False).agg(
            observations_seen(is_weighed=bool(weights))
        )
        return counts.head(_MOST_ROWS + 1)

    def _alike(self) -> list[list[Part]]:
        """Return the parts whose labels have the same types, as columns on top of each other."""
        alike: dict[tuple[str, ...], list[Part]] = {}
        for part in self.parts:
            types = tuple(str(self._type(model + 1)) for model in part.models)
            alike.setdefault(types, []).append(part)
        return list(alike.values())

    def _type(self, column: int) -> Any:
        """Return the type in which labels of a column are counted."""
        import narwhals.stable.v2 as nw

        dtype = self.schema[self.columns[column]]
        if dtype in (nw.Categorical, nw.Enum):  # some engines count these by their own codes
            return nw.String()
        if dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128, nw.UInt64):
            return nw.Int64()
        return nw.Float64() if dtype == nw.Float32 else dtype

    def _label(self, column: int) -> nw.Expr:
        import narwhals.stable.v2 as nw

        label, kind = nw.col(self.columns[column]), self._type(column)
        return label if kind == self.schema[self.columns[column]] else label.cast(kind)

    def _lacks(self) -> nw.Expr:
        """Flag rows with a missing label in any column."""
        import narwhals.stable.v2 as nw

        missing = [Coding(name, self.schema[name], None).missing() for name in self.columns]
        if self.is_text:
            texts = (name for name in self.columns if self.schema[name] == nw.String)
            missing += [is_nan(nw.col(name)) for name in texts]
        return nw.any_horizontal(*missing, ignore_nulls=False)
