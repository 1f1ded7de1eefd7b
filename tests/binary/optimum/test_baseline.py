"""A baseline as people read it."""

from __future__ import annotations

import pytest

import baserate as br

RATE = br.BaseRate(positives=139, total=303)


@pytest.mark.parametrize(
    ("measure", "rate", "said"),
    [
        (
            "F1",
            RATE,
            "F1 baseline 0.629: what the best draw expects, θ* = 1; the worst expects 0.007",
        ),
        ("FDR", RATE, "FDR baseline 0.541: what every draw expects, θ* in {1/303, …, 1}"),
        (
            "FPR",
            RATE,
            "FPR baseline 0.000: what the best draw expects, θ* = 0; the worst expects 1.000",
        ),
        ("TP", RATE, "TP baseline 139: what the best draw expects, θ* = 1; the worst expects 0"),
        (
            "ACC",
            br.BaseRate(positives=2, total=4),
            "ACC baseline 0.500: what every draw expects, θ* in {0, …, 1}",
        ),
    ],
)
def test_a_baseline_is_a_sentence(measure: str, rate: br.BaseRate, said: str) -> None:
    """It names the score, the draws that expect it, and the test set."""
    test_set = f" ({rate.total} observations, {rate.positives} positive)"
    assert str(br.baseline(rate, measure)) == said + test_set


def test_what_is_not_certain_says_so() -> None:
    """An optimum of a function that is declared smooth is searched."""
    wave = br.Measure.custom(
        "root", lambda tp, fp, fn, tn: (1 + tp) ** 0.5 - 0.01 * fp, smooth=True, codomain=(-99, 99)
    )
    base = br.baseline(br.BaseRate(positives=10**6, total=10**7), wave)
    assert not base.best.exact
    assert str(base).endswith("; found by a search, and not certain")


def test_the_repr_keeps_every_digit() -> None:
    """For a session that looks closer."""
    base = br.baseline(RATE, "F1")
    assert repr(base.best.value) in repr(base)
