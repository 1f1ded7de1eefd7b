"""The Fβ scores, one measure per β."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

from baserate.arguments import as_float, is_number
from baserate.binary.measures.extreme import ALL_POSITIVE, ONE_POSITIVE, Extreme
from baserate.binary.measures.proportion import Proportion
from baserate.binary.measures.record import Measure
from baserate.binary.measures.requirement import SOME_POSITIVES, SOME_PREDICTED_POSITIVES
from baserate.binary.measures.under_draw import UnderDraw
from baserate.core.codomain import UNIT
from baserate.core.direction import Direction
from baserate.core.formula import ZERO, Formula
from baserate.core.sklearn_call import SklearnCall
from baserate.exceptions import InvalidMeasureError
from baserate.formatting import shown

# β² times the product of two counts fits a float; beyond it Fβ equals the TPR to the last digit.
_MOST_BETA = 1e100
_F1_ALIASES = (
    "F score",
    "F measure",
    "f1_score",
    "F1 measure",
    "balanced F score",
    "Dice",
    "Dice coefficient",
    "Dice score",
    "Sørensen-Dice coefficient",
)


def fbeta(beta: float) -> Measure:
    """Return the Fβ score, which weighs recall β times as much as precision.

    Parameters
    ----------
    beta
        The weight of the True Positive Rate relative to the Positive Predictive Value, from
        1e-100 to 1e100.

    Examples
    --------
    >>> fbeta(2)
    <Measure F2: F2 score>
    >>> fbeta(0.5).key
    'F0.5'
    """
    return _fbeta(require_beta(beta))


@cache
def _fbeta(beta: float) -> Measure:
    # Keep a whole β² as an int, to multiply counts of any size exactly.
    weight = int(beta * beta) if (beta * beta).is_integer() else beta * beta
    both = 1 + weight
    exact, exact_both = Decimal(weight), Decimal(both)
    number = f"{beta!r}".removesuffix(".0")
    return Measure(
        key=f"F{number}",
        name=f"F{number} score",
        aliases=_F1_ALIASES if weight == 1 else (f"f{number}_score",),
        meaning="The harmonic mean of precision and recall."
        if weight == 1
        else "The weighted harmonic mean of precision and recall, recall counting "
        f"{number} times as much as precision.",
        section="A.13",
        pitfall="True negatives do not count, and the best draw predicts everything positive: "
        "the larger the base rate, the more of the score is free.",
        sklearn=SklearnCall("f1_score")
        if weight == 1
        else SklearnCall("fbeta_score", {"beta": beta}),
        direction=Direction.MAXIMIZE,
        codomain=UNIT,
        definition=Formula(
            r"(1+\beta^2) / \left(\frac{1}{\text{PPV}} + \frac{\beta^2}{\text{TPR}}\right)",
            lambda tp, fp, fn, tn: both * tp / (weight * (tp + fn) + (tp + fp)),
        ),
        requirements=(SOME_POSITIVES, SOME_PREDICTED_POSITIVES),
        proportion=Proportion(hits=("tp",), misses=("fp", "fn")) if weight == 1 else None,
        draw=UnderDraw(
            slope=Formula(
                r"\frac{1+\beta^2}{\beta^2 \cdot P + M \cdot \theta^*}",
                lambda m: both / (weight * m.positives + m.predicted_positives),
            ),
            intercept=ZERO,
            expectation=Formula(
                r"\frac{(1+\beta^2) \theta^* \cdot P}{\beta^2 \cdot P + M \cdot \theta^*}",
                lambda m: (
                    (both * m.predicted_positives * m.positives)
                    / (m.total * (weight * m.positives + m.predicted_positives))
                ),
            ),
            maximum=Extreme(
                Formula(
                    r"\frac{(1+\beta^2) \cdot P}{\beta^2 \cdot P + M}",
                    lambda rate: both * rate.positives / (weight * rate.positives + rate.total),
                ),
                ALL_POSITIVE,
            ),
            minimum=Extreme(
                Formula(
                    r"\frac{(1+\beta^2) \cdot P}{M(\beta^2 \cdot P + 1)}",
                    lambda rate: (
                        both * rate.positives / (rate.total * (weight * rate.positives + 1))
                    ),
                ),
                ONE_POSITIVE,
            ),
        ),
        level=Formula(
            r"(1+\beta^2) \text{TP} - s (\beta^2 P + \hat{P})",
            lambda s, tp, fp, fn, tn: exact_both * tp - s * (exact * (tp + fn) + (tp + fp)),
        ),
    )


def require_beta(beta: float) -> float:
    """Return a β as a float, or raise if it is none."""
    if not is_number(beta) or not 1 / _MOST_BETA <= as_float(beta) <= _MOST_BETA:
        raise InvalidMeasureError(
            f"must be a number above 0, from {1 / _MOST_BETA:g} to {_MOST_BETA:g} "
            f"(got {shown(beta)})",
            parameter="beta",
        )
    return float(beta)


F1 = fbeta(1)
