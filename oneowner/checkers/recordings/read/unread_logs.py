"""
A log of which no line is understood is reported as unread: its size, its first line, and the log to collect instead.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import NamedTuple

from oneowner.checkers.recordings.read.log_layouts import layouts

_SHOWN = 120
"""Characters of the first line that are shown."""
SERVER = re.compile(rb"pulsar[/.]broker|bookkeeper|pulsar\.metadata|o\.a\.p\.b(?:roker)?\.|loadbalance|zookeeper")
"""Words of a log that a client alone does not write."""
_CLIENT = re.compile(
    r"\bclient\b|^(?:\w+\.)*(?:ClientC\w+|ConnectionPool|ConnectionHandler|(?:Binary|HTTP|Retry)\w*LookupService|HandlerBase|"
    r"(?:\w*Producer|\w*Consumer|Client)(?:Impl|Base)\w*|PulsarClient\w*)$"
)
"""Loggers of Pulsar's clients."""


class Contents(NamedTuple):
    """The lines of one file of a log, whatever they hold."""

    lines: int
    first_line: str
    has_heads: bool
    """True if any line is of a known layout."""
    is_client: bool
    """True if a client of Pulsar wrote all of its lines."""
    first: int | None
    last: int | None
    """The times of its first and its last line."""

    @property
    def why_unread(self) -> str:
        """The reason that nothing in it counts, and the log to collect."""
        shown = self.first_line[:_SHOWN] + ("..." if len(self.first_line) > _SHOWN else "")
        number = "its only line is not" if self.lines == 1 else f"none of its {self.lines:,} lines is"
        if self.is_client:
            return f"it is the log of a client; collect the brokers' logs {self._span()}; its first line: {shown}"
        if self.has_heads:
            return f"{number} of a class that is known; collect a broker's whole log; its first line: {shown}"
        return (
            f"{number} of a known layout; the first: {shown}; tried: {layouts().names}; collect a broker's log as it "
            "wrote it, with the time, the level and the logger of each line"
        )

    def _span(self) -> str:
        if self.first is None or self.last is None:
            return "of the same time"
        return f"of {_clock(self.first)} to {_clock(self.last)} UTC"


def is_client(loggers: Collection[str]) -> bool:
    """
    Return whether loggers are those of a client of Pulsar.

    >>> is_client(["org.apache.pulsar.client.impl.ConnectionHandler"]), is_client(["ClientConnection", "UnloadTest"])
    (True, True)
    >>> is_client(["org.apache.zookeeper.ClientCnxn"]), is_client([])
    (False, False)
    """
    return any(_CLIENT.search(name) is not None and "zookeeper" not in name for name in loggers)


def _clock(time: int) -> str:
    pattern = "%Y-%m-%dT%H:%M:%S" if time >= 10 * 86_400_000 else "%H:%M:%S"
    return datetime.fromtimestamp(time / 1000, UTC).strftime(pattern)
