"""Files of predictions, scanned where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from baserate.exceptions import InvalidFileError, MissingDependencyError
from baserate.progress import awaited

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    import duckdb

T = TypeVar("T")

# A relation does not tell its connection, which is the one that knows how far a query has come.
_CONNECTIONS: WeakKeyDictionary[Any, duckdb.DuckDBPyConnection] = WeakKeyDictionary()


def scan(path: str | PathLike[str] | Sequence[str | PathLike[str]]) -> duckdb.DuckDBPyRelation:
    r"""Return a lazy DuckDB relation over files of predictions.

    Nothing is read but what an evaluation needs, so that files may be larger than memory.

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
    from baserate.reading import files_of, reader_of, require_content

    files = files_of([path] if isinstance(path, str) or hasattr(path, "__fspath__") else path)
    reader = reader_of(files)
    require_content(files)
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingDependencyError.package("duckdb", "scan") from None
    connection = duckdb.connect()
    # DuckDB keeps count of its progress for whoever asks, and prints nothing itself.
    connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    try:
        relation = _awaited(connection, "reading", lambda: reader(connection, files))
    except (duckdb.Error, OSError, ValueError) as error:
        raise InvalidFileError.unreadable(files, error) from None
    _CONNECTIONS[relation] = connection
    return relation


def with_progress(frame: Any, work: Callable[[], T]) -> T:
    """Do a query on a frame, showing how far it has come if `scan` made the frame."""
    connection = _CONNECTIONS.get(frame) if _is_relation(frame) else None
    return work() if connection is None else _awaited(connection, "counting", work)


def _awaited(connection: duckdb.DuckDBPyConnection, what: str, work: Callable[[], T]) -> T:
    return awaited(work, what, connection.query_progress, connection.interrupt)


def _is_relation(frame: Any) -> bool:
    """Tell a relation: frames of other libraries need not be hashable."""
    return type(frame).__name__ == "DuckDBPyRelation"
