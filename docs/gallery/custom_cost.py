"""
A measure of your own
=====================

A missed illness costs ten times as much as a needless test. What is the cost of the best policy
without a model, and does the model cost less?
"""

# %%
# A measure is a function of the four counts, and a direction:
import baserate as br

cost = br.Measure.custom(
    "cost",
    lambda tp, fp, fn, tn: (fp + 10 * fn) / (tp + fp + fn + tn),
    direction="minimize",
    name="cost per patient",
    codomain=(0, 10),
)

# %%
# You can use it wherever you can use the name of a measure. On 303 patients, of whom 139 are ill:
rate = br.BaseRate(positives=139, total=303)
base = br.baseline(rate, cost)
print(f"cheapest draw {base.best.value:.3f} per patient, at θ* in {base.guesses}")
print(f"dearest draw  {base.max.value:.3f} per patient, at θ* in {base.max.guesses}")
print(f"this is certain: {base.best.exact}")

# %%
# The policy to beat is to test everyone. A model with a good F1 may cost more than that:
tables = {
    "balanced": br.ConfusionMatrix(tp=98, fp=62, fn=41, tn=102),
    "anxious": br.ConfusionMatrix(tp=137, fp=113, fn=2, tn=51),
}
report = br.evaluate(None, tables, ["F1", cost])
for verdict in report:
    print(verdict)

# %%
# The anxious model costs less than testing everyone, but not significantly: with two missed
# patients, the next 303 may well show none of the saving. The picture shows what draws cost, and
# where both models are.
display = br.plots.BaselineDisplay.from_predictions(None, tables, cost)

# %%
# The best draw depends on the base rate: if fewer than one patient in eleven is ill, testing no one
# is cheapest.
for positives in (10, 20, 27, 28, 40, 80):
    base = br.baseline(br.BaseRate(positives=positives, total=303), cost)
    print(f"{positives / 303:5.1%} ill: {base.best.value:.3f} at θ* in {base.guesses}")

# %%
# For a function that adds up counts with constant weights, such as this one, results are exact at
# any size. For other functions each expectation is a sum, which takes longer the larger the test
# set; with ``smooth=True`` it is an integral, for functions without poles, kinks and steps.
