"""
Values that log lines print are parsed by the kind that a placeholder of the table names.

Java prints ``null``, ``Optional.empty`` and ``Optional[x]``: None, None and x here. A record is printed by its
``toString`` (channel.2.2) and becomes Printed.
"""

import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, cast

from oneowner.checkers.recordings.read.observations import Printed
from oneowner.model.channel.record import NOBODY, NOTHING, Broker, Record, ServiceUnitState

_UNIT = re.compile(r"\S+/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")
_RANGE = r"0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}"
_SPLIT = re.compile(rf"\{{(?:({_RANGE}=(?:Optional\.empty|Optional\[(?:\[[^\]]*\])?[^\]]*\]|null)(?:, (?=0x))?)*)\}}")
_CHILD = re.compile(rf"({_RANGE})=")
_RECORD = re.compile(
    r"ServiceUnitStateData\[state=(\w+), dstBroker=([^,\s]*), sourceBroker=([^,\s]*), "
    r"splitServiceUnitToDestBroker=(null|\{.*?\}), force=(true|false), timestamp=(-?\d+), versionId=(-?\d+)\]"
)
_ENTRY = re.compile(rf"(\S+/{_RANGE})=(ServiceUnitStateData\[.*?versionId=-?\d+\])(?:, |$)")
_LEADER = re.compile(r"LeaderBroker\((?:brokerId=([^,\s]+), )?serviceUrl=(?:\w+://)?([^/)\s]*)[^)]*\)")
_TOPIC = re.compile(r"\w+\{topic=(.*)\}")
_SETTING = re.compile(r"(\w+)=(.*?)(?:, (?=\w+=)|$)", re.DOTALL)


def printed_of(text: str) -> Printed | None:
    """
    Return a printed record; None for a printed tombstone; raise ValueError for anything else.

    >>> printed_of("ServiceUnitStateData[state=Owned, dstBroker=b1:8080, sourceBroker=null, \
splitServiceUnitToDestBroker=null, force=false, timestamp=5, versionId=2]")
    Printed(record=Record(state=<ServiceUnitState.OWNED: 'Owned'>, destination='b1:8080', source=0, force=False, \
version=2), timestamp=5, children=None)
    """
    bare = _optional(text)
    return None if not bare else _printed(bare)


@lru_cache(maxsize=65_536)  # every broker prints a record several times
def _printed(text: str) -> Printed:
    found = _RECORD.fullmatch(text)
    if found is None:
        raise ValueError(f"no record: {text[:80]}")
    state = ServiceUnitState(found[1])
    if state == NOTHING:
        raise ValueError(f"no state: {found[1]}")
    split = found[4]
    if split != "null" and _SPLIT.fullmatch(split) is None:
        raise ValueError(f"no map of children: {split[:80]}")
    children = None if split == "null" else tuple(_CHILD.findall(split))
    record = Record(state, _party(found[2]), _party(found[3]), found[5] == "true", int(found[7]))
    return Printed(record, int(found[6]), children)


def _party(text: str) -> Broker:
    """Return a broker of a record in the form of the audit's dumps: its id in place of a number."""
    return NOBODY if text in ("", "null") else cast(Broker, sys.intern(text))


def _optional(text: str) -> str | None:
    if text in ("null", "Optional.empty"):
        return None
    return text[9:-1] if text.startswith("Optional[") and text.endswith("]") else text


def _word(text: str) -> str | None:
    bare = _optional(text)
    return None if bare is None else sys.intern(bare)


@lru_cache(maxsize=4_096)  # brokers are few
def _broker(text: str) -> str | None:
    return _word(text)


def _topic(text: str) -> str | None:
    """
    Return a topic by its name, also where its object is printed.

    >>> _topic("NonPersistentTopic{topic=non-persistent://rig/a/t0}")
    'non-persistent://rig/a/t0'
    """
    found = _TOPIC.fullmatch(text)
    return _word(text if found is None else found[1])


@lru_cache(maxsize=16_384)  # every unit is named by many lines
def _unit(text: str) -> str:
    if _UNIT.fullmatch(text) is None:
        raise ValueError(f"no unit: {text[:80]}")
    return sys.intern(text)


