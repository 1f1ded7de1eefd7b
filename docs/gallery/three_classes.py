"""
A three-class model that loses to its class counts
==================================================

A model sends letters to three departments, and most of them arrive. Is that good? And is a macro F1
below a half bad?
"""

# %%
# A thousand letters: 70% are for *sales*, 20% for *support* and 10% for *legal*. The model knows
# something about each of them, but it sends too many letters to the small departments.
import numpy as np

import baserate as br

rng = np.random.default_rng(3)
departments = np.array(["sales", "support", "legal"])
sent_to = {"sales": [0.68, 0.20, 0.12], "support": [0.35, 0.52, 0.13], "legal": [0.35, 0.25, 0.40]}
truth = rng.choice(departments, size=1000, p=[0.7, 0.2, 0.1])
model = np.array([rng.choice(departments, p=sent_to[label]) for label in truth])
report = br.evaluate(truth, {"model": model}, ["accuracy", "macro F1", "weighted F1", "MCC"])
print(report)

# %%
# **Accuracy.** The model is right less often than one that always says “sales”. Yet the same
# answers, dealt to the letters at random, would hardly ever be right so often: the model has
# learned something, and uses it badly.
print(report["model", "accuracy"])

# %%
# **Macro F1** sounds like a failure, and is not. Each department counts as much as the others, and
# what comes for free is a third, by sending as many letters to each department as it gets.
print(report["model", "macro F1"])
print(br.baseline(truth, "macro F1"))

# %%
# Always predicting the largest class is *not* the best that a macro F1 can get without a model:
always = np.full(truth.size, "sales")
macro_f1 = br.get_measure("macro F1")
print(f"always sales: {macro_f1.score(br.ConfusionMatrix.of(truth, always)):.3f}")

# %%
# Where do the letters go? A row is a true department. A cell is the darker, the more of that
# department's letters are in it.
display = br.MatrixDisplay.from_predictions(truth, model, name="model")

# %%
# One department against the rest is a question of two classes, with all its measures:
for label in departments:
    (verdict,) = br.evaluate(truth, {str(label): model}, "F1", pos_label=label)
    print(verdict)

# %%
# A remedy: follow the model only where that pays. *Sales* gets so many letters that most of those
# sent to *legal* are for sales. Send all of them there:
wary = np.where(model == "legal", "sales", model)
print(br.compare(truth, {"model": model, "wary": wary}, ["accuracy", "macro F1"]))

# %%
# By accuracy that is better, and by macro F1 it is worse, since no letter reaches *legal* any more.
# Which of the two matters is not a question of statistics.
