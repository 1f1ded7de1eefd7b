"""
Two models that differ by chance
================================

Twenty models are tried. The best of them is far better than the worst, and even a test says so. But
they differ in nothing but a seed.
"""

# %%
# The Cleveland Heart Disease data in three parts: to learn, to choose a model, and to look again.
# The models are decision trees that try three random features at each step. Each has another seed.
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import baserate as br

data = br.datasets.load_cleveland()
X_train, X_rest, y_train, y_rest = train_test_split(
    data.features, data.target, test_size=0.6, random_state=1
)
X_valid, X_test, y_valid, y_test = train_test_split(X_rest, y_rest, test_size=0.5, random_state=1)
trees = {
    f"seed {seed}": DecisionTreeClassifier(max_features=3, random_state=seed).fit(X_train, y_train)
    for seed in range(20)
}
predictions = {name: tree.predict(X_valid) for name, tree in trees.items()}
accuracy = {name: np.mean(each == y_valid) for name, each in predictions.items()}
worst, best = min(accuracy, key=accuracy.__getitem__), max(accuracy, key=accuracy.__getitem__)
print(f"{worst}: {accuracy[worst]:.3f}, {best}: {accuracy[best]:.3f}")

# %%
# **The wrong question.** Compared with each other, as if nobody had looked at the other eighteen,
# the best is better:
pair = {worst: predictions[worst], best: predictions[best]}
print(br.compare(y_valid, pair, "ACC")[worst, best, "ACC"])

# %%
# **The right one.** They were picked from 190 pairs because they differ most, so all pairs must be
# asked. Holm's adjustment makes a false alarm anywhere as rare as 5%:
for adjust in (None, "holm"):
    differences = br.compare(y_valid, predictions, "ACC", adjust=adjust)
    better = [each for each in differences if each.outcome in ("first", "second")]
    print(f"adjust={adjust}: of {len(differences)} pairs, {len(better)} have a better model")

# %%
# **Look again.** On patients that had no part in the choice, hardly anything is left of it:
again = {name: trees[name].predict(X_test) for name in (worst, best)}
print(br.compare(y_test, again, "ACC")[worst, best, "ACC"])

# %%
# The same two trees, on the patients of the choice and on the unseen ones:
both = {name: np.concatenate([pair[name], again[name]]) for name in pair}
patients = np.repeat(["of the choice", "unseen"], [len(y_valid), len(y_test)])
comparison = br.compare(np.concatenate([y_valid, y_test]), both, "ACC", by=patients)
groups = [each for each in comparison if each.group is not None]
display = br.Comparison(tuple(groups), by="patients").plot()

# %%
# **Was it the split?** This one was picked for a large difference, so here are ten others. In
# each, the best and the worst of twenty seeds are chosen on one half and judged on the other:
gaps = []
for split in range(2, 12):
    rest = train_test_split(data.features, data.target, test_size=0.6, random_state=split)
    half = train_test_split(rest[1], rest[3], test_size=0.5, random_state=split)
    scores = []
    for tree in trees.values():
        tree.fit(rest[0], rest[2])
        scores.append((tree.score(half[0], half[2]), tree.score(half[1], half[3])))
    chosen = np.argsort([first for first, _ in scores], kind="stable")
    gaps.append(np.subtract(scores[chosen[-1]], scores[chosen[0]]))
print("mean difference: {:.3f} where chosen, {:.3f} on others".format(*np.mean(gaps, axis=0)))

# %%
# So most of the difference is chance, but not all: trees of different seeds are different trees,
# and some are a little better. What a winner scores on the patients it was chosen on is no
# estimate of what it will do.
