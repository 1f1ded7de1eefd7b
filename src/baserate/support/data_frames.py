"""Data frames of whichever library a user has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.exceptions import InvalidReportError, MissingDependencyError
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
        The values of each column, None where there is none.
    types
        The type of each column, by narwhals' name; text if it is not given.
    backend
        ``"pandas"``, ``"polars"``, ``"pyarrow"`` or another that narwhals knows.
    what
        What asks for it, for an error.
    """
    import narwhals.stable.v2 as nw

    schema = {name: getattr(nw, types.get(name, "String"))() for name in columns}
    found = {name: each if name in types else _texts(each) for name, each in columns.items()}
    try:
        return nw.from_dict(found, schema, backend=backend).to_native()  # type: ignore[arg-type]
    except ModuleNotFoundError as error:
        raise MissingDependencyError.package(error.name or backend, what) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidReportError(
            "must be 'pandas', 'polars', 'pyarrow' or another eager one that narwhals "
            f"knows (got {backend!r}: {error})",
            parameter="backend",
        ) from None


def _texts(column: Sequence[str | None]) -> list[str | None]:
    """Return names as every library can hold them."""
    return [None if text is None else encodable(text) for text in column]
