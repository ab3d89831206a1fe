"""``build`` writes the site: each page once, then the files that links lead to, and the index of the search."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from shutil import copyfile
from typing import Final

from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from markupsafe import Markup

from oneowner.checkers import VERSION
from oneowner.checkers.cli.main import main
from oneowner.checkers.parallel import in_parallel
from oneowner.checkers.report.html import environment, style_of
from oneowner.checkers.scenarios.scenario import write_scenario
from tools.site import life, ring, sequence
from tools.site.addresses import PICTURES, ROOT, address_of, link_on, relative
from tools.site.defects import bug_documents, finding_documents
from tools.site.documents import rendered
from tools.site.goals import GOALS, run_to
from tools.site.runs import HOME, Move, run_page, scenarios

HERE: Final = Path(__file__).parent
SKIPPED: Final = {".venv", "build", "node_modules"}
LONGEST: Final = 300_000
"""Characters of a file that is shown as a text."""
VERBS: Final = {
    "releases": "The bugs of each release",
    "compare": "The guarantees of each system for a hand-over",
    "coverage": "What real clusters have shown of the model",
}


class Site:
    """The pages that are written, and those that links still need."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: list[tuple[str, str, str, str]] = []
        """Title, address, kind and words of each page that the search finds."""
        self.templates: Environment = environment()
        self.templates.loader = ChoiceLoader([FileSystemLoader(HERE), FileSystemLoader(HERE.parent)])
        self._written: set[str] = set()
        self._needed: dict[str, None] = {}

    def need(self, path: str) -> None:
        """Remember a path of the repository that a link leads to."""
        self._needed[path] = None

    def put(self, address: str, html: str) -> None:
        self._written.add(address)
        file = self.folder / address
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(html, encoding="utf-8")

    def page(self, address: str, title: str, body: str, kind: str, text: str = "") -> None:
        """Write a page in the frame of the site; the search finds it if it has a kind."""
        made = self.templates.get_template("site.html").render(
            title=title, body=Markup(body), root="../" * address.count("/"), kind=kind, version=VERSION
        )
        self.put(address, made)
        if kind:
            self.entries.append((title, address, kind, text))

    def markdown(self, document: str, source: str, kind: str) -> None:
        """Write a document, named as in the repository."""
        address = address_of(document)
        found = rendered(source, link_on(address, document, self.need))
        self.page(address, found.title or document, found.body, kind, found.text)

    def fill(self) -> None:
        """Write the files that links lead to, and that have no page yet."""
        for path in self._needed:
            address = address_of(path)
            if address in self._written:
                continue
            file = ROOT / path
            if file.is_dir():
                self.page(address, path, _listing(file, address, self.need), "")
            elif file.suffix in PICTURES:
                (self.folder / address).parent.mkdir(parents=True, exist_ok=True)
                copyfile(file, self.folder / address)
                self._written.add(address)
            else:
                self.page(address, path, f"<pre>{escape(_text(file))}</pre>", "")


def _listing(folder: Path, address: str, need: Callable[[str], None]) -> str:
    names = sorted(one.name for one in folder.iterdir() if not one.name.startswith("."))
    return f"<ul>{''.join(f'<li>{escape(name)}</li>' for name in names)}</ul>"


def _text(file: Path) -> str:
    """Return the text of a file, or why the site has it not."""
    if not file.exists():
        return "The repository has no such file."
    data = file.read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return f"{len(data):,} bytes, no text"
    return text if len(text) <= LONGEST else f"{len(text):,} characters, too many for a page"


