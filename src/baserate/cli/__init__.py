"""The command line: arguments, a call of the library, a renderer."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the program `baserate`."""
    try:
        from baserate.cli.program import program
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        from baserate.exceptions import MissingDependencyError

        why = MissingDependencyError.package("'baserate[cli]'", "the command line")
        sys.stderr.write(f"Error: {why}\n")
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # not every terminal has a θ
    program(prog_name="baserate")
