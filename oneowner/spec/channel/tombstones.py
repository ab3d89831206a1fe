"""
Laws of tombstones: the entries that a tombstone may delete, and those that may come back afterwards.

A tombstone carries no version and is always accepted (channel.R1), and a reader without an entry accepts a record of
any version on the system topic. So the first laws are holes: PIP-192 discards with "an empty message" and leaves the
rest open.
"""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.dialects import has_versions
from oneowner.model.channel.record import FIRST_VERSION, is_absent, is_active
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, step_law
from oneowner.spec.channel.channel import is_accepted, wins, written

# ---- models.S19 ----


def deletes(before: State, action: Action, after: State) -> bool:
    """Return whether this step writes a tombstone that deletes an entry."""
    return is_accepted(before, action, after) and is_absent(written(before, action).record)


@step_law(
    "tombstone-safe",
    # models.H3, channel.D1
    "follows from PIP-192, Bundle State Channel (a tombstone discards what is not assigned);"
    " ServiceUnitStateDataConflictResolver.shouldKeepLeft",
    when=deletes,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def deletes_what_is_of_no_use(before: State, action: Action, after: State) -> bool:
    """A tombstone deletes only an entry that is not active: free, deleted, or none."""
    return not is_active(entry(before, written(before, action).unit))


# ---- models.S17 ----


def begins(before: State, action: Action, after: State) -> bool:
    """Return whether this step writes the first record of a unit that has no entry."""
    return wins(before, action, after) and is_absent(entry(before, written(before, action).unit))


@step_law(
    "begins-at-one",
    # models.H4
    "follows from ServiceUnitStateDataConflictResolver.shouldKeepLeft: the topic takes any version after a tombstone",
    when=begins,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def begins_with_the_first_version(before: State, action: Action, after: State) -> bool:
    """
    A unit without an entry begins anew with version 1 (in a dialect without versions: from nothing): a record that was
    computed before its tombstone does not revive it.
    """
    if has_versions(before.bounds.dialect):
        return written(before, action).record.version == FIRST_VERSION
    return is_absent(written(before, action).basis)


# ---- run.G8 ----


def sends_again(before: State, action: Action, after: State) -> bool:
    """Return whether this step sends a record that the topic has taken before (bound ``sequence_ids``)."""
    return action.name == "append" and before.resent[action.argument("broker")]


@step_law(
    "resent-is-refused",
    "ProducerImpl.resendMessages; seen in traces/real/kill-mid-transfer",  # models.H4
    when=sends_again,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def is_refused(before: State, action: Action, after: State) -> bool:
    """
    A record that its producer sends again is refused, because it was accepted or refused before.

    (Its version ensures that only until a tombstone of its unit, after which a record of any version is accepted.)
    """
    return not is_accepted(before, action, after)


# ---- channel.5, P3 ----


def asks_for_a_deletion(before: State, action: Action, after: State) -> bool:
    return action.name == "remove"


@step_law(
    "deletion-is-forced",
    "NamespaceService.removeOwnedServiceUnitAsync",  # channel.5 (P3)
    when=asks_for_a_deletion,
    kind=LawKind.MIRROR,
)
def all_that_it_adds_is_forced(before: State, action: Action, after: State) -> bool:
    """
    Who deletes a bundle or a namespace takes the unit from its owner by force: the Releasing obeys no table, and an
    owner that shuts down obeys it.
    """
    broker = action.argument("broker")
    return all(
        after.outbox[broker][number].record.force
        for number in range(1, before.bounds.pending + 1)
        if before.outbox[broker].length < number <= after.outbox[broker].length
    )
