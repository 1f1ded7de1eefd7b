"""Files of predictions, scanned where they lie."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from baserate.exceptions import BaserateError, InvalidFileError, MissingDependencyError
from baserate.support.progress import awaited

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    import duckdb

T = TypeVar("T")


class Scan(NamedTuple):
    """Where a relation comes from, which it does not tell itself.

    Parameters
    ----------
    connection
        What knows how far a query has come.
    files
        What is read.
    is_text
        Whether the files have no types of their own.
    """

    connection: duckdb.DuckDBPyConnection
    files: list[str]
    is_text: bool


_SCANS: WeakKeyDictionary[Any, Scan] = WeakKeyDictionary()


def scan(path: str | PathLike[str] | Sequence[str | PathLike[str]]) -> duckdb.DuckDBPyRelation:
    r"""Return a lazy DuckDB relation over files of predictions.

    Nothing is read but what an evaluation needs, so that files may be larger than memory.

    CSV has no types: its columns are text. `evaluate` and `Confusion.from_frame` read 1, 1.0 and
    true in it as the same label. A query of your own casts what it compares, as in
    ``score::DOUBLE > 0.5``.

    Parameters
    ----------
    path
        A CSV, TSV, Parquet, JSON lines or Arrow file, a pattern such as
        ``"predictions/*.parquet"``, a folder (of Hive partitions, or not), or several of these.

    Returns
    -------
    duckdb.DuckDBPyRelation
        To be given to `evaluate` or `Confusion.from_frame`, or queried further.

    Examples
    --------
    >>> import baserate as br
    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "one.csv").write_text("y,tree\n1,1\n0,0\n0,1\n")
    >>> relation = scan(folder / "*.csv")
    >>> br.Confusion.from_frame(relation, "y", "tree")
    Confusion(tp=1, fp=1, fn=0, tn=1)
    """
    from baserate.data.paths import files_of
    from baserate.data.readers import read_csv, reader_of, require_content

    files = files_of(path)
    reader = reader_of(files)
    # What DuckDB remembers of a file is wrong if the file is written anew.
    connection = _engine().connect(config={"enable_external_file_cache": False})

    def read() -> duckdb.DuckDBPyRelation:
        # DuckDB keeps count of its progress for whoever asks, and prints nothing itself.
        connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        require_content(files)
        return reader(connection, files)

    try:
        relation = _awaited(connection, "reading", read)
    except BaserateError:
        raise
    except (_engine().Error, OSError, EOFError, TypeError, ValueError, zlib.error) as error:
        raise InvalidFileError.unreadable(files, error) from None
    _SCANS[relation] = Scan(connection, files, is_text=reader is read_csv)
    return relation


def with_progress(frame: Any, work: Callable[[], T]) -> T:
    """Do a query on a frame, showing how far it has come if `scan` made the frame."""
    scan = _scan_of(frame)
    if scan is None:
        return work()
    try:
        return _awaited(scan.connection, "counting", work)
    except (_engine().InvalidInputException, _engine().IOException) as error:  # a broken row
        raise InvalidFileError.unreadable(scan.files, error) from None


def is_text(frame: Any) -> bool:
    """Return whether a frame is a scan of files that have no types, only text."""
    scan = _scan_of(frame)
    return scan is not None and scan.is_text


def _engine() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingDependencyError.package("duckdb", "scan") from None
    return duckdb


def _awaited(connection: duckdb.DuckDBPyConnection, what: str, work: Callable[[], T]) -> T:
    return awaited(work, what, connection.query_progress, connection.interrupt)


def _scan_of(frame: Any) -> Scan | None:
    """Return the scan that made a frame: frames of other libraries need not be hashable."""
    return _SCANS.get(frame) if type(frame).__name__ == "DuckDBPyRelation" else None
