"""
Files of load data become named values: answers to administrators, nodes of the metadata store, messages of topics.

A file is one JSON value, or a dump in lines: of a topic (with ``key`` and ``value``, or as pulsar-client prints it), or
of ZooKeeper's history. Of a dump the last value under each name counts, and none after a tombstone or a deletion.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.documents import shown
from oneowner.checkers.inputs.pulsar_json import Kind, kind_of
from oneowner.checkers.recordings.read.dump import Unreadable
from oneowner.checkers.recordings.read.pulsar_client_output import PrintedReader, is_printed
from oneowner.checkers.verdict import Misuse

FOLDERS: Final = (
    "bundle-data", "brokers", "broker-time-average", "loadbalancer-broker-load-data",
    "loadbalancer-top-bundles-load-data",
)  # fmt: skip
"""Folders of the metadata store below ``/loadbalance``, and topics: what lies below them is named by the rest."""
NODE: Final = re.compile(
    rf"((?:/(?!(?:admin|managed-ledgers|namespace|schemas|loadbalance)/)[^/]+)*)/loadbalance/(?:{'|'.join(FOLDERS)})/.+"
)
"""A node of load data, below the cluster's chroot if it has one; a tenant may be called loadbalance, too."""
MOST: Final = 256 << 20
"""Bytes of one file, unpacked."""
WRITES: Final = ("create", "setData", "createContainer", "delete", "deleteContainer")


class Named(NamedTuple):
    """One value, whose it is, and where it stands."""

    kind: Kind
    name: str
    value: Any
    where: str
    """File and line."""
    published: int = 0
    """Milliseconds; 0 if it was no message."""


def values_of(path: Path) -> list[Named]:
    """Return the values of a file, or of all files below a folder; raise Misuse for other content."""
    if not path.is_dir():
        return list(_values_in(path, path.name))
    files = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path)))
    return [value for file in files for value in _values_in(file, file.relative_to(path).as_posix())]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def name_of(path: str) -> str:
    """
    Return whose value lies at a path of a folder or of the metadata store.

    >>> name_of("/loadbalance/bundle-data/t/n/0x0_0x1"), name_of("brokers/h:8080.json"), name_of("b1.json")
    ('t/n/0x0_0x1', 'h:8080', 'b1')
    """
    parts = path.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json").strip("/").split("/")
    at = next((number for number, part in enumerate(parts[:-1]) if part in FOLDERS), len(parts) - 2)
    return "/".join(parts[at + 1 :])


def _values_in(path: Path, name: str) -> Iterator[Named]:
    last: dict[str, Named] = {}
    chroots: set[str] = set()
    for where, told in _json_in(path):
        at, who, published, value = name, name_of(name), 0, told
        if isinstance(told, dict) and "key" in told and "value" in told:
            at = who = str(told["key"])
            published, value = _time_of(told, where), _payload(told["value"], where)
        elif isinstance(told, dict) and "zxid" in told and "op" in told:
            at = str(told.get("path"))
            node = NODE.fullmatch(at)
            if told["op"] not in WRITES or node is None:
                continue
            chroots.add(node[1])
            if len(chroots) > 1:
                one, other = (root or "/" for root in sorted(chroots))
                raise Misuse(f"{where}: refused: nodes of two clusters, below {one} and {other}; leave one out")
            who, value = name_of(at), _payload(told.get("data") or None, where)
        elif at in last:
            raise Misuse(f"{where}: refused: a second value, without a name; of a topic, dump key and value")
        if value is None:  # a tombstone, or a node that was deleted
            last.pop(at, None)
            continue
        kind = kind_of(value)
        if kind is None:
            raise Misuse(f"{where}: no load data of Pulsar: {shown(_outline(value))}; there are: {', '.join(Kind)}")
        last[at] = Named(kind, who, value, where, published)
    yield from last.values()


def _time_of(message: dict[str, Any], where: str) -> int:
    published = message.get("publishTime", 0)
    if isinstance(published, bool) or not isinstance(published, int):
        raise Misuse(f"{where}: publishTime refused: {shown(published)}; it is in milliseconds")
    return published


def _outline(value: Any) -> str:
    return f"keys {', '.join(map(str, value)) or 'none'}" if isinstance(value, dict) else str(value)


def _payload(value: Any, where: str) -> Any:
    """Return the value of a message or a node, which many tools encode as a text."""
    return _parsed(value, where) if isinstance(value, str) else value


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Misuse(f"{where}: not JSON: {_words(error)}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {shown(twice)} stands there twice")
    return found


def _words(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error).split(": line ")[0]


def _json_in(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield every JSON value of a file, and where it stands."""
    text = _text_of(path)
    if not text.strip():
        raise Misuse(f"{path}:1: empty: no JSON in it")
    if is_printed(str(path)):
        yield from _printed(path, text)
        return
    if not path.name.removesuffix(".gz").endswith(".jsonl"):
        try:
            yield f"{path}:1", json.loads(text, object_pairs_hook=_once)
            return
        except json.JSONDecodeError as error:
            if error.msg != "Extra data":
                raise Misuse(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise Misuse(f"{path}:1: not JSON: {_words(error)}") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", _parsed(line, f"{path}:{number}")


def _printed(path: Path, text: str) -> Iterable[tuple[str, Any]]:
    reader = PrintedReader(0, 0)
    for number, line in enumerate(text.split("\n"), 1):
        try:
            told = reader.json_of(line.encode(), number) if line.strip() else None
        except Unreadable as error:
            raise Misuse(f"{path}:{number}: {error}") from None
        if told is not None:
            yield f"{path}:{number}", _parsed(told.decode(), f"{path}:{number}")


def _text_of(path: Path) -> str:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            content = stream.read(MOST + 1)
        if len(content) > MOST:
            raise Misuse(f"{path}: refused: more than {MOST >> 20} MiB; load data of a cluster is far less")
        return content.decode()
    except UnicodeDecodeError as error:
        raise Misuse(f"{path}:{error.object[: error.start].count(10) + 1}: not UTF-8") from None
    except (OSError, EOFError, zlib.error) as error:
        raise Misuse(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
