"""The public names: none comes, goes or takes other arguments by accident."""

from __future__ import annotations

from typing import TYPE_CHECKING

import baserate as br
import public_api
import stability

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


def test_the_public_names_are_as_they_were(snapshot: SnapshotAssertion) -> None:
    """Every name with its signature, its members and its stability.

    A change that is meant is renewed by `pytest tests/project/test_api.py --snapshot-update`, read
    in the diff and written into CHANGELOG.md; what is stable warns for a version first.
    """
    assert public_api.text() == snapshot


def test_what_may_change_is_public() -> None:
    """Each name of that list is a public one, and is there once."""
    names = [name for names in stability.MAY_CHANGE.values() for name in names]
    assert len({*names}) == len(names)
    assert {*names} <= {*dir(br)}


def test_the_page_of_stability_has_every_name() -> None:
    """All are on it, on one side or the other."""
    page = stability.page()
    assert [
        name for name in dir(br) if name != "__version__" and page.count(f"`{name}`") != 1
    ] == []
