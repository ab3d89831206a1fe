"""
These lemmas refute the theorem once for each part that it needs: z3 finds two states that break it without that part.

First the conjuncts of the invariant and the items of the taint, each left out; then bugs, each of which breaks a step.
A bug of liveness alone breaks none.
"""

from collections.abc import Callable
from dataclasses import replace

from oneowner.model.channel.record import ASSIGNING, DELETED, FREE, RELEASING, Record
from oneowner.model.channel.resolver import refusal
from oneowner.model.channel.rules import Rules
from oneowner.model.kernel.lemma import REFUTED, Lemma, Predicate
from oneowner.spec.channel.induction import (
    INVARIANT,
    UNTAINTED,
    Some,
    is_a_history,
    is_no_active_tombstone,
    is_not_forced,
    is_not_late,
    made,
    names_name,
    publishes_are_computed,
    publishes_are_owed,
    readers_have_let_go,
    readers_serve_what_they_hold,
    with_actor,
)
from oneowner.spec.channel.invariant import Point, Reader, holder, is_computed, takes_away
from oneowner.spec.channel.ownership_lemmas import (
    APPEND,
    LET_GO,
    OPEN,
    PUBLISH,
    READ,
    SINGLE_OWNER,
    START,
    after_letting_go_slowly,
    after_reading_back,
    after_stop_and_read_back,
    may_open_when_named,
)

__traced__ = False  # makes lemmas of lemmas

Step = Callable[[Some], Some]

# ---- parts of the invariant, and items of the taint ----


def without(lemma: Lemma, name: str, says: str, *dropped: Predicate) -> Lemma:
    """Return *lemma* with some conjuncts neither assumed nor claimed, or some items of the taint let in."""
    return replace(
        lemma,
        name=f"single-owner-without-{name}",
        statement=f"{lemma.statement[:-1]}, also without this: {says}",
        given=tuple(one for one in lemma.given if one not in dropped),
        claim=tuple(one for one in lemma.claims if one not in dropped),
        occasion=None,
        mutant=None,
        expected=REFUTED,
    )


DROPPED_CONJUNCTS = (
    without(START, "history", "points are one history. (Readers then read of different ones.)", is_a_history),
    without(
        SINGLE_OWNER,
        "serving",
        "a broker that serves the unit holds it by what it has read. (Then any broker may serve.)",
        readers_serve_what_they_hold,
    ),
    without(
        READ,
        "letting-go",
        "a broker that no longer holds the unit has let go of it. (Then a broker reads on, and serves a unit of"
        " another one.)",
        readers_have_let_go,
    ),
    without(
        APPEND,
        "computing",
        "publishes are what brokers make of what they have read. (Then anything is published.)",
        publishes_are_computed,
    ),
    without(
        APPEND,
        "owing",
        "a broker that gives the unit away has let go of it. (Then it continues to serve.)",
        publishes_are_owed,
    ),
)

_HAND_OVER = replace(APPEND, claim=(readers_have_let_go,))
"""Keep only the main part of the appending step: a broker that no longer holds the unit has let go."""

TAINTS = (
    without(
        _HAND_OVER,
        "taint-by-force",
        "forced records taint. (The former owner has not closed its topics.)",
        is_not_forced,
    ),
    without(
        _HAND_OVER,
        "taint-by-tombstone",
        "tombstones of active entries taint. (The owner does not close its topics.)",
        is_no_active_tombstone,
    ),
    without(
        _HAND_OVER,
        "taint-by-lateness",
        "records from before the last tombstone taint: forced records, and tombstones of active entries, alone are too"
        " few. (Nothing is known of what they were computed from.)",
        is_not_late,
    ),
)


# ---- bugs: what arrives, and is accepted ----


def arrives_by(before: Some, rules: Rules) -> bool:
    mine = before.sent.sender == before.actor.name
    return mine and refusal(before.end.record, before.sent.record, rules=rules) is None


