"""Find the files of a path, and read each kind of them with DuckDB."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import stat
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from baserate.data.csv_files import content, dialect, distinct, pieces
from baserate.exceptions import InvalidFileError, MissingDependencyError, MissingFileError
from baserate.formatting import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb

    from baserate.data.csv_files import Dialect

    Reader = Callable[[duckdb.DuckDBPyConnection, list[str]], "Read"]

_Identity: TypeAlias = tuple[int, int]
"""The device and the inode of a file or a folder: the same under all its names."""

# A whole number as Python writes it, or what stands for a missing value.
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}|__HIVE_DEFAULT_PARTITION__")
# Of a path that does not exist, an error shows this much.
_MOST_LETTERS = 300
# The suffixes of compressed files.
_PACKED = (".gz", ".zst")


class Read(NamedTuple):
    """What files hold."""

    relation: duckdb.DuckDBPyRelation  # the rows
    # The names that several columns of a file have, which DuckDB does not allow.
    repeated: frozenset[str] = frozenset()


def files_of(paths: Any) -> list[str]:
    """Return the files of a path, a pattern, a folder or several of these.

    Every file is there once, however many names lead to it; a name that is not a link goes first,
    since its folders may be partitions.
    """
    files: dict[_Identity, str] = {}
    names = _several(paths)
    for path in names or [""]:
        found = _found(path) if path else []
        if not found:
            raise MissingFileError(
                f"there is no file {shown(path, _MOST_LETTERS)}; a pattern such as "
                "'folder/*.parquet' may be used"
            )
        for file, identity in found:
            if identity not in files or _is_link(files[identity]):
                files[identity] = file
    return list(files.values())


def _several(paths: Any) -> list[str]:
    try:
        each = [paths] if isinstance(paths, str | bytes) or hasattr(paths, "__fspath__") else paths
        names = [os.fspath(path) for path in each]
    except TypeError:
        names = [None]
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        got = paths if wrong[0] is None else wrong[0]
        raise InvalidFileError(
            "a path must be text or a pathlib.Path, or several of these "
            f"(got {shown(got)} of type {type(got).__name__})"
        )
    return names


def _found(path: str) -> list[tuple[str, _Identity]]:
    """Return the files of a path; a leading ~ may be a home folder."""
    try:
        return _matches(path) or _matches(os.path.expanduser(path))  # noqa: PTH111
    except (OSError, ValueError) as error:  # name too long, no permission, or a NUL in it
        raise InvalidFileError.unreadable([path], error) from None


def _matches(path: str) -> list[tuple[str, _Identity]]:
    status = _status(path)
    if status is None:
        names = [str(each) for each in _expanded(Path(), Path(path).parts)]
    elif stat.S_ISDIR(status.st_mode):
        names = [str(each) for each in _inside(Path(path))]
    else:  # a name with brackets may be a real name
        names = [path]
    found = [(name, os.stat(name)) for name in sorted(names)]  # noqa: PTH116
    return [(name, _identity(each)) for name, each in found if stat.S_ISREG(each.st_mode)]


# A folder that cannot be listed is an error, and never empty: its rows would be missing. The glob
# module ignores it, and follows links in circles.


def _expanded(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Return what a pattern, given in parts, matches in a folder; ** matches any folders."""
    if not parts:
        yield folder
        return
    part, rest = parts[0], parts[1:]
    if part == "**" and not rest:
        yield from _inside(folder)
    elif part == "**":
        for each in _folders(folder):
            yield from _expanded(each, rest)
    elif glob.has_magic(part):
        for entry in _entries(folder):
            if fnmatch.fnmatch(entry.name, part) and (not rest or entry.is_dir()):
                yield from _expanded(folder / entry.name, rest)
    elif (folder / part).is_symlink() or _status(folder / part) is not None:
        yield from _expanded(folder / part, rest)


def _inside(folder: Path) -> Iterator[Path]:
    """Return every file in a folder and the folders inside it."""
    for each in _folders(folder):
        yield from (each / entry.name for entry in _entries(each) if not entry.is_dir())


def _folders(folder: Path) -> Iterator[Path]:
    """Return a folder and the folders inside it, each once; links come last."""
    seen: set[_Identity] = set()
    queue = deque([folder])
    while queue:
        each = queue.popleft()
        identity = _identity(each.stat())
        if identity in seen:
            continue
        seen.add(identity)
        yield each
        inside = [entry for entry in _entries(each) if entry.is_dir()]
        queue.extend(each / entry.name for entry in inside if entry.is_symlink())
        queue.extendleft(each / entry.name for entry in inside if not entry.is_symlink())


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, except engines' markers: _SUCCESS, .crc and _temporary."""
    with os.scandir(folder) as entries:
        return [entry for entry in entries if entry.name[0] not in "._"]


def _status(path: str | Path) -> os.stat_result | None:
    """Return the status of a path; None if there is nothing."""
    try:
        return os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return None


def _identity(status: os.stat_result) -> _Identity:
    return status.st_dev, status.st_ino


def _is_link(file: str) -> bool:
    """Return whether a file or one of its folders is a link."""
    return os.path.realpath(file) != os.path.abspath(file)  # noqa: PTH100


# Folders such as year=2024 are columns.


def partition_types(files: Sequence[str]) -> dict[str, str]:
    """Return the partition columns, as from the folder year=2024, if every file is in one.

    A column has DuckDB's type of whole numbers if all its folders are written as such, and of text
    otherwise: 1000, 1000.0 and 1e3 are three folders, and so are 1 and 01.
    """
    found = [_partitions(file) for file in files]
    if not all(found):
        return {}
    for file, each in zip(files, found, strict=True):
        if list(each) != list(found[0]):
            raise InvalidFileError(
                "folders such as year=2024 must have the same names for all files "
                f"(got {files[0]!r} and {file!r})"
            )
    return {
        key: "BIGINT" if all(_WHOLE.fullmatch(each[key]) for each in found) else "VARCHAR"
        for key in found[0]
    }


