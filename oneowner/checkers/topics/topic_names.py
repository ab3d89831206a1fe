"""Names of topics as people write them, alone and in lists that ``pulsar-admin`` prints."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from oneowner.checkers.verdict import Misuse

DOMAINS: Final = ("persistent", "non-persistent")
TOPIC: Final = re.compile(r"(?:non-)?persistent://[^\s\"',\]\[}]+")
NAME: Final = re.compile(r"[-=:.\w]+", re.ASCII)
"""A tenant, a cluster, a namespace (``NamedEntity``)."""
LOCAL: Final = re.compile(r"[^\s\x00-\x1f\x7f\"'{}\[\]<>]+")
"""The last part of a name; Pulsar allows more, which nobody writes bare."""
ADDRESS: Final = re.compile(r"(?:pulsar|https?)(?:\+ssl)?://([^\s\"',/\]\[}]+)")
"""The address of a broker, beside the topics that it serves."""
AROUND: Final = "\"', \t\r[]-*"
"""Quotes, commas, brackets and bullets around a name in a list."""


class ListedTopic(NamedTuple):
    """A topic of a list."""

    name: str
    broker: str = ""
    """The host and the port of its broker, if the list has them."""


def complete(name: str) -> str:
    """
    Return the complete name of a topic, as Pulsar completes a short one (``TopicName.get``); raise Misuse for no topic.

    >>> complete("orders"), complete("t/n/orders"), complete("non-persistent://t/n/orders")
    ('persistent://public/default/orders', 'persistent://t/n/orders', 'non-persistent://t/n/orders')
    """
    domain, separator, rest = name.partition("://")
    if not separator:
        domain, rest = DOMAINS[0], name
        if "/" not in rest:
            rest = f"public/default/{rest}"
        elif rest.count("/") != 2:
            raise _refused(name)
    parts = rest.split("/", 3)
    if (
        domain not in DOMAINS
        or len(parts) < 3
        or not all(map(NAME.fullmatch, parts[:-1]))
        or not LOCAL.fullmatch(parts[-1])
    ):
        raise _refused(name)
    return f"{domain}://{rest}"


def namespace_of(topic: str) -> str:
    """
    Return the namespace of a complete name; one of the first version has its cluster, too (``TopicName``).

    >>> namespace_of("persistent://t/n/a"), namespace_of("persistent://t/cluster/n/a")
    ('t/n', 't/cluster/n')
    """
    parts = topic.partition("://")[2].split("/", 3)
    return "/".join(parts[:3] if len(parts) == 4 else parts[:2])


def _refused(name: str) -> Misuse:
    return Misuse(f"topic refused: {name!r}; write it as persistent://tenant/namespace/topic")


def partitions(topic: str, count: int) -> list[str]:
    """
    Return the names of the partitions of a topic, which are hashed one by one.

    >>> partitions("persistent://t/n/orders", 2)
    ['persistent://t/n/orders-partition-0', 'persistent://t/n/orders-partition-1']
    """
    return [f"{topic}-partition-{number}" for number in range(count)]


def listed(text: str, where: str) -> list[ListedTopic]:
    """
    Return the topics of a list; raise Misuse, with *where* and the line, for a line that names none.

    It has a name per line, or is the output of ``topics list`` or ``topics partitioned-lookup``, by topic or by broker.

    >>> listed('"persistent://t/n/a    pulsar://b1:6650"', "f")
    [ListedTopic(name='persistent://t/n/a', broker='b1:6650')]
    """
    found = dict[str, ListedTopic]()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip(AROUND + "{}") and not line.lstrip().startswith("#"):
            found |= {one.name: one for one in _of_line(line, f"{where}:{number}")}
    if not found:
        raise Misuse(f"{where}: no topic in it; write one per line, such as persistent://tenant/namespace/topic")
    return list(found.values())


def _of_line(line: str, where: str) -> Iterator[ListedTopic]:
    address = ADDRESS.search(line)
    names = TOPIC.findall(line) or ([] if address else [line.strip(AROUND)])
    try:
        yield from [ListedTopic(complete(name), address[1] if address else "") for name in names]
    except Misuse as error:
        raise Misuse(f"{where}: {error}") from None
