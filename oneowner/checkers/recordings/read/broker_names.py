"""The broker of a log that does not name it is guessed by the name of the file, or of the pod in it."""

import re
from collections.abc import Collection
from pathlib import Path


def guess_broker(path: str, source: str, known: Collection[str], named: Collection[str]) -> str:
    """
    Return the broker whose name a log has; empty if that would contradict the *known* ones of its run.

    *named* are brokers in its own lines. Where a run knows of no broker, the name stands for one.

    >>> guess_broker("logs/pulsar-broker-1.log", "", ["pulsar-broker-1.pulsar.svc:8080", "pulsar-broker-2:8080"], [])
    'pulsar-broker-1.pulsar.svc:8080'
    >>> guess_broker("b.log", "broker-1/pulsar", [], ["broker-2:8080"]), guess_broker("leader.log", "", [], [])
    ('broker-1:8080', 'leader')
    >>> guess_broker("other.log", "", ["broker-1:8080"], [])
    ''
    """
    name = re.split("[/ ]", source)[0] if source else re.sub(r"\.log.*", "", Path(path).name)
    ids = {*known, *named}
    found = {one for one in ids if name in (host := one.rpartition(":")[0], host.partition(".")[0])}
    found = found or {one for one in ids if _has_word(name, one.rpartition(":")[0].partition(".")[0])}
    if len(found) == 1:
        return found.pop()
    if known or found or not name:
        return ""
    ports = {one.rpartition(":")[2] for one in named}
    is_host = re.search(r"broker|\d", name) is not None
    return f"{name}:{ports.pop()}" if is_host and len(ports) == 1 else name


def _has_word(name: str, host: str) -> bool:
    """Return whether *host* stands in a name, between marks."""
    return bool(host) and re.search(rf"(?<![^\W_]){re.escape(host)}(?![^\W_])", name) is not None
