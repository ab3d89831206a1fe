"""
These lemmas prove that under the repair no fence outlasts its reason, for any records and runs of any length.

They are about one unit at one broker of any number, with two phases. The invariant: if the broker keeps clients of
topics that it closed, its view shows that it hands the unit over, or a close that disconnects is under way
(``is_fenced_for_a_reason``). It concerns the view's entry and no log, so it needs no bound: the view may take any
record after any other, in either storage. With the repair (``returned_unit_is_closed``) every step keeps it; in 4.0.6 a
record that is read breaks it. The effect of a close is written down here once more, for one unit; a test compares it
with the steps of the model.
"""

from dataclasses import replace
from typing import NamedTuple

from oneowner.model.channel.record import FREE, NOBODY, OWNED, RELEASING, Record, loser, owner
from oneowner.model.channel.topics import hands_over
from oneowner.model.kernel.language import BOOLEAN, Fields
from oneowner.model.kernel.lemma import REFUTED, Lemma, Mutant
from oneowner.spec.channel.lemma_domains import BROKERS, RECORDS

__traced__ = False  # loops over individuals that are written there; formula and predicate are compared

SOURCE = "PersistentTopic.close; ServiceUnitStateChannelImpl.handleOwnEvent"


class Keeper(NamedTuple):
    """A broker, what it has read of the unit, its topics, and the record that it reads next."""

    name: int
    view: Record
    serves: bool
    kept: bool
    disconnects: bool
    """A close is under way that disconnects the clients."""
    read: Record

    def __str__(self) -> str:
        does = [word for word in ("serves", "kept", "disconnects") if getattr(self, word)]
        return f"{self.name} holds {self.view}{''.join(f', {word}' for word in does)}, reads {self.read}"


BEFORE = {
    "before": Fields(
        Keeper, name=BROKERS, view=RECORDS, serves=BOOLEAN, kept=BOOLEAN, disconnects=BOOLEAN, read=RECORDS
    )
}


def is_named(before: Keeper) -> bool:
    return before.name != NOBODY


def is_fenced_for_a_reason(before: Keeper) -> bool:
    return not before.kept or before.disconnects or hands_over(before.name, before.view)


def keeps_clients(before: Keeper) -> bool:
    return before.kept and hands_over(before.name, before.view)


# ---- what it does ----


def hands_over_what_it_serves(before: Keeper) -> bool:
    """Return whether what it reads makes it close and keep the clients."""
    read = before.read
    return read.state == RELEASING and read.source == before.name and read.destination != NOBODY and before.serves


def loses_what_it_has(before: Keeper) -> bool:
    """Return whether what it reads makes it close and disconnect: an unload, another's Owned, a forced Free."""
    read = before.read
    unload = read.state == RELEASING and read.source == before.name and read.destination == NOBODY
    freed = read.state == FREE and read.force and read.source == before.name
    lost = read.state == OWNED and loser(read) == before.name
    return (unload or freed or lost) and (before.serves or before.kept)


def after_reading(before: Keeper) -> Keeper:
    """It reads a record as 4.0.6 does: its view takes it, and the close that it asks for, if any, begins."""
    first, second = hands_over_what_it_serves(before), loses_what_it_has(before)
    serves, kept = before.serves and not first and not second, before.kept or first
    return Keeper(before.name, before.read, serves, kept, before.disconnects or second, before.read)


def after_reading_repaired(before: Keeper) -> Keeper:
    """The same; and a topic that stays fenced is closed whole."""
    after = after_reading(before)
    left = after.kept and not hands_over(after.name, after.view)
    return Keeper(after.name, after.view, after.serves, after.kept, after.disconnects or left, after.read)


def after_disconnecting(before: Keeper) -> Keeper:
    """The last close that disconnects has ended."""
    return Keeper(before.name, before.view, before.serves, False, False, before.read)


def after_leaving_clients(before: Keeper) -> Keeper:
    return Keeper(before.name, before.view, before.serves, before.kept, False, before.read)


# ---- the lemmas ----

READ = Lemma(
    "fence-read",
    "With the repair a broker that has read any record keeps clients only while it hands the unit over or is"
    " disconnecting them.",
    SOURCE,
    BEFORE,
    is_fenced_for_a_reason,
    (is_named, is_fenced_for_a_reason),
    after_reading_repaired,
    occasion=keeps_clients,
    mutant=Mutant("as 4.0.6 does", step=after_reading),
)

READ_AS_RELEASED = replace(
    READ,
    name="fence-read-as-released",
    statement="Without the repair a broker that has read any record keeps clients only while it hands the unit over"
    " or is disconnecting them. (It does not close a unit that is given back to it.)",
    step=after_reading,
    occasion=None,
    mutant=None,
    expected=REFUTED,
)

DISCONNECTED = Lemma(
    "fence-disconnected",
    "The same holds when a close that disconnects has ended.",
    SOURCE,
    BEFORE,
    is_fenced_for_a_reason,
    (is_named, is_fenced_for_a_reason),
    after_disconnecting,
    occasion=keeps_clients,
    mutant=Mutant("and leaves the clients where they are", step=after_leaving_clients),
)


def owner_disconnects(before: Keeper) -> bool:
    return not before.kept or owner(before.view) != before.name or before.disconnects


def owner_keeps_nothing(before: Keeper) -> bool:
    return not before.kept or owner(before.view) != before.name


OWNER_UNFENCED = Lemma(
    "fence-of-an-owner",
    "From this it follows that an owner keeps clients of closed topics only while a close is under way that disconnects"
    " them: then its topics can be opened anew.",
    SOURCE,
    BEFORE,
    owner_disconnects,
    (is_named, is_fenced_for_a_reason),
    occasion=keeps_clients,
    mutant=Mutant("or not even then", owner_keeps_nothing),
)
