"""What it means that two answers agree, and how today's exceptions are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    import baserate as br
    from front_door import Gain

    Answer = br.Verdict | Gain

# Parts of an answer that can agree by themselves.
PARTS = {
    "score": ("score", "baseline", "margin"),
    "scale": ("rescaled",),
    "p-value": ("p_value", "p_worse", "exact"),
    "intervals": ("low", "high", "margin_low", "margin_high"),
    "outcome": ("outcome",),
    # Of two models:
    "gain": ("scores", "gain", "shown"),
    "p-value of a gain": ("p_value", "exact"),
    "interval of a gain": ("low", "high"),
}
EVERYTHING = tuple(
    fact for part in ("score", "scale", "p-value", "intervals", "outcome") for fact in PARTS[part]
)
SIDE_BY_SIDE = ("scores", "gain", "p_value", "exact", "low", "high", "shown")
ROUNDING = 1e-9  # two ways to compute the same number

# Always the same few examples, those that are known to fail first: neither a pass nor a failure
# is by chance, and a failure is not searched further.
few_examples = settings(
    max_examples=4, derandomize=True, database=None, deadline=None, report_multiple_bugs=False
)


def assert_agree(
    found: br.Verdict | Gain,
    expected: br.Verdict | Gain,
    facts: Iterable[str],
    tolerance: float = 0.0,
) -> None:
    """Assert that two answers agree in these facts: to the last digit, or up to rounding."""
    for fact in facts:
        one, other = getattr(found, fact), getattr(expected, fact)
        if isinstance(one, (str, bool)):
            assert one == other, fact
        else:
            close = pytest.approx(other, rel=tolerance, abs=tolerance, nan_ok=True)
            assert one == close, fact


def by_parts(names: Iterable[str], parts: Iterable[str], known: dict[tuple[str, str], str]) -> Any:
    """Parametrize over names, with all facts that agree today; those that do not must fail."""
    cases = []
    for name in names:
        holds = [part for part in parts if (name, part) not in known]
        facts = [fact for part in holds for fact in PARTS[part]]
        cases.append(pytest.param(name, facts, id=f"{name}-{', '.join(holds)}"))
        cases += [
            pytest.param(name, PARTS[part], id=f"{name}-{part}", marks=fails_today(reason))
            for (failing, part), reason in known.items()
            if failing == name
        ]
    return pytest.mark.parametrize(("name", "facts"), cases)


def but(names: Iterable[str], known: Iterable[str], reason: str) -> list[Any]:
    """Return names as parameters, of which some fail today, for a reason."""
    failing = set(known)
    return [
        pytest.param(name, marks=fails_today(reason) if name in failing else []) for name in names
    ]


def fails_today(reason: str) -> pytest.MarkDecorator:
    """Mark what the library does not do yet: an assertion fails, and nothing else happens."""
    return pytest.mark.xfail(reason=reason, strict=True, raises=AssertionError)
