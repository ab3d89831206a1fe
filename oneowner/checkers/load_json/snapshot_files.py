"""
Files of load data become named values: answers to administrators, nodes of the metadata store, messages of topics.

A file is one JSON value, or a dump in lines: of a topic (with ``key`` and ``value``, or as pulsar-client prints it), or
of ZooKeeper's history. Of a dump the last value under each name counts, and none after a tombstone or a deletion.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.documents import shown
from oneowner.checkers.inputs.beginning import LOOKED_AT, Beginning
from oneowner.checkers.inputs.content import content_of
from oneowner.checkers.inputs.kinds import (
    ADMIN_ERROR,
    AUDIT,
    BROKER_LOG,
    DECIDE,
    LINT,
    PRINTED_NODE,
    InputKind,
    kind_of_text,
)
from oneowner.checkers.inputs.pulsar_json import Kind, kind_of
from oneowner.checkers.json_text import NoJson, json_of
from oneowner.checkers.load_json.printed_answers import value_of
from oneowner.checkers.recordings.read.dump import Unreadable
from oneowner.checkers.recordings.read.pulsar_client_output import PrintedReader, is_printed
from oneowner.checkers.settings.forms import read_settings
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
ZKCLI: Final = re.compile(
    r"^(?:\[zk: .*|[cmp]Zxid = .*|[cm]time = .*|\w+ersion = .*|ephemeralOwner = .*|dataLength = .*|numChildren = .*)$",
    re.MULTILINE,
)
"""The lines that zkCli prints around the value of a node."""
ARE_READ: Final = "decide reads load data and answers of pulsar-admin"
MESSAGE: Final = "----- got message -----"
"""The first line of a message that pulsar-client prints."""
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
    """
    Return the values of a file, or of all files below a folder; raise Misuse for damage, and if there is none.

    A file of a folder that is of another kind is returned by its name, as ``Kind.OTHER`` with the reason.
    """
    if not path.is_dir():
        return list(_values_in(path, path.name))
    files = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path)))
    found, refused = list[Named](), list[Misuse]()
    for file in files:
        name = file.relative_to(path).as_posix()
        try:
            found += _values_in(file, name)
        except AnotherKind as other:
            refused.append(other)
            found.append(Named(Kind.OTHER, name, other.words, str(file)))
    if refused and len(refused) == len(found):
        raise refused[0]
    return found


class AnotherKind(Misuse):
    """A file that is no load data, and is not damaged; the words are its kind."""

    def __init__(self, where: str, words: str, hint: str, verb: tuple[str, ...] = ()) -> None:
        command = f"oneowner {' '.join(verb)}"
        super().__init__(f"{where}: {words}; {hint}{f'; run: {command}' if verb else ''}")
        self.words = f"{words}: {command}" if verb else words


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
    text = _text_of(path)
    kind_of_it = kind_of_text(Beginning(text[:LOOKED_AT].encode(), path.name))
    if kind_of_it.verb == LINT:
        for settings in read_settings(path):
            yield Named(Kind.CONFIGURATION, name, {one.key: one.value for one in settings.properties}, f"{path}:1")
        return
    if kind_of_it is PRINTED_NODE:
        text = ZKCLI.sub("", text)
    for where, told in _json_in(path, text, kind_of_it):
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
            known = ", ".join(kind for kind in Kind if kind is not Kind.OTHER)
            raise AnotherKind(where, f"no load data of Pulsar: {shown(_outline(value))}", f"there are: {known}")
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
        return json_of(text)
    except NoJson as error:
        raise Misuse(f"{where}: not JSON: {error}") from None


def _json_in(path: Path, text: str, kind: InputKind) -> Iterator[tuple[str, Any]]:
    """Yield every JSON value of a file, and where it stands."""
    if not text.strip():
        raise Misuse(f"{path}:1: empty: no JSON in it")
    if is_printed(str(path)) or text.startswith(MESSAGE):
        yield from _printed(path, text)
    elif not text.lstrip().startswith(("{", "[")) and (value := value_of(kind, text)) is not None:
        yield f"{path}:1", value
    elif is_another(kind, path, text):
        raise AnotherKind(f"{path}:1", kind.name, ARE_READ, kind.verb)
    else:
        yield from _lines_of(path, text)


def is_another(kind: InputKind, path: Path, text: str) -> bool:
    """Return whether a text is of another kind, and no damaged load data."""
    if kind is ADMIN_ERROR:
        return not _is_json(path, text)
    return kind.verb not in (DECIDE, AUDIT, ()) or kind is BROKER_LOG or bool(kind.hint) or not _is_json(path, text)


def _is_json(path: Path, text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[") or path.name.removesuffix(".gz").endswith((".json", ".jsonl"))


def _lines_of(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Yield the value that a text is, or those of its lines."""
    if not path.name.removesuffix(".gz").endswith(".jsonl"):
        try:
            yield f"{path}:1", json_of(text)
            return
        except NoJson as error:
            if not error.is_more:
                raise Misuse(f"{path}:{error.line}: not JSON: {error}") from None
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
    content = content_of(path, MOST, "load data of a cluster")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        if (kind := kind_of_text(Beginning(content[:LOOKED_AT], path.name))).hint or b"\0" in content:
            raise AnotherKind(str(path), kind.name, ARE_READ) from None
        raise Misuse(f"{path}:{content[: error.start].count(10) + 1}: not UTF-8") from None
