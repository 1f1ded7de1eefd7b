"""Read each kind of file with DuckDB."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.data.csv_files import dialect, literal
from baserate.data.paths import partition_keys, require_own_columns
from baserate.exceptions import InvalidFileError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from baserate.data.csv_files import Dialect

    Reader = Callable[[duckdb.DuckDBPyConnection, list[str]], duckdb.DuckDBPyRelation]

# The suffixes of compressed files.
_PACKED = (".gz", ".zst")


def reader_of(files: list[str]) -> Reader:
    """Return the reader of files of one kind."""
    suffixes = {_suffix(Path(file)) for file in files}
    unknown = suffixes - set(_READERS)
    if unknown:
        found = ", ".join(suffix or "files without a suffix" for suffix in sorted(unknown))
        raise InvalidFileError(f"files must be one of {', '.join(sorted(_READERS))} (got {found})")
    kinds = {_READERS[suffix] for suffix in suffixes}
    if len(kinds) > 1:
        found = ", ".join(sorted(suffixes))
        raise InvalidFileError(f"files that are scanned together must be of one kind (got {found})")
    return kinds.pop()


def require_content(files: list[str]) -> None:
    """Raise if all files are empty: DuckDB would make up a column."""
    if not any(Path(file).stat().st_size for file in files):
        raise _empty(files)


def _empty(files: list[str]) -> InvalidFileError:
    return InvalidFileError(f"{files[0]!r} must have rows (got an empty file)")


def _suffix(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in _PACKED), "")


def read_csv(connection: duckdb.DuckDBPyConnection, files: list[str]) -> duckdb.DuckDBPyRelation:
    """Read CSV files, with text columns only, and match their columns by name."""
    alike: dict[Dialect, list[str]] = {}
    for file in files:
        found = dialect(connection, file)
        if found is not None:
            alike.setdefault(found, []).append(file)
    if not alike:
        raise _empty(files)
    keys = partition_keys(files)
    for found, several in alike.items():
        require_own_columns(several, keys, found.names)
    for place, (found, several) in enumerate(alike.items()):
        options: Any = found.options | {"hive_partitioning": bool(keys)}
        relation = connection.read_csv(literal(several), **options)  # type: ignore[arg-type]
        relation.create_view(f"part{place}")
    parts = (f"FROM part{place}" for place in range(len(alike)))
    return connection.sql(" UNION ALL BY NAME ".join(parts))


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str]) -> duckdb.DuckDBPyRelation:
    return _with_partitions(connection.read_parquet, files, {})


def _json(connection: duckdb.DuckDBPyConnection, files: list[str]) -> duckdb.DuckDBPyRelation:
    # Infer types from all rows: from the first ones alone, a score of 0.7 far below would be read
    # as 1.
    return _with_partitions(connection.read_json, files, {"sample_size": -1})


def _with_partitions(
    read: Callable[..., duckdb.DuckDBPyRelation], files: list[str], options: dict[str, Any]
) -> duckdb.DuckDBPyRelation:
    """Read files, with a column for each partition folder such as year=2024."""
    read = partial(read, literal(files), union_by_name=True, **options)
    keys = partition_keys(files)
    relation = read(hive_partitioning=False)
    require_own_columns(files, keys, relation.columns)
    return read(hive_partitioning=True) if keys else relation


def _arrow(connection: duckdb.DuckDBPyConnection, files: list[str]) -> duckdb.DuckDBPyRelation:
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ModuleNotFoundError:
        raise MissingDependencyError.package("pyarrow", "an Arrow file") from None
    # pyarrow would apply the columns of the first file to all.
    fragments = dataset.dataset(files, format="ipc").get_fragments()
    schemas = [fragment.physical_schema for fragment in fragments]
    keys = partition_keys(files)
    require_own_columns(files, keys, {name for schema in schemas for name in schema.names})
    schema = pa.unify_schemas(schemas, promote_options="permissive")
    hive = dataset.partitioning(flavor="hive") if keys else None
    types = dataset.dataset(files, format="ipc", partitioning=hive).schema
    for key in keys:
        schema = schema.append(types.field(key))
    found = dataset.dataset(files, schema, format="ipc", partitioning=hive)
    return connection.from_arrow(found)


_READERS: dict[str, Reader] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".json": _json,
    ".jsonl": _json,
    ".ndjson": _json,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".ipc": _arrow,
}
