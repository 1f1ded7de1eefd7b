"""Make text safe to print: it cannot command a terminal, a pipeline log or a shell."""

from __future__ import annotations

import re

# Control characters other than tab and newline, characters that reorder or hide letters, unusual
# line separators, and lone surrogates. The joiners of scripts and emoji remain.
COMMANDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# Log commands: GitHub's at the start of a line; Azure's, TeamCity's and GitHub's anywhere.
_LOG_COMMAND = re.compile(r"(?m)^([^\S\n]*:)(?=:)")
_LOG_COMMAND_ANYWHERE = re.compile(r"#(?=#\w*\[)")
_HALF_A_LETTER = re.compile("[\ud800-\udfff]")
_SHELL_ESCAPES = {"\\": r"\\", "'": r"\'", "#": r"\u0023"}


def printable(text: str) -> str:
    """Return a text on one line, without terminal control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def encodable(text: str) -> str:
    """Return a text that can be encoded: lone surrogates, as in file names, are replaced."""
    return _HALF_A_LETTER.sub("\ufffd", text)


def one_line(text: str) -> str:
    r"""Return a text on one line, with escapes such as ``\n`` and no commands.

    Examples
    --------
    >>> print(one_line("a\n::error::x"))
    a\n::error::x
    """
    return harmless("".join(map(_escaped, text)))


def harmless(text: str, *, commands: bool = False) -> str:
    r"""Return a text with its lines kept and all terminal and log commands disarmed.

    Parameters
    ----------
    text
        Any text.
    commands
        Whether lines may begin with ``::``, as GitHub Actions commands do.

    Examples
    --------
    >>> print(harmless("a\x1b[31m\n::error::x"))
    a�[31m
    : :error::x
    """
    kept = _LOG_COMMAND_ANYWHERE.sub("# ", COMMANDING.sub("\ufffd", text))
    return kept if commands else _LOG_COMMAND.sub(r"\1 ", kept)


def shell_word(text: str) -> str:
    r"""Quote a text on one line so that bash and zsh read it back unchanged.

    Examples
    --------
    >>> print(shell_word("tree"), shell_word("a tree"), shell_word("a\ntree"))
    tree 'a tree' $'a\ntree'
    """
    import shlex

    if text == one_line(text):
        return shlex.quote(text)
    letters = (_SHELL_ESCAPES.get(letter) or _escaped(letter) for letter in text)
    return f"$'{''.join(letters)}'"


def _escaped(letter: str) -> str:
    r"""Return a character, escaped if it cannot be printed: ``\n``, ``\u001b``."""
    if letter.isprintable():
        return letter
    if letter in "\n\r\t":
        return repr(letter)[1:-1]
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
