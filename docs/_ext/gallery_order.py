"""The order of the gallery: from the first question to migrating from other tools."""

from __future__ import annotations

ORDER = (
    "is_my_f1_good.py",
    "is_my_rmse_good.py",
    "better_model.py",
    "two_models_by_chance.py",
    "out_of_fold.py",
    "ci_gate.py",
    "per_group.py",
    "three_classes.py",
    "rare_events.py",
    "choosing_a_threshold.py",
    "custom_cost.py",
    "multiple_choice.py",
    "leaderboard.py",
    "ten_billion_rows.py",
    "from_dummy_classifier.py",
    "from_the_dutchdraw_package.py",
)


class Position:
    """The position of a script, in the form sphinx-gallery expects."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, name: str) -> int:
        """Return the position; a script that is not listed is an error."""
        return ORDER.index(name)

    def __repr__(self) -> str:
        return "Position()"  # without an address, which would change with each build
