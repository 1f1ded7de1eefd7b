"""The level holds for each claim, and a report says how many there are."""

from __future__ import annotations

import numpy as np

import baserate as br

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 60)
COINS = {f"coin {number}": RNG.integers(0, 2, 60) for number in range(5)}
HINT = 'adjust="holm" tests them all together'


def test_several_models_or_groups_are_counted() -> None:
    """In text, Markdown, LaTeX and HTML; measures that show nothing are not tested."""
    told = f"Each of 10 claims is tested at the 5% level; {HINT}."
    report = br.evaluate(Y, COINS, ["F1", "ACC", "TPR"])
    assert told in str(report)
    assert told in report.to_markdown()
    assert told.rstrip(".").replace("%", r"\%") in report.to_latex()
    assert told.replace('"', "&#34;") in report.to_html()
    groups = br.evaluate(Y, COINS["coin 0"], "ACC", by=np.arange(60) % 2)
    assert f"Each of 3 claims is tested at the 5% level; {HINT}." in str(groups)


def test_one_model_needs_no_note() -> None:
    """Nothing to adjust for; the page counts its measures."""
    report = br.evaluate(Y, COINS["coin 0"], ["F1", "ACC"])
    assert "claim" not in str(report)
    assert "Each of 2 claims is tested at the 5% level." in report.to_html()
    assert "Each claim is tested at the 5% level." in report.measure("F1").to_html()


def test_adjusted_claims_say_so() -> None:
    """No advice is given that was taken."""
    report = br.evaluate(Y, COINS, "ACC", adjust="holm", alpha=0.1)
    assert "Each of 5 claims is tested at the 10% level; p-values and intervals" in str(report)


def test_pairs_of_models_are_counted() -> None:
    """A comparison of five models has ten claims by each measure; one pair needs no note."""
    told = f"Each of 10 claims is tested at the 5% level; {HINT}."
    comparison = br.compare(Y, COINS, "ACC")
    assert told in str(comparison)
    assert told in comparison.to_markdown()
    assert told.rstrip(".").replace("%", r"\%") in comparison.to_latex()
    assert told.replace('"', "&#34;") in comparison.to_html()
    assert "claims" not in str(comparison["coin 0", "coin 1"])


def test_unsure_is_about_the_margin() -> None:
    """The page explains it by the margin and its interval, however small the p-value is."""
    report = br.evaluate(None, br.Confusion(tp=98, fp=62, fn=41, tn=102), "F1")
    assert report["model", "F1"].outcome is br.Outcome.UNSURE
    assert report["model", "F1"].p_value < 1e-8
    assert (
        "by how much is not sure: the interval of the margin includes 0, or the p-value is not "
        "below 0.05."
    ) in report.to_html()
