"""
These lemmas prove single ownership by induction, for any number of brokers and a channel without end.

The invariant of ``invariant.py`` holds at first, every step of ``induction.py`` keeps it, and it gives the
theorem. What each of its parts is needed for is in ``ownership_needs.py``. It is about one unit
of a system topic by the rules of 4.0.6. Of Pulsar it assumes that a broker reads to the end before it does anything,
that it gives a unit away only once its topics are closed or moved, and that a split's boundaries survive the broker:
each is a bug in ``ownership_needs.py``. That the children of a split do not overlap with a parent that came to life
again, and the metadata store, are left to the bounded families.
"""

from collections.abc import Callable

from oneowner.model.channel.record import ASSIGNING, NOBODY, RELEASING, TOMBSTONE, is_absent
from oneowner.model.kernel.lemma import Lemma, Mutant, Predicate
from oneowner.spec.channel.induction import (
    BEFORE,
    INVARIANT,
    UNTAINTED,
    Some,
    after_append,
    after_let_go,
    after_open,
    after_publish,
    after_read,
    after_start,
    after_stop,
    arrives,
    has_more_to_read,
    is_not_behind_a_gap,
    is_not_forced,
    is_not_late,
    made,
    may_let_go,
    may_open,
    may_publish,
    may_stop,
    names_name,
    with_actor,
    with_end,
)
from oneowner.spec.channel.invariant import Point, Reader, Sent, holder, is_computed

__traced__ = False  # loops over individuals that are written there; formula and predicate are compared

SOURCE = "follows from PIP-192, Bundle State Channel (one owner of a bundle); ServiceUnitStateChannelImpl"  # models.S22


# ---- at first, step by step, and in the end ----


def much_goes_on(before: Some) -> bool:
    """A transfer between two brokers is in flight, a third one reads, and an older publish is still under way."""
    held, late = before.end.record, before.another
    transfer = held.state == RELEASING or held.state == ASSIGNING
    parties = held.source != NOBODY and held.destination != NOBODY and held.source != held.destination
    third = before.other.name != held.source and before.other.name != held.destination
    return transfer and parties and third and not is_absent(late.record) and late.basis.place < before.end.place


def nothing_has_happened(before: Some) -> bool:
    fresh = all_at_the_beginning(before) and not before.actor.serves and not before.other.serves
    return fresh and not before.actor.let_go and not before.other.let_go


def all_at_the_beginning(some: Some) -> bool:
    return all(
        point == Point(0, 0, TOMBSTONE) for point in (some.end, some.point, some.later, some.actor.at, some.other.at)
    )


def nobody_has_sent(before: Some) -> bool:
    """There is no publish: what is asked of the two is asked of nobody, so any will do."""
    plain = before.sent == Sent(NOBODY, TOMBSTONE, Point(0, 0, TOMBSTONE))
    return plain and before.another == before.sent


def something_is_served(before: Some) -> bool:
    return before.actor.serves


INITIATION = Lemma(
    "single-owner-begins",
    "The invariant holds before the first record.",
    SOURCE,
    BEFORE,
    INVARIANT,
    (names_name, nothing_has_happened, nobody_has_sent),
    mutant=Mutant("and a broker serves the unit", (*INVARIANT, something_is_served)),
)


def reads_on(before: Some) -> Some:
    """A mutant of ``after_append``: the version is not looked at."""
    return with_end(before, Point(before.end.place + 2, before.end.born, before.sent.record))


def keeps_invariant(
    name: str, statement: str, step: Callable[[Some], Some], mutant: Mutant, *assumed: Predicate
) -> Lemma:
    """Return the lemma that a step keeps the invariant, where *assumed* is true before it."""
    given = (names_name, *INVARIANT, *assumed)
    return Lemma(name, statement, SOURCE, BEFORE, INVARIANT, given, step, occasion=much_goes_on, mutant=mutant)


