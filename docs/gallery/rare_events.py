"""
A rare-event classifier, and its average precision
==================================================

One patient in twenty is in danger. A model ranks all of them, and its average precision is more
than three times the share of positives, which most textbooks call the score of no skill. So it is
much better than nothing?
"""

# %%
# The diabetes data of scikit-learn: the event is to be among the 5% whose disease progressed most.
# A model learns from half of the patients and ranks the others.
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br

X, progression = load_diabetes(return_X_y=True)
y = (progression >= np.quantile(progression, 0.95)).astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
scores = model.predict_proba(X_test)[:, 1]
print(f"{y_test.sum()} events in {y_test.size} patients: {y_test.mean():.3f}")

# %%
# **The best guess does not score the share of positives.** That is what the *same score for
# everyone* has. A random ranking expects more: if an event happens to come first, the precision
# there is 1, and nothing takes that away again.
rate = br.BaseRate.of(y_test)
print(br.baseline(rate, "AP"))

# %%
# **It is better, and just significantly so.** The same scores, shuffled over the patients, do as
# well about once in forty times. How much better, eleven events cannot tell: see the interval.
report = br.evaluate(y_test, {"model": scores}, ["AP", "AUC"])
for verdict in report:
    print(verdict)

# %%
# How far does chance reach? This is the distribution of the average precision of random rankings:
null = br.null_distribution(y_test, scores, "AP")
low, high = null.interval(0.95)
print(f"95% of random rankings have from {low:.3f} to {high:.3f}")

# %%
# Both curves, with the lines of the best guess. AUC, on the left, asks about the whole list.
# Average precision, on the right, asks about its top, where someone will act:
display = br.plots.RankingDisplay.from_predictions(y_test, {"model": scores})

# %%
# **Fewer events** leave more to chance. The share is one in twenty in each of these test sets, and
# what a random ranking expects is not:
for events in (1, 5, 50, 500):
    base = br.baseline(br.BaseRate(positives=events, total=20 * events), "AP")
    print(f"{events:>3} of {20 * events:>6,}: {base.best.value:.4f}")

# %%
# **Another split** has other events, and another score:
found = []
for seed in range(1, 9):
    split = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    other = model.fit(split[0], split[2]).predict_proba(split[1])[:, 1]
    found.append(br.evaluate(split[3], {"model": other}, "AP")["model", "AP"])
low, *_, high = sorted(verdict.score for verdict in found)
clears = sum(verdict.outcome == "clears" for verdict in found)
print(f"AP from {low:.3f} to {high:.3f}; it beats the baseline on {clears} of {len(found)}")

# %%
# So the model has more than a random ranking expects on every split, and significantly more on most
# of them. How much more, a dozen events cannot tell: by the first split alone it may be hardly any.
