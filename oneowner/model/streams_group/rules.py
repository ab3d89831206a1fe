"""
``Rules`` holds as switches what the coordinator and the client of a streams group keep, and ``RELEASES`` which has it.

Read in ``GroupMetadataManager``, ``CurrentAssignmentBuilder`` and ``StreamsGroup`` of 4.1.1, 4.2.0, 4.2.1, 4.3.0 and
4.3.1, and in ``StreamsMembershipManager`` and ``StreamsGroupHeartbeatRequestManager`` of 4.1.1.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Rules:
    """The behaviour of a group, as 4.1.1 has it unless said otherwise."""

    rejoin_is_accepted: bool = False
    """A member that the coordinator knows may join anew, with epoch 0 (KAFKA-19233): 4.2.0."""
    full_is_answered_in_full: bool = False
    """A member that reports its tasks is answered with its assignment (KAFKA-16367 for consumer groups): a repair."""
    tells_what_it_takes_on: bool = False
    """A client counts as owned what it is to take on, as soon as it hears of it: a repair, in no release read."""
    acknowledges_each: bool = False
    """A client reports its tasks after each assignment that it takes on (KAFKA-16185 for consumers): a repair."""
    release_is_waited_for: bool = True
    """An active task is given only if no member has it: ``computeNextAssignment``, ``currentActiveTaskProcessId``."""
    copies_are_waited_for: bool = True
    """A task is given only if its process has no copy of it, and a copy only if it has it in no role."""
    pending_is_counted: bool = True
    """A task that a member has yet to give back counts as its own: ``StreamsGroup.addTaskProcessId``."""
    silence_is_no_release: bool = True
    """A member that does not report its tasks is taken to own them still: ``CurrentAssignmentBuilder.build``."""
    revocation_keeps_epoch: bool = True
    """A member stays in its epoch until it has given back what it should not have: ``buildNewMember``."""
    previous_is_accepted: bool = True
    """A heartbeat of the epoch before is taken, if what it owns is assigned: its answer may have been lost."""
    previous_owns_what_is_assigned: bool = True
    """That heartbeat is refused if its sender owns anything else: ``areOwnedTasksContainedInAssignedTasks``."""
    removal_bumps_epoch: bool = True
    """A member that is removed makes a new target necessary: ``streamsGroupFenceMember``."""
    removal_frees_tasks: bool = True
    """The tasks of a removed member count as nobody's: ``StreamsGroup.removeMember``."""
    client_revokes_first: bool = True
    """A client takes on an assignment once it has stopped what it is not to run: ``maybeReconcile``."""
    rejoin_ends_reconciliation: bool = True
    """A client that joins anew goes on with no earlier assignment (KAFKA-16375): ``maybeAbortReconciliation``."""


RELEASES: Final = MappingProxyType(
    {
        "4.1.1": Rules(),
        "4.2.0": Rules(rejoin_is_accepted=True),
        "4.2.1": Rules(rejoin_is_accepted=True),
        "4.3.0": Rules(rejoin_is_accepted=True),
        "4.3.1": Rules(rejoin_is_accepted=True),
    }
)
"""The rules of every release that was read, in the order of age."""
