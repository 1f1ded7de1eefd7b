"""
A verdict for each group
========================

A model may be useful overall and useless in one hospital. Each group has its own base rate, and so
its own baseline.
"""

# %%
# A thousand patients of three hospitals. In the third, ``south``, the model is blind: it calls
# patients ill at random.
import numpy as np
import pandas as pd

import baserate as br

rng = np.random.default_rng(0)
hospital = rng.choice(["east", "north", "south"], size=1000, p=[0.5, 0.3, 0.2])
ill = rng.random(1000) < np.where(hospital == "north", 0.2, 0.4)
sees = rng.random(1000) < np.where(hospital == "south", 0.0, 0.7)
predicted = np.where(sees, ill, rng.random(1000) < 0.4)
frame = pd.DataFrame({"y": ill, "model": predicted, "hospital": hospital})

# %%
# ``by`` names the column of groups. The report starts with groups in which a model does not clear
# the baseline although it does overall.
report = br.evaluate(frame, truth="y", y_pred=["model"], by="hospital", measures=["F1", "MCC"])
print(report)

# %%
# These are ``report.findings``:
for verdict in report.findings:
    print(verdict)

# %%
# In the south the model does as well as draws:
south = frame[frame["hospital"] == "south"]
display = br.plots.BaselineDisplay.from_predictions(south["y"], {"south": south["model"]}, "F1")

# %%
# All groups as a data frame. The group of the whole test set is NaN.
columns = ["group", "measure", "score", "baseline", "rescaled", "p_value", "outcome"]
report.to_frame(full=True)[columns].round({"score": 4, "baseline": 4, "rescaled": 4})

# %%
# With many groups, some fail by chance. ``adjust="holm"`` adjusts p-values for their number, but no
# adjustment makes a group of 20 patients larger. Take a model that is equally good everywhere: how
# often does its score seem to fail in at least one of 20 such groups?
found = 0
for _ in range(100):
    truth = rng.random(400) < 0.4
    guess = np.where(rng.random(400) < 0.7, truth, rng.random(400) < 0.4)
    groups = br.evaluate(truth, {"model": guess}, "F1", by=np.repeat(np.arange(20), 20))
    found += len(groups.findings) > 0
print(f"in {found} of 100 test sets with 20 groups, at least one group fails")
