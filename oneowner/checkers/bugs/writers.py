"""The broker that wrote a log, as far as the file's name, a prefix of its lines or its own words show."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Final

from oneowner.checkers.bugs.hits import Extent, Found

_PORT: Final = re.compile(r":\d+$")
_SCHEME: Final = re.compile(r"^[a-z+]+://")
_OWN: Final = re.compile(
    r"\[([\w.-]+:\d+)\]Startedregisteringself|([\w.-]+:\d+)iswaitingforownerforserviceUnit"
    r"|brokerServiceUrl=\S*?//([\w.-]+:\d+)"
)
_SPEAKER: Final = re.compile(r"Thisbroker:([\w.-]+:\d+)plays|\[([\w.-]+:\d+)\]Startedregisteringself")
"""The id of the broker that prints a line: one log has one."""
"""A broker's own name in its lines, without white space."""
_SPEAKERS: Final = ("playstheleadernow", "playsafollowernow", "Startedregisteringself")
STEMS: Final = (*_SPEAKERS, "iswaitingforownerforserviceUnit", "brokerServiceUrl=")
_BEHIND: Final = re.compile(r"\t([a-z][\w.-]*-\d+)\s*$")
"""A pod's name behind a line, as a table of log lines has it."""
_WORDS: Final = frozenset({"broker", "pulsar", "log", "pulsar-broker", "standard input", "server", "leader", "owner"})


def hosts_of_name(name: str) -> tuple[str, ...]:
    """
    Return the host that a file is named after, or nothing.

    >>> hosts_of_name("logs/prod-broker-8.log.gz"), hosts_of_name("broker.log")
    (('prod-broker-8',), ())
    """
    stem = PurePath(name).name
    while (shorter := re.sub(r"\.(?:log|txt|gz|zst|lz4|out|json|\d+)$", "", stem)) != stem:
        stem = shorter
    return () if stem in _WORDS or not stem else (stem,)


def is_same_host(one: str, other: str) -> bool:
    """
    Return whether two names of hosts may be of one: their first labels are the same, or one ends with the other.

    >>> is_same_host("prod-broker-8.prod:8080", "broker-8"), is_same_host("broker-18", "broker-8")
    (True, False)
    """
    first, second = (_PORT.sub("", _SCHEME.sub("", name)).lower() for name in (one, other))
    if first == second:
        return True
    if first.replace(".", "").isdigit() or second.replace(".", "").isdigit():  # addresses
        return False
    first, second = first.partition(".")[0], second.partition(".")[0]
    return first == second or first.endswith(f"-{second}") or second.endswith(f"-{first}")


def writers_of(extents: Sequence[Extent], found: Iterable[Found]) -> dict[str, tuple[str, ...]]:
    """Return the names of the broker that wrote each text."""
    writers = {one.log: dict.fromkeys(hosts_of_name(one.log)) for one in extents}
    for one in found:
        if named := _BEHIND.search(one.event.lines[0]):
            writers[one.event.log].setdefault(named[1])
        for own in () if one.stems.isdisjoint(STEMS) else _OWN.finditer(one.event.body):
            writers[one.event.log].setdefault(next(group for group in own.groups() if group))
    return {name: tuple(hosts) for name, hosts in writers.items()}


def mixed_logs(found: Iterable[Found]) -> dict[str, tuple[str, ...]]:
    """Return the logs in which several brokers speak, so that nobody knows whose a line is, each with their ids."""
    speakers: dict[str, dict[str, None]] = {}
    for one in found:
        for own in () if one.stems.isdisjoint(_SPEAKERS) else _SPEAKER.finditer(one.event.body):
            speakers.setdefault(one.event.log, {}).setdefault(own[1] or own[2])
    return {log: tuple(ids) for log, ids in speakers.items() if len(ids) > 1}
