"""
A report on the ZooKeeper history: its transactions are possible in their written order.

The guarantees of the server, kept in its log (``DataTree.processTxn``, ``PrepRequestProcessor.pRequest2Txn``): zxids
grow; one leader stamps the time; a node is created once, before it is changed or deleted, and after its parent; its
version grows by one with each setData; an ephemeral node vanishes with its session, and nothing else ends it but a
delete; a session acts between its begin and its end. Innocent, and not reported: a history that begins late (earlier
nodes and sessions are unknown), transactions that a dump leaves out because of their path, those that failed, and
sessions of only one server (``localSessionsEnabled``: then most numbers are missing).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from oneowner.checkers.recordings.fold.numbered_runs import STEP
from oneowner.checkers.recordings.laws.integrity.contradictions import Contradiction, told
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.read.observations import NodeWrite, Source
from oneowner.checkers.recordings.read.zookeeper import BROKERS, CREATES, LEADERS, OUTSIDE
from oneowner.checkers.recordings.scene.registry import elected
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.times import seconds
from oneowner.model.kernel.law import Severity

NOWHERE_READ: Final = Origin(0, 0, 0)
LAW: Final = "history-is-possible"
MAKES: Final = (*CREATES, "createContainer")
REMOVES: Final = ("delete", "deleteContainer")
SERVER: Final = "0x0"
"""The session of the server's own transactions."""


def _history_is_possible(scene: Scene) -> LawOutcome:
    writes = once(scene.writes)
    found = [
        *_order(writes, scene.limits.clock_skew),
        *_session_numbers(writes),
        *_Tree(writes).contradictions(),
        *_identities(writes),
        *_left(writes, scene.limits.session),
    ]
    return told(LAW, len(writes), found)


def once(writes: Sequence[NodeWrite]) -> list[NodeWrite]:
    """Return the transactions, each from one file: every member of an ensemble writes them all into its own log."""
    first: dict[NodeWrite, int] = {}
    return [
        one
        for one in writes
        if first.setdefault(one._replace(origin=NOWHERE_READ), one.origin.piece) == one.origin.piece
    ]


def named(write: NodeWrite) -> str:
    """Return a transaction in words."""
    return f"zxid {write.zxid} ({' '.join(word for word in (write.op, write.path) if word)})"


def _told(why: str, *writes: NodeWrite) -> Contradiction:
    brokers = {one.path.removeprefix(BROKERS) for one in writes if one.path.startswith(BROKERS)}
    return Contradiction(why, writes, tuple(sorted(brokers)))


# ---- order and time ----


def _order(writes: Sequence[NodeWrite], skew: int) -> Iterator[Contradiction]:
    """Yield lines that are out of the order of zxids within their file, and times that go back."""
    lines = sorted(writes, key=lambda write: write.origin)
    for before, write in pairwise(lines):
        if before.origin.piece == write.origin.piece and write.zxid < before.zxid:
            yield _told(f"{named(write)} stands behind zxid {before.zxid}", before, write)
    for before, write in pairwise(writes):
        is_one_leader = before.zxid >> EPOCH == write.zxid >> EPOCH
        if write.time < before.time - STEP - (0 if is_one_leader else skew):
            late = seconds(before.time - write.time)
            yield _told(f"{named(write)} is stamped {late} before {named(before)}, which it follows", before, write)


EPOCH: Final = 32
"""Bits of a zxid that count within one leader's time."""


def _session_numbers(writes: Sequence[NodeWrite]) -> Iterator[Contradiction]:
    """
    Yield numbers of sessions that one server gave out and that no session has (``SessionTrackerImpl``).

    A server counts from where its clock stood when it started, 65,536 for every millisecond.
    """
    begun: dict[int, list[NodeWrite]] = defaultdict(list)
    for write in writes:
        number = number_of(write.session)
        if write.op == "createSession" and number is not None:
            begun[number >> 16].append(write)
    for own in begun.values():
        numbers = sorted({number_of(write.session) or 0: write for write in own}.items())
        missing = numbers[-1][0] - numbers[0][0] + 1 - len(numbers)
        if missing < len(numbers):
            for (one, before), (other, write) in pairwise(numbers):
                if other > one + 1:
                    which = f"{one + 1:#x}" + (f" to {other - 1:#x}" if other > one + 2 else "")
                    why = (
                        f"session {which} has no begin, though those of {before.session} and {write.session} are there"
                    )
                    yield _told(why, before, write)


