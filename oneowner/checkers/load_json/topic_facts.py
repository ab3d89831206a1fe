"""The bundles and brokers of looked-up topics, and what another number of bundles would change."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from oneowner.checkers.documents import NAMED
from oneowner.model.balancer.batch.splitting import topic_bundle

PARTITION: Final = re.compile(r"(.*)-partition-(\d+)\Z")
DEFAULT: Final = 4
"""Bundles of a namespace that was created without a number of them (``defaultNumberOfNamespaceBundles``)."""
MORE: Final = (8, 16, 32, 64, 128)


def topic_facts(
    looked_up: Mapping[str, str], boundaries: Mapping[str, Sequence[str]], bundles: str | None, brokers: Sequence[str]
) -> Iterator[str]:
    """
    Yield the spread of topics over bundles and brokers.

    *looked_up* has the address of each topic's broker, *boundaries* those of a namespace's bundles, under any name.
    Without them a namespace has as many as ``defaultNumberOfNamespaceBundles``, which is *bundles* or 4.
    """
    namespaces = defaultdict[str, dict[str, dict[str, str]]](lambda: defaultdict(dict))
    for topic, url in looked_up.items():
        namespaces[namespace_of(topic)][base_of(topic)][topic] = host_of(url)
    for namespace, topics in namespaces.items():
        given = boundaries_of(namespace, boundaries, len(namespaces))
        for base, owners in topics.items():
            yield from spread(namespace, base, owners, given, bundles, brokers)


def spread(
    namespace: str,
    base: str,
    owners: Mapping[str, str],
    given: Sequence[str] | None,
    bundles: str | None,
    brokers: Sequence[str],
) -> Iterator[str]:
    """Yield the bundles and brokers of one topic's partitions."""
    at = grouped(owners, dict(owners))
    told = "; ".join(f"{broker} has {listed(topics)}" for broker, topics in at.items())
    yield f"{base}: {counted(owners)} at {len(at)} broker{'s' * (len(at) > 1)}: {told}"
    if idle := [broker for broker in brokers if host_of(broker) not in at]:
        yield f"  none is at {', '.join(idle[:NAMED])}"
    number = len(given) - 1 if given else int(bundles) if bundles and bundles.isdigit() and int(bundles) else DEFAULT
    lies = found_in(owners, given, number)
    held = grouped(owners, lies)
    source = (
        "" if given else f" (assumed, by defaultNumberOfNamespaceBundles; `namespaces bundles {namespace}` has them)"
    )
    yield f"  they are in {len(held)} of the {number} bundles of {namespace}{source}; each bundle has one broker"
    for bundle, topics in held.items():
        there = sorted({owners[topic] for topic in topics})
        wrong = ": a bundle has one broker, so these are not the bundles" if len(there) > 1 else ""
        yield f"  {bundle}: {listed(topics)}, at {' and '.join(there)}{wrong}"
    more = {count: len(set(found_in(owners, None, count).values())) for count in MORE if count > number}
    if len(owners) > len(held) and more:
        yield f"  with more bundles they would be in: {', '.join(f'{held} of {count}' for count, held in more.items())}"


def found_in(topics: Mapping[str, str], given: Sequence[str] | None, number: int) -> dict[str, str]:
    """Return the bundle of each topic."""
    row = {"topics": list(topics), **({"boundaries": list(given)} if given else {"bundles": number})}
    found: dict[str, str | None] = topic_bundle(row, None)["found"]
    return {topic: bundle or "no bundle" for topic, bundle in found.items()}


def grouped(topics: Mapping[str, str], by: Mapping[str, str]) -> dict[str, list[str]]:
    """Return topics by a value of each, in the order of the values."""
    found = defaultdict[str, list[str]](list)
    for topic in topics:
        found[by[topic]].append(topic)
    return dict(sorted(found.items()))


def boundaries_of(namespace: str, told: Mapping[str, Sequence[str]], namespaces: int) -> Sequence[str] | None:
    """Return the boundaries of a namespace: those under its name, or the only ones of a single namespace."""
    named = [one for name, one in told.items() if namespace.replace("/", "-") in name.replace("/", "-")]
    return named[0] if named else next(iter(told.values())) if len(told) == namespaces == 1 else None


def counted(topics: Mapping[str, str]) -> str:
    is_partitioned = any(map(PARTITION.match, topics))
    return f"{len(topics)} partitions" if is_partitioned else "a topic" if len(topics) == 1 else f"{len(topics)} topics"


def listed(topics: Sequence[str]) -> str:
    """Return the numbers of partitions, or nothing for a topic without any."""
    numbers = sorted(int(found[2]) for topic in topics if (found := PARTITION.match(topic)))
    return f"partition{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:NAMED]))}" if numbers else "it"


def base_of(topic: str) -> str:
    """Return the name of a partition's topic."""
    found = PARTITION.match(topic)
    return found[1] if found else topic


def namespace_of(topic: str) -> str:
    """
    Return the namespace of a topic.

    >>> namespace_of("persistent://t/n/a-partition-0"), namespace_of("persistent://t/cluster/n/a")
    ('t/n', 't/cluster/n')
    """
    return topic.partition("://")[2].rpartition("/")[0]


def host_of(address: str) -> str:
    """
    Return the host of a broker's id or address.

    >>> host_of("pulsar://b1:6650"), host_of("b1:8080")
    ('b1', 'b1')
    """
    return address.rpartition("://")[2].rstrip("/").rpartition(":")[0] or address
