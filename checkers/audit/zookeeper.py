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

from checkers.audit.dump import DumpReader, Unreadable, in_words, payload_of
from checkers.audit.events import Event, Origin
from model.record import TOMBSTONE

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

    def __init__(self) -> None:
        self._dump = DumpReader()

    def event(self, raw: bytes, origin: Origin) -> Event | None:
        """Return the event of one line, None if it writes no unit's node; raise Unreadable."""
        try:
            if not raw.isascii():
                raw.decode("utf-8")
            write = _decode(raw)
        except UnicodeDecodeError:
            raise Unreadable("not UTF-8") from None
        except (msgspec.DecodeError, RecursionError) as error:
            raise Unreadable(in_words(error)) from None
        unit = _PATH.fullmatch(write.path or "")
        if unit is None or write.op not in _WRITES:
            return None
        record, children = TOMBSTONE, None
        if write.op != "delete":
            record, children = self._dump.record(payload_of(write.data or ""))
        return Event(
            (write.zxid, origin.chunk, origin.line),  # one transaction may write several nodes, in file order
            origin,
            f"zxid:{write.zxid}",
            write.time,
            unit.group(1),
            record,
            children,
            write.session if isinstance(write.session, str) else "",
        )
