"""
Is this model better than that one?
===================================

Two models are judged by the same observations, so a difference of scores may be chance.
``compare`` says how far they are apart, with a confidence interval, and whether it could be the
other way round.
"""

# %%
# Five hundred patients, two models. The forest finds more of the ill than the tree does.
import numpy as np
import pandas as pd

import baserate as br

rng = np.random.default_rng(1)
ill = rng.random(500) < 0.3
tree = np.where(ill, rng.random(500) < 0.6, rng.random(500) < 0.15)
forest = np.where(ill, rng.random(500) < 0.75, rng.random(500) < 0.15)
comparison = br.compare(ill, {"tree": tree, "forest": forest}, ["F1", "MCC", "ACC"])
print(comparison)

# %%
# **The p-value** asks: if both models were equally good, it would not matter which of them gave an
# answer. So swap the two answers on some of the patients, at random. How often do the scores then
# differ at least as much as they do, in either direction? Nothing is simulated: all swaps are
# counted. A model is called better if that is rarer than alpha, and the interval of the difference
# does not hold 0: models that are not alike may still be equally good. For accuracy
# this is McNemar's exact test, and the same question has an answer for every other measure, and for
# a measure of your own:


def pounds(_tp: int, fp: int, fn: int, _tn: int) -> int:
    """Return what errors cost: a test for nothing, or a patient who was sent home."""
    return 20 * fp + 100 * fn


cost = br.Measure.custom("cost", pounds, direction="minimize")
print(br.compare(ill, {"tree": tree, "forest": forest}, cost)["tree", "forest", "cost"])

# %%
# **The interval** is about size: the forest may be better and hardly worth the trouble. A
# difference is the first score minus the second.
display = comparison.plot()

# %%
# "No evidence of a difference" does not say that there is none. Here the second model is better for
# sure, because we made it so, but on 60 patients nobody could tell. The interval says how much
# better, or worse, it may be.
few = slice(0, 60)
print(br.compare(ill[few], {"tree": tree[few], "forest": forest[few]}, "F1"))

# %%
# With more models there are more pairs, and more false alarms. ``adjust="holm"`` makes a false
# alarm anywhere as rare as alpha. Here are five models that all guess:
guesses = {f"guess {number}": rng.random(500) < 0.3 for number in range(1, 6)}
plain = br.compare(ill, guesses, "F1")
holm = br.compare(ill, guesses, "F1", adjust="holm")
smallest = min(each.p_value for each in plain), min(each.p_adjusted for each in holm)
print("the smallest of ten p-values is {:.3f}, adjusted {:.3f}".format(*smallest))

# %%
# A data frame, files and engines are counted where they are, in one pass, and groups with ``by``.
# In a shell it is ``baserate compare preds.parquet --truth y --model tree --model forest -m F1``.
hospital = rng.choice(["east", "north"], size=500)
frame = pd.DataFrame({"y": ill, "tree": tree, "forest": forest, "hospital": hospital})
groups = br.compare(frame, ["tree", "forest"], "F1", truth="y", by="hospital")
columns = ["group", "first_score", "second_score", "difference", "low", "high", "p_value"]
groups.to_frame()[columns].round(4)
