"""
The invariant implies that one broker at most has a unit's ledgers open: of any number, in a channel without end.

It speaks of one unit of a system topic. Its history is the sequence of records that the channel accepted; refused
records change nothing and are left out. A *point* is the history so far: the number of records, the number of them up
to the last tombstone, and the entry of the channel. A *reader* is a broker: the point it has read to, whether it
*serves* the unit's topics, in the sense that their ledgers are open there, also while it closes them, and whether it
has let go of its unit there (closed its topics, or moved them to the children of a split). A *sent* is a publish with
an open outcome, and the point at which it was computed; it stays, for it may be sent again.

While the unit is not tainted,

1. points are one history: a point is after another only if it goes on from it, each accepted record has the next
   version, and a new life begins with a tombstone (``is_one_history``, ``is_sound``);
2. a reader that serves holds the unit by the records that it has read, and has not let go (``serves_what_it_holds``);
3. a reader that held the unit at one point and does not at a later one has read beyond the first, or has let go
   there (``has_let_go``);
4. a record that takes a unit from its holder was sent by the holder, after it has let go (``is_owed``), and a broker
   makes every publish from the records that it has read (``is_computed``).

From 2 and 3 it follows that a serving broker holds the unit at the end of the history, and at most one does. No fold is
computed here: that a point goes on from another is an assumption about any two of them, kept by every step.
"""

from typing import NamedTuple

from oneowner.model.channel.channel import taints
from oneowner.model.channel.dialects import released
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
    is_absent,
    is_active,
    next_version,
    owner,
)
from oneowner.model.channel.resolver import refusal


class Point(NamedTuple):
    """A history: *place* records were accepted, the *born*-th of them was the last tombstone, *record* is held."""

    place: int
    born: int
    record: Record

    def __str__(self) -> str:
        return f"{self.record} after {self.place} (life from {self.born})"


class Reader(NamedTuple):
    """A broker, and how far it has read."""

    name: int
    at: Point
    serves: bool
    let_go: bool

    def __str__(self) -> str:
        does = [word for word, is_so in (("serves", self.serves), ("has let go", self.let_go)) if is_so]
        return f"{self.name} at {self.at}{''.join(f', {word}' for word in does)}"


class Sent(NamedTuple):
    """A publish whose outcome is open, by a broker that had read to *basis* when it computed it."""

    sender: int
    record: Record
    basis: Point

    def __str__(self) -> str:
        return f"{self.record} by {self.sender}, computed at {self.basis}"


def holder(record: Record) -> int:
    """Return who may serve the unit while this record is held: its owner, or who is asked to release it."""
    return record.source if record.state == RELEASING else owner(record)


def accepts(held: Record, proposed: Record) -> bool:
    return refusal(held, proposed) is None


# ---- 1: one history ----


def is_sound(point: Point) -> bool:
    """The version counts the records since the last tombstone, and the record names who it has to."""
    counted = point.record.version == point.place - point.born and point.born <= point.place
    plain = not is_absent(point.record) or (point.record == TOMBSTONE and point.place == point.born)
    begun = is_absent(point.record) or point.place > point.born
    return counted and plain and begun and names_its_parties(point.record)


def names_its_parties(record: Record) -> bool:
    if record.state == OWNED or record.state == ASSIGNING:
        return record.destination != NOBODY
    return (record.state != RELEASING and record.state != SPLITTING) or record.source != NOBODY


def is_one_history(one: Point, other: Point) -> bool:
    """Two points with as many records are one; of two others the later one is of the same life or a later one."""
    if one.place == other.place:
        return one == other
    if one.place < other.place:
        return one.born == other.born or one.place < other.born
    return one.born == other.born or other.place < one.born


# ---- 2 and 3: who serves, and who has let go ----


def serves_what_it_holds(reader: Reader) -> bool:
    return not reader.serves or (holder(reader.at.record) == reader.name and not reader.let_go)


def has_let_go(reader: Reader, one: Point, later: Point) -> bool:
    """If the reader held the unit at *one* and does not *later*: it has read beyond *one*, or has let go there."""
    if one.place > later.place or holder(one.record) != reader.name or holder(later.record) == reader.name:
        return True
    return reader.at.place > one.place or (reader.at.place == one.place and reader.let_go)


# ---- 4: what is sent ----


def is_computed(sent: Sent) -> bool:
    """A tombstone, a forced record, or the next one as some broker's handler or a lookup makes it (P1-P9)."""
    if is_absent(sent.record):
        return sent.record == TOMBSTONE
    if sent.record.force:
        return names_its_parties(sent.record)
    return sent.record.version == next_version(sent.basis.record) and is_published(sent, sent.basis.record)


def is_published(sent: Sent, held: Record) -> bool:
    """*held* makes some broker publish this; any broker may publish the answer to a command or a lookup."""
    record = sent.record
    if record.state == ASSIGNING:
        asked = record.source == NOBODY and record.destination != NOBODY
        return asked or (is_asked(held, sent.sender) and held.destination != NOBODY and record == released(held))
    if record.state == OWNED:
        assigned = held.state == ASSIGNING and held.destination == sent.sender and record.source == held.source
        child = is_absent(held) and record.source == NOBODY
        return record.destination == sent.sender and sent.sender != NOBODY and (assigned or child)
    if record.state == FREE:
        return is_asked(held, sent.sender) and held.destination == NOBODY and record == released(held)
    if record.state == RELEASING:
        return held.state == OWNED and record.source == held.destination
    if record.state == SPLITTING:
        return held.state == OWNED and record.source == held.destination and record.destination == NOBODY
    if record.state == DELETED:
        splits = held.state == SPLITTING and held.source == sent.sender
        return splits and record.source == held.source and record.destination == held.destination
    return False


def is_asked(held: Record, broker: int) -> bool:
    """The broker is asked to release the unit."""
    return held.state == RELEASING and held.source == broker


def is_owed(sent: Sent, reader: Reader) -> bool:
    """If *reader* sent it: it has read as far, and has let go of the unit that it gives away."""
    if sent.sender != reader.name:
        return True
    if reader.at.place < sent.basis.place:
        return False
    return reader.at.place > sent.basis.place or reader.let_go or not takes_away(sent)


def takes_away(sent: Sent) -> bool:
    """An unforced record that the channel takes onto what it was computed from, and by which its holder loses it."""
    if is_absent(sent.record) or sent.record.force or holder(sent.basis.record) == NOBODY:
        return False
    return holder(sent.record) != holder(sent.basis.record) and accepts(sent.basis.record, sent.record)


# ---- taint ----


def is_forced(held: Point, sent: Sent) -> bool:
    """It is forced; one that asks the held owner to release, in its turn, is what an unforced one would be."""
    return sent.record.force and taints(held.record, sent.record)


def is_active_tombstone(held: Point, sent: Sent) -> bool:
    """A tombstone of an active entry."""
    return is_absent(sent.record) and is_active(held.record)


def is_behind_a_gap(held: Point, sent: Sent) -> bool:
    """Accepted through the gap rule: no item of its own, for no record that is computed in time is accepted so."""
    if is_absent(sent.record) or is_absent(held.record):
        return False
    return sent.record.version > next_version(held.record)


def is_late(held: Point, sent: Sent) -> bool:
    """It was computed before the unit's last tombstone."""
    return not is_absent(sent.record) and sent.basis.born != held.born