def number_of(session: str) -> int | None:
    try:
        return int(session, 16)
    except ValueError:
        return None


# ---- sessions and nodes ----


class _Tree:
    """The sessions and nodes that are known while the transactions are replayed."""

    def __init__(self, writes: Sequence[NodeWrite]) -> None:
        self._writes = writes
        self._knows_all = bool(writes) and writes[0].zxid == 1
        """True if the history begins with the server itself."""
        self._knows_sessions = self._knows_all and any(write.op == "createSession" for write in writes)
        self._tells_ephemeral = any(write.ephemeral for write in writes)
        self._sessions: dict[str, NodeWrite] = {}
        self._ended: dict[str, NodeWrite] = {}
        self._nodes: dict[str, NodeWrite] = {}
        """Existing nodes, each with the write that created or last changed it."""
        self._owners: dict[str, str] = {}
        """Of nodes that vanish with a session, which one."""
        self._gone: dict[str, NodeWrite] = {}
        """Former nodes, each with the write that ended it."""
        self._unsure: set[str] = set()
        """Nodes of sessions that ended, without a sign whether they were ephemeral."""
        self._children: dict[str, set[str]] = defaultdict(set)

    def contradictions(self) -> Iterator[Contradiction]:
        """Yield transactions that no server would have accepted."""
        for write in self._writes:
            if write.op == "error":
                continue
            yield from self._session(write)
            if write.op in MAKES:
                yield from self._make(write)
            elif write.op == "setData":
                yield from self._change(write)
            elif write.op in REMOVES:
                yield from self._remove(write)

    def _session(self, write: NodeWrite) -> Iterator[Contradiction]:
        session = write.session
        ended = self._ended.get(session)
        if ended is not None:
            why = f"{named(write)} is of session {session}, which ended with zxid {ended.zxid}"
            yield _told(why, ended, write)._replace(is_proof=write.op != "closeSession" or write.zxid == ended.zxid)
        elif write.op == "createSession":
            before = self._sessions.setdefault(session, write)
            if before is not write:
                yield _told(f"session {session} begins twice, with zxid {before.zxid} and {write.zxid}", before, write)
        elif self._knows_sessions and session not in self._sessions and session != SERVER:
            yield _told(f"{named(write)} is of session {session}, which never began", write)
        if write.op == "closeSession" and ended is None:
            self._ended[session] = write
            for path in [path for path, owner in self._owners.items() if owner == session]:
                self._forget(path, write)

    def _make(self, write: NodeWrite) -> Iterator[Contradiction]:
        path, parent = write.path, write.path.rpartition("/")[0]
        before, gone = self._nodes.get(path), self._gone.get(parent)
        if before is not None:
            yield _told(f"{named(write)} makes a node that is there since zxid {before.zxid}", before, write)
        if gone is not None:
            yield _told(f"{named(write)} makes a node below one that went with zxid {gone.zxid}", gone, write)
        elif self._lacks(parent):
            yield _told(f"{named(write)} makes a node below one that nothing made", write)
        self._nodes[path] = write
        self._gone.pop(path, None)
        self._unsure.discard(path)
        self._children[parent].add(path)
        if write.ephemeral or not self._tells_ephemeral:
            self._owners[path] = write.session

    def _lacks(self, path: str) -> bool:
        """Return whether a node was never created, though the history would show it, as it shows the parent."""
        is_known = path == OUTSIDE or path in self._nodes or path in self._gone or path in self._unsure
        return self._knows_all and not is_known and path.rpartition("/")[0] in self._nodes

    def _change(self, write: NodeWrite) -> Iterator[Contradiction]:
        before = self._nodes.get(write.path)
        if before is None:
            yield from self._absent(write)
        else:
            version = before.version if before.op == "setData" else 0
            if version is not None and write.version is not None and write.version != version + 1:
                why = f"{named(write)} has version {write.version}, and zxid {before.zxid} before it has {version}"
                yield _told(why, before, write)
        self._nodes[write.path] = write
        self._gone.pop(write.path, None)

    def _remove(self, write: NodeWrite) -> Iterator[Contradiction]:
        if write.path not in self._nodes:
            yield from self._absent(write)
        child = min(self._children[write.path], default=None)
        if child is not None:
            made = self._nodes[child]
            yield _told(f"{named(write)} removes a node that has a child, {child}, by zxid {made.zxid}", made, write)
        self._forget(write.path, write)

    def _absent(self, write: NodeWrite) -> Iterator[Contradiction]:
        gone = self._gone.get(write.path)
        if gone is not None:
            yield _told(f"{named(write)} is of a node that went with zxid {gone.zxid}", gone, write)
        elif self._lacks(write.path):
            yield _told(f"{named(write)} is of a node that nothing made", write)

    def _forget(self, path: str, write: NodeWrite) -> None:
        self._nodes.pop(path, None)
        self._owners.pop(path, None)
        self._children[path.rpartition("/")[0]].discard(path)
        if self._tells_ephemeral or write.op in REMOVES:
            self._gone[path] = write
        else:
            self._unsure.add(path)


