"""
A cluster's chroot, the ZooKeeper node above its own nodes, comes from the manifest, or from the history's paths.

Clusters that share a ZooKeeper have a chroot each, which ends their ``metadataStoreUrl`` (``zk:host:2181/one``).
ZooKeeper's client puts it before every path (``ConnectStringParser``, ``ZooKeeper.prependChroot``): brokers, their logs
and our laws never see it, and a history has it in every path. The paths determine it if all nodes are one cluster's;
nodes of two clusters are never taken for those of one. Without a manifest, files belong to the cluster whose brokers
they name.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from oneowner.checkers.recordings.read.dump import Unreadable
from oneowner.checkers.recordings.read.lines import FileKind, chunks_of, read_texts
from oneowner.checkers.recordings.read.zookeeper import CREATES, Write, write_of
from oneowner.checkers.remote_files import absolute

_RANGE: Final = "0x[0-9a-fA-F]{8}_0x[0-9a-fA-F]{8}"
_SIGN: Final = re.compile(
    rf"((?:/[^/]+)*?)/(?:(service_unit_state/.+/{_RANGE})|(loadbalance/brokers/[^/]+:\d+)"
    rf"|loadbalance/(?:extension/)?leader|namespace/.+/{_RANGE})"
)
"""
A unit's node, which is persistent; or a broker's own, the leader's, a bundle's lock, which are ephemeral.

The first such part of a path counts, and a node that is written as persistent is none of the ephemeral ones: tenants
may have their names.
"""
_MOST_TEXTS: Final = 8
"""Texts of a file, of a MB or more each, in which brokers are looked for."""
_MAY_TELL: Final = re.compile(rb"loadbalance|_0x")


class Chroot(NamedTuple):
    """The cluster whose nodes of a history are judged."""

    own: str | None
    """The chroot, empty for the root itself; None if several are possible."""
    others: tuple[str, ...] = ()
    """Those of other clusters, which are left out."""
    doubt: str = ""
    """The reason that the chroot is unknown."""


Clusters = Mapping[str, frozenset[str]]
"""The chroots in a history, each with the brokers that are registered below it."""


def clusters_in(files: Iterable[str]) -> Clusters:
    """Return the clusters whose nodes a history has."""
    found: dict[str, set[str]] = {}
    for file in files:
        for root, broker in _roots_in(file):
            found.setdefault(root, set()).update(broker)
    return {root: frozenset(brokers) for root, brokers in found.items()}


def cluster_of(file: str, clusters: Clusters) -> str | None:
    """Return the cluster whose brokers a file names most often; None if it names none."""
    named = Counter[str]()
    for chunk in islice(chunks_of(0, 0, absolute(file), FileKind.SIDE), 1):
        for text in islice(read_texts(chunk), _MOST_TEXTS):
            for root, brokers in clusters.items():
                named[root] += sum(text.count(broker.encode()) for broker in brokers) if isinstance(text, bytes) else 0
    (root, number), *_ = named.most_common(1) or [("", 0)]
    return root if number else None


def find_chroot(told: str | None, files: Sequence[str], clusters: Clusters) -> Chroot:
    """Return the chroot of a history in *files*, which has these *clusters*; *told* is the manifest's, or None."""
    found = sorted(clusters)
    others = tuple(root for root in found if root != told)
    if told is not None and (told in found or not found):
        return Chroot(told, others)
    if told is None and len(found) < 2:
        return Chroot(found[0] if found else "")
    names = " and ".join(shown(root) for root in found)
    if told is not None:
        why = f"nodes of a cluster lie below {names}, and the manifest's metadataStoreUrl says {shown(told)}"
    else:
        why = f"nodes of {len(found)} clusters, below {names}; the manifest's metadataStoreUrl says which one is meant"
    return Chroot(None, others, f"{', '.join(files)}: {why}")


def shown(root: str) -> str:
    """Return a chroot in words."""
    return root or "/"


def _roots_in(file: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for chunk in chunks_of(0, 0, absolute(file), FileKind.SIDE):
        for text in read_texts(chunk):
            if isinstance(text, bytes):
                yield from _roots_of(text.split(b"\n"))


def _roots_of(lines: Iterable[bytes]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the chroot of each write to a cluster's own node, and its broker; unreadable ones are no concern here."""
    for raw in lines:
        if _MAY_TELL.search(raw):
            try:
                write = write_of(raw)
            except Unreadable:
                continue
            root = root_of(write)
            if root is not None:
                _, is_own, broker = (write.path or "").rpartition("/loadbalance/brokers/")
                yield root, (broker,) if is_own else ()


def root_of(write: Write) -> str | None:
    """Return the chroot of the cluster that made this write; None if the write does not determine it."""
    found = _SIGN.fullmatch(write.path or "")
    if found is None:
        return None
    _, lasts, broker = found.groups()
    is_sign = write.ephemeral is not False if write.op in CREATES else broker and write.op in ("setData", "delete")
    return found[1] if lasts or is_sign else None
