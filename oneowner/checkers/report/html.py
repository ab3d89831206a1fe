"""
``write_html`` writes a result as one page that works offline: the findings, the owners over time, the steps.

The verdict, the reasons and the laws stand in the page as they are; everything long follows as lines of JSON, gzipped,
in base64, which the page's own script unfolds. They are written as they come, so that memory stays flat. The page may
load nothing and run no script but its own (its Content-Security-Policy names their hashes).
"""

import hashlib
import json
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from oneowner.checkers import VERSION
from oneowner.checkers.report.broker_names import BrokerNames
from oneowner.checkers.report.chart import stretches, ticks
from oneowner.checkers.report.cited_documents import Citations
from oneowner.checkers.report.first_line import state_of
from oneowner.checkers.report.graph_page import graph_lines
from oneowner.checkers.report.incident_facts import facts
from oneowner.checkers.report.incident_text import grouped, sentence
from oneowner.checkers.report.json import write_out
from oneowner.checkers.report.orders import Order, order_for, refused
from oneowner.checkers.report.step_page import run_json
from oneowner.checkers.report.text import expectation, legend
from oneowner.checkers.results import LawRow, Page, Result
from oneowner.checkers.times import iso
from oneowner.checkers.verdict import Verdict

MOST_INTERVALS, MOST_FINDINGS, MOST_REFUSALS = 500_000, 50_000, 20_000
"""The limits of a page for browsers. The page counts what it omits; the JSON has everything."""
MOST_INCIDENTS = 20
FOR_ANYBODY = MOST_INTERVALS * 4 // 5
"""Intervals of any unit; the rest of the room is for units with findings."""

HERE = Path(__file__).parent / "page"
SCRIPTS = ("words", "data", "link", "scale", "bars", "lanes", "timeline", "moves", "detail", "findings", "headline",
           "steps", "traffic", "rows", "moment", "walk", "paper", "start")  # fmt: skip
"""In the order in which they are run: each uses only earlier ones."""

OWN_PAGES = dict.fromkeys(
    ("assign", "check-patch", "compare", "conform", "coverage", "decide", "lint", "releases", "sweep"), ()
) | {"simulate": ("chart",)}
"""Verbs whose page extends ``frame.html``, by the template of their name, and its scripts."""
STYLES = dict.fromkeys(("check-patch", "conform"), "classes")
"""The style sheets of pages that share one."""

BLOCK = 2000
"""Rows of one line of JSON."""
PIECE = 3 * 2**14
"""Bytes that become one line of base64; a multiple of three, so that lines can be joined."""

T = TypeVar("T")


def write_html(result: Result, target: str) -> None:
    """Write the page of *result* to the file *target*, or to standard output for ``-``; raise Misuse if that fails."""
    write_out(target, lambda stream: write_to(stream, result))


def write_to(stream: IO[str], result: Result) -> None:
    """Write the page of *result* to *stream*, piece by piece."""
    page = result.page
    own = result.verb in OWN_PAGES
    style = Markup(style_of("page", *(("frame", STYLES.get(result.verb, result.verb)) if own else ())))
    names = OWN_PAGES.get(result.verb, SCRIPTS)
    scripts = [Markup((HERE / f"{name}.js").read_text(encoding="utf-8")) for name in names]
    incidents = grouped(result.more.get("incidents", ()))
    cited, templates, brokers = Citations(), environment(), _names(page, incidents)
    templates.filters |= {"linked": cited.linked, "short": brokers.shortened}
    pieces = templates.get_template(f"{result.verb if own else 'page'}.html").generate(
        result=result,
        page=page,
        version=VERSION,
        laws=result.laws,
        judged=_judged(result),
        incidents=incidents,
        orders=_orders(result, incidents[:MOST_INCIDENTS]),
        facts=facts(result, incidents) if result.verb == "audit" else [],
        state=state_of(result.verdict, bool(incidents)) if result.verb == "audit" else result.verdict,
        sentence=sentence,
        iso=iso,
        expectation=expectation if result.verb in {"replay", "explore"} else None,
        legend=legend(result.laws, page.project) if result.verb in {"replay", "explore"} else (),
        style=style,
        scripts=scripts,
        hashes={"script": [_hash(script) for script in scripts], "style": [_hash(style)]},
        data=map(Markup, squeezed(cited.heeding(lines(result, page, brokers)))),
        documents=cited.documents,
    )
    for piece in pieces:
        stream.write(piece)


def environment() -> Environment:
    """Return the templates of pages."""
    made = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals |= {"ticks": ticks, "stretches": stretches}
    return made


def style_of(*names: str) -> str:
    """Return the style sheets of these names that there are, joined."""
    paths = (HERE / f"{name}.css" for name in names)
    return "".join(path.read_text(encoding="utf-8") for path in paths if path.exists())


