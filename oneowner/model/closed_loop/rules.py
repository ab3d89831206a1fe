"""
``Rules`` holds as switches where releases differ, and ``RELEASES`` which release has which.

What shedders and placements do differently by release is small where a broker has one resource and no two bundles have
the same load, so the loop asks them by the rules of 4.0.6 throughout; ``oneowner simulate`` asks by those of a release.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from oneowner.model.pulsar.classes import ROWS
from oneowner.model.pulsar.variants import VARIANTS


@dataclass(frozen=True, slots=True)
class Rules:
    """The switches of placement; the defaults are those of 4.0.6, unless a switch names another release."""

    chooses_first: bool = True
    """A bundle's destination is chosen before it is unloaded; if that is its own broker, it stays (#20822)."""
    destination_lasts: bool = False
    """Every lookup gets the destination of an unload until that broker owns the bundle: a repair, in no release."""
    narrows: bool = False
    """A bundle moves only to a broker that is used less with it than its own is now: a repair, in no release."""


READ: Final = {
    **dict.fromkeys(("2.9.1", "2.10.5"), Rules(chooses_first=False)),
    **dict.fromkeys(("3.0.7", "3.3.6", "4.0.6", "4.2.4"), Rules()),
}
"""The rules of every release of which ``ModularLoadManagerImpl.doLoadShedding`` was read, in the order of age."""
RELEASES: Final = MappingProxyType(VARIANTS.extended(READ, *ROWS["closed_loop"]))
"""With the releases whose classes are equal."""
