"""
Actions of a channel in both storages, which nodes of ZooKeeper show beside records of the topic.

A record is identified by its content, which has the time at which it was made: a syncer copies it as it is.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from oneowner.checkers.recordings.read.lines import opened
from oneowner.checkers.recordings.read.zookeeper import LEADER

NODES: Final = "/service_unit_state/"


def stored_actions(run: Path) -> Counter[str]:
    """
    Return how many nodes and records of a recorded run show each action.

    ``put``: a broker that does not lead writes a node. ``copy_to_topic``: a record of the topic has the content of
    such a node. ``copy_to_store``: the leader writes a record that the topic has into a node that is there, and it was
    published after the last node that this leader created: it creates those of records that it found at its start.
    """
    published: dict[tuple[str, str], int] = {}
    for line in _lines(run, "channel"):
        published.setdefault((line["key"], _content(line["value"])), line["publishTime"])
    put, copied, created = set[tuple[str, str]](), list[tuple[str, tuple[str, str]]](), dict[str, int]()
    leader = ""
    for write in _lines(run, "zookeeper"):
        path, op, session = write.get("path", ""), write["op"], write["session"]
        if path == LEADER:
            leader = session if op == "create" else ""
        if not path.startswith(NODES) or not write.get("data"):
            continue
        record = path.removeprefix(NODES), _content(json.loads(write["data"]))
        if leader and session != leader:
            put.add(record)
        elif session == leader and published.get(record, write["time"]) < write["time"]:
            copied += [(session, record)] * (op == "setData")
            created |= {session: write["time"]} if op == "create" else {}
    by_leader = [one for session, one in copied if one not in put and published[one] > created.get(session, 0)]
    found = {"put": len(put), "copy_to_topic": len(put & published.keys()), "copy_to_store": len(by_leader)}
    return Counter({name: count for name, count in found.items() if count and published})


def _lines(run: Path, name: str) -> Iterator[dict[str, Any]]:
    for path in sorted(run.glob(f"{name}*.jsonl*")):
        with opened(str(path)) as lines:
            yield from map(json.loads, lines)


def _content(value: Mapping[str, Any] | str | None) -> str:
    """Return a record in one way, whether or not it is written as text, and states that it is not forced."""
    record = json.loads(value) if isinstance(value, str) and value else value or {}
    return json.dumps({"force": False, **record}, sort_keys=True)
