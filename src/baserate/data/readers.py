"""Read each kind of file with DuckDB."""

from __future__ import annotations

import os
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from baserate.data.csv_files import content, dialect, distinct, literal, pieces
from baserate.data.paths import partition_types, require_own_columns
from baserate.exceptions import InvalidFileError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import duckdb

    from baserate.data.csv_files import Dialect

    Reader = Callable[[duckdb.DuckDBPyConnection, list[str]], "Read"]


class Read(NamedTuple):
    """What files hold.

    Parameters
    ----------
    relation
        The rows.
    repeated
        The names that several columns of a file have, which DuckDB does not allow.
    """

    relation: duckdb.DuckDBPyRelation
    repeated: frozenset[str] = frozenset()


# The suffixes of compressed files.
_PACKED = (".gz", ".zst")
# The kind of a block of a Zstandard file that is one byte, repeated.
_REPEATED_BYTE = 1


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
    """Raise if all files are empty, as DuckDB would make up a column, or if the end of one is lost.

    DuckDB reads a Zstandard file up to where it is cut off, and says nothing.
    """
    if not any(Path(file).stat().st_size for file in files):
        raise _empty(files)
    for file in files:
        if file.lower().endswith(".zst") and not _has_end(file):
            raise InvalidFileError(f"{file!r} could not be read (its end is missing)")


def _has_end(file: str) -> bool:
    """Return whether a Zstandard file ends where its last frame does (RFC 8878)."""
    with Path(file).open("rb") as packed:
        size = packed.seek(0, os.SEEK_END)
        packed.seek(0)
        while packed.tell() < size:
            magic = int.from_bytes(packed.read(4), "little")
            if magic >> 4 == 0x184D2A5:  # a frame to skip
                packed.seek(int.from_bytes(packed.read(4), "little"), os.SEEK_CUR)
                continue
            flags = int.from_bytes(packed.read(1), "little")
            is_single = flags >> 5 & 1
            of_dictionary, of_content = (0, 1, 2, 4)[flags & 3], (is_single, 2, 4, 8)[flags >> 6]
            packed.seek((1 - is_single) + of_dictionary + of_content, os.SEEK_CUR)
            is_last = False
            while not is_last and packed.tell() < size:
                header = int.from_bytes(packed.read(3), "little")
                is_last, kind, length = bool(header & 1), header >> 1 & 3, header >> 3
                packed.seek(1 if kind == _REPEATED_BYTE else length, os.SEEK_CUR)
            packed.seek(4 * (flags >> 2 & 1), os.SEEK_CUR)  # the checksum
            if not is_last:
                return False
        return packed.tell() == size


def _empty(files: list[str]) -> InvalidFileError:
    return InvalidFileError(f"{files[0]!r} must have rows (got an empty file)")


def _suffix(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in _PACKED), "")


def read_csv(connection: duckdb.DuckDBPyConnection, files: list[str]) -> Read:
    """Read CSV files, with text columns only, and match their columns by name."""
    alike: dict[Dialect, list[str]] = {}
    for file in files:
        found = dialect(connection, file)
        if found is not None:
            alike.setdefault(found, []).append(file)
    if not alike:
        raise _empty(files)
    keys = partition_types(files)
    for found, several in alike.items():
        require_own_columns(several, keys, found.names)
    parts = []
    for found, several in alike.items():
        options: Any = found.options | {"hive_partitioning": bool(keys)}
        options |= {"hive_types": keys} if keys else {}
        parts.append(connection.read_csv(literal(several), **options))  # type: ignore[arg-type]
    repeated = frozenset[str]().union(*(found.repeated for found in alike))
    if len(parts) == 1:  # DuckDB takes time for every column of a view
        return Read(parts[0], repeated)
    for place, part in enumerate(parts):
        part.create_view(f"part{place}")
    views = (f"FROM part{place}" for place in range(len(parts)))
    return Read(connection.sql(" UNION ALL BY NAME ".join(views)), repeated)


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str]) -> Read:
    def read(*, hive_partitioning: bool, hive_types: Mapping[str, str] | None = None) -> Any:
        names: Any = literal(files)
        options: Any = {"union_by_name": True, "hive_partitioning": hive_partitioning}
        if hive_types is None:
            return connection.read_parquet(names, **options)
        # The method does not take types of partitions.
        listed = ", ".join(f"{name} = {value}" for name, value in options.items())
        types = ", ".join(f"{_quoted(key)}: {_quoted(kind)}" for key, kind in hive_types.items())
        paths = ", ".join(map(_quoted, names))
        return connection.sql(f"FROM read_parquet([{paths}], {listed}, hive_types = {{{types}}})")

    relation = _with_partitions(read, files)
    known = {name.casefold() for name in relation.columns}
    # DuckDB reads the second m as m_1.
    is_suspect = any(name.rpartition("_")[0] in known for name in known)
    return Read(relation, _repeated(connection, files) if is_suspect else frozenset())


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _repeated(connection: duckdb.DuckDBPyConnection, files: list[str]) -> frozenset[str]:
    """Return the names that several columns of a Parquet file have."""
    query = "SELECT file_name, name, num_children FROM parquet_schema(?)"
    rows = iter(connection.execute(query, [literal(files)]).fetchall())
    repeated: set[str] = set()
    for _, _, columns in rows:  # the root of a file; its columns follow, each before its fields
        repeated |= distinct([_top(rows) for _ in range(columns)])[1]
    return frozenset(repeated)


def _top(rows: Iterator[tuple[str, str, int | None]]) -> str:
    """Return the name of the next column, and pass over its fields."""
    _, name, fields = next(rows)
    for _ in range(fields or 0):
        _top(rows)
    return name


def _json(connection: duckdb.DuckDBPyConnection, files: list[str]) -> Read:
    for file in files:
        if not file.lower().endswith(".zst"):
            # DuckDB ignores the checksum of a .gz file, and is slow on very long lines.
            is_lines = _suffix(Path(file)) != ".json"
            deque((pieces if is_lines else content)(connection, file), maxlen=0)
    # Infer types from all rows: from the first ones alone, a score of 0.7 far below would be read
    # as 1.
    names: Any = literal(files)
    read = partial(connection.read_json, names, union_by_name=True, sample_size=-1)
    return Read(_with_partitions(read, files))


def _with_partitions(
    read: Callable[..., duckdb.DuckDBPyRelation], files: list[str]
) -> duckdb.DuckDBPyRelation:
    """Read files, with a column for each partition folder such as year=2024."""
    keys = partition_types(files)
    relation = read(hive_partitioning=False)
    require_own_columns(files, keys, relation.columns)
    return read(hive_partitioning=True, hive_types=keys) if keys else relation


def _arrow(connection: duckdb.DuckDBPyConnection, files: list[str]) -> Read:
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ModuleNotFoundError:
        raise MissingDependencyError.package("pyarrow", "an Arrow file") from None
    # pyarrow would apply the columns of the first file to all.
    fragments = dataset.dataset(files, format="ipc").get_fragments()
    schemas = [fragment.physical_schema for fragment in fragments]
    keys = partition_types(files)
    require_own_columns(files, keys, {name for schema in schemas for name in schema.names})
    schema = pa.unify_schemas(schemas, promote_options="permissive")
    types = {"BIGINT": pa.int64(), "VARCHAR": pa.string()}
    folders = pa.schema({key: types[kind] for key, kind in keys.items()})
    hive = dataset.partitioning(folders, flavor="hive") if keys else None
    schema = pa.schema([*schema, *folders])
    found = dataset.dataset(files, schema, format="ipc", partitioning=hive)
    return Read(connection.from_arrow(found))


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
