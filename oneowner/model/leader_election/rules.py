"""
``Rules`` holds as switches where releases of the election differ, and ``RELEASES`` which release has which.

Read line by line in ``LeaderElectionImpl``, ``MetadataCacheImpl`` and ``AbstractMetadataStore`` of every release listed
here, from the jars of their sources.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from oneowner.model.pulsar.classes import ROWS
from oneowner.model.pulsar.variants import VARIANTS


@dataclass(frozen=True, slots=True)
class Rules:
    """The behaviour of an election, as 4.0.6 has it unless said otherwise."""

    leading_stays: bool = True
    """A broker that finds its own node leads; before #23138 it reported so and followed at once (#23125)."""
    hears_reconnection: bool = True
    """``Reconnected`` elects, as ``SessionReestablished`` does (#23138)."""
    closes_alone: bool = True
    """A close leaves the executor of all elections and locks as it is (#19761); before, it shut it down."""
    waits_aside: bool = True
    """The election of a session event blocks no thread (#19869); before, timers waited for it."""
    close_resets: bool = True
    """A broker that gave its node back is in NoLeader; before, in Leading for ever (not in 2.10.5, in 3.0.7)."""
    clears_cache: bool = True
    """A new session, or connection, empties the caches (``receivedSessionEvent``; not in 2.10.5, in 3.0.7)."""
    refreshes: bool = True
    """The value is read anew at the end of every election, and after a creation (in 2.10.5, not in 2.9.1)."""
    cached: bool = True
    """The leader's value is that of a ``MetadataCache``; from #26000 on the election keeps it itself."""
    reopens: bool = False
    """An elect after a close begins with NoLeader (#26000); before, it answered what the closed election had said."""


OLD: Final = Rules(
    leading_stays=False,
    hears_reconnection=False,
    closes_alone=False,
    waits_aside=False,
    close_resets=False,
    clears_cache=False,
)

READ: Final = {
    **dict.fromkeys(("2.9.1", "2.9.2"), Rules(**{name: False for name in OLD.__slots__ if name != "cached"})),
    "2.10.5": OLD,
    **dict.fromkeys(("3.0.7", "4.0.6"), Rules()),
    "4.2.4": Rules(cached=False, reopens=True),
}
"""The rules of every release that was read, in the order of age."""
RELEASES: Final = MappingProxyType(VARIANTS.extended(READ, *ROWS["leader_election"]))
"""With the releases whose classes are equal."""