def lines(result: Result, page: Page, names: BrokerNames) -> Iterator[str]:
    """
    Yield the data of the page as lines of JSON, each an object with one key or more.

    ``rows`` are units of runs, numbered in the order in which they are named; so are ``texts``. The last line counts
    the omissions: a page without it is torn.
    """
    book = _Book()
    yield _line({"head": {**_head(result, page), "short": names.short}})
    left_out: dict[str, int] = {}
    marked: set[tuple[int, str]] = set()
    for block, left in _blocks(_told(result), MOST_FINDINGS):
        left_out["findings"] = left
        marked.update((run, finding["unit"]) for run, finding in block if finding["unit"])
        yield _line({"findings": [{"run": run, **finding} for run, finding in block]})
    for block, left in _blocks(page.refusals, MOST_REFUSALS):
        left_out["refusals"] = left
        yield _line({"refusals": [[run, *refusal.values()] for run, refusal in block]})
    for block, left in _blocks(_telling(page, marked), MOST_INTERVALS):
        left_out["intervals"] = left
        yield _line(book.columns(block))
    yield _line({"events": [list(event) for event in page.events], "lanes": list(page.lanes)})
    yield _line({"stores": list(page.stores), "unserved": list(page.unserved)})
    for replayed in page.replays:
        yield _line({"replay": run_json(replayed)})
    if page.steppable is not None:
        yield from map(_line, graph_lines(page.steppable))
    yield _line({"end": left_out})


def squeezed(texts: Iterable[str]) -> Iterator[str]:
    """Yield *texts* gzipped, in base64, as lines that are joined before they are read."""
    packer = zlib.compressobj(6, wbits=31)
    rest = b""
    for text in texts:
        rest += packer.compress(text.encode())
        while len(rest) >= PIECE:
            yield b64encode(rest[:PIECE]).decode() + "\n"
            rest = rest[PIECE:]
    yield b64encode(rest + packer.flush()).decode() + "\n"


class _Book:
    """Rows and texts by number, so that repetitions are written once."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], int] = {}
        self._texts: dict[str | None, int] = {}

    def columns(self, intervals: list[tuple[int, Mapping[str, Any]]]) -> dict[str, Any]:
        """
        Return some intervals column by column, preceded by new rows and texts.

        Times are differences: ``from`` to the one before, ``to`` as a duration, null while it lasts. A record
        that ends an interval mostly begins the next one of the unit: then its id is 0.
        """
        rows, texts = len(self._rows), len(self._texts)
        columns: dict[str, list[Any]] = {name: [] for name in ("row", "broker", "state", "from", "to", "id", "until")}
        before = 0
        for (run, interval), after in zip(intervals, [*intervals[1:], None], strict=False):
            begin, end = interval["from"], interval["to"]
            columns["row"].append(self._rows.setdefault((run, interval["unit"]), len(self._rows)))
            columns["broker"].append(self._text(interval["broker"]))
            columns["state"].append(self._text(interval["state"]))
            columns["from"].append(begin["time"] - before)
            columns["to"].append(None if end is None else end["time"] - begin["time"])
            columns["id"].append(begin["messageId"])
            follows = end is not None and after is not None and after[1]["from"] == end
            columns["until"].append(0 if follows or end is None else end["messageId"])
            before = begin["time"]
        return {"rows": list(self._rows)[rows:], "texts": list(self._texts)[texts:], "intervals": columns}

    def _text(self, text: str | None) -> int:
        return self._texts.setdefault(text, len(self._texts))


def _orders(result: Result, incidents: Sequence[Mapping[str, Any]]) -> list[Order]:
    """Return what to do about each incident."""
    wanted = {number for one in incidents for number in one["consequences"]}
    found = {number: one for number, one in enumerate(result.findings) if number in wanted} if wanted else {}
    return [
        order_for(one, result.page.runs[one["run"]], refused(found[n] for n in one["consequences"] if n in found))
        for one in incidents
    ]


def _names(page: Page, incidents: Sequence[Mapping[str, Any]]) -> BrokerNames:
    """Return the names of brokers in sentences: short only if every broker of the runs is known."""
    lived = {lane["broker"] for lane in page.lanes}
    return BrokerNames(lived | {name for one in incidents for name in one["root"]["brokers"]} if lived else ())


def _head(result: Result, page: Page) -> dict[str, Any]:
    return {
        "verb": result.verb,
        "verdict": result.verdict.value,
        "runs": list(page.runs),
        "statements": {row.law: page.statements[row.law] for row in result.laws if row.law in page.statements},
        "lawsOfServers": list(page.laws_of_servers),
    }


def _told(result: Result) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Return the findings with the number of their run; those of a verb without recorded runs are of the first."""
    return iter(result.found) if result.parts else ((0, finding) for finding in result.findings)


def _telling(page: Page, marked: set[tuple[int, str]]) -> Iterator[tuple[int, Mapping[str, Any]] | None]:
    """Yield intervals; once there are many, None for those of units without a finding, so that the others fit."""
    for number, (run, interval) in enumerate(page.intervals):
        yield (run, interval) if number < FOR_ANYBODY or (run, interval["unit"]) in marked else None


def _blocks(items: Iterable[T | None], most: int) -> Iterator[tuple[list[T], int]]:
    """Yield items in blocks, at most so many, and how many were left out up to then; None is left out, too."""
    kept = left = 0
    source = iter(items)
    while block := list(islice(source, BLOCK)):
        wanted = [item for item in block if item is not None][: most - kept]
        kept += len(wanted)
        left += len(block) - len(wanted)
        yield wanted, left


def _judged(result: Result) -> list[tuple[str, list[LawRow]]]:
    """Return the laws in tables: the broken ones and those that held; the others apart, they may be many."""
    broken = [row for row in result.laws if row.verdict == Verdict.INVALID]
    held = [row for row in result.laws if row.verdict == Verdict.VALID]
    rest = [row for row in result.laws if row.verdict == Verdict.UNKNOWN]
    return [("", [*broken, *held]), ("more laws that had no occasion, or were not judged", rest)]


def _line(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), default=str) + "\n"


def _hash(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()
