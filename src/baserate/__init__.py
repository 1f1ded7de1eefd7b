"""What is a score worth? The score that a model gets for free, knowing only the base rate."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate.public import *  # noqa: F403
    from baserate.sklearn.estimator import DutchDrawClassifier as DutchDrawClassifier

__version__ = "0.1.0.dev0"

# Not among what `from baserate import *` takes, because it needs scikit-learn to exist.
_ESTIMATOR = "DutchDrawClassifier"


def __getattr__(name: str) -> Any:
    """Load the library when one of its names is first used: `baserate --help` needs no numpy."""
    if name == _ESTIMATOR:
        return import_module("baserate.sklearn.estimator").DutchDrawClassifier
    public = import_module("baserate.public")
    names = getattr(public, "__all__", ())  # not there yet while the library loads itself
    if name == "__all__":
        return names
    if name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(public, name)
    return globals()[name]


def __dir__() -> list[str]:
    return ["__version__", _ESTIMATOR, *__getattr__("__all__")]
