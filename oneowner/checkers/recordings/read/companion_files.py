"""
A line of a companion file becomes a lookup, a poll, an admin call, a send or a ZooKeeper write.

The required fields of a line are declared here, as types; other fields are kept or ignored. A line that is not of its
shape raises Unreadable with one line of explanation.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from oneowner.checkers.recordings.read.dump import Long, decoded
from oneowner.checkers.recordings.read.events import END, Origin
from oneowner.checkers.recordings.read.observations import Call, Lookup, NodeWrite, Poll, Send
from oneowner.checkers.recordings.read.zookeeper import write_of

UNIT = re.compile(r".+/0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}")


class _Lookup(msgspec.Struct):
    t_start: Long
    t_end: Long
    asked: str
    topic: str
    status: int | None = None
    url: str | None = None
    redirect: str | None = None
    error: str = ""


class _Poll(msgspec.Struct):
    t_start: Long
    t_end: Long
    broker: str
    status: int | None = None
    owned: list[str] = []
    leader: str | None = None


class _Call(msgspec.Struct):
    t_start: Long
    t_end: Long
    action: str
    asked: str
    hops: list[str] = []
    status: int | None = None
    result: str | None = None


class _Client(msgspec.Struct):
    t: Long
    ev: str
    topic: str
    t_ack: Long | None = None
    result: str = ""


T = TypeVar("T")


def _decoder(kind: type[T]) -> Callable[[bytes], T]:
    return msgspec.json.Decoder(kind).decode


_lookup, _poll, _call, _client = _decoder(_Lookup), _decoder(_Poll), _decoder(_Call), _decoder(_Client)
_object = _decoder(dict[str, Any])


def lookup_of(raw: bytes, origin: Origin) -> Lookup:
    """Return the lookup of one line; the broker that it names is read off its URL."""
    line = decoded(_lookup, raw)
    return Lookup(
        origin, line.t_start, line.t_end, broker_of(line.asked), line.topic, line.status,
        _host(line.url), _host(line.redirect), line.error,
    )  # fmt: skip


def poll_of(raw: bytes, origin: Origin) -> Poll:
    """
    Return the poll of one line; heartbeat and SLA namespaces are left out of its claims.

    They are ``pulsar/<broker>/0x..``, ``pulsar/<cluster>/<broker>/0x..`` and ``sla-monitor/<cluster>/<broker>/0x..``
    (``NamespaceService.HEARTBEAT_NAMESPACE_PATTERN``): every broker serves its own, outside the channel.
    """
    line = decoded(_poll, raw)
    claims = tuple(sorted(unit for unit in line.owned if UNIT.fullmatch(unit) and not _is_own(unit)))
    heartbeats = tuple(sorted({unit.split("/")[-2] for unit in line.owned if UNIT.fullmatch(unit) and _is_own(unit)}))
    return Poll(origin, line.t_start, line.t_end, broker_of(line.broker), line.status, claims, line.leader, heartbeats)


def call_of(raw: bytes, origin: Origin) -> Call:
    """Return the admin call of one line; ``bundle`` is its unit, fields that are not known are its parameters."""
    line, fields = decoded(_call, raw), decoded(_object, raw)
    unit = fields.get("bundle")
    known = (*_Call.__struct_fields__, "bundle")
    return Call(
        origin, line.t_start, line.t_end, line.action, line.asked, tuple(line.hops), line.status, line.result or "",
        unit if isinstance(unit, str) else None, {name: v for name, v in fields.items() if name not in known},
    )  # fmt: skip


def send_of(raw: bytes, origin: Origin) -> Send | None:
    """Return the send of one line, None for a message that a client received."""
    line = decoded(_client, raw)
    if line.ev != "send":
        return None
    return Send(
        origin, line.t, END if line.t_ack is None or line.result != "Ok" else line.t_ack, line.topic, line.result
    )


def node_write_of(raw: bytes, origin: Origin, chroot: str | None = "") -> NodeWrite:
    """Return the ZooKeeper transaction of one line, with its path below the cluster's *chroot*."""
    write = write_of(raw, chroot)
    return NodeWrite(
        origin, write.zxid, write.time, str(write.session), write.op, write.path or "", write.data or "",
        write.version, write.ephemeral is True,
    )  # fmt: skip


def broker_of(text: str) -> str:
    """
    Return the broker id in a URL; return an id, and text that is no URL, unchanged.

    >>> broker_of("http://broker-1:8080"), broker_of("broker-1:8080"), broker_of("http://[::1:8080")
    ('broker-1:8080', 'broker-1:8080', 'http://[::1:8080')
    """
    try:
        return urlsplit(text).netloc if "://" in text else text
    except ValueError:  # a bracket that is not closed
        return text


def _host(url: str | None) -> str | None:
    return broker_of(url) if url else None


def _is_own(unit: str) -> bool:
    names = unit.split("/")[:-1]
    return names[0] == "sla-monitor" or (names[0] == "pulsar" and ":" in names[-1])
