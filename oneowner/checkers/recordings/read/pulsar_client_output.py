"""
Lines that ``pulsar-client read`` and ``consume`` print become messages of the channel.

A message is a boundary line and one with publish time, key and content (``AbstractCmdConsume.interpretMessage``).
It has no message id: the place in the file is its place in the topic. Lines of the tool's own log lie in between.
"""

import json
import re
from contextlib import suppress

from oneowner.checkers.recordings.read.compression import ERRORS, uncompressed
from oneowner.checkers.recordings.read.dump import DumpReader, Unreadable
from oneowner.checkers.recordings.read.events import Row
from oneowner.checkers.recordings.read.lines import opened

BOUNDARY = b"----- got message -----"
_PEEK = 64 * 1024
_MESSAGE = re.compile(
    rb"publishTime:\[(\d+)\], eventTime:\[\d+\], key:\[(.*?)\], properties:\[.*?\], content:(.*)", re.DOTALL
)
_LOG = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|SLF4J:|WARNING:")
_NO_VALUE = (b"", b"null")


def is_printed(path: str) -> bool:
    """Return whether a file is output of pulsar-client: not named .jsonl, and a boundary before any JSON."""
    if uncompressed(path).endswith(".jsonl"):
        return False
    with suppress(*ERRORS), opened(path) as stream:
        for line in stream.read(_PEEK).splitlines():
            if line.startswith((b"{", BOUNDARY)):
                return line.startswith(BOUNDARY)
    return False


class PrintedReader:
    """Reads the messages of one chunk of such a file."""

    def __init__(self, piece: int, chunk: int) -> None:
        self._chunk = chunk
        self._dump = DumpReader(piece, chunk)

    @property
    def numbers(self) -> tuple[int, int]:
        """No sequence id, and the time of the last record; -1 if missing."""
        return self._dump.numbers

    def row(self, raw: bytes, line: int) -> Row | None:
        """Return the event of one line; None for a boundary or a line of the tool's log; raise Unreadable."""
        told = self.json_of(raw, line)
        if told is None:
            return None
        row = self._dump.row(told, line)
        return (*row[:6], f"line {line}" if self._chunk == 0 else f"part {self._chunk + 1}, line {line}", *row[7:])

    def json_of(self, raw: bytes, line: int) -> bytes | None:
        """Return the message of one line as a line of a dump, with its place for an id."""
        raw = raw.rstrip(b"\r")
        if raw == BOUNDARY or _LOG.match(raw):
            return None
        found = _MESSAGE.fullmatch(raw)
        if found is None:
            raise Unreadable(
                "not what pulsar-client prints: publishTime:[..], eventTime:[..], key:[..], .., content:.."
            )
        content = b"null" if found[3] in _NO_VALUE else found[3]
        if not content.startswith((b"{", b"null")):
            raise Unreadable(
                "content is no JSON: read it as it is, without a schema (pulsar-client read --schema-type bytes)"
            )
        key = json.dumps(found[2].decode("utf-8", "replace")).encode()
        return b'{"messageId":"%d:%d","publishTime":%s,"key":%s,"value":%s}' % (
            self._chunk,
            line,
            found[1],
            key,
            content,
        )