APPEND = keeps_invariant(
    "single-owner-append",
    "The invariant holds after a record was accepted that does not taint the unit.",
    after_append,
    Mutant("a record counts twice", step=reads_on),
    arrives,
    *UNTAINTED,
)


def after_reading_back(before: Some) -> Some:
    return with_actor(before, Reader(before.actor.name, before.point, before.actor.serves, False))


READ = keeps_invariant(
    "single-owner-read",
    "The invariant holds after a broker has read on, record by record or past what a compaction removed.",
    after_read,
    Mutant("or has gone back to an earlier record", step=after_reading_back),
    has_more_to_read,
)


def may_open_when_named(before: Some) -> bool:
    return before.actor.at.record.destination == before.actor.name


OPEN = keeps_invariant(
    "single-owner-open",
    "The invariant holds after a broker that owns the unit by what it has read has opened its topics.",
    after_open,
    Mutant("or one that is named as destination", given=(names_name, *INVARIANT, may_open_when_named)),
    may_open,
)


def after_letting_go_slowly(before: Some) -> Some:
    return with_actor(before, Reader(before.actor.name, before.actor.at, before.actor.serves, True))


LET_GO = keeps_invariant(
    "single-owner-let-go",
    "The invariant holds after a broker that must close its topics has closed them (in time), or has split them.",
    after_let_go,
    Mutant("the close has timed out and goes on", step=after_letting_go_slowly),
    may_let_go,
)


def may_publish_at_once(before: Some) -> bool:
    return is_computed(made(before))


PUBLISH = keeps_invariant(
    "single-owner-publish",
    "The invariant holds after a broker has published a record that it owes or that a command requests.",
    after_publish,
    Mutant("it need not have let go before", given=(names_name, *INVARIANT, may_publish_at_once)),
    may_publish,
)


def after_stop_and_read_back(before: Some) -> Some:
    return with_actor(before, Reader(before.actor.name, before.point, False, False))


STOP = keeps_invariant(
    "single-owner-stop",
    "The invariant holds after a broker has stopped, at any moment.",
    after_stop,
    Mutant("it forgets how far it had read", step=after_stop_and_read_back),
    may_stop,
)

START = keeps_invariant(
    "single-owner-start",
    "The invariant holds after a broker has started and has read to the end of the channel.",
    after_start,
    Mutant("it reads to some point only", step=after_stop_and_read_back),
    may_stop,
)


def servers_are_one(before: Some) -> bool:
    return not (before.actor.serves and before.other.serves) or before.actor.name == before.other.name


def servers_and_holders_are_one(before: Some) -> bool:
    """A claim too much: a broker that has let go still reads that it holds the unit."""
    return not before.actor.serves or holder(before.other.at.record) != before.other.name or servers_are_named(before)


def servers_are_named(some: Some) -> bool:
    return some.actor.name == some.other.name


SINGLE_OWNER = Lemma(
    "single-owner",
    "Of a unit that is not tainted, no two brokers serve the topics or have yet to close them: whatever the number of"
    " brokers, in a channel without end.",
    SOURCE,
    BEFORE,
    servers_are_one,
    (names_name, *INVARIANT),
    occasion=much_goes_on,
    mutant=Mutant("nor does one serve while another reads that it holds the unit", servers_and_holders_are_one),
)

GAP_IS_LATE = Lemma(
    "single-owner-gap-is-late",
    "A record that is accepted through the gap rule is forced or was computed before the unit's last tombstone, so that"
    " the gap rule is no item of the taint of its own: it shows in a log what lateness does not.",
    SOURCE,
    BEFORE,
    is_not_behind_a_gap,
    (names_name, *INVARIANT, arrives, is_not_forced, is_not_late),
    occasion=much_goes_on,
    mutant=Mutant("lateness is let in", given=(names_name, *INVARIANT, arrives, is_not_forced)),
)

STEPS = (APPEND, READ, OPEN, LET_GO, PUBLISH, STOP, START)
"""The steps that keep the invariant."""
