"""
``Rules`` holds as switches where releases of the lock differ, and ``RELEASES`` which release has which.

Read line by line in ``ResourceLockImpl`` and ``LockManagerImpl`` of every release listed here. From 3.0.7 to 4.2.4
neither class has changed what it does.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from oneowner.model.pulsar.classes import ROWS
from oneowner.model.pulsar.variants import VARIANTS


@dataclass(frozen=True, slots=True)
class Rules:
    """The behaviour of a lock, as 4.0.6 has it unless said otherwise."""

    serialised: bool = True
    """A revalidation waits until the one before it has ended (#13006): ``revalidateFuture``, now ``sequencer``."""
    busy_expires: bool = True
    """A lock that its revalidation finds held by somebody else expires (#17700); else its holder believes on."""
    failure_flags: bool = True
    """One whose revalidation fails otherwise is revalidated at the next reconnection (#17664)."""
    failed_acquire_expires: bool = False
    """An acquire that fails in its own revalidation leaves the lock Released and expired, not Init: 2.10.5 alone."""
    only_valid: bool = True
    """Session events and queued revalidations pass over a lock that is not Valid (#19844); only notices did before."""
    retried: bool = True
    """A revalidation that fails for another reason than a busy lock is tried again by a timer (#22617)."""


READ: Final = {
    "2.9.2": Rules(busy_expires=False, failure_flags=False, only_valid=False, retried=False),
    "2.10.5": Rules(failed_acquire_expires=True, only_valid=False, retried=False),
    **dict.fromkeys(("3.0.7", "4.0.6", "4.2.4"), Rules()),
}
"""The rules of every release that was read, in the order of age."""
RELEASES: Final = MappingProxyType(VARIANTS.extended(READ, *ROWS["locks"]))
"""With the releases whose classes are equal."""
