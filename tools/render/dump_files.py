"""Messages of a channel are written as a dump: a line of JSON each, as ``dump_channel.py`` writes them."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

START = 1_795_000_000_000
"""Publish time of second 0."""


def message(message_id: str, key: str, value: Json | None, time: int = START) -> Json:
    """Return one message of the channel."""
    return {"messageId": message_id, "publishTime": time, "eventTime": 0, "key": key, "value": value}


def lines_of(messages: Iterable[Json]) -> list[bytes]:
    """Return messages as lines, each with its end."""
    return [json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in messages]


def write(path: Path, messages: Iterable[Json]) -> Path:
    """Write a dump; ``.gz`` is compressed."""
    return write_bytes(path, b"".join(lines_of(messages)))


def write_bytes(path: Path, text: bytes) -> Path:
    """Write a file; ``.gz`` is compressed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path
