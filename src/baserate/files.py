"""Files of predictions, scanned where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baserate.exceptions import InvalidFileError, MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import duckdb


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
    from baserate.reading import files_of, reader_of

    files = files_of([path] if isinstance(path, str) or hasattr(path, "__fspath__") else path)
    reader = reader_of(files)
    try:
        import duckdb
    except ModuleNotFoundError:
        raise MissingDependencyError.package("duckdb", "scan") from None
    try:
        return reader(duckdb.connect(), files)
    except (duckdb.Error, OSError, ValueError) as error:
        raise InvalidFileError.unreadable(files, error) from None
