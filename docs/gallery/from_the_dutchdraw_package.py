"""
Moving from the DutchDraw package
=================================

``DutchDraw`` 0.0.2 is the package of the paper's authors. Its numbers on this page are quoted from
a run of that version; ours are computed here.
"""

# %%
# Function by function
# --------------------
#
# .. list-table::
#    :header-rows: 1
#
#    * - ``DutchDraw``
#      - ``baserate``
#    * - ``measure_score(y, p, "FBETA", beta=2)``
#      - ``br.fbeta(2).score(br.ConfusionMatrix.of(y, p))``
#    * - ``optimized_baseline_statistics(y, "ACC")``
#      - ``br.baseline(y, "ACC")``
#    * - ``…["Max Expected Value"]``
#      - ``.max.value``
#    * - ``…["Argmax Expected Value"]``
#      - ``.max.guesses``, ``.max.guesses.intervals``
#    * - ``baseline_functions(y, "G2")``
#      - ``br.DutchDraw(y, theta).score("G2")``
#    * - ``…["Distribution"](x, theta)``
#      - ``.sf(x)`` and ``.cdf(x)``: the probability of at least, and of at most x
#    * - ``…["Domain"](theta)``
#      - from ``.ppf(0)`` to ``.ppf(1)``
#    * - ``…["Expectation Function"](theta)``
#      - ``.mean()``, ``br.expected_score(y, "G2", theta)``
#    * - ``…["Variance Function"](theta)``
#      - ``.var()``
#    * - ``baseline_functions_given_theta(theta, y, "G2")``
#      - the same ``.mean()`` and ``.var()``
#    * - ``DutchDraw_baseline(y, "G2", theta="optimal")``
#      - ``br.baseline(y, "G2")``
#    * - ``DutchDraw_classifier(y, theta=0.4, measure="ACC")``
#      - ``br.DutchDraw(y, theta=0.4).predict(rng=0)``
#    * - ``select_names``, ``measure_dictionary``
#      - ``br.get_measure(name)``, ``br.MEASURES``
#
# ``M_known`` and ``P_known`` have no counterpart: our baseline always knows the base rate. In 0.0.2
# ``DutchDraw_baseline`` does not use them either.
import pandas as pd

import baserate as br

y_true = [1] * 3 + [0] * 7
half = br.DutchDraw(y_true, theta=0.5)

# %%
# Where the numbers agree
# -----------------------
#
# Both follow the paper. On three positives among ten, the values of 0.0.2 are:
quoted = {"ACC": (0.7, 0.3), "FBETA": (0.46153846153846156, 0.15), "TS": (0.3, 0)}
for name, (highest, lowest) in quoted.items():
    base = br.baseline(y_true, "F1" if name == "FBETA" else name)
    print(name, base.max.value == highest, base.min.value == lowest)

# %%
# Where they differ
# -----------------
#
# Each row has a number of 0.0.2, ours, and why they differ. The definition of the draw decides
# which is right. The script at the end of this page shows how each number is computed.

# sphinx_gallery_start_ignore


def row(case: str, theirs: object, ours: object, reason: str) -> dict[str, object]:
    """Return a line of the table."""
    return {"case": case, "DutchDraw 0.0.2": theirs, "baserate": ours, "reason": reason}


