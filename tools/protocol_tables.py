"""
The tables of actions in the documents, written anew from the docstrings: ``python -m tools.protocol_tables``.

In a page they stand between two comments, of which the first names their system.
"""

import re
from pathlib import Path

from oneowner.checkers.report.action_texts import markdown
from oneowner.spec.systems import systems

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "channel": ROOT / "docs/reference/protocol.md",
    "locks": ROOT / "oneowner/model/locks/README.md",
    "closed_loop": ROOT / "oneowner/model/closed_loop/README.md",
    "load_data": ROOT / "oneowner/model/load_data/README.md",
    "lock_manager": ROOT / "oneowner/model/lock_manager/README.md",
    "elasticsearch": ROOT / "oneowner/model/elasticsearch/README.md",
    "kafka": ROOT / "oneowner/model/kafka/rebalance/README.md",
    "streams_group": ROOT / "oneowner/model/streams_group/README.md",
    "leader_election": ROOT / "oneowner/model/leader_election/README.md",
    "redis": ROOT / "oneowner/model/redis/README.md",
}
"""The page that states the actions of a system, by its name."""
HERE = re.compile(r"(?<=<!-- generated: python -m tools.protocol_tables -->\n).*?(?=<!-- end -->)", re.DOTALL)


def written(name: str) -> str:
    """Return the page of a system with its tables as they should be; raise ValueError if it has no place for them."""
    text, tables = PAGES[name].read_text(encoding="utf-8"), "\n".join(markdown(systems()[name]))
    if len(HERE.findall(text)) != 1:
        raise ValueError(f"{PAGES[name]} refused: one place for tables of actions is needed, between two comments")
    return HERE.sub(lambda place: f"\n{tables}\n", text)


if __name__ == "__main__":
    for system, page in PAGES.items():
        page.write_text(written(system), encoding="utf-8")