def _list(text: str) -> tuple[str, ...]:
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"no list: {text[:80]}")
    return tuple(text[1:-1].split(", ")) if text != "[]" else ()


def _units(text: str) -> tuple[str, ...]:
    return tuple(_unit(part) for part in _list(text))


def entries_of(lines: list[str]) -> tuple[tuple[str, Printed], ...]:
    """Return units with their records, one a line: the dump of a view; raise ValueError if a line is none."""
    return tuple(entry for line in lines for entry in _snapshot("{" + line + "}"))


def _snapshot(text: str) -> tuple[tuple[str, Printed], ...]:
    inner = text[1:-1]
    found = list(_ENTRY.finditer(inner))
    if text[:1] != "{" or text[-1:] != "}" or "".join(entry[0] for entry in found) != inner:
        raise ValueError(f"no units with their records: {text[:80]}")
    return tuple((sys.intern(entry[1]), _printed(entry[2])) for entry in found)


def _leader(text: str) -> str | None:
    bare = _optional(text)
    if not bare:
        return None
    found = _LEADER.fullmatch(bare)
    if found is None:
        raise ValueError(f"no leader: {text[:80]}")
    return sys.intern(found[1] or found[2])  # up to 3.0 by its URL alone


def _settings(text: str) -> dict[str, str | None]:
    """Return the configuration as ``ServiceConfiguration.toString`` prints it."""
    return {name: _optional(value) for name, value in _SETTING.findall(text)}


def split_attributes(message: str) -> tuple[str, dict[str, str]] | None:
    """
    Return a message of the 5.0 line apart from its attributes, None if it does not end with any.

    >>> split_attributes("Handled [it] {broker=b1:8080, cur=Data[a={x=1, y=2}, b=3]}")
    ('Handled [it]', {'broker': 'b1:8080', 'cur': 'Data[a={x=1, y=2}, b=3]'})
    >>> split_attributes("cleared {rig/a/0x00000000_0xffffffff=Data[]}")
    """
    if not message.endswith("}"):
        return None
    depth, at = 0, len(message)
    while at > 0:
        at -= 1
        depth += (message[at] == "}") - (message[at] == "{")
        if depth == 0:
            break
    if depth or (at and message[at - 1] != " "):
        return None
    parts = _parts(message[at + 1 : -1])
    if not all(_NAMED.match(part) for part in parts):
        return None
    pairs = [part.partition("=") for part in parts]
    return message[:at].rstrip(), {name: value for name, _, value in pairs}


_NAMED = re.compile(r"[A-Za-z_][\w.]*=")
_BEGINS = re.compile(r", (?=[A-Za-z_][\w.]*=)")


def _parts(text: str) -> list[str]:
    """
    Cut ``k=v, k2=v2`` at the commas between attributes, not at those within brackets.

    >>> _parts("a=1, b=D[x=1, y=2], c=p, q, d=")
    ['a=1', 'b=D[x=1, y=2]', 'c=p, q', 'd=']
    """
    parts, begin = [], 0
    for comma in _BEGINS.finditer(text):
        part = text[begin : comma.start()]
        if all(part.count(opened) == part.count(closed) for opened, closed in ("[]", "{}", "()")):
            parts.append(part)
            begin = comma.end()
    return [*parts, text[begin:]] if text else []


TYPES: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "broker": (r"[^\s,;]+?", _broker),
    "unit": (r"\S+?", _unit),
    "units": (r"\[.*?\]", _units),
    "record": (r".*?", printed_of),
    "snapshot": (r"\{.*?\}", _snapshot),
    "leader": (r"\S+(?: serviceUrl=\S+?)?", _leader),
    "settings": (r".*?", _settings),
    "word": (r"\S+?", _word),
    "topic": (r"\S+?", _topic),
    "list": (r"\[.*?\]", _list),
    "int": (r"-?\d+", int),
    "float": (r"-?[\d.]+(?:E-?\d+)?", float),
    "str": (r".*?", _word),
}
"""The pattern for the text of each type in a line, and its conversion."""
