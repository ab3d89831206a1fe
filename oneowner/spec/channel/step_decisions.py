"""``LOOKUP`` and ``DUTIES`` judge a broker's answer about the owner of a unit, and its reaction to a record."""

from typing import Any

from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    INIT,
    NOBODY,
    NOTHING,
    OWNED,
    RELEASING,
    SPLITTING,
    TOMBSTONE,
    Record,
)
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.step_inputs import (
    ASKED,
    CLOSES,
    FAILS,
    KEEPS_CLIENTS,
    WAITS,
    Asked,
    Duty,
    Event,
    StepSizes,
    answered,
    handled,
    read_asked,
    read_event,
    some_asked,
    some_event,
)
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind

__traced__ = False  # laws of decisions, concrete


# ---- a lookup ----


def owner_of(record: Record) -> int:
    return {OWNED: record.destination, SPLITTING: record.source}.get(record.state, NOBODY)


def is_for(record: Record) -> int:
    """The destination of a hand-over."""
    return record.destination if record.state in (ASSIGNING, RELEASING) else NOBODY


def listed(asked: Asked, broker: int) -> int | str:
    return broker if broker in asked.listed else FAILS


def is_owned_and_asker_registered(asked: Asked, answer: Any) -> bool:
    return asked.is_registered and owner_of(asked.entry) != NOBODY


def waits_for_a_listed_owner(asked: Asked, answer: Any) -> bool:
    owner = owner_of(asked.entry)
    return bool(answer == (owner if owner in asked.listed else WAITS))


def comes_here(asked: Asked, answer: Any) -> bool:
    return asked.is_registered and is_for(asked.entry) == ASKED


def comes_elsewhere(asked: Asked, answer: Any) -> bool:
    return is_for(asked.entry) not in (NOBODY, ASKED)


def is_answered_with_destination(asked: Asked, answer: Any) -> bool:
    return bool(answer == listed(asked, asked.entry.destination))


def is_unregistered(asked: Asked, answer: Any) -> bool:
    return not asked.is_registered and (owner_of(asked.entry) != NOBODY or is_for(asked.entry) == ASKED)


def goes_by_its_view(asked: Asked, answer: Any) -> bool:
    if asked.storage == Storage.METADATA_STORE:
        return bool(answer == FAILS)
    return bool(answer == listed(asked, owner_of(asked.entry) or ASKED))


def is_deleted(asked: Asked, answer: Any) -> bool:
    return asked.entry.state == DELETED


def nobody_has_it(asked: Asked, answer: Any) -> bool:
    is_leaving = asked.entry.state in (ASSIGNING, RELEASING) and asked.entry.destination == NOBODY
    return is_leaving or asked.entry.state in (NOTHING, INIT, FREE)


LOOKUP = Decision(
    "channel/owner-lookup",
    "What a broker answers who is asked for the owner of a unit (ServiceUnitStateChannelImpl.getOwnerAsync)",
    StepSizes,
    some_asked,
    answered,
    (
        InputLaw(
            "registered-owner-is-answered",
            "Who owns the unit is answered if the registry cache lists that broker; else the lookup waits.",
            "getOwnerAsync, getActiveOwnerAsync, dedupeGetOwnerRequest",
            is_owned_and_asker_registered,
            waits_for_a_listed_owner, kind=LawKind.MIRROR,
        ),
        InputLaw(
            "hand-over-is-waited-for-at-its-destination",
            "A hand-over to the broker that is asked is waited for.",
            "getOwnerAsync",
            comes_here,
            lambda asked, answer: bool(answer == WAITS), kind=LawKind.MIRROR,
        ),
        InputLaw(
            "hand-over-elsewhere-is-answered-with-its-destination",
            "A hand-over to another broker is answered with that one; it fails if the registry cache does not list it.",
            "getOwnerAsync; ExtensibleLoadManagerImpl.getBrokerLookupData",
            comes_elsewhere,
            is_answered_with_destination, kind=LawKind.MIRROR,
        ),
        InputLaw(
            "unregistered-broker-goes-by-its-view",
            "A broker that is not registered answers with the owner, or itself, by its view; in the metadata store it"
            " fails.",
            "getActiveOwnerAsync; apache/pulsar#24478",
            is_unregistered,
            goes_by_its_view, kind=LawKind.MIRROR,
        ),
        InputLaw("deleted-unit-fails", "A lookup of a Deleted unit fails.", "getOwnerAsync", is_deleted,
                 lambda asked, answer: bool(answer == FAILS), kind=LawKind.MIRROR),
        InputLaw(
            "unit-of-nobody-is-selected-for",
            "Where there is no entry, or Init, Free or a hand-over to nobody, a broker is selected.",
            "getOwnerAsync; ExtensibleLoadManagerImpl.getOrSelectOwnerAsync",
            nobody_has_it,
            lambda asked, answer: bool(answer == NOBODY), kind=LawKind.MIRROR,
        ),
    ),
    read_asked,
)  # fmt: skip


