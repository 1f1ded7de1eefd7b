"""A baseline as people read it."""

from __future__ import annotations

import pytest

import baserate as br

RATE = br.BaseRate(positives=139, total=303)


@pytest.mark.parametrize(
    ("measure", "rate", "said"),
    [
        ("F1", RATE, "F1 baseline 0.629 on {}: everyone positive; the worst guess has 0.007"),
        ("FDR", RATE, "FDR baseline 0.541 on {}: any guess"),
        ("FPR", RATE, "FPR baseline 0.000 on {}: everyone negative; the worst guess has 1.000"),
        ("TP", RATE, "TP baseline 139 on {}: everyone positive; the worst guess has 0"),
        ("ACC", br.BaseRate(positives=2, total=4), "ACC baseline 0.500 on {}: any guess"),
        ("AUC", RATE, "AUC baseline 0.500 on {}: any guess"),
    ],
)
def test_a_baseline_is_a_sentence(measure: str, rate: br.BaseRate, said: str) -> None:
    """It names the score, the test set and the guess; `repr` is the same."""
    base = br.baseline(rate, measure)
    assert str(base) == repr(base) == said.format(rate.described)


def test_what_is_not_certain_says_so() -> None:
    """An optimum of a function that is declared smooth is searched."""
    wave = br.Measure.custom(
        "root", lambda tp, fp, fn, tn: (1 + tp) ** 0.5 - 0.01 * fp, smooth=True, codomain=(-99, 99)
    )
    base = br.baseline(br.BaseRate(positives=10**6, total=10**7), wave)
    assert not base.best.exact
    assert str(base).endswith("; found by a search, and not certain")
