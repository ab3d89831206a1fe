"""
A line of a ZooKeeper history becomes an event, if it writes a service unit's node.

With the metadata-store view the channel's history is its ``/service_unit_state/<tenant>/<namespace>/<range>``
nodes (PIP-378): create and setData carry a record, delete is a tombstone. Everything else in the file
(sessions, containers, other paths) is no event of the channel.
"""

import re
from typing import Annotated, Any, Final

import msgspec

from oneowner.checkers.documents import shown
from oneowner.checkers.recordings.read.dump import DumpReader, Long, Unreadable, decoded, payload_of
from oneowner.checkers.recordings.read.events import CREATE, Row

BROKERS: Final = "/loadbalance/brokers/"
LEADER: Final = "/loadbalance/extension/leader"
"""The nodes for the registration of brokers, one each, and for the elected leader."""
LOCKS_LEADER: Final = "/loadbalance/leader"
"""The same where bundles are owned by locks (``PulsarService.startLeaderElectionService``)."""
CHANNEL_PATHS: Final = ("/loadbalance/extension", "/service_unit_state")
"""Paths that only a cluster with ownership by the channel writes below."""
LEADERS: Final = (LEADER, LOCKS_LEADER)
OUTSIDE: Final = ".."
"""The root of the server, as the cluster with a chroot sees it; no transaction makes it."""
LOCKS: Final = "/namespace/"
"""A bundle's lock is the ephemeral node ``/namespace/<tenant>/<namespace>/<range>`` (``ServiceUnitUtils.path``)."""
LOCK: Final = re.compile(rf"{LOCKS}(?!(?:.*/)?[^/]*:[0-9]+/|sla-monitor/)(.+/0x[0-9a-fA-F]{{8}}_0x[0-9a-fA-F]{{8}})")
"""The node of a bundle; heartbeat and SLA namespaces, which every broker has for itself, are left out."""

CREATES: Final = ("create", "create2", "createTTL")

_ROOT = "/service_unit_state"
_PATH = re.compile(rf"{_ROOT}/(.*/0x[0-9a-fA-F]{{8}}_0x[0-9a-fA-F]{{8}})")
_WRITES = (*CREATES, "setData", "delete")
_OTHERS = ("check", "setACL", "error", "createContainer", "deleteContainer")
"""Operations that may name a path but write no record."""


class Write(msgspec.Struct, gc=False):
    """One transaction of the server's log."""

    zxid: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    time: Long
    op: str
    session: Any = None
    path: str | None = None
    data: str | None = None
    version: Long | None = None
    """The node's new version, of setData."""
    ephemeral: Any = None


_decode = msgspec.json.Decoder(Write).decode


def write_of(raw: bytes, chroot: str | None = "") -> Write:
    """
    Return the transaction in one line; raise Unreadable if it is none.

    Its path is the brokers' view, below the cluster's *chroot* (``chroots.py``); None: no node is the cluster's.
    """
    write = decoded(_decode, raw)
    if chroot != "" and write.path is not None:
        write.path = within(write.path, chroot)
    return write


def within(path: str, chroot: str | None) -> str:
    """
    Return *path* relative to *chroot*; a path outside begins with two dots, and is no path of the cluster.

    >>> within("/one/namespace", "/one"), within("/once", "/one"), within("/one/namespace", None)
    ('/namespace', '../once', '../one/namespace')
    """
    if chroot is not None and (path == chroot or path.startswith(f"{chroot}/")):
        return path.removeprefix(chroot)
    return f"{OUTSIDE}{path}"


class HistoryReader:
    """Reads lines of one chunk of a ZooKeeper history."""

    def __init__(self, piece: int, chunk: int, chroot: str | None = "") -> None:
        self._piece, self._chunk, self._chroot = piece, chunk, chroot
        self._dump = DumpReader(piece, chunk)

    @property
    def numbers(self) -> tuple[int, int]:
        """No sequence id, and the time of the last record; -1 if missing."""
        return self._dump.numbers

    def row(self, raw: bytes, line: int) -> Row | None:
        """Return the event of one line, None if it writes no unit's node; raise Unreadable."""
        return self.event(write_of(raw, self._chroot), line)

    def event(self, write: Write, line: int) -> Row | None:
        """Return the event of a transaction that is decoded already; raise Unreadable if it cannot be one."""
        if write.op in _WRITES and write.path is None:
            raise Unreadable(f"{write.op} without a path")
        path = write.path or ""
        if not (path == _ROOT or path.startswith(f"{_ROOT}/")) or write.op in _OTHERS:
            return None
        if write.op not in _WRITES:
            raise Unreadable(f"op refused: {shown(write.op)} of a unit's node; known are {', '.join(_WRITES)}")
        unit = _PATH.fullmatch(path)
        if unit is None:
            if write.data:
                raise Unreadable(f"path refused: {shown(path)!r}; a node with data ends in /0xLOW_0xHIGH")
            return None
        payload = None if write.op == "delete" else payload_of(write.data or "")
        if payload is None and write.op != "delete":
            raise Unreadable(f"{write.op} of a unit's node without a record")
        return (
            write.zxid,
            (self._piece << 32) + self._chunk,  # writes of one transaction come in the order of files and lines
            line,
            self._piece,
            self._chunk,
            line,
            f"zxid:{write.zxid}",
            write.time,
            unit.group(1),
            *self._dump.fields(payload),
            "" if write.session is None else str(write.session),
            _how(write),
        )


def _how(write: Write) -> str:
    if write.op in CREATES:
        return CREATE
    if write.op == "setData" and write.version is not None:
        return f"setData {write.version}"
    return write.op
