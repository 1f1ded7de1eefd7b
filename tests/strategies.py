"""Hypothesis strategies: test sets, draws and tables, with many edge cases."""

from __future__ import annotations

from hypothesis import strategies as st

import baserate as br

totals = st.one_of(
    st.integers(1, 12),
    st.integers(1, 10**4),
    st.sampled_from([2**31 - 1, 2**31, 10**12, 10**15 - 1, 10**15]),
)


@st.composite
def counts_of(draw: st.DrawFn, total: int) -> int:
    """A number of observations out of a total: an edge, its neighbour, a half, or any."""
    edges = {0, 1, 2, total // 2, total - 2, total - 1, total}
    edge = st.sampled_from(sorted(count for count in edges if 0 <= count <= total))
    return draw(st.one_of(edge, st.integers(0, total)))


@st.composite
def base_rates(draw: st.DrawFn, sizes: st.SearchStrategy[int] = totals) -> br.BaseRate:
    """A test set."""
    total = draw(sizes)
    return br.BaseRate(positives=draw(counts_of(total)), total=total)


@st.composite
def draws(draw: st.DrawFn, sizes: st.SearchStrategy[int] = totals) -> br.DutchDraw:
    """A Dutch Draw on some test set."""
    rate = draw(base_rates(sizes))
    return br.DutchDraw(rate, predicted_positives=draw(counts_of(rate.total)))


@st.composite
def tables(draw: st.DrawFn, sizes: st.SearchStrategy[int] = totals) -> br.ConfusionMatrix:
    """A confusion table of at least one observation."""
    drawn = draw(draws(sizes))
    low = max(0, drawn.predicted_positives - drawn.base_rate.negatives)
    high = min(drawn.base_rate.positives, drawn.predicted_positives)
    tp = draw(st.one_of(st.sampled_from([low, high]), st.integers(low, high)))
    return br.ConfusionMatrix.from_tp(tp, drawn.base_rate, drawn.predicted_positives)
