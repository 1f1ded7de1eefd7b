"""Scan files of predictions without loading them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from baserate.exceptions import BaserateError, InvalidFileError, MissingDependencyError
from baserate.progress import awaited

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    import duckdb

    from baserate.data.readers import Read

T = TypeVar("T")


class Scan(NamedTuple):
    """The origin of a relation, which DuckDB does not record."""

    connection: duckdb.DuckDBPyConnection  # the connection, which knows the progress of a query
    files: list[str]  # the files that are read
    is_text: bool  # whether the files have no types of their own, only text
    partitions: frozenset[str]  # the columns that come from folders such as year=2024
    repeated: frozenset[str]  # the names that several columns of a file have


_SCANS: WeakKeyDictionary[Any, Scan] = WeakKeyDictionary()


def scan(path: str | PathLike[str] | Sequence[str | PathLike[str]]) -> duckdb.DuckDBPyRelation:
    r"""Return a lazy DuckDB relation over files of predictions.

    Only what an evaluation needs is read, so files may be larger than memory.

    CSV has no types: its columns are text. `evaluate` and `ConfusionMatrix.from_frame` read 1,
    1.0 and true as the same label. In your own query, cast what you compare, as in
    ``score::DOUBLE > 0.5``.

    Parameters
    ----------
    path
        A CSV, TSV, Parquet, JSON lines or Arrow file; a pattern such as
        ``"predictions/*.parquet"``; a folder, with or without Hive partitions; or several of these.

    Returns
    -------
    duckdb.DuckDBPyRelation
        Pass it to `evaluate` or `ConfusionMatrix.from_frame`, or query it further.

    Examples
    --------
    >>> import baserate as br
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "one.csv").write_text("y,tree\n1,1\n0,0\n0,1\n")
    >>> relation = scan(folder / "*.csv")
    >>> br.ConfusionMatrix.from_frame(relation, "y", "tree")
    ConfusionMatrix(tp=1, fp=1, fn=0, tn=1)
    """
    from baserate.data.readers import files_of, partition_types, read_csv, reader_of

    files = files_of(path)
    # DuckDB's cache of a file is wrong once the file is rewritten.
    connection = _engine().connect(config={"enable_external_file_cache": False})

    def read() -> Read:
        # DuckDB tracks its progress for us to ask, and prints nothing itself.
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        return reader(connection, files)

    try:
        reader = reader_of(files)
        relation, repeated = _awaited(connection, "reading", read)
    except BaserateError:
        raise
    except (_engine().Error, OSError, EOFError, TypeError, ValueError, zlib.error) as error:
        raise InvalidFileError.unreadable(files, error) from None
    text, partitions = reader is read_csv, frozenset(partition_types(files))
    _SCANS[relation] = Scan(connection, files, text, partitions, repeated)
    return relation


def derived(frame: Any, other: Any) -> Any:
    """Return a frame that was made of another one, as read from the same files."""
    scan = _scan_of(frame)
    if scan is not None:
        _SCANS[other] = scan
    return other


def with_progress(frame: Any, work: Callable[[], T]) -> T:
    """Run a query on a frame, with a progress bar if `scan` made the frame."""
    scan = _scan_of(frame)
    if scan is None:
        return work()
    try:
        return _awaited(scan.connection, "counting", work)
    except (_engine().InvalidInputException, _engine().IOException) as error:  # a broken row
        raise InvalidFileError.unreadable(scan.files, error) from None


def is_text(frame: Any) -> bool:
    """Return whether a frame is a scan of files without types, only text."""
    scan = _scan_of(frame)
    return scan is not None and scan.is_text


def reads_groups(frame: Any, by: str | None) -> bool:
    """Return whether groups are read from text: 1 and 1.0 are one, but two names of folders."""
    scan = _scan_of(frame)
    return scan is not None and scan.is_text and by not in scan.partitions


def repeated_names(frame: Any) -> frozenset[str]:
    """Return the names that several columns of the scanned files have."""
    scan = _scan_of(frame)
    return frozenset() if scan is None else scan.repeated


def _engine() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingDependencyError.package("duckdb", "scan") from None
    return duckdb


def _awaited(connection: duckdb.DuckDBPyConnection, what: str, work: Callable[[], T]) -> T:
    return awaited(work, what, connection.query_progress, connection.interrupt)


def _scan_of(frame: Any) -> Scan | None:
    """Return the scan that made a frame, if any; frames of other libraries may not be hashable."""
    return _SCANS.get(frame) if type(frame).__name__ == "DuckDBPyRelation" else None
