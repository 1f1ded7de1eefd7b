"""Records in which undefined numbers are equal."""

from __future__ import annotations

from dataclasses import replace

import baserate as br

Y = [1, 0] * 20


def test_undefined_numbers_are_equal() -> None:
    """Also if they are not the same object, as after reading JSON."""
    (verdict,) = br.evaluate(Y, [0] * 40, "F1")
    performance = replace(verdict.performance, p_value=float("nan"))
    twin = replace(verdict.performance, p_value=float("nan"))
    assert performance == twin
    assert len({performance, twin}) == 1
    assert performance != replace(twin, p_value=0.5)
    assert replace(verdict, performance=performance) == replace(verdict, performance=twin)
    assert performance != verdict
