"""Count labels in any data frame or engine, without collecting the rows.

The engine turns every label into a small code and counts each combination of group, truth and
predictions. Only those counts come back: one aggregation for all models and groups.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from baserate.core.paired import pairs_of
from baserate.core.task import Weights
from baserate.data.engines.aggregation import Columns, Combinations
from baserate.data.engines.codes import Coding
from baserate.data.engines.results import both_of, counts_of
from baserate.data.engines.texts import label_of, text_codings, typed_groups
from baserate.data.engines.weights import seen_frame
from baserate.data.files import is_text, reads_groups, repeated_names, with_progress
from baserate.data.labels import count_missing, require_plain
from baserate.data.models import ModelCounts, PairCounts, count_models, count_pairs
from baserate.data.rows import Shown
from baserate.data.weights import seen_rows
from baserate.exceptions import BaserateError, InvalidFrameError, InvalidLabelsError
from baserate.formatting import listed, setting, shortened, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from baserate.data.engines.aggregation import Frame, Tally
    from baserate.data.labels import FourCounts

T = TypeVar("T")

# Up to this many models, combinations of labels are few, and fastest to count. For more, count
# each model and label separately.
_MOST_COMBINED = 6
# An error names at most this many columns.
_MOST_NAMED = 12
# The nullable pandas type for each kind of numpy type, which cannot hold missing labels.
_NULLABLE = {"b": "boolean", "i": "Int64", "u": "UInt64"}


def count_frame(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    *,
    by: str | None = None,
    pos_label: object = None,
    drop: bool = False,
    weight: str | None = None,
) -> ModelCounts:
    """Count every model of a frame, as a whole and in each group, in one aggregation.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth
        The column of true labels.
    predictions
        The columns of predicted labels, keyed by model name.
    by
        The column of groups.
    pos_label
        The positive class.
    drop
        Whether to drop rows with a missing label.
    weight
        The column of how often each row was seen; None if once.
    """
    options: Any = {"drop": drop, "weight": weight, "in_memory": _without_pairs}
    found = _counted(native, truth, predictions, by, pos_label, pairs=(), **options)
    return ModelCounts(found.counts, found.dropped)


def count_frame_pairs(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    *,
    by: str | None = None,
    pos_label: object = None,
    drop: bool = False,
    with_first: bool = False,
    weight: str | None = None,
) -> PairCounts:
    """Count every model and pairs of models of a frame; see `count_frame`."""
    pairs = pairs_of(range(len(predictions)), with_first=with_first)
    in_memory = partial(count_pairs, with_first=with_first)
    options: Any = {"drop": drop, "weight": weight, "in_memory": in_memory}
    return _counted(native, truth, predictions, by, pos_label, pairs=pairs, **options)


def _counted(
    native: Any,
    truth: str,
    predictions: Mapping[str, str],
    by: str | None,
    pos_label: object,
    *,
    drop: bool,
    pairs: Sequence[tuple[int, int]],
    weight: str | None,
    in_memory: Callable[..., PairCounts],
) -> PairCounts:
    columns = (truth, *predictions.values())
    with engine_errors():
        frame = as_frame(native)
        schema = require_columns(frame, columns, by, weight)
        if is_in_memory(frame):
            return counted_in_memory(
                frame,
                truth,
                predictions,
                by,
                pos_label,
                counted=in_memory,
                drop=drop,
                weight=weight,
            )
        kind = Combinations if len(predictions) <= _MOST_COMBINED else Columns

        def count() -> Tally:
            rows = seen_frame(frame, weight, schema, text=is_text(native))
            codings = codings_of(native, schema, columns, pos_label, rows)
            return kind(rows, codings, by, pairs, weight).run()

        tally = with_progress(native, count)
    if reads_groups(native, by):
        tally.rename(typed_groups({group for group, *_ in tally.cells if group is not None}))
    _require_labels(tally, columns, drop=drop)
    models = list(predictions)
    return PairCounts(counts_of(tally, models), both_of(tally, models, pairs), tally.dropped)


def _without_pairs(*arguments: Any, **options: Any) -> PairCounts:
    counts, dropped = count_models(*arguments, **options)
    return PairCounts(counts, {}, dropped)


def is_in_memory(frame: Frame) -> bool:
    """Return whether the rows are in memory: then numpy counts them, as for arrays."""
    import narwhals.stable.v2 as nw

    return isinstance(frame, nw.DataFrame)


def counted_in_memory(
    frame: Any,
    truth: str,
    predictions: Mapping[str, str],
    by: str | None,
    pos_label: object,
    *,
    counted: Callable[..., T],
    drop: bool,
    weight: str | None = None,
) -> T:
    """Count columns in memory, which an error calls by their names in the frame."""
    columns = {name: frame[name].to_native() for name in {truth, *predictions.values()}}
    models = {model: columns[name] for model, name in predictions.items()}
    groups = None if by is None else frame[by].to_native()
    shown = Shown(_shown(truth), {model: _shown(name) for model, name in predictions.items()})
    weights = weights_in(frame, weight)
    options: Any = {"drop": drop, "shown": shown, "weights": weights}
    try:
        return counted(columns[truth], models, pos_label, groups, **options)
    except InvalidLabelsError:
        labels = {name: columns[name] for name in (truth, *predictions.values())}
        missing = count_missing(seen_rows(weights, columns[truth], labels).models)
        if any(missing.values()) and not drop:
            raise missing_labels(missing) from None
        raise


def weights_in(frame: Any, weight: str | None) -> Weights | None:
    """Return the frequencies of a frame in memory; None if there are none."""
    return None if weight is None else Weights(frame[weight].to_native(), "frequency")


def _shown(column: str) -> str:
    return f"column {shown(column)}"


def count_column(
    native: Any,
    truth: str,
    *,
    pos_label: object = None,
    drop: bool = False,
    weight: str | None = None,
) -> tuple[FourCounts, int]:
    """Count the labels of one column as if it were its own prediction, and the missing ones.

    Parameters
    ----------
    native
        A data frame of any library that narwhals supports, eager or lazy.
    truth
        The column of true labels.
    pos_label
        The positive class.
    drop
        Whether to drop rows with a missing label.
    weight
        The column of how often each row was seen; None if once.
    """
    with engine_errors():
        frame = as_frame(native)
        schema = require_columns(frame, [truth], None, weight)

        def count() -> Tally:
            # The column is its own prediction: a model that is always right.
            rows = seen_frame(frame, weight, schema, text=is_text(native))
            codings = codings_of(native, schema, (truth, truth), pos_label, rows)
            return Combinations(rows, codings, None, (), weight).run()

        tally = with_progress(native, count)
    _require_labels(tally, (truth, truth), drop=drop)
    return counts_of(tally, [truth])[truth][None], tally.dropped


def codings_of(
    native: Any,
    schema: Mapping[str, Any],
    columns: Sequence[str],
    pos_label: object,
    rows: Frame,
) -> tuple[Coding, ...]:
    """Return how the labels of each column are coded, in the words of its library."""
    pos_label = require_plain(pos_label)
    if not is_text(native):
        return tuple(Coding(name, schema[name], pos_label) for name in columns)
    if isinstance(pos_label, str):
        pos_label = _read_positive(pos_label)
    return text_codings(rows, columns, pos_label)


def _read_positive(pos_label: str) -> object:
    """Return a positive class as labels of text files are read."""
    label = label_of(pos_label)
    if label is None:
        raise InvalidLabelsError.missing_positive(pos_label)
    return label


def _require_labels(tally: Tally, columns: Sequence[str], *, drop: bool) -> None:
    if any(tally.missing) and not drop:
        raise missing_labels(dict(zip(columns, tally.missing, strict=True)))
    if not tally.cells:
        raise InvalidLabelsError(f"{columns[0]} must hold at least one label (got none)")


def missing_labels(counts: Mapping[str, int]) -> InvalidLabelsError:
    """Return the error about missing labels, by column."""
    missing = [f"{count:,} in {shown(name)}" for name, count in counts.items() if count]
    found = ", ".join(missing[:_MOST_NAMED]) + (", …" if len(missing) > _MOST_NAMED else "")
    return InvalidLabelsError(
        f"labels must not be missing (got {found}); fill them, or leave those rows out with ",
        setting("missing", "drop"),
    )


def drops_missing(missing: Any) -> bool:
    """Return whether to drop missing labels, or raise if the option is unknown."""
    if not isinstance(missing, str) or missing not in ("error", "drop"):
        raise InvalidFrameError(
            f"must be 'error' or 'drop' (got {shown(missing)})", parameter="missing"
        )
    return missing == "drop"


def as_frame(native: Any) -> Frame:
    """Wrap a frame of any library in the narwhals interface."""
    import narwhals.stable.v2 as nw

    try:
        frame: Frame = nw.from_native(native)
    except TypeError:
        raise InvalidFrameError(
            "a data frame must be of pandas, polars, pyarrow, DuckDB, Dask, Spark, Ibis or another "
            f"library that narwhals knows (got {type(native).__name__})"
        ) from None
    return nw.from_native(_of_categories(native)) if frame.implementation.is_dask() else frame


def _of_categories(native: Any) -> Any:
    """Return a Dask frame whose categories are the numbers and dates they stand for, not text."""
    kinds = {}
    for name, dtype in native.dtypes.items():
        kind: Any = getattr(getattr(dtype, "categories", None), "dtype", None)
        if kind is not None and kind.kind != "O":
            kinds[name] = _NULLABLE.get(kind.kind, kind)
    return native.astype(kinds) if kinds else native


def require_columns(
    frame: Frame, names: Iterable[str], by: str | None = None, weight: str | None = None
) -> Mapping[str, Any]:
    """Return the types of a frame's columns, or raise unless it has each of these."""
    schema = frame.collect_schema()
    repeated = _repeated(frame)
    purposes = ("truth", "predictions", "by", *(() if weight is None else ("sample_weight",)))
    seen = set()
    for name in (*names, *(each for each in (by, weight) if each is not None)):
        if not isinstance(name, str):
            raise InvalidFrameError.not_a_name(name)
        if name in repeated:
            raise InvalidFrameError(
                f"a column must have a name of its own, also if case is ignored (got several named "
                f"{shown(name)}); rename all but one"
            )
        if name not in schema:
            raise _no_column(name, schema.names())
        if name in seen:
            raise InvalidFrameError(
                f"must be different columns (got {shown(name)} twice)",
                parameter=purposes,
            )
        seen.add(name)
    return schema


def _repeated(frame: Frame) -> Collection[str]:
    """Return the names that several columns have, of which narwhals would take one."""
    native: Any = frame.to_native()
    if not (frame.implementation.is_duckdb() or frame.implementation.is_spark_like()):
        return ()
    return repeated_names(native) | {name for name, n in Counter(native.columns).items() if n > 1}


def _no_column(name: str, known: Sequence[str]) -> InvalidFrameError:
    import difflib

    alike = [each for each in known if each.casefold() == name.casefold()]
    nearest = alike or difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    advice = (
        f"did you mean {' or '.join(map(shown, nearest))}?"
        if nearest
        else f"they have {listed(known, most=12)}"
    )
    return InvalidFrameError(f"the data have no column {shown(name)}: {advice}")


@contextlib.contextmanager
def engine_errors() -> Iterator[None]:
    """Turn whatever an engine raises into one clear error."""
    try:
        yield
    except BaserateError:
        raise
    except Exception as error:
        raise InvalidFrameError(
            f"the data could not be counted ({type(error).__name__}: {shortened(error)})"
        ) from error
