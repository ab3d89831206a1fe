"""The documents and findings that a page refers to, in the page: whoever gets it has no checkout."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from oneowner.checkers.catalogue.families import catalogue
from oneowner.checkers.catalogue.finding import Status, upstream_of
from oneowner.checkers.catalogue.findings import findings
from oneowner.checkers.documents import read_document
from oneowner.checkers.places import DOCS, PACKAGE
from oneowner.checkers.report.finding_texts import facts, prose

NAMED: Final = re.compile(r"docs/[\w/-]+\.md|\b[a-z0-9]+(?:_[a-z0-9]+)+\b")
"""A document, or what may be the name of a finding."""
FINDINGS: Final = PACKAGE / "spec" / "findings"
ADVICE: Final = {"about": "What happens", "do": "What to do", "collect": "What to collect"}
"""The texts of a file of findings that ``oneowner bugs`` prints, too."""
SEEN: Final = "seen on"
"""The fact that only a kept drive of real brokers shows."""


class CitedDocument(NamedTuple):
    """A document as the page shows it."""

    name: str
    """The path of a document from the top of a checkout, or the name of a finding."""
    body: Markup


class Citations:
    """The documents that the texts of one page name; names of other things stay plain text."""

    def __init__(self) -> None:
        self._found: set[str] = set()

    def heeding(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield *texts*, and note the documents in them."""
        for text in texts:
            self._found.update(NAMED.findall(text))
            yield text

    def linked(self, text: str) -> Markup:
        """Return *text* with a link for each document that it names."""
        return self._with_links(str(escape(text)))

    def documents(self) -> list[CitedDocument]:
        """Return the documents named so far, and those that they name in turn, by name."""
        made: dict[str, CitedDocument] = {}
        while new := sorted(name for name in self._found - set(made) if _is_there(name)):
            made |= {name: CitedDocument(name, self._with_links(_rendered(name))) for name in new}
        return [made[name] for name in sorted(made)]

    def _with_links(self, markup: str) -> Markup:
        self._found.update(NAMED.findall(markup))
        return Markup(NAMED.sub(lambda match: _link(match[0]), markup))


def _link(name: str) -> str:
    return f'<a href="#{name}" data-skip="{name}">{name}</a>' if _is_there(name) else name


def _is_there(name: str) -> bool:
    return (DOCS.parent / name if "/" in name else FINDINGS / f"{name}.yaml").is_file()


def _rendered(name: str) -> str:
    """Return a document as markup; of its links only those to the web lead anywhere."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("link_open", _link_open)
    text = (DOCS.parent / name).read_text(encoding="utf-8") if "/" in name else _finding(name)
    return str(reader.render(text))


def _finding(name: str) -> str:
    """Return a finding as text: what happens, what to do, and its facts."""
    stated = read_document(FINDINGS / f"{name}.yaml").data
    finding, fault = findings().get(name), catalogue().get(name)
    title = finding.title if finding else stated.get("title") or (fault.title if fault else name)
    paragraphs = [f"**{heading}.** {text}" for heading, text in prose(finding)] if finding else []
    paragraphs += [f"**{heading}.** {stated[key]}" for key, heading in ADVICE.items() if key in stated]
    rows = [f"- {label}: {text}" for label, text in facts(finding, ()) if label != SEEN] if finding else []
    rows = rows or [f"- upstream: {upstream_of(Status(stated['status']), stated.get('issues', ()))}"]
    return "\n\n".join([f"# {title}", *paragraphs, "\n".join(rows)])


def _link_open(self: Any, tokens: Any, at: int, options: Any, env: Mapping[str, Any]) -> Any:
    if not str(tokens[at].attrs.get("href", "")).startswith("https://"):
        tokens[at].attrs.pop("href", None)
    return self.renderToken(tokens, at, options, env)
