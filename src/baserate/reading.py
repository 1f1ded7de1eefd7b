"""Which files a path comes to, and how DuckDB reads each kind."""

from __future__ import annotations

import glob
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baserate.exceptions import InvalidFileError, MissingDependencyError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    Reader = Callable[[duckdb.DuckDBPyConnection, list[str]], duckdb.DuckDBPyRelation]

# What a file may be packed with.
_PACKED = (".gz", ".zst")


def files_of(paths: Any) -> list[str]:
    """Return the files that some paths, patterns and folders come to, each once."""
    files: dict[str, None] = {}
    for path in paths:
        found = _matches(str(Path(path).expanduser())) if str(path) else []
        if not found:
            raise MissingFileError.none(str(path))
        files |= dict.fromkeys(found)
    if not files:
        raise MissingFileError.none("")
    return list(files)


def _matches(path: str) -> list[str]:
    if Path(path).is_file():  # a name with brackets is a name first
        return [path]
    is_folder = Path(path).is_dir()
    pattern = str(Path(glob.escape(path)) / "**" / "*") if is_folder else path
    # Path.glob takes no absolute pattern.
    found = (Path(match) for match in glob.glob(pattern, recursive=True))  # noqa: PTH207
    fixed = Path(path).parts if is_folder else takewhile(_is_fixed, Path(path).parts)
    base = Path(*fixed)
    return sorted(str(match) for match in found if match.is_file() and not _is_mark(match, base))


def _is_fixed(part: str) -> bool:
    return not glob.has_magic(part)


def _is_mark(file: Path, base: Path) -> bool:
    """Tell what engines leave beside their parts: _SUCCESS, .crc and _temporary folders."""
    parts = file.relative_to(base).parts if file.is_relative_to(base) else (file.name,)
    return any(part[0] in "._" for part in parts)


def reader_of(files: list[str]) -> Reader:
    """Return how files of one kind are read."""
    suffixes = {_suffix(Path(file)) for file in files}
    unknown = suffixes - set(_READERS)
    if unknown:
        raise InvalidFileError.unknown_kind(sorted(unknown), sorted(_READERS))
    kinds = {_READERS[suffix] for suffix in suffixes}
    if len(kinds) > 1:
        raise InvalidFileError.mixed(sorted(suffixes))
    return kinds.pop()


def require_content(files: list[str]) -> None:
    """Raise if there is nothing in any of the files: DuckDB would make up a column."""
    if not any(Path(file).stat().st_size for file in files):
        raise InvalidFileError.empty(files[0])


def _suffix(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in _PACKED), "")


# The types of text files are told from all rows (sample_size=-1): by the first ones alone, a score
# of 0.7 far below would be read as 1.


def _csv(connection: duckdb.DuckDBPyConnection, files: list[str]) -> duckdb.DuckDBPyRelation:
    return connection.read_csv(_literal(files), sample_size=-1, **_together(files))  # type: ignore[arg-type]


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str]) -> duckdb.DuckDBPyRelation:
    return connection.read_parquet(_literal(files), **_together(files))


def _json(connection: duckdb.DuckDBPyConnection, files: list[str]) -> duckdb.DuckDBPyRelation:
    return connection.read_json(_literal(files), sample_size=-1, **_together(files))  # type: ignore[arg-type]


def _arrow(connection: duckdb.DuckDBPyConnection, files: list[str]) -> duckdb.DuckDBPyRelation:
    try:
        from pyarrow import dataset
    except ModuleNotFoundError:
        raise MissingDependencyError.package("pyarrow", "an Arrow file") from None
    hive = dataset.partitioning(flavor="hive") if _is_hive(files) else None
    return connection.from_arrow(dataset.dataset(files, format="ipc", partitioning=hive))


def _literal(files: list[str]) -> list[str]:
    """Return names as DuckDB takes them literally: it looks for patterns in them."""
    return [glob.escape(file) for file in files]


def _together(files: list[str]) -> dict[str, Any]:
    """Return how DuckDB reads many files as one: by the names of columns, and of folders."""
    return {"union_by_name": True, "hive_partitioning": _is_hive(files)}


def _is_hive(files: list[str]) -> bool:
    """Tell folders such as year=2024, which make columns."""
    return all(any("=" in part for part in Path(file).parent.parts) for file in files)


_READERS: dict[str, Reader] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".json": _json,
    ".jsonl": _json,
    ".ndjson": _json,
    ".arrow": _arrow,
    ".feather": _arrow,
    ".ipc": _arrow,
}
