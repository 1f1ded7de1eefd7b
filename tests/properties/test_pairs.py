"""Two models: one answer, whoever asks and whichever comes first."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from front_door import gain, gain_on_reference
from properties.agreement import SIDE_BY_SIDE, assert_agree, by_parts, few_examples
from properties.kinds import KINDS, Sketch, sketches

# An end of an interval is where a search for it stops.
SEARCHED = 1e-6


@pytest.mark.parametrize("name", KINDS)
@given(sketch=sketches)
@example(sketch=Sketch(rows=30, seed=3, signal=0.9, share=0.5, levels=1000))  # one is better
@few_examples
def test_a_reference_is_a_comparison(name: str, sketch: Sketch) -> None:
    """`compare` and `evaluate(reference=)` agree on the difference, its p-value and the claim."""
    kind, rows = KINDS[name], KINDS[name].rows(sketch)
    asked = (kind.measure, kind.asked(rows))
    found = gain_on_reference(rows.y_true, rows.first, rows.second, asked[0], **asked[1])
    expected = gain(rows.y_true, rows.second, rows.first, asked[0], **asked[1]).turned()
    assert_agree(found, expected, SIDE_BY_SIDE, 1e-12)


@by_parts(
    KINDS,
    ("gain", "p-value of a gain", "interval of a gain"),
    {},
)
@given(sketch=sketches)
@example(sketch=Sketch(rows=21, seed=98, signal=0.0, share=0.5, levels=4))
@example(sketch=Sketch(rows=9, seed=13, signal=0.0, share=0.5, levels=12))
@example(sketch=Sketch(rows=14, seed=21, signal=0.0, share=0.5, levels=12))
@few_examples
def test_either_way_round(name: str, facts: list[str], sketch: Sketch) -> None:
    """The first against the second is the second against the first, with the other sign."""
    kind, rows = KINDS[name], KINDS[name].rows(sketch)
    options = kind.asked(rows)
    found = gain(rows.y_true, rows.first, rows.second, kind.measure, **options)
    turned = gain(rows.y_true, rows.second, rows.first, kind.measure, **options).turned()
    assert_agree(found, turned, facts, SEARCHED)
