"""`make demo`: the paper's experiment, printed and written as a report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from baserate.experiment import run
from baserate.report.recognition import require_free

if TYPE_CHECKING:
    from collections.abc import Callable

_HTML, _JSON = "report.html", "report.json"
_BEFORE = (
    "Cleveland Heart Disease: five models of scikit-learn with its defaults, trained on 90%\n"
    "of 303 patients. What are their scores on the other 10% worth?"
)
_AFTER = (
    f"\nOpen {_HTML} in a browser for every verdict with its reasons; {_JSON} has every digit.\n"
    "With your own data: baserate.evaluate(y_true, y_pred), or `baserate evaluate` in a shell."
)


def main(show: Callable[[str], object] = print, *, force: bool = False) -> int:
    """Fit and judge the models, show the report and write it beside."""
    if not force:
        require_free([_HTML, _JSON])
    show(_BEFORE)
    report = run()
    show(f"\n{report}")
    report.to_html(_HTML)
    report.to_json(_JSON)
    show(_AFTER)
    return 0


if __name__ == "__main__":
    from baserate.cli.ending import exit_code

    sys.exit(exit_code(lambda: main(force="--force" in sys.argv)))
