"""The classes by which the systems of Pulsar are judged, as rows of the measured table (``variants.py``)."""

from collections.abc import Callable, Collection, Iterable
from types import MappingProxyType
from typing import Final

from oneowner.model.kernel.system import Known
from oneowner.model.pulsar.variants import VARIANTS

ROWS: Final = MappingProxyType(
    {
        "channel": (
            "channel",
            "channel records",
            "channel topic",
            "channel store",
            "BrokerRegistryImpl",
            "ExtensibleLoadManagerImpl",
            "extensible managers",
            "LeaderElectionService",
        ),
        "load_data": (
            "TransferShedder",
            "channel",
            "ExtensibleLoadManagerImpl",
            "TableViewLoadDataStoreImpl",
            "reporters",
        ),
        "lock_manager": (
            "OwnershipCache",
            "lookups",
            "unloads and splits",
            "roles of the modular manager",
            "starts and stops",
        ),
        "locks": ("locks",),
        "leader_election": (
            "LeaderElectionImpl",
            "CoordinationServiceImpl",
            "MetadataCacheImpl",
            "AbstractMetadataStore",
        ),
        "closed_loop": ("LoadSheddingTask",),
    }
)
"""By the name of a system."""


def equal_release(system: str, release: str, known: Iterable[str]) -> str:
    """
    Return the one of the *known* releases whose classes of a system *release* has; empty if there is none.

    >>> equal_release("locks", "4.0.0", ["2.10.5", "4.0.6"]), equal_release("locks", "4.0.14", ["4.0.6"])
    ('4.0.6', '')
    """
    return VARIANTS.equal_to(release, known, *ROWS[system]) or ""


def known_by(read: Collection[str]) -> Callable[[str, str], Known]:
    """Return the evidence for the rules of a system whose releases were *read*, or have the classes of one of them."""
    return lambda release, switch: Known.SOURCE if release in read else Known.EQUAL


def differing_rows(system: str, release: str, other: str) -> tuple[str, ...]:
    """Return the rows of a system in which two measured releases differ, or that were not measured in both."""
    codes = [(row, VARIANTS.code(release, row), VARIANTS.code(other, row)) for row in ROWS[system]]
    return tuple(row for row, one, another in codes if not one or one != another)
