"""
A gate in continuous integration
================================

A model that does not beat the best guess should not be deployed, and one that does may have done so
by chance. There are two gates, one for a test suite in Python and one for a shell. Both
ask for evidence: a model that knows nothing passes at most 5% of the time.
"""

# %%
# Predictions of two models on 400 patients, as an earlier step of a pipeline would write them:
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

import baserate as br

frame = pd.DataFrame(
    {
        "y": [1] * 160 + [0] * 240,
        "tree": [1] * 110 + [0] * 50 + [1] * 40 + [0] * 200,
        "knn": [1] * 100 + [0] * 60 + [1] * 70 + [0] * 170,
    }
)

# %%
# In a test suite
# ---------------
#
# ``assert_beats_baseline`` is silent if a model passes. With ``margin`` the lower limit of its
# advantage has to reach it.
br.assert_beats_baseline(frame["y"], frame["tree"], "F1", margin=0.05)

# %%
# If it does not, the message of the failed test is the verdict:
try:
    br.assert_beats_baseline(frame["y"], frame["knn"], "F1")
except AssertionError as failure:
    print(failure)

# %%
# This F1 *is* better than the baseline, but on 400 patients that may be chance. To compare the
# numbers only, as the paper does, say ``alpha=None``; half of all coin flips would pass, too.
br.assert_beats_baseline(frame["y"], frame["knn"], "F1", alpha=None)

# %%
# Both models, and the dashed line that they have to beat:
models = {name: frame[name] for name in ("tree", "knn")}
display = br.plots.BaselineDisplay.from_predictions(frame["y"], models, "F1")

# %%
# In a shell
# ----------
#
# ``baserate check`` does the same with a file. Its exit code is 0 if all pass, 1 if one fails, and
# 2 if the input is bad.
folder = Path(tempfile.mkdtemp())
frame.to_csv(folder / "preds.csv", index=False)


def baserate(*arguments: str) -> None:
    """Run the program in the folder, and show what it prints."""
    command = [sys.executable, "-m", "baserate", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    print(f"{run.stdout}{run.stderr}exit code {run.returncode}")


baserate("check", "preds.csv", "--truth", "y", "--model", "tree", "-m", "F1", "--margin", "0.05")

# %%
baserate("check", "preds.csv", "--truth", "y", "--model", "knn", "-m", "F1", "-m", "MCC")

# %%
# A measure that can show nothing fails too, so that no model passes for the wrong reason:
baserate("check", "preds.csv", "--truth", "y", "--model", "tree", "-m", "TPR")

# %%
# ``--format github`` prints annotations and ``--format junit`` a test report:
# :doc:`/pipelines` has the files for GitHub Actions and GitLab.
