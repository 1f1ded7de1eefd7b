"""How a result is compared with the recorded one, field by field.

*Same*: scores, baselines, best guesses and the like, to 1e-9. *Close*: p-values, which are recorded
with their stated error, 0 if they are exact; the recorded and the present value may differ by both
errors together. *Free*: ends of intervals and what follows from them. They may change, but not
unseen: a test fails until `make golden` records the new ones, and the commit explains the diff.
"""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"

CLOSE = {"p_value", "p_worse", "p_adjusted", "sf", "cdf"}
FREE = {
    "low", "high", "margin_low", "margin_high", "chance_low", "chance_high",
    "interval", "outcome", "rows_needed", "exact", "certain", "diagnosis", "passes",
}  # fmt: skip
SAME_DIGITS = 1e-9
FREE_DIGITS = 1e-6


def recorded() -> dict[str, Any]:
    """Return all recorded results."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def result(call: Any) -> Any:
    """Return the result of a call as JSON has it; warnings are tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _plain(call())


def _plain(value: Any) -> Any:
    """Return a value as JSON reads it back: 13 digits, nan as None."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.13g}") if math.isfinite(value) else str(value)
    return value


def broken(old: Any, new: Any, field: str = "") -> list[str]:
    """Return what differs more than it may, each with the name of its field."""
    return [each for each, is_free in _differences(old, new, field) if not is_free]


def moved(old: Any, new: Any, field: str = "") -> list[str]:
    """Return which free fields differ, which is allowed once it is recorded."""
    return [each for each, is_free in _differences(old, new, field) if is_free]


def merged(old: Any, new: Any, field: str = "") -> Any:
    """Return what to record: the better known p-values, and otherwise the new result.

    Fields that are the same keep the digits that they had, so that a diff shows changes only.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: merged(old.get(key), each, key) for key, each in new.items()}
    if not list(_differences(old, new, field)):
        return old if field not in CLOSE or _error(old) <= _error(new) else new
    return new


def _error(pairs: Any) -> float:
    """Return the stated error of a p-value, or of the least known of several."""
    if pairs and isinstance(pairs[0], list):
        return max(_error(each) for each in pairs)
    return float(pairs[1])


def _differences(old: Any, new: Any, field: str) -> list[tuple[str, bool]]:
    """Return what differs, and whether it is free to."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            (f"{key}: {each}", is_free)
            for key in {**old, **new}
            for each, is_free in _differences(old.get(key), new.get(key), key)
        ]
    if field in CLOSE:
        return [] if _is_close(old, new) else [(f"{old} became {new}", False)]
    is_free = field in FREE or isinstance(old, str)
    if _is_same(old, new, FREE_DIGITS if is_free else SAME_DIGITS):
        return []
    return [(f"{old} became {new}", is_free)]


def _is_same(old: Any, new: Any, digits: float) -> bool:
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_is_same, old, new, [digits] * len(old)))
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return math.isclose(old, new, rel_tol=digits, abs_tol=digits / 100)
    return bool(old == new)


def _is_close(old: Any, new: Any) -> bool:
    """Return whether two p-values, each with its error, may be the same number."""
    if not old or not new or isinstance(old[0], list):
        return len(old or ()) == len(new or ()) and all(map(_is_close, old or (), new or ()))
    if isinstance(old[0], str) or isinstance(new[0], str):
        return bool(old[0] == new[0])
    return bool(abs(new[0] - old[0]) <= old[1] + new[1] + SAME_DIGITS * abs(old[0]))
