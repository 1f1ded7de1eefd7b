"""Formulas, each written once: to compute with and to print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from baserate.binary.measures.margins import Number


@dataclass(frozen=True)
class Formula:
    """A formula to compute with and to print.

    Parameters
    ----------
    latex
        How the paper writes it.
    function
        How it is computed, in whatever number type it is given.
    """

    latex: str
    function: Callable[..., Number] = field(repr=False)

    def __call__(self, *arguments: Number) -> Number:
        """Compute it."""
        return self.function(*arguments)


ZERO = Formula("0", lambda _: 0)
ONE = Formula("1", lambda _: 1)
