"""Markdown: names are read as they are, without needless backslashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import baserate as br
from baserate.report.markdown import escaped, line, line_of
from terminal import typed

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.parametrize("name", ["<script>x</script>", "# x", "- x", "1. x", "> x", "*x*", "`x`"])
def test_names_are_text_wherever_they_stand(name: str, tmp_path: Path) -> None:
    """Models, groups, columns and classes are never markup, in reports of any command."""
    y_true, y_pred = [1, 0, 1, 0] * 9, [1, 0, 0, 1] * 9
    models = {name: y_true, f"{name} too": y_pred}
    columns = {"y_true": y_true, name: ["a", "b", "b", "a"] * 9}
    several = [name, "b", "c"] * 3
    texts = [
        br.evaluate(y_true, models, ["F1", "MCC"], by=[name, "a", "a", name] * 9).to_markdown(),
        br.evaluate(several, {name: several}, reference=several[::-1]).to_markdown(),
        br.compare(y_true, models, "F1", by=[name, name, "a", "a"] * 9).to_markdown(),
        br.compare(
            pl.DataFrame(columns | {"m": y_pred, "n": y_true}),
            ["m", "n"],
            "F1",
            truth="y_true",
            by=name,
        ).to_markdown(),
        typed(f"baserate baseline --counts '{name}=7,b=2,c=1' --format markdown", tmp_path).stdout,
    ]
    for text in texts:
        tokens = READER.parse(text)
        inside = {child.type for token in tokens for child in token.children or ()}
        assert inside <= {"text", "text_special", "softbreak", "strong_open", "strong_close"}
        assert not {"heading_open", "html_block", "blockquote_open", "ordered_list_open"} & {
            token.type for token in tokens
        }
        assert all(token.level == 0 for token in tokens if token.type == "bullet_list_open")