five = br.DutchDraw([1, 1, 0, 0, 0], theta=0.5)
three = br.DutchDraw([1, 0, 0], theta=0.5)
alone = br.baseline(br.BaseRate(positives=1, total=10), "TS").max.guesses
no_positives = br.baseline(br.BaseRate(positives=0, total=5), "TP").max.guesses
kappa = br.baseline(br.BaseRate(positives=0, total=5), "KAPPA").max.guesses
differences = [
    row(
        "variance of G2, θ = 0.5",
        0.2777777777777778,
        half.score("G2").var(),
        "0.0.2 returns E[X²]; the square of the mean has to be subtracted",
    ),
    row(
        "variance of TS, θ = 0.5",
        0.0847996976568405,
        half.score("TS").var(),
        "0.0.2 returns E[X²] here, too",
    ),
    row(
        "E[TP], P = 2, M = 5, θ = 0.5",
        0.8,
        five.score("TP").mean(),
        "M·θ = 2.5: 0.0.2 rounds halves to even, the paper's intervals need halves up",
    ),
    row(
        "labels of a draw, M = 3, θ = 0.5",
        "4",
        str(len(three.predict(rng=0))),
        "0.0.2 rounds M·θ and M·(1 - θ) apart",
    ),
    row(
        "best draws of TS, P = 1, M = 10",
        "{1}",
        str(alone),
        "appendix A.23 has the case P = 1, Table 4 has not",
    ),
    row(
        "best draws of TP, P = 0, M = 5",
        "{1}",
        str(no_positives),
        "all draws expect 0",
    ),
    row(
        "best draws of κ, P = 0, M = 5",
        "{0, …, 1}",
        str(kappa),
        "κ is 0/0 if nothing is positive and nothing predicted so",
    ),
    row(
        "accuracy of labels 0/2",
        "1.5",
        f"{br.get_measure('ACC').score(br.ConfusionMatrix.of([0, 2, 2, 0], [0, 2, 0, 0], 2))}",
        "0.0.2 is content if one of the two labels matches; we are told which is positive",
    ),
]
pd.set_option("display.max_colwidth", None)
# sphinx_gallery_end_ignore
pd.DataFrame(differences).set_index("case")

# %%
# Where 0.0.2 has no number
# -------------------------
#
# - ``baseline_functions(y, "ACC")["Distribution"](0.6, 0.5)`` raises ``TypeError``, as for all
#   measures except G2 and TS: coefficients are kept as text and subtracted from a number.
# - ``baseline_functions(y, "FBETA")["Fast Expectation Function"](0.5)`` raises ``SyntaxError``: a
#   bracket of the formula is missing.
# - ``measure_score(y, p, "MCC")`` raises ``ValueError: math domain error`` on 200,000 labels: the
#   product of four counts overflows 64 bits.
# - ``baseline_functions_given_theta(0.04, y, "PPV")`` raises ``ZeroDivisionError`` on ten labels:
#   0.04 rounds to a draw of nothing.
#
# The same with ``baserate``:
print("P(ACC ≥ 0.6) =", half.score("ACC").sf(0.6))
print("E[F1] =", br.expected_score(y_true, "F1", 0.5))
large = br.ConfusionMatrix(tp=60_000, fp=20_000, fn=20_000, tn=100_000)
print("MCC =", br.get_measure("MCC").score(large))
try:
    br.DutchDraw(y_true, theta=0.04).score("PPV")
except br.exceptions.UndefinedMeasureError as error:
    print(error)

# %%
# Two more differences
# --------------------
#
# ``DutchDraw_classifier`` calls the *first* rows positive. On sorted labels this is not random:
theirs = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]  # DutchDraw_classifier(y_true, theta=0.4, measure="ACC")
print(
    "MCC of the first four:",
    round(br.get_measure("MCC").score(br.ConfusionMatrix.of(y_true, theirs)), 3),
)
drawn = br.DutchDraw(y_true, theta=0.4)
print("expected of a draw:   ", drawn.score("MCC").mean())

# %%
# 0.0.2 finds the maximum of G2 by summing over all counts for all θ, which takes some four times as
# long whenever M doubles; :doc:`/benchmarks` has the times. Here the time does not depend on M.
best = br.baseline(br.BaseRate(positives=3 * 10**11, total=10**12), "G2").best
print(f"M = 10¹²: {best.value:.15f} at P̂ = {best.guesses.counts[0].start:,}")
display = br.baseline(br.BaseRate(positives=30, total=100), "G2").plot()
