"""Markdown: names are read as they are, without needless backslashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from baserate.report.markdown import escaped, line, line_of

if TYPE_CHECKING:
    from markdown_it.token import Token

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NAMES = st.text("ab1 .)(-+*_~`[]<>#!|$&;\\/={}:'\"\t", min_size=1).filter(str.strip)


def _plain(token: Token) -> str:
    """The text of a token that has no markup inside."""
    assert token.children is not None
    assert {child.type for child in token.children} <= {"text", "text_special"}
    return "".join(child.content for child in token.children)


@given(NAMES)
def test_a_line_is_a_sentence(name: str) -> None:
    """Whatever a name begins with, the line is a paragraph that reads as the name."""
    tokens = READER.parse(line_of(name))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert _plain(tokens[1]) == " ".join(name.split())
    kinds = [token.type for token in READER.parse(f"- {line_of(name)}")]
    assert kinds[2:5] == ["paragraph_open", "inline", "paragraph_close"]
    assert len(kinds) == 7


@given(NAMES, NAMES)
def test_a_cell_is_a_cell(name: str, other: str) -> None:
    """Names in one row cannot end their cells, nor begin markup that the next one ends."""
    rows = [line(["a", "b"]), line(["---", "---"]), line([escaped(name), escaped(other)])]
    cells = [token for token in READER.parse("\n".join(rows)) if token.type == "inline"]
    assert list(map(_plain, cells)) == ["a", "b", *(" ".join(n.split()) for n in (name, other))]


@given(NAMES)
def test_a_sentence_may_be_bold(name: str) -> None:
    """A finding begins with a name and ends with a dot."""
    tokens = READER.parse(f"- **{line_of(name + ' fails.')}**")
    (inline,) = (token for token in tokens if token.type == "inline")
    kinds = [child.type for child in inline.children or () if not child.type.startswith("text")]
    assert kinds == ["strong_open", "strong_close"]


@pytest.mark.parametrize(
    "text",
    [
        "303 observations, 139 positive (45.9%)",
        "my_model v1.2 clears the baseline; there is evidence (p < 1e-300).",
        "k-nearest neighbours + trees, R&D, {1/303, …, 1}, 5 > 3, C#, hello!",
        "0.629 *",
        "~ better than the baseline, but not surely",
    ],
)
def test_what_is_no_markup_has_no_backslash(text: str) -> None:
    """Letters that mean nothing where they stand are left alone."""
    assert line_of(text) == escaped(text) == text
