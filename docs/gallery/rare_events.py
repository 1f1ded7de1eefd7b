"""
Is an average precision of 0.25 good?
=====================================

Ten patients of a hundred are ill. A model ranks all hundred, and its average precision is 0.25.
Most textbooks say that a ranking without skill has the share of positives, 0.1. So it is much
better than nothing?
"""

# %%
# A hundred patients, ten of them ill, and a model that puts some of them near the top:
import numpy as np

import baserate as br

ill = [2, 4, 10, 16, 25, 33, 41, 52, 68, 90]  # their places in the ranking, from the top
y_true = np.isin(np.arange(1, 101), ill).astype(int)
scores = np.linspace(0.99, 0.01, 100)
print(f"AP {br.get_measure('AP').score(br.Scores.of(y_true, scores)):.3f}")

# %%
# **What comes for free is not 0.1.** That is what the *same score for everyone* has. A random
# ranking expects more: if one of the ill is first by luck, the precision there is 1, and no bad
# luck makes up for it.
rate = br.BaseRate.of(y_true)
print(br.baseline(rate, "AP"))

# %%
# **It could be luck.** The same scores, dealt to the patients at random, do as well about once in
# twenty times. And on other patients like these the margin may be gone:
report = br.evaluate(y_true, {"model": scores}, ["AP", "AUC"])
print(report["model", "AP"])

# %%
# The p-value of an average precision has no formula. It is computed by a programme that rounds
# scores down, and once more with scores rounded up, so that it is surely between the two:
verdict = report["model", "AP"]
print(f"p is between {verdict.p_low:.6f} and {verdict.p_value:.6f}")

# %%
# How large is luck? This is the distribution of the average precision of random rankings:
law = br.score_distribution("AP", rate, scores)
low, high = law.interval(0.95)
print(f"mean {law.mean():.3f}, standard deviation {law.variance() ** 0.5:.3f}")
print(f"95% of random rankings have from {low:.3f} to {high:.3f}")

# %%
# Both curves, with the line of the right baseline:
display = br.RankingDisplay.from_predictions(y_true, {"model": scores})

# %%
# **Rarer still.** The fewer positives, the more luck is worth, and the farther a random ranking
# is above the share of positives:
for positives, total in ((2, 20), (10, 100), (100, 10_000)):
    base = br.baseline(br.BaseRate(positives=positives, total=total), "AP")
    print(f"{positives:>3} of {total:>6,}: {base.best.value:.4f}, not {base.worst.value:.4f}")
