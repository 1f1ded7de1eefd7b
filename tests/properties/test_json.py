"""A report and a comparison are read as they were written, and what neither has is refused."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

import baserate as br
from properties.kinds import KINDS, Sketch

if TYPE_CHECKING:
    from collections.abc import Iterator

# One of each way to keep what was observed.
KEPT = [
    *("two classes, F1", "several classes, macro F1", "scores, AUC", "probabilities, Brier"),
    *("class probabilities, log loss", "top-k", "numbers, RMSE", "numbers, Kendall"),
    *("weighted labels, F1", "weighted numbers, RMSE"),
]
Place = tuple[Any, ...]
REFUSED = "must (be the JSON|have the schema)"


def _found(name: str) -> Iterator[Any]:
    kind = KINDS[name]
    rows = kind.rows(Sketch(rows=8, seed=1, signal=0.5, share=0.5, levels=12))
    models, options = {"a": rows.first, "b": rows.second}, kind.asked(rows)
    if name == "scores, AUC":
        options = options | {"threshold": 0.5}
    yield br.evaluate(rows.y_true, models, kind.measure, by=[1, 2] * 4, **options)
    yield br.compare(rows.y_true, models, kind.measure, **options)


def _parts(node: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every part of a document, but of a list its first element only."""
    if path and node is not None:
        yield path, node
    inner = (
        node.items() if isinstance(node, dict) else enumerate(node[:1] if _is_list(node) else ())
    )
    for name, each in inner:
        yield from _parts(each, (*path, name))


def _is_list(node: Any) -> bool:
    return isinstance(node, list)


def _changed(document: Any, path: Place, value: Any) -> str:
    """Write the document with another value in a place, or without it if that is an ellipsis."""
    other = part = deepcopy(document)
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    if value is ...:
        del part[path[-1]]
    return json.dumps(other)


def _wrong(path: Place, part: Any) -> list[Any]:
    """Return what cannot stand in the place of a part."""
    gone = [] if path[-1] in (0, "weights") else [...]
    if isinstance(part, bool):
        return [1, "true", {}, *gone]
    if "labels" in path:  # which may be texts and numbers
        return [{}, ["a"]]
    if isinstance(part, (int, float)):
        return ["1", {}, [], math.nan, math.inf, *gone]
    return [3, {}, ["a"], *gone] if isinstance(part, str) else ["abc", 5, *gone]


@pytest.mark.parametrize("name", KEPT)
def test_what_is_written_is_read_and_nothing_else(name: str) -> None:
    """Whatever is of another type, no number or left out is refused, and the rest comes back."""
    for found in _found(name):
        text = found.to_json()
        again = type(found).from_json(text)
        assert (again, str(again)) == (found, str(found))
        document = json.loads(text)
        for path, part in _parts(document):
            for value in _wrong(path, part):
                with pytest.raises(br.exceptions.InvalidReportError, match=REFUSED):
                    type(found).from_json(_changed(document, path, value))


PAIR, DIFFERENCE, MODEL = ("pairs", 0), ("differences", 0), ("performances", 0)
# Values of the right type that no report, or no comparison, has.
IMPOSSIBLE: dict[str, list[tuple[Place, list[Any]]]] = {
    "two classes, F1": [
        (("alpha",), [0, 7]),
        (("adjust",), ["all"]),
        (("tries",), [0, 1.5]),
        (("dropped",), [-1, None]),
        ((*MODEL, "tp"), [-1, 0.5, 10**16]),
        ((*PAIR, "positives_both"), [-1, 0.5]),
        ((*DIFFERENCE, "outcome"), ["third"]),
        ((*DIFFERENCE, "second"), ["nobody"]),
    ],
    "several classes, macro F1": [((*MODEL, "counts", 0, 0), [-1, 0.5, 10**16])],
    "scores, AUC": [
        ((*MODEL, "scores"), [[0.1, 0.9], [None, 0.1]]),
        ((*MODEL, "positives"), [[1], [-1, 1], [1.5, 1], [2**70, 1]]),
        ((*MODEL, "precision"), ["int8"]),
    ],
    "top-k": [((*MODEL, "cells", 0, 0), [-1, 10**16])],
    "weighted labels, F1": [
        ((*MODEL, "weights"), [[2.0, 1.0], [-1.0] * 8]),
        ((*MODEL, "rows"), [[1], [1, 0.5]]),
    ],
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_is_refused(name: str) -> None:
    """Counts that are no counts, scores in another order, names and codes that nobody has."""
    for path, values in IMPOSSIBLE[name]:
        for found in _found(name):
            document = json.loads(found.to_json())
            if path[0] in document:
                for value in values:
                    with pytest.raises(br.exceptions.InvalidReportError, match=REFUSED):
                        type(found).from_json(_changed(document, path, value))
