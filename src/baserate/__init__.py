"""What is a score worth? Compare it with the score a model gets from the base rate alone."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate.public import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load the library on first use of one of its names: `baserate --help` needs no numpy."""
    public = import_module("baserate.public")
    names = getattr(public, "__all__", ())  # not there yet while the library loads itself
    if name == "__all__":
        return names
    if name not in names:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(public, name)
    return globals()[name]


def __dir__() -> list[str]:
    return ["__version__", *__getattr__("__all__")]
