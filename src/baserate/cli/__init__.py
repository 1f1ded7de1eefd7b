"""The command line: parse arguments, call the library, render the result."""

from __future__ import annotations

import sys
from typing import Any


def main() -> None:
    """Run the program `baserate`."""
    from baserate.cli.console import exit_code, tidy

    with tidy():
        sys.exit(exit_code(_run))


def _run() -> int:
    import warnings

    from baserate.cli.console import prepare

    prepare()
    try:
        from baserate.cli.program import program
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        from baserate.exceptions import MissingDependencyError

        raise MissingDependencyError.package("'baserate[cli]'", "the command line") from None
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        return program.run()


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one plain sentence, without its source line."""
    from baserate.cli.console import say

    say(f"Warning: {message}")
