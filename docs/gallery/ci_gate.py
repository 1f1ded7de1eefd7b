"""
A gate in continuous integration
================================

A model that does not beat the score that comes for free should not be deployed. There are two
gates: one for a test suite in Python, and one for a shell.
"""

# %%
# Predictions of two models on 40 patients, as an earlier step of a pipeline would write them:
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

import baserate as br

frame = pd.DataFrame(
    {
        "y": [1] * 16 + [0] * 24,
        "tree": [1] * 11 + [0] * 5 + [1] * 4 + [0] * 20,
        "knn": [1] * 8 + [0] * 8 + [1] * 5 + [0] * 19,
    }
)

# %%
# In a test suite
# ---------------
#
# ``assert_beats_baseline`` is silent if a model passes.
br.assert_beats_baseline(frame["y"], frame["tree"], "F1", margin=0.05, alpha=0.05)

# %%
# If it does not, the message of the failed test is the verdict:
try:
    br.assert_beats_baseline(frame["y"], frame["knn"], "F1")
except AssertionError as failure:
    print(failure)

# %%
# Both models, and the dashed line that they have to beat:
models = {name: frame[name] for name in ("tree", "knn")}
display = br.BaselineDisplay.from_predictions(frame["y"], models, "F1")

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
