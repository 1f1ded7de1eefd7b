"""A curve of a model, beside the line that comes for free."""

from __future__ import annotations

import math
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
        The area below it, or above it as for errors: the score that it stands for; nan if it
        stands for none.
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
        The key of the measure that is an area: below it, or above it as for errors; empty if no
        area is a score.
    x, y
        What is on the axes.
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
    x_ends
        From where to where the horizontal axis goes.
    y_end
        How far the vertical axis goes from 0; None for as far as the lines of all models.
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
    x_ends: tuple[float, float] = (0.0, 1.0)
    y_end: float | None = 1.0


def rounded_up(value: float) -> float:
    """Return a round number that is at least as large, for the end of an axis.

    Examples
    --------
    >>> rounded_up(786.473), rounded_up(0.34), rounded_up(2)
    (800.0, 0.4, 2.0)
    """
    if not 1e-290 < value < 1e290:
        return value
    power = 10.0 ** math.floor(math.log10(value))
    found = (float(f"{step * power:.12g}") for step in (1, 2, 3, 4, 5, 6, 8, 10, 20))
    return next(each for each in found if each >= value)
