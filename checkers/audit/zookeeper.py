"""
One line of a ZooKeeper history, as far as it writes a service unit's node.

With the metadata-store view the channel's history is its ``/service_unit_state/<tenant>/<namespace>/<range>``
nodes (PIP-378): create and setData carry a record, delete is a tombstone. Everything else in the file
(sessions, containers, other paths) is no event of the channel.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec

from checkers.audit.dump import DumpReader, decoded, payload_of
from checkers.audit.events import Row

_PATH = re.compile(r"/service_unit_state/(.*/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8})")
_WRITES = ("create", "setData", "delete")


class Write(msgspec.Struct, gc=False):
    """One transaction of the server's log."""

    zxid: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    time: int
    op: str
    session: Any = None
    path: str | None = None
    data: str | None = None


_decode = msgspec.json.Decoder(Write).decode


class HistoryReader:
    """Reads lines of one chunk of a ZooKeeper history."""

    def __init__(self, piece: int, chunk: int) -> None:
        self._piece, self._chunk = piece, chunk
        self._dump = DumpReader(piece, chunk)

    def row(self, raw: bytes, line: int) -> Row | None:
        """Return the event of one line, None if it writes no unit's node; raise Unreadable."""
        write = decoded(_decode, raw)
        unit = _PATH.fullmatch(write.path or "")
        if unit is None or write.op not in _WRITES:
            return None
        value = None if write.op == "delete" else payload_of(write.data or "")
        return (
            write.zxid,
            self._chunk,  # one transaction may write several nodes: they come in the order of the file
            line,
            self._piece,
            self._chunk,
            line,
            f"zxid:{write.zxid}",
            write.time,
            unit.group(1),
            *self._dump.fields(value),
            write.session if isinstance(write.session, str) else "",
        )
