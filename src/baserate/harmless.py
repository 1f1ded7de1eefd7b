"""Texts that nobody obeys: neither a terminal, nor a log of a pipeline, nor a shell."""

from __future__ import annotations

import re

# Control characters but a tab and the end of a line, what reorders or hides letters, the ends of
# lines that are none, and halves of letters. The joiners of scripts and emoji remain.
COMMANDING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# Commands in a log: of GitHub at the start of a line, of Azure, TeamCity and GitHub anywhere.
_LOG_COMMAND = re.compile(r"(?m)^([^\S\n]*:)(?=:)")
_LOG_COMMAND_ANYWHERE = re.compile(r"#(?=#\w*\[)")
_HALF_A_LETTER = re.compile("[\ud800-\udfff]")
_SHELL_ESCAPES = {"\\": r"\\", "'": r"\'", "#": r"\u0023"}


def printable(text: str) -> str:
    """Return a text on one line, without what would command a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def encodable(text: str) -> str:
    """Return a text that can be encoded: a half of a letter, as of a file's name, is replaced."""
    return _HALF_A_LETTER.sub("\ufffd", text)


def one_line(text: str) -> str:
    r"""Return a text on one line that commands nobody, with escapes such as ``\n``.

    Examples
    --------
    >>> print(one_line("a\n::error::x"))
    a\n::error::x
    """
    return harmless("".join(map(_escaped, text)))


def harmless(text: str, *, commands: bool = False) -> str:
    r"""Return a text in which the lines are kept and nothing commands a terminal or a log.

    Parameters
    ----------
    text
        Any text.
    commands
        Whether its lines may begin with ``::``, as commands of GitHub Actions do.

    Examples
    --------
    >>> print(harmless("a\x1b[31m\n::error::x"))
    a�[31m
    : :error::x
    """
    kept = _LOG_COMMAND_ANYWHERE.sub("# ", COMMANDING.sub("\ufffd", text))
    return kept if commands else _LOG_COMMAND.sub(r"\1 ", kept)


def shell_word(text: str) -> str:
    r"""Return a text as bash and zsh read it back, on one line.

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
    r"""Return a letter, or its escape where it cannot be printed: ``\n``, ``\u001b``."""
    if letter.isprintable():
        return letter
    if letter in "\n\r\t":
        return repr(letter)[1:-1]
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
