"""A ZooKeeper history is checked for holes: the writes to one node must follow on each other."""

from __future__ import annotations

from oneowner.checkers.recordings.read.events import CREATE, DELETE, WRITE, Event, Finding, Row
from oneowner.model.kernel.law import Severity

NODE_CHAIN = "node-chain"
"""Not a law: a history whose writes do not follow on each other is incomplete."""


def is_repeated(before: Row, row: Row) -> bool:
    """Say whether both rows are the same write of the same transaction."""
    return before[:1] == row[:1] and before[WRITE] == row[WRITE]


def is_next(before: str, write: str) -> bool:
    """
    Say whether a node whose last write was *before* can be written so next, as far as versions are given.

    >>> is_next("create", "setData 1"), is_next("setData 1", "setData 3"), is_next("setData 1", "create")
    (True, False, False)
    """
    is_there = before != DELETE
    if is_there == (write == CREATE):
        return False
    known = 0 if before == CREATE else int(before[8:]) if before.startswith("setData ") else None
    if known is None or not write.startswith("setData "):
        return True
    return int(write[8:]) == known + 1


def out_of_place(event: Event, before: str) -> Finding:
    """Return the warning about a write that cannot follow on the one before it: lines of the history are missing."""
    words = f"{event.write} cannot follow on {before} of the same node: lines of the history are missing"
    return Finding(
        NODE_CHAIN, Severity.WARNING, event.key, event.position, event.origin, event.message_id, event.time,
        (), words, None, None, NODE_CHAIN, "every write to the node, versions counting up by one",
    )  # fmt: skip
