"""Build a data frame in the library of the user's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.exceptions import InvalidReportError, MissingDependencyError
from baserate.exceptions.base import shortened, shown
from baserate.harmless import encodable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def data_frame(
    columns: Mapping[str, Sequence[Any]], types: Mapping[str, str], backend: str, what: str
) -> Any:
    """Return columns as a data frame.

    Parameters
    ----------
    columns
        The values of each column; None for a missing value.
    types
        The narwhals type name of each column; text by default.
    backend
        ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another library that narwhals supports.
    what
        What needs the data frame, for an error message.
    """
    import narwhals.stable.v2 as nw

    schema = {name: getattr(nw, types.get(name, "String"))() for name in columns}
    found = {name: each if name in types else _texts(each) for name, each in columns.items()}
    try:
        return nw.from_dict(found, schema, backend=backend).to_native()  # type: ignore[arg-type]
    except ModuleNotFoundError as error:
        raise MissingDependencyError.package(error.name or backend, what) from None
    except (TypeError, ValueError, AttributeError, AssertionError) as error:
        raise InvalidReportError(
            "must be 'pandas', 'polars', 'pyarrow' or another eager one that narwhals "
            f"knows (got {shown(backend)}: {shortened(error)})",
            parameter="backend",
        ) from None


def _texts(column: Sequence[str | None]) -> list[str | None]:
    """Return names in a form that every library can hold."""
    return [None if text is None else encodable(text) for text in column]
