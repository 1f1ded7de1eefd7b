"""Run the installed program as people do: through a shell, and in a terminal."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import termios
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

from baserate.cli.program import program

PROGRAMS = Path(sys.executable).parent
# Each test sets the colour variables itself.
PLAIN = {
    name: value
    for name, value in os.environ.items()
    if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "_BASERATE_COMPLETE")
} | {"PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}", "TERM": "xterm-256color"}


def shell(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in bash."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=PLAIN | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


_OF_A_SHELL = re.compile(r"[|&;<>$`*?#~]")


def typed(line: str, folder: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a line that a page shows, after one that ended with a code; stdout is all that is shown.

    A command of the program alone needs neither a shell nor a process of its own, which would take
    ten times as long.
    """
    if not line.startswith("baserate ") or _OF_A_SHELL.search(line):
        return shell(f"exec 2>&1; (exit {code}); {line}", folder)
    words = shlex.split(line)[1:]
    variables = {"NO_COLOR": None, "FORCE_COLOR": None}
    with chdir(folder):
        run = CliRunner(env=variables).invoke(program, words, prog_name="baserate")
    return subprocess.CompletedProcess(words, run.exit_code, run.output, run.stderr)


def terminal(
    command: str, folder: Path, *, interrupt_at: str = "", **variables: str
) -> tuple[str, int]:
    """Run a command line in an 80-column terminal; press Ctrl-C when it shows a given text."""
    controller, side = pty.openpty()
    termios.tcsetwinsize(side, (24, 80))
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        cwd=folder,
        env=PLAIN | variables,
        stdin=side,
        stdout=side,
        stderr=side,
        start_new_session=True,
    )
    os.close(side)
    shown = b""
    while True:
        try:
            shown += os.read(controller, 4096)
        except OSError:  # the program has ended
            break
        if interrupt_at and interrupt_at.encode() in shown:
            process.send_signal(signal.SIGINT)
            interrupt_at = ""
    os.close(controller)
    return shown.decode().replace("\r\n", "\n"), process.wait(timeout=60)