# ---- whose session it is ----


def _identities(writes: Sequence[NodeWrite]) -> Iterator[Contradiction]:
    """
    Yield sessions of two brokers, and nodes that name another broker than the one whose they are.

    A process has one session at a time, and registers and stands for election in its own name (``BrokerRegistryImpl``,
    ``LeaderElectionService``).
    """
    owner: dict[str, tuple[str, NodeWrite]] = {}
    registered = {write.path.removeprefix(BROKERS) for write in writes if write.path.startswith(BROKERS)}
    for write in writes:
        if not write.path.startswith(BROKERS) or write.op not in (*CREATES, "setData"):
            continue
        broker = write.path.removeprefix(BROKERS)
        before = owner.setdefault(write.session, (broker, write))
        if before[0] != broker:
            yield _told(f"session {write.session} registers {before[0]} and {broker}", before[1], write)
        others = sorted(other for other in registered - {broker} if f'//{other}"' in write.data)
        if others and f'//{broker}"' not in write.data:
            yield _told(f"{named(write)} registers {broker}, with the address of {others[0]}", write)
    for write in writes:
        if write.path in LEADERS and write.op in CREATES:
            broker, own = elected(write), owner.get(write.session)
            if own is not None and broker and own[0] != broker:
                why = f"{named(write)} elects {broker}, by session {write.session}, which is that of {own[0]}"
                yield _told(why, own[1], write)


def _left(writes: Sequence[NodeWrite], timeout: int) -> Iterator[Contradiction]:
    """
    Yield sessions that a broker left for a new one and that never end, though the server went on for long enough.

    Nobody pings such a session, so the server ends it after its timeout (``SessionTrackerImpl``). Time of silence is
    not counted: a server that starts again gives every session its whole timeout once more.
    """
    begun = {write.session: write for write in writes if write.op == "createSession"}
    ended = {write.session for write in writes if write.op == "closeSession"}
    own: dict[str, dict[str, NodeWrite]] = defaultdict(dict)
    for write in writes:
        if write.path.startswith(BROKERS) and write.op in (*CREATES, "setData"):
            own[write.path.removeprefix(BROKERS)].setdefault(write.session, write)
    for broker, sessions in own.items():
        for (one, left), (other, registered) in pairwise(sessions.items()):
            since = begun.get(other, registered).time
            times = [write.time for write in writes if write.time >= since]
            at_work = sum(gap for gap in (after - before for before, after in pairwise(times)) if gap <= timeout)
            if one not in ended and at_work > timeout + TICKS:
                why = f"{broker} left session {one} for {other}, and it never ends in the history"
                yield _told(why, left, registered)


TICKS: Final = 6_000
"""Milliseconds by which a server may end a session late: it looks once a tick, which is 2 s by default."""

LAWS: Final = (
    SceneLaw(
        LAW,
        "The transactions of a ZooKeeper history can have followed one another.",
        "PIP-45, whose metadata store it is, and what ZooKeeper guarantees",
        needs=(Source.ZOOKEEPER,),
        judge=_history_is_possible,
        severity=Severity.WARNING,
    ),
)
