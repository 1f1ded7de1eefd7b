"""The mean of what rows get from the cards that are dealt to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from baserate.core.rounding import COMPUTATION
from baserate.regression.law.groups import Groups, groups_by_times, groups_of, singles, spreads

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.integer]

# Up to so many rows, all that a row may get is written down once.
_WRITTEN = 700
# How many more groups there are of weighted rows.
_MORE = 4


@dataclass(frozen=True, eq=False)
class DealtSum:
    """The mean of what rows get from the cards that are dealt to them.

    Parameters
    ----------
    loss
        What a row gets from a card; arrays of any shapes that fit together.
    rows, cards
        The numbers of both.
    times
        By how much each row counts more than the mean; None if all count alike.

    Examples
    --------
    >>> dealt = DealtSum(np.multiply, np.array([1.0, 2.0]), np.array([3.0, 5.0]))
    >>> dealt.observed, dealt.numbers(np.array([[0, 1], [1, 0]])).tolist()
    (6.5, [6.5, 5.5])
    """

    loss: Callable[[Floats, Floats], Floats] = field(repr=False)
    rows: Floats
    cards: Floats
    times: Floats | None = None

    @property
    def total(self) -> int:
        """The number of rows."""
        return self.rows.size

    @property
    def is_product(self) -> bool:
        """Whether a row gets the product of both numbers."""
        return self.loss is np.multiply

    @cached_property
    def observed(self) -> float:
        """The number of the observed order."""
        if self.is_product:
            return float(self.rows @ self.cards) / self.total
        return float(self._means(self.loss(self.rows, self.cards)))

    @cached_property
    def slack(self) -> float:
        """How far apart two numbers may be, and be the same up to rounding."""
        if self.is_product:
            sizes = np.abs(self.rows) @ np.abs(self.cards)
            return COMPUTATION * float(sizes) / self.total
        return COMPUTATION * abs(self.observed)

    def numbers(self, orders: Places) -> Floats:
        """Return the numbers of some orders, which are the rows of an array."""
        return self.scorer()(orders)

    def scorer(self) -> Callable[[Places], Floats]:
        """Return what finds the numbers of orders."""
        if self.is_product:
            return lambda orders: np.asarray(self.cards[orders] @ self.rows / self.total)
        if self.total > _WRITTEN:
            return lambda orders: self._means(self.loss(self.rows, self.cards[orders]))
        written = self.gains(self.each_row, self.each_card).ravel()
        starts = np.arange(0, self.total**2, self.total, dtype=np.int32)
        return lambda orders: np.asarray(written.take(orders + starts).sum(axis=1) / self.total)

    def _means(self, gains: Floats) -> Floats:
        if self.times is None:
            return np.asarray(gains.mean(axis=-1))
        return np.asarray(gains @ self.times / self.total)

    def gains(self, rows: Groups, cards: Groups) -> Floats:
        """Return what groups of rows get from groups of cards."""
        return self.loss(rows.values[:, np.newaxis], cards.values) * rows.times[:, np.newaxis]

    @property
    def each_row(self) -> Groups:
        """Every row by itself."""
        return singles(self.rows, self.times)

    @property
    def each_card(self) -> Groups:
        """Every card by itself."""
        return singles(self.cards, None)

    def grouped(self, most: int) -> tuple[Groups, Groups]:
        """Return rows and cards in at most so many groups each."""
        if self.total <= most:
            return self.each_row, self.each_card
        return groups_of(self.rows, self.times, self.spread_of_rows, most), self._few_cards(most)

    def grouped_by_times(self, most: int) -> tuple[Groups, Groups]:
        """Return the same, where rows of a group count about alike; of these there are more."""
        if self.times is None or self.total <= most:
            return self.grouped(most)
        rows = groups_by_times(self.rows, self.times, self.spread_of_rows, _MORE * most)
        return rows, self._few_cards(most)

    def _few_cards(self, most: int) -> Groups:
        return groups_of(self.cards, None, self.spread_of_cards, most)

    @cached_property
    def spread_of_rows(self) -> Floats:
        """How much it matters to each row which card it gets."""

        def got(card: float) -> Floats:
            gain = self.loss(self.rows, np.asarray(card))
            return gain if self.times is None else gain * self.times

        return spreads(got, self.cards)

    @cached_property
    def spread_of_cards(self) -> Floats:
        """How much it matters to each card which row gets it."""
        return spreads(lambda row: self.loss(np.asarray(row), self.cards), self.rows)

    def chosen(self, rows: Places, cards: Places) -> DealtSum:
        """Return the same of some rows and cards."""
        times = None if self.times is None else self.times[rows]
        return DealtSum(self.loss, self.rows[rows], self.cards[cards], times)