def _partitions(file: str) -> dict[str, str]:
    """Return the partitions of a file, as DuckDB finds them: a=b=c is none."""
    pairs = (part.split("=") for part in Path(file).parent.parts)
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and pair[0]}


def _require_own_columns(files: Sequence[str], keys: Iterable[str], columns: Iterable[str]) -> None:
    """Raise if a folder such as tree=1 would replace a column of the files."""
    known = {name.casefold() for name in columns}
    for key in keys:
        if key.casefold() in known:
            raise InvalidFileError(
                f"a folder {key}=… must not be named as a column of its files (got {files[0]!r}, "
                f"which has a column {key!r}); rename the folder or the column"
            )


def _with_partitions(
    read: Callable[..., duckdb.DuckDBPyRelation], files: list[str]
) -> duckdb.DuckDBPyRelation:
    """Read files, with a column for each partition folder such as year=2024."""
    keys = partition_types(files)
    relation = read(hive_partitioning=False)
    _require_own_columns(files, keys, relation.columns)
    return read(hive_partitioning=True, hive_types=keys) if keys else relation


# One reader per kind of file.


def reader_of(files: list[str]) -> Reader:
    """Return the reader of files of one kind, or raise if all are empty."""
    suffixes = {_suffix(Path(file)) for file in files}
    unknown = suffixes - set(_READERS)
    if unknown:
        found = ", ".join(suffix or "files without a suffix" for suffix in sorted(unknown))
        raise InvalidFileError(f"files must be one of {', '.join(sorted(_READERS))} (got {found})")
    kinds = {_READERS[suffix] for suffix in suffixes}
    if len(kinds) > 1:
        found = ", ".join(sorted(suffixes))
        raise InvalidFileError(f"files that are scanned together must be of one kind (got {found})")
    if not any(Path(file).stat().st_size for file in files):  # DuckDB would make up a column
        raise _empty(files)
    return kinds.pop()


def _empty(files: list[str]) -> InvalidFileError:
    return InvalidFileError(f"{files[0]!r} must have rows (got an empty file)")


def _suffix(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in _PACKED), "")


def _literal(files: Iterable[str]) -> Any:
    """Return file names that DuckDB takes literally: it expands patterns and ~ in them."""
    return [glob.escape(f"./{file}" if file.startswith("~") else file) for file in files]


def read_csv(connection: duckdb.DuckDBPyConnection, files: list[str]) -> Read:
    """Read CSV files, with text columns only, and match their columns by name."""
    alike: dict[Dialect, list[str]] = {}
    for file in files:
        found = dialect(file)
        if found is not None:
            alike.setdefault(found, []).append(file)
    if not alike:
        raise _empty(files)
    keys = partition_types(files)
    parts = []
    for found, several in alike.items():
        _require_own_columns(several, keys, found.names)
        options: Any = found.options | {"hive_partitioning": bool(keys)}
        options |= {"hive_types": keys} if keys else {}
        parts.append(connection.read_csv(_literal(several), **options))
    repeated = frozenset[str]().union(*(found.repeated for found in alike))
    if len(parts) == 1:  # DuckDB takes time for every column of a view
        return Read(parts[0], repeated)
    for place, part in enumerate(parts):
        part.create_view(f"part{place}")
    views = (f"FROM part{place}" for place in range(len(parts)))
    return Read(connection.sql(" UNION ALL BY NAME ".join(views)), repeated)


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str]) -> Read:
    def read(*, hive_partitioning: bool, hive_types: Mapping[str, str] | None = None) -> Any:
        options: Any = {"union_by_name": True, "hive_partitioning": hive_partitioning}
        if hive_types is None:
            return connection.read_parquet(_literal(files), **options)
        # The method does not take types of partitions.
        listed = ", ".join(f"{name} = {value}" for name, value in options.items())
        types = ", ".join(f"{_quoted(key)}: {_quoted(kind)}" for key, kind in hive_types.items())
        paths = ", ".join(map(_quoted, _literal(files)))
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
    rows = iter(connection.execute(query, [_literal(files)]).fetchall())
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
        # DuckDB reads a compressed file up to where it is cut off, ignores its checksum, and is
        # slow on very long lines.
        is_lines = _suffix(Path(file)) != ".json"
        deque((pieces if is_lines else content)(file), maxlen=0)
    # Infer types from all rows: from the first ones alone, a score of 0.7 far below would be read
    # as 1.
    read = partial(connection.read_json, _literal(files), union_by_name=True, sample_size=-1)
    return Read(_with_partitions(read, files))


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
    _require_own_columns(files, keys, {name for schema in schemas for name in schema.names})
    schema = pa.unify_schemas(schemas, promote_options="permissive")
    types = {"BIGINT": pa.int64(), "VARCHAR": pa.string()}
    folders = pa.schema({key: types[kind] for key, kind in keys.items()})
    hive = dataset.partitioning(folders, flavor="hive") if keys else None
    schema = pa.schema([*schema, *folders])
    found = dataset.dataset(files, schema, format="ipc", partitioning=hive)
    return Read(connection.from_arrow(found))


_READERS: dict[str, Reader] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), read_csv),
    **dict.fromkeys((".parquet", ".pq"), _parquet),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), _json),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), _arrow),
}
