"""The documents that a page refers to, in the page: whoever gets it has no checkout."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from oneowner.checkers.places import DOCS

NAMED = re.compile(r"docs/[\w/-]+\.md")


class CitedDocument(NamedTuple):
    """A document as the page shows it."""

    path: str
    """Its path from the top of a checkout."""
    body: Markup


class Citations:
    """The documents that the texts of one page name; names of other files stay plain text."""

    def __init__(self) -> None:
        self._found: set[str] = set()

    def heeding(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield *texts*, and note the documents in them."""
        for text in texts:
            self._found.update(NAMED.findall(text))
            yield text

    def linked(self, text: str) -> Markup:
        """Return *text* with a link for each document that it names."""
        self._found.update(NAMED.findall(text))
        return Markup(NAMED.sub(lambda match: _link(match[0]), str(escape(text))))

    def documents(self) -> list[CitedDocument]:
        """Return the documents named so far, by path."""
        return [CitedDocument(path, _rendered(path)) for path in sorted(self._found) if _is_there(path)]


def _link(path: str) -> str:
    return f'<a href="#{path}" data-skip="{path}">{path}</a>' if _is_there(path) else path


def _is_there(path: str) -> bool:
    return (DOCS.parent / path).is_file()


def _rendered(path: str) -> Markup:
    """Return a document as markup; of its links only those to the web lead anywhere."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("link_open", _link_open)
    return Markup(reader.render((DOCS.parent / path).read_text(encoding="utf-8")))


def _link_open(self: Any, tokens: Any, at: int, options: Any, env: Mapping[str, Any]) -> Any:
    if not str(tokens[at].attrs.get("href", "")).startswith("https://"):
        tokens[at].attrs.pop("href", None)
    return self.renderToken(tokens, at, options, env)
