"""Markdown as HTML: links lead to pages of the site, headings have ids, the text is kept for the search."""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

READER: Final = MarkdownIt("commonmark", {"html": True}).enable("table")
_NO_WORD: Final = re.compile(r"[^\w\- ]")
_TAGS: Final = re.compile(r"<[^>]*>")


class Document(NamedTuple):
    """A document as a page has it."""

    title: str
    body: str
    """HTML."""
    text: str
    """Its words, without marks."""


def rendered(source: str, link: Callable[[str], str]) -> Document:
    """Return a document, each of its links by *link*."""
    tokens = READER.parse(source)
    _rewrite(tokens, link)
    title = ""
    if [token.tag for token in tokens[:1]] == ["h1"]:  # the page has it in its head
        title, tokens = plain(tokens[1]), tokens[3:]
    body = READER.renderer.render(tokens, READER.options, {})
    tables = body.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    return Document(title, tables, " ".join(_TAGS.sub(" ", body).split()))


def _rewrite(tokens: Sequence[Token], link: Callable[[str], str]) -> None:
    taken: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            anchor = anchor_of(plain(tokens[at + 1]))
            number = taken[anchor] = taken.get(anchor, -1) + 1
            token.attrSet("id", f"{anchor}-{number}" if number else anchor)
        for child in token.children or ():
            for name in ("href", "src"):
                if (value := child.attrGet(name)) is not None:
                    child.attrSet(name, link(str(value)))


def plain(token: Token) -> str:
    """Return the words of an inline token."""
    return "".join(child.content for child in token.children or ())


def anchor_of(heading: str) -> str:
    """
    Return the id of a heading, as GitHub makes it.

    >>> anchor_of("The page"), anchor_of("`--json`: all of it")
    ('the-page', '--json-all-of-it')
    """
    return _NO_WORD.sub("", heading.lower()).replace(" ", "-")
