"""
The steps of the induction change a handful of individuals, which stand for any others (``invariant.py``).

These are the end of the history, two other points, two brokers and two publishes. An assumption about them is one about
all; a property shown of them after a step is therefore true of all. So the number of brokers, publishes and records
does not matter. Each step has a guard, and returns the individuals after it.
"""

from typing import NamedTuple

from oneowner.model.channel.record import NOBODY, RELEASING, SPLITTING, Record, is_absent, owner
from oneowner.model.kernel.language import BOOLEAN, Fields
from oneowner.spec.channel.invariant import (
    Point,
    Reader,
    Sent,
    accepts,
    has_let_go,
    holder,
    is_active_tombstone,
    is_behind_a_gap,
    is_computed,
    is_forced,
    is_late,
    is_one_history,
    is_owed,
    is_sound,
    serves_what_it_holds,
    takes_away,
)
from oneowner.spec.channel.lemma_domains import BROKERS, POSITIONS, RECORDS

__traced__ = False  # loops over individuals that are written there; formula and predicate are compared

POINT = Fields(Point, place=POSITIONS, born=POSITIONS, record=RECORDS)
READER = Fields(Reader, name=BROKERS, at=POINT, serves=BOOLEAN, let_go=BOOLEAN)
SENT = Fields(Sent, sender=BROKERS, record=RECORDS, basis=POINT)


class Some(NamedTuple):
    """The end of the history, two points of it, two brokers, two publishes, and a record that is to be published."""

    end: Point
    point: Point
    later: Point
    actor: Reader
    other: Reader
    sent: Sent
    another: Sent
    fresh: Record

    def __str__(self) -> str:
        names = ("the history ends with", "a point", "another", *["broker"] * 2, *["publish"] * 2, "to publish")
        return "; ".join(f"{name} {one}" for name, one in zip(names, self, strict=True))


BEFORE = {
    "before": Fields(
        Some, end=POINT, point=POINT, later=POINT, actor=READER, other=READER, sent=SENT, another=SENT, fresh=RECORDS
    )
}


# ---- the invariant, of all individuals that occur ----


def points(some: Some) -> tuple[Point, ...]:
    return (some.end, some.point, some.later, some.actor.at, some.other.at, some.sent.basis, some.another.basis)


def is_a_history(before: Some) -> bool:
    for one in points(before):
        if not is_sound(one) or one.place > before.end.place:
            return False
        for other in points(before):
            if not is_one_history(one, other):
                return False
    return True


def readers_serve_what_they_hold(before: Some) -> bool:
    return serves_what_it_holds(before.actor) and serves_what_it_holds(before.other)


def readers_have_let_go(before: Some) -> bool:
    return all(
        has_let_go(reader, one, later)
        for reader in (before.actor, before.other)
        for one in points(before)
        for later in points(before)
    )


def publishes_are_computed(before: Some) -> bool:
    return is_computed(before.sent) and is_computed(before.another)


def publishes_are_owed(before: Some) -> bool:
    return all(
        is_owed(sent, reader) for sent in (before.sent, before.another) for reader in (before.actor, before.other)
    )


INVARIANT = (
    is_a_history,
    readers_serve_what_they_hold,
    readers_have_let_go,
    publishes_are_computed,
    publishes_are_owed,
)


def names_name(before: Some) -> bool:
    """Every broker has a name, and two of the same name are one (no conjunct: it is what a name is)."""
    if before.actor.name == NOBODY or before.other.name == NOBODY:
        return False
    return before.actor.name != before.other.name or before.actor == before.other


# ---- the steps ----


def with_end(some: Some, end: Point) -> Some:
    return Some(end, some.point, some.later, some.actor, some.other, some.sent, some.another, some.fresh)


def with_actor(some: Some, actor: Reader) -> Some:
    """The actor has changed; if the other broker is the same one, so has it."""
    other = actor if some.other.name == actor.name else some.other
    return Some(some.end, some.point, some.later, actor, other, some.sent, some.another, some.fresh)


def with_sent(some: Some, sent: Sent) -> Some:
    return Some(some.end, some.point, some.later, some.actor, some.other, sent, some.another, some.fresh)


def arrives(before: Some) -> bool:
    """A publish of the actor, however old, is accepted at the end of the history."""
    mine = before.sent.sender == before.actor.name
    return mine and accepts(before.end.record, before.sent.record)


def after_append(before: Some) -> Some:
    place, record = before.end.place + 1, before.sent.record
    if is_absent(record):
        return with_end(before, Point(place, place, record))
    return with_end(before, Point(place, before.end.born, record))


def has_more_to_read(before: Some) -> bool:
    """There are later points; what lies between need not be read, for a compaction may have removed it."""
    return before.later.place > before.actor.at.place


def after_read(before: Some) -> Some:
    return with_actor(before, Reader(before.actor.name, before.later, before.actor.serves, False))


def may_open(before: Some) -> bool:
    """A client asks; the broker owns the unit by its view, and has not moved its topics to children."""
    return owner(before.actor.at.record) == before.actor.name and not before.actor.let_go


def after_open(before: Some) -> Some:
    return with_actor(before, Reader(before.actor.name, before.actor.at, True, before.actor.let_go))


def may_let_go(before: Some) -> bool:
    """It is asked to release the unit, or splits it."""
    record = before.actor.at.record
    asked = record.state == RELEASING or record.state == SPLITTING
    return asked and holder(record) == before.actor.name


def after_let_go(before: Some) -> Some:
    return with_actor(before, Reader(before.actor.name, before.actor.at, False, True))


def made(some: Some) -> Sent:
    """The record that the actor publishes."""
    return Sent(some.actor.name, some.fresh, some.actor.at)


def may_publish(before: Some) -> bool:
    """The records that it has read make it publish this; it gives a unit away only after it has let go."""
    sent = made(before)
    if not is_computed(sent):
        return False
    return before.actor.let_go or not takes_away(sent) or holder(before.actor.at.record) != before.actor.name


def after_publish(before: Some) -> Some:
    return with_sent(before, made(before))


def may_stop(before: Some) -> bool:
    """Any process may end at any time, with publishes under way."""
    return before.actor.name != NOBODY


def after_stop(before: Some) -> Some:
    return with_actor(before, Reader(before.actor.name, before.actor.at, False, before.actor.let_go))


def after_start(before: Some) -> Some:
    """It reads to the end before anything else (``TableViewImpl.start``); a split's boundaries are as they were."""
    let_go = before.actor.let_go and before.actor.at.place == before.end.place
    return with_actor(before, Reader(before.actor.name, before.end, False, let_go))


# ---- what taints ----


def is_not_forced(before: Some) -> bool:
    return not is_forced(before.end, before.sent)


def is_no_active_tombstone(before: Some) -> bool:
    return not is_active_tombstone(before.end, before.sent)


def is_not_late(before: Some) -> bool:
    return not is_late(before.end, before.sent)


def is_not_behind_a_gap(before: Some) -> bool:
    return not is_behind_a_gap(before.end, before.sent)


UNTAINTED = (is_not_forced, is_no_active_tombstone, is_not_late)
