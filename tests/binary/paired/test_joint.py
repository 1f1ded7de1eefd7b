"""The joint table of two models."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baserate import Confusion
from baserate.data.models import count_pairs
from baserate.observed.two_classes import Answers, JointTable

ROWS = st.lists(st.tuples(*[st.integers(0, 1)] * 3), max_size=30)


@given(ROWS)
def test_three_tables_make_the_joint_table(rows: list[tuple[int, int, int]]) -> None:
    """The counts of two models, and how often both say positive, give all eight counts."""
    if not rows:
        rows = [(0, 0, 0)]
    truth, first, second = (list(column) for column in zip(*rows, strict=True))
    counts, both, _ = count_pairs(truth, {"a": first, "b": second}, None, None)
    joint = JointTable.of(counts["a"][None], counts["b"][None], both["a", "b"][None])
    assert joint.positives == Answers(
        *(rows.count((1, *ab)) for ab in ((1, 1), (1, 0), (0, 1), (0, 0)))
    )
    assert joint.negatives == Answers(
        *(rows.count((0, *ab)) for ab in ((1, 1), (1, 0), (0, 1), (0, 0)))
    )
    assert [joint.first, joint.second] == [Confusion.of(truth, first), Confusion.of(truth, second)]
    assert joint.disagreements == sum(a != b for _, a, b in rows)
