"""A curve of a model in the unit square, beside the line that comes for free."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Points: TypeAlias = tuple[tuple[float, float], ...]
"""The corners of a line, from left to right."""


class Line(NamedTuple):
    """A line that predictions have which never look at their input.

    Parameters
    ----------
    points
        Its corners.
    label
        What has it, in a few words.
    area
        The area below it, or above it as for errors: the score that it stands for.
    """

    points: Points
    label: str
    area: float


class Curve(NamedTuple):
    """A curve of one model, in a form that needs no arithmetic to be drawn.

    Parameters
    ----------
    name
        What the curve is called.
    measure
        The key of the measure that is an area: below it, or above it as for errors.
    x, y
        What is on the axes; both go from 0 to 1.
    points
        The corners of the model's curve.
    area
        That area.
    chance
        What is expected of the best reference: what the model's curve is to be compared with.
    others
        Other lines that come for free.
    caption
        What the lines mean, in a sentence.
    """

    name: str
    measure: str
    x: str
    y: str
    points: Points
    area: float
    chance: Line
    others: tuple[Line, ...] = ()
    caption: str = ""
