"""
A cluster's chroot, the ZooKeeper node above its own nodes, comes from the manifest, or from the history's paths.

Clusters that share a ZooKeeper have a chroot each, which ends their ``metadataStoreUrl`` (``zk:host:2181/one``).
ZooKeeper's client puts it before every path (``ConnectStringParser``, ``ZooKeeper.prependChroot``): brokers, their logs
and our laws never see it, and a history has it in every path. The paths determine it only if all nodes are one
cluster's; nodes of two clusters are never taken for those of one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
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
_MAY_TELL: Final = re.compile(rb"loadbalance|_0x")


class Chroot(NamedTuple):
    """The cluster whose nodes of a history are judged."""

    own: str | None
    """The chroot, empty for the root itself; None if several are possible."""
    others: tuple[str, ...] = ()
    """Those of other clusters, which are left out."""
    doubt: str = ""
    """The reason that the chroot is unknown."""


def find_chroot(told: str | None, files: Sequence[str]) -> Chroot:
    """Return the chroot of a history in *files*; *told* is the manifest's, or None."""
    found = sorted({root for file in files for root in _roots_in(file)})
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


def _roots_in(file: str) -> Iterator[str]:
    for chunk in chunks_of(0, 0, absolute(file), FileKind.SIDE):
        for text in read_texts(chunk):
            if isinstance(text, bytes):
                yield from _roots_of(text.split(b"\n"))


def _roots_of(lines: Iterable[bytes]) -> Iterator[str]:
    """Yield the chroot of each write to a cluster's own node; an unreadable line is reported elsewhere."""
    for raw in lines:
        if _MAY_TELL.search(raw):
            try:
                root = root_of(write_of(raw))
            except Unreadable:
                continue
            if root is not None:
                yield root


def root_of(write: Write) -> str | None:
    """Return the chroot of the cluster that made this write; None if the write does not determine it."""
    found = _SIGN.fullmatch(write.path or "")
    if found is None:
        return None
    _, lasts, broker = found.groups()
    is_sign = write.ephemeral is not False if write.op in CREATES else broker and write.op in ("setData", "delete")
    return found[1] if lasts or is_sign else None
