"""For scikit-learn: scorers, and estimators that guess. Each loads what it needs on first use.

Examples
--------
>>> import baserate as br
>>> scorer = br.sklearn.make_scorer("MCC")
>>> guesses = br.sklearn.DutchDrawClassifier("F1").fit([[0], [0], [0]], [0, 1, 1])
>>> guesses.predict([[0], [0]])
array([1, 1])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate.sklearn.estimators import BestConstantRegressor as BestConstantRegressor
    from baserate.sklearn.estimators import ClassMixClassifier as ClassMixClassifier
    from baserate.sklearn.estimators import DutchDrawClassifier as DutchDrawClassifier
    from baserate.sklearn.scoring import make_scorer as make_scorer
    from baserate.sklearn.scoring import scorers as scorers

_WHERE = {
    "BestConstantRegressor": "estimators",
    "ClassMixClassifier": "estimators",
    "DutchDrawClassifier": "estimators",
    "make_scorer": "scoring",
    "scorers": "scoring",
}
__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return __all__