def arrives_unversioned(before: Some) -> bool:
    return arrives_by(before, Rules(version_check=False))


def arrives_from_anyone(before: Some) -> bool:
    return arrives_by(before, Rules(broker_check=False))


def arrives_uncompared(before: Some) -> bool:
    """A put that was overtaken is written over what it was not compared with (#24186)."""
    return before.sent.sender == before.actor.name


# ---- bugs: what is published, and when ----


def may_publish_unless_closed(before: Some, record: Record) -> bool:
    """As ``may_publish``, but a record like *record* is published before its sender has let go."""
    sent = made(before)
    if not is_computed(sent):
        return False
    early = sent.record.state == record.state and sent.record.source == before.actor.name
    return before.actor.let_go or early or not takes_away(sent)


def may_assign_before_closing(before: Some) -> bool:
    return may_publish_unless_closed(before, Record(ASSIGNING))


def may_free_before_closing(before: Some) -> bool:
    return may_publish_unless_closed(before, Record(FREE))


def may_delete_before_moving(before: Some) -> bool:
    return may_publish_unless_closed(before, Record(DELETED))


# ---- bugs: who opens, who reads what ----


def may_open_while_releasing(before: Some) -> bool:
    """A broker that is asked to release the unit counts as its owner, even after it has closed."""
    return before.actor.at.record.state == RELEASING and holder(before.actor.at.record) == before.actor.name


def may_open_after_moving(before: Some) -> bool:
    """A broker that splits the unit counts as its owner, whatever its boundaries."""
    return holder(before.actor.at.record) == before.actor.name and before.actor.let_go


def after_reading_what_was_refused(before: Some) -> Some:
    """A compaction keeps the last record, accepted or not, and the reader takes it."""
    at = Point(before.later.place, before.later.born, before.sent.record)
    return with_actor(before, Reader(before.actor.name, at, before.actor.serves, False))


def bug(of: Lemma, name: str, says: str, guard: Predicate | None = None, step: Step | None = None) -> Lemma:
    """Return a step's lemma with a bug in it: with another guard, or another effect."""
    given = of.given if guard is None else (names_name, *INVARIANT, guard, *(UNTAINTED if of is _HAND_OVER else ()))
    return replace(
        of,
        name=f"single-owner-{name}",
        statement=f"{of.statement[:-1]}, if {says}.",
        given=given,
        step=step or of.step,
        mutant=None,
        occasion=None,
        expected=REFUTED,
    )


BUGS = (
    bug(_HAND_OVER, "unversioned", "versions are not compared (no_version_check)", arrives_unversioned),
    bug(_HAND_OVER, "unchecked-brokers", "brokers are not compared (no_broker_check)", arrives_from_anyone),
    bug(_HAND_OVER, "uncompared", "a put that was overtaken is written over (#24186)", arrives_uncompared),
    bug(PUBLISH, "assigned-early", "a transfer's destination is assigned before the close", may_assign_before_closing),
    bug(PUBLISH, "freed-early", "the unit is freed before the close", may_free_before_closing),
    bug(PUBLISH, "deleted-early", "a split parent is deleted before its topics are moved", may_delete_before_moving),
    bug(OPEN, "opened-by-destination", "the destination opens before it owns", may_open_when_named),
    bug(OPEN, "opened-while-releasing", "who is to release the unit may open it", may_open_while_releasing),
    bug(OPEN, "opened-after-split", "who has split the unit may open it as a whole", may_open_after_moving),
    bug(START, "started-early", "it does not read to the end", step=after_stop_and_read_back),
    bug(READ, "read-back", "a reader may be given older records again (#12464)", step=after_reading_back),
    bug(READ, "read-refused", "a compaction keeps what was written last", step=after_reading_what_was_refused),
    bug(LET_GO, "closed-late", "the close has timed out and goes on", step=after_letting_go_slowly),
)
