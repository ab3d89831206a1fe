"""
Transactions of a ZooKeeper history that took effect.

A transaction of several writes is carried out whole or not at all, but the server's log names all parts of one that
failed, and a dump may list those that did not fail by themselves. They would create what is there already.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.read.zookeeper import CREATES


def carried_out(writes: Sequence[NodeWrite]) -> list[NodeWrite]:
    """Return the writes without those of transactions that failed; their errors are kept."""
    failed = {*_with_errors(writes), *_repeated(writes)}
    return [write for write in writes if write.op == "error" or write.zxid not in failed]


def _with_errors(writes: Sequence[NodeWrite]) -> Iterator[int]:
    """Yield the transactions in which a part failed."""
    return (write.zxid for write in writes if write.op == "error")


def _repeated(writes: Sequence[NodeWrite]) -> Iterator[int]:
    """Yield transactions of several writes of which one makes a node that its session makes again in a later one."""
    parts = Counter(write.zxid for write in {(write.zxid, write.op, write.path): write for write in writes}.values())
    there: dict[str, NodeWrite] = {}
    for write in writes:
        if write.op in CREATES:
            before = there.get(write.path)
            if before is not None and before.session == write.session and before.zxid != write.zxid:
                if before.data == write.data and parts[before.zxid] > 1:
                    yield before.zxid
            there[write.path] = write
        elif write.op == "delete":
            there.pop(write.path, None)
        elif write.op == "closeSession":
            there = {path: made for path, made in there.items() if made.session != write.session}