def documents() -> list[str]:
    """Return the paths of all documents of the repository, the front page first."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in sorted(files) if name.endswith(".md")]
    return sorted(found, key=lambda path: (path.count("/"), path != "README.md", path))


def kind_of(document: str) -> str:
    """
    Return the kind of a document, by its path.

    >>> [kind_of(path) for path in ("docs/why.md", "docs/decisions/004-perturbations.md", "tools/site/README.md")]
    ['document', 'decision', 'room']
    """
    if document.startswith("docs/"):
        return "decision" if document.startswith("docs/decisions/") else "document"
    return "room" if "/" in document else "document"


def build(folder: Path, only: int | None = None, on_progress: Callable[[str], None] = lambda words: None) -> Site:
    """Write the site into *folder*; *only* so many counterexamples, for a trial."""
    site = Site(folder)
    on_progress("documents")
    for document in documents():
        site.markdown(document, (ROOT / document).read_text(encoding="utf-8"), kind_of(document))
    for kind, sources in (("finding", finding_documents()), ("known bug", bug_documents())):
        for name, source in sources.items():
            site.markdown(f"findings/{name}.md", source, kind)
    moves = _runs(site, scenarios()[:only], on_progress)
    on_progress("diagrams")
    _life(site, moves)
    for name in GOALS:
        _sequence(site, name)
    for verb, title in VERBS.items():
        _verb(site, verb, title)
    site.fill()
    _index(site)
    return site


def _runs(site: Site, paths: list[str], on_progress: Callable[[str], None]) -> list[Move]:
    """Write the pages of scenarios; return the moves of entries in them."""
    moves: list[Move] = []
    for path, page in in_parallel(run_page, paths, on_progress, more=0).items():
        site.put(address_of(path), page.html)
        site.entries.append((page.title, address_of(path), "counterexample" if "counterexamples" in path else "run",
                             page.text))  # fmt: skip
        moves += page.moves
    return moves


def _life(site: Site, moves: Iterable[Move]) -> None:
    address, found = "diagrams/life.html", life.steps(moves)
    rows = []
    for number, step in enumerate(found, 1):
        example = ""
        if step.example is not None:
            link = relative(address_of(step.example.scenario), address)
            name = "/".join(step.example.scenario.split("/")[2:]).removesuffix(".yaml")
            example = f'<a href="{link}#step={step.example.step}">{escape(name)}, step {step.example.step}</a>'
        rows.append(
            f'<tr id="arrow-{number}"><td class="number">{number}</td><td class="kind {step.arrow.style}">'
            f"{step.arrow.source} → {step.arrow.target}</td><td>{escape(step.demand)}</td>"
            f'<td class="code">{", ".join(step.causes)}</td>'
            f'<td class="number">{step.times:,}</td><td>{example}</td></tr>'
        )
    picture = ring.drawn(life.STATES, [step.arrow for step in found])
    legend = "".join(f'<li class="{kind}">{words}</li>' for kind, words in KINDS.items())
    table = f"<table>{HEADINGS}{''.join(rows)}</table>"
    body = (
        f'{INTRODUCTION}<div class="scroll">{picture}</div><ul class="legend kinds">{legend}</ul>'
        f'<div class="scroll">{table}</div>'
    )
    site.page(address, "The life of a bundle", body, "diagram", "states transitions table state diagram channel")


INTRODUCTION: Final = (
    "<p>A bundle has one entry in the channel. A record that its readers accept takes the entry from one state to the"
    " next; without an entry it counts as Init. A number leads to its row below: what the transition table demands of"
    " the brokers, the actions that make such a record, and how often entries move along the arrow in the saved runs of"
    " the model without a fault.</p>"
)
KINDS: Final = {
    "table": "in the tables of both storages",
    "topic": "of the system topic alone",
    "forced": "by force",
    "tombstone": "by a tombstone",
    "beyond": "beyond the tables",
}
HEADINGS: Final = (
    '<thead><tr><th class="number">arrow</th><th>states</th><th>demand</th><th>made by</th>'
    '<th class="number">taken</th><th>first taken in</th></tr></thead>'
)


def _sequence(site: Site, name: str) -> None:
    goal, run = GOALS[name], run_to(name)
    settings = "".join(f" --set {key}={value}" for key, value in goal.settings.items())
    body = (
        f"<p>{escape(goal.story)}</p><p class='quiet'>The shortest such run of <code>{goal.family}{settings}</code>,"
        " until nothing is under way. A solid arrow appends a record to the channel, a dashed one reads a record, and a"
        " dot is a step within a broker. A band shows that a broker serves the bundle, a pale one that it has yet to"
        " close it. Each step has its change below.</p>"
        f"<div class='scroll'>{sequence.drawn(run)}</div><details><summary>As a scenario, for oneowner replay"
        f" FILE</summary><pre>{escape(write_scenario(run.scenario))}</pre></details>"
    )
    steps = " ".join(str(step.action) for step in run.steps)
    site.page(f"diagrams/{name}.html", goal.title, body, "diagram", f"{goal.story} sequence diagram {steps}")


def _verb(site: Site, verb: str, title: str) -> None:
    main([verb, "--quiet", "--html", str(site.folder / f"{verb}.html")], standalone_mode=False)
    html = (site.folder / f"{verb}.html").read_text(encoding="utf-8")
    site.put(f"{verb}.html", html.replace(HOME, f'{HOME}<a href="index.html">all pages</a>\n', 1))
    site.entries.append((title, f"{verb}.html", "diagram", ""))


def _index(site: Site) -> None:
    by_kind: dict[str, list[tuple[str, str, str, str]]] = {}
    for entry in site.entries:
        by_kind.setdefault(entry[2], []).append(entry)
    made = site.templates.get_template("index.html").render(by_kind=by_kind, version=VERSION)
    (site.folder / "index.html").write_text(made, encoding="utf-8")
    data = json.dumps(site.entries, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    (site.folder / "pages.js").write_text(f"const PAGES = {data};\n", encoding="utf-8")
    copyfile(HERE / "search.js", site.folder / "search.js")
    (site.folder / "style.css").write_text(
        style_of("page", "frame") + (HERE / "site.css").read_text(encoding="utf-8"), encoding="utf-8"
    )


def broken_links(folder: Path) -> Iterator[str]:
    """Yield every link of a page that leads to no file of the site, or to no part of its page."""
    texts = {page: page.read_text(encoding="utf-8") for page in sorted(folder.resolve().rglob("*.html"))}
    for page, text in texts.items():
        for href, part in re.findall(r'(?:href|src)="([^":#]*)(?:#([^"=]+))?"', text):
            target = (page.parent / href).resolve() if href else page
            if not target.exists() or (part and f'id="{part}"' not in texts.get(target, "")):
                yield f"{page.relative_to(folder.resolve())}: {href}#{part}"
