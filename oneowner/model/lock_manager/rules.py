"""
``Rules`` holds as switches where releases of the lock-based load manager differ, and ``RELEASES`` which has which.

Read in ``OwnershipCache``, ``OwnedBundle``, ``NamespaceService``, ``ModularLoadManagerImpl`` and ``PulsarService`` of
every release listed here. The lock's own switches are in ``model.locks.rules``.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from oneowner.model.pulsar.classes import ROWS
from oneowner.model.pulsar.variants import VARIANTS


@dataclass(frozen=True, slots=True)
class Rules:
    """The behaviour of the manager, as 4.0.6 has it unless said otherwise."""

    expiry_unloads: bool = True
    """A lock that ends closes the topics of its bundle (#12194): ``OwnedServiceUnitCacheLoader.asyncLoad``."""
    chain_spares_newer: bool = False
    """An unload gives back the lock that it began with, and no newer one (#26197; no release here has it)."""
    busy_is_no_owner: bool = True
    """Whoever fails to create the node is not taken for the owner of the bundle (#8111)."""
    owner_reacquires: bool = True
    """A broker that has no entry but finds its own node acquires it (#23515): ``OwnershipCache.getOwnerAsync``."""
    loading_needs_nothing: bool = True
    """A topic that is being loaded needs no reader of its bundle, which an unload refuses (#21445)."""
    split_gives_parent_back: bool = True
    """A broker that has split a bundle gives its lock back (#13678, 2.9.2): ``splitAndOwnBundleOnceAndRetry``."""
    split_checks_version: bool = True
    """The bundles of a namespace are written over the version that was read: ``setLocalPoliciesWithVersion``."""
    split_asks_for_known: bool = False
    """Only a bundle that the namespace still has is asked to be split (#25031): ``checkNamespaceBundleSplit``."""
    own_choice_is_final: bool = True
    """A redirect to a broker that was chosen here is authoritative (#7096): ``searchForCandidateBroker``."""
    failure_ends_lookup: bool = True
    """A lookup that comes before there is an election fails, and its future is done (#8273)."""
    gone_lose_preallocations: bool = True
    """A broker that is gone loses what was promised to it (#481): ``reapDeadBrokerPreallocations``."""
    promise_awaits_owner: bool = False
    """A bundle stays promised until its broker owns it, as #481 meant it: a repair, in no release that was read."""
    registration_is_lock: bool = True
    """A broker that is back replaces a registration of an earlier session (#10351); it does not keep that."""
    report_keeps_away: bool = True
    """A broker that stops reports no more (#20113), and a report makes no registration that was given back (#19817)."""


READ: Final = {
    "2.9.1": Rules(
        owner_reacquires=False,
        split_gives_parent_back=False,
        report_keeps_away=False,
    ),
    "2.9.2": Rules(owner_reacquires=False, report_keeps_away=False),
    "2.10.5": Rules(owner_reacquires=False),
    "3.0.0": Rules(owner_reacquires=False),
    "3.3.6": Rules(),
    "4.0.0": Rules(owner_reacquires=False),
    **dict.fromkeys(("4.0.1", "4.0.6"), Rules()),
    **dict.fromkeys(("4.2.4", "5.0.0-M1"), Rules(split_asks_for_known=True)),
}
"""The rules of every release that was read, in the order of age."""
RELEASES: Final = MappingProxyType(VARIANTS.extended(READ, *ROWS["lock_manager"]))
"""With the releases whose classes are equal."""
