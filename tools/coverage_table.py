"""The part of the model that real clusters have shown: ``python -m tools.coverage_table`` writes coverage.md."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from oneowner.checkers.coverage.seen_on_clusters import Seen, SeenAction, seen_actions, seen_laws
from oneowner.checkers.ledger.binding import CHANNEL, bound_systems
from oneowner.checkers.report.action_texts import action_text
from oneowner.spec.channel.system import SYSTEM

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "reference" / "coverage.md"
HERE: Final = re.compile(r"(?<=<!-- generated: python -m tools.coverage_table -->\n).*?(?=<!-- end -->)", re.DOTALL)


def lines() -> Iterator[str]:
    """Yield the generated part of the page."""
    actions, laws = seen_actions(), seen_laws()
    seen = Counter(one.seen for one in actions)
    counts = ", ".join(f"{seen[kind]} {kind.value}" for kind in Seen)
    yield f"{len(actions)} actions: {counts}, of which no cluster can show {sum(one.is_beyond for one in actions)}."
    yield ""
    yield "| action | seen | recordings that show it | log it | need it | drives |"
    yield "|---|---|---|---|---|---|"
    for one in actions:
        counts = " | ".join(map(_count, (one.observed, one.logged, one.inferred, one.driven)))
        yield f"| `{one.name}` | {one.seen.value} | {counts} |"
    yield ""
    yield f"{len(laws)} laws of states and steps: {sum(bool(law.exercised) for law in laws)} exercised by recordings."
    yield ""
    yield "| law | exercised by recordings | broken by |"
    yield "|---|---|---|"
    for law in laws:
        yield f"| `{law.name}` | {_count(law.exercised)} | {', '.join(law.broken)} |"
    yield ""
    yield "What shows an action, namely records, writes, statements of the table of log lines (with the values and the"
    yield "earlier lines of the process that tell it apart) and `oneowner drive`, and the real method that does it:"
    yield ""
    yield "| action | evidence | real method |"
    yield "|---|---|---|"
    mirrors = {one.name: action_text(one).parts["Mirrors"] for one in SYSTEM.declared}
    for one in actions:
        yield f"| `{one.name}` | {_cell('; '.join(one.evidence))} | {_cell(mirrors[one.name])} |"
    yield ""
    yield "Actions that no cluster has shown, or that nothing shows by itself, with the reason and what a run needs:"
    yield ""
    yield "| action | seen | reason |"
    yield "|---|---|---|"
    for one in actions:
        if one.reason:
            yield f"| `{one.name}` | {_seen(one)} | {_cell(one.reason)} |"
    for name in bound_systems():
        if name != CHANNEL:
            yield from _of_system(name)


def _of_system(name: str) -> Iterator[str]:
    """Yield the table of a system whose actions the logs of clusters with locks show."""
    actions = seen_actions(name)
    yield ""
    yield f"## {name}"
    yield ""
    yield f"{len(actions)} actions: {sum(one.seen != Seen.NEVER for one in actions)} logged by clusters with locks."
    yield ""
    yield "| action | seen | log it | evidence, or what is missing |"
    yield "|---|---|---|---|"
    for one in actions:
        about = "; ".join(one.evidence) if one.logged else "; ".join(filter(None, (*one.evidence, one.reason)))
        yield f"| `{one.name}` | {_seen(one)} | {_count(one.logged)} | {_cell(about)} |"


def _seen(one: SeenAction) -> str:
    return "no cluster can" if one.is_beyond else one.seen.value


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", chr(92) + "|")


def _count(where: Collection[str]) -> str:
    return f"{len(where):,}" if where else ""


def page() -> str:
    """Return the page with the generated part computed anew."""
    text = "\n" + "\n".join(lines()) + "\n\n"
    return HERE.sub(lambda _: text, PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
