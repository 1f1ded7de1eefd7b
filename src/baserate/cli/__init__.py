"""The command line: parse arguments, call the library, render the result."""

from baserate.cli.console import main

__all__ = ["main"]
