"""
``Rules`` holds as switches where releases differ, and ``RELEASES`` which release has which.

Read in ``TransferShedder``, ``ExtensibleLoadManagerImpl``, ``ServiceUnitStateChannelImpl`` and
``TableViewLoadDataStoreImpl`` of every release listed here.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from oneowner.model.pulsar.classes import ROWS
from oneowner.model.pulsar.variants import VARIANTS


@dataclass(frozen=True, slots=True)
class Rules:
    """The switches of load data; the defaults are those of 4.0.6, unless a switch names another release."""

    clean_up_deletes: bool = True
    """A clean-up of a broker that has gone deletes its report (#19813)."""
    role_empties_view: bool = True
    """A broker that changes or confirms its role reads the topic anew, which keeps nothing (#21764): ``init``."""
    cleans_up_itself: bool = True
    """A broker that shuts down gives its units away and deletes its report (``cleanOwnerships``); not in 3.0.0."""
    stops_reporting: bool = True
    """A broker that shuts down reports no more (#23349); before, it did until its process ended."""
    old_reports_deleted: bool = False
    """The leader deletes a report that is older than its time to live, as PIP-192 has it; no release does."""
    sorts_registered: bool = False
    """The leader picks the least loaded of the registered brokers; else of all reports: a repair, in no release."""


READ: Final = {
    "pip-192": Rules(role_empties_view=False, old_reports_deleted=True),
    "3.0.0": Rules(role_empties_view=False, cleans_up_itself=False, stops_reporting=False),
    "3.0.7": Rules(stops_reporting=False),
    **dict.fromkeys(("4.0.6", "4.2.4", "5.0.0-M1"), Rules()),
}
"""The rules of the design text, then of every release that was read, in the order of age."""
RELEASES: Final = MappingProxyType(VARIANTS.extended(READ, *ROWS["load_data"]))
"""With the releases whose classes are equal."""