# ---- a record that is accepted ----


def is_heard(event: Event) -> bool:
    return not event.is_disabled or event.record.force


def is_state(*states: Any) -> Any:
    return lambda event, answer: event.record.state in states and is_heard(event)


def takes_what_it_is_assigned(event: Event, answer: Duty) -> bool:
    _, destination, source, _, version = event.record
    taken = (Record(OWNED, destination, source, False, version + 1),) if destination == ASKED else ()
    return answer == Duty("", taken, False)


def closes_then_hands_on(event: Event, answer: Duty) -> bool:
    _, destination, source, _, version = event.record
    if source != ASKED:
        return answer == Duty("", (), False)
    if destination != NOBODY:
        return answer == Duty(KEEPS_CLIENTS, (Record(ASSIGNING, destination, source, False, version + 1),), False)
    return answer == Duty(CLOSES, (Record(FREE, NOBODY, source, False, version + 1),), False)


def owner_loads_and_loser_closes(event: Event, answer: Duty) -> bool:
    _, destination, source, *_ = event.record
    return answer == Duty(CLOSES if source == ASKED != destination else "", (), destination == ASKED)


def forced_free_is_cleaned_up(event: Event, answer: Duty) -> bool:
    is_loser = event.record.force and event.record.source == ASKED
    return answer == (Duty(CLOSES, (TOMBSTONE,), False) if is_loser else Duty("", (), False))


def its_splitter_deletes(event: Event, answer: Duty) -> bool:
    return answer == Duty("", (TOMBSTONE,) if event.record.source == ASKED else (), False)


def is_not_heard(event: Event, answer: Duty) -> bool:
    return not is_heard(event)


DUTIES = Decision(
    "channel/duties",
    "What a broker that serves a unit does about a record of it (ServiceUnitStateChannelImpl.handleEvent)",
    StepSizes,
    some_event,
    handled,
    (
        InputLaw(
            "destination-takes-what-it-is-assigned",
            "The destination of Assigning, and nobody else, publishes Owned of the same brokers; nothing is closed.",
            "handleAssignEvent",
            is_state(ASSIGNING),
            takes_what_it_is_assigned,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "source-closes-then-hands-on",
            "The source of Releasing, and nobody else, closes the topics, then publishes Assigning of the same brokers"
            " (and keeps the clients), or Free where there is no destination.",
            "handleReleaseEvent; PIP-307",
            is_state(RELEASING),
            closes_then_hands_on,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "owner-loads-and-loser-closes",
            "At Owned the destination notifies its listeners, and the source, if it is another one, closes its topics.",
            "handleOwnEvent",
            is_state(OWNED),
            owner_loads_and_loser_closes,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "forced-free-is-cleaned-up",
            "The source of a forced Free closes the topics, then publishes a tombstone; else nobody does anything.",
            "handleFreeEvent",
            is_state(FREE),
            forced_free_is_cleaned_up,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "who-split-deletes-the-parent",
            "The source of Deleted, and nobody else, publishes a tombstone.",
            "handleDeleteEvent",
            is_state(DELETED),
            its_splitter_deletes,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "disabled-broker-does-nothing-unforced",
            "A broker that shuts down does nothing about a record that is not forced.",
            "handleEvent",
            is_not_heard,
            lambda event, answer: answer == Duty("", (), False),
            kind=LawKind.MIRROR,
        ),
    ),
    read_event,
)
