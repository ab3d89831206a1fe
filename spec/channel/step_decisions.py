"""``LOOKUP``, ``DUTIES``, ``OVERRIDE``, ``MONITOR`` and ``NEWS`` judge what one broker does about one entry."""

from __future__ import annotations

from typing import Any

from oneowner.model.channel.parts import Metadata
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
    GONE,
    KEEPS_CLIENTS,
    LEADER,
    WAITS,
    Asked,
    Duty,
    Event,
    News,
    Orphan,
    Pass,
    Seen,
    StepSizes,
    answered,
    handled,
    judged,
    monitored,
    overridden,
    read_asked,
    read_event,
    read_news,
    read_orphan,
    read_seen,
    some_asked,
    some_event,
    some_news,
    some_orphan,
    some_seen,
)
from oneowner.model.kernel.decision import Decision, InputLaw

__traced__ = False  # laws of decisions, concrete


def always(asked: Any, answer: Any) -> bool:
    return True


# ---- a lookup ----


def owner_of(record: Record) -> int:
    return {OWNED: record.destination, SPLITTING: record.source}.get(record.state, NOBODY)


def is_for(record: Record) -> int:
    """Whom a hand-over is for."""
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
            waits_for_a_listed_owner,
        ),
        InputLaw(
            "hand-over-is-waited-for-at-its-destination",
            "A hand-over to the broker that is asked is waited for.",
            "getOwnerAsync",
            comes_here,
            lambda asked, answer: bool(answer == WAITS),
        ),
        InputLaw(
            "hand-over-elsewhere-is-answered-with-its-destination",
            "A hand-over to another broker is answered with that one; it fails if the registry cache does not list it.",
            "getOwnerAsync; ExtensibleLoadManagerImpl.getBrokerLookupData",
            comes_elsewhere,
            is_answered_with_destination,
        ),
        InputLaw(
            "unregistered-broker-goes-by-its-view",
            "A broker that is not registered answers with the owner, or itself, by its view; in the metadata store it"
            " fails.",
            "getActiveOwnerAsync; apache/pulsar#24478",
            is_unregistered,
            goes_by_its_view,
        ),
        InputLaw("deleted-unit-fails", "A lookup of a Deleted unit fails.", "getOwnerAsync", is_deleted,
                 lambda asked, answer: bool(answer == FAILS)),
        InputLaw(
            "unit-of-nobody-is-selected-for",
            "Where there is no entry, or Init, Free or a hand-over to nobody, a broker is selected.",
            "getOwnerAsync; ExtensibleLoadManagerImpl.getOrSelectOwnerAsync",
            nobody_has_it,
            lambda asked, answer: bool(answer == NOBODY),
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
        ),
        InputLaw(
            "source-closes-then-hands-on",
            "The source of Releasing, and nobody else, closes the topics, then publishes Assigning of the same brokers"
            " (and keeps the clients), or Free where there is no destination.",
            "handleReleaseEvent; PIP-307",
            is_state(RELEASING),
            closes_then_hands_on,
        ),
        InputLaw(
            "owner-loads-and-loser-closes",
            "At Owned the destination tells who listens, and the source, if it is another one, closes its topics.",
            "handleOwnEvent",
            is_state(OWNED),
            owner_loads_and_loser_closes,
        ),
        InputLaw(
            "forced-free-is-cleaned-up",
            "The source of a forced Free closes the topics, then publishes a tombstone; else nobody does anything.",
            "handleFreeEvent",
            is_state(FREE),
            forced_free_is_cleaned_up,
        ),
        InputLaw(
            "who-split-deletes-the-parent",
            "The source of Deleted, and nobody else, publishes a tombstone.",
            "handleDeleteEvent",
            is_state(DELETED),
            its_splitter_deletes,
        ),
        InputLaw(
            "disabled-broker-does-nothing-unforced",
            "A broker that shuts down does nothing about a record that is not forced.",
            "handleEvent",
            is_not_heard,
            lambda event, answer: answer == Duty("", (), False),
        ),
    ),
    read_event,
)


# ---- the clean-up of a broker that is gone ----


def names_the_gone(orphan: Orphan) -> bool:
    _, destination, source, *_ = orphan.entry
    is_in_flight = orphan.entry.state in (ASSIGNING, RELEASING, SPLITTING)
    return (destination == GONE and (is_in_flight or orphan.entry.state == OWNED)) or (source == GONE and is_in_flight)


def may_receive(orphan: Orphan) -> bool:
    return orphan.selected not in (NOBODY, GONE) and not orphan.is_cleaned_up


def former(orphan: Orphan) -> int:
    """Who owned the unit last, and may serve it still."""
    return orphan.entry.destination if orphan.entry.state == OWNED else orphan.entry.source


def told_to_close(orphan: Orphan) -> int:
    by_release = {"3.0.0": NOBODY, "3.1.0": GONE, "4.0.6": former(orphan)}
    named = by_release[orphan.release]
    return NOBODY if named == orphan.selected else named


def gives_to_the_selected(orphan: Orphan, answer: Any) -> bool:
    version = orphan.entry.version + 1
    if orphan.entry.state == SPLITTING:
        return bool(answer == (Record(SPLITTING, orphan.entry.destination, orphan.selected, True, version),))
    return bool(answer == (Record(OWNED, orphan.selected, told_to_close(orphan), True, version),))


def is_freed(orphan: Orphan, answer: Any) -> bool:
    freed = Record(FREE, NOBODY, former(orphan), True, orphan.entry.version + 1)
    return bool(answer == ((freed,) if orphan.release == "4.0.6" else ()))


def publishes_nothing(asked: Any, answer: Any) -> bool:
    return bool(answer == ())


OVERRIDE = Decision(
    "channel/orphan-override",
    "What a clean-up of a broker that is gone publishes for an entry (doCleanup, overrideOwnership), by release",
    StepSizes,
    some_orphan,
    overridden,
    (
        InputLaw(
            "clean-up-spares-the-others",
            "Nothing is published for an entry that is not active, or names the broker neither as destination nor, in"
            " flight, as source.",
            "ServiceUnitStateChannelImpl.doCleanup",
            lambda orphan, answer: not names_the_gone(orphan),
            publishes_nothing,
        ),
        InputLaw(
            "who-is-cleaned-up-receives-nothing",
            "No unit is given to a broker that is gone, or that is being cleaned up itself.",
            "ServiceUnitStateChannelImpl.selectBroker",
            lambda orphan, answer: orphan.selected != NOBODY and not may_receive(orphan),
            publishes_nothing,
        ),
        InputLaw(
            "orphan-is-given-by-force",
            "A unit is given by a forced Owned of the next version that tells its former owner to close, unless that is"
            " selected (3.0.0 tells nobody, 3.1.0 the broker that is gone); a split is begun again where it is given.",
            "overrideOwnership, getOverrideInactiveBrokerStateData; apache/pulsar#20315, #23064",
            lambda orphan, answer: names_the_gone(orphan) and may_receive(orphan),
            gives_to_the_selected,
        ),
        InputLaw(
            "orphan-without-a-broker-is-freed",
            "Where no broker is selected the unit is freed by force, and its former owner closes; until 3.0.2 and 3.1.2"
            " it is left as it is.",
            "overrideOwnership; apache/pulsar#21811",
            lambda orphan, answer: names_the_gone(orphan) and orphan.selected == NOBODY,
            is_freed,
        ),
    ),
    read_orphan,
)


# ---- the monitor ----


def missing(seen: Seen) -> set[int]:
    """Whom the monitor misses: of Owned the owner, in flight whoever is named."""
    _, destination, source, *_ = seen.entry
    if seen.entry.state == OWNED:
        named = {destination}
    elif seen.entry.state in (ASSIGNING, RELEASING, SPLITTING):
        named = {destination, source}
    else:
        named = set()
    return named - {NOBODY} - set(seen.listed)


def is_stuck(seen: Seen) -> bool:
    return seen.entry.state in (ASSIGNING, RELEASING, SPLITTING) and not missing(seen)


def endings(seen: Seen) -> tuple[Record, ...]:
    """What ends a hand-over, for each broker that may be selected."""
    state, destination, source, _, version = seen.entry
    selectable = (*seen.listed, LEADER)
    if state == SPLITTING:
        to = selectable if seen.release == "4.0.6" else tuple(broker for broker in selectable if broker == source)
        return tuple(Record(SPLITTING, destination, broker, True, version + 1) for broker in to)
    if seen.release != "4.0.6":
        back = [broker for broker in selectable if (broker == source if state == RELEASING else broker != destination)]
        return tuple(Record(OWNED, broker, NOBODY, True, version + 1) for broker in back)
    told = [NOBODY if broker == source else source for broker in selectable]
    return tuple(Record(OWNED, broker, one, True, version + 1) for broker, one in zip(selectable, told, strict=True))


def goes_nowhere(seen: Seen, answer: Pass) -> bool:
    return answer.publishes == ()


MONITOR = Decision(
    "channel/ownership-monitor",
    "What the leader's monitor does about an old entry (ServiceUnitStateChannelImpl.monitorOwnerships), by release",
    StepSizes,
    some_seen,
    monitored,
    (
        InputLaw(
            "monitor-sees-to-who-is-missing",
            "Clean-ups are scheduled of those whom the entry names and who are not registered: of Owned the owner, in"
            " flight both (Pulsar begins with the source, and finds the destination in its next pass).",
            "monitorOwnerships",
            always,
            lambda seen, answer: set(answer.clean_ups) == missing(seen),
        ),
        InputLaw(
            "monitor-ends-what-is-stuck",
            "A hand-over whose brokers are registered is given by force to whoever is selected, and its source closes;"
            " until #23064 one that is Releasing went back, one that is Assigning to another broker.",
            "monitorOwnerships, overrideOwnership, getOverrideInFlightStateData; apache/pulsar#23064",
            lambda seen, answer: is_stuck(seen),
            lambda seen, answer: answer.publishes == endings(seen),
        ),
        InputLaw(
            "monitor-overrides-nothing-else",
            "Nothing else is overridden.",
            "monitorOwnerships",
            lambda seen, answer: not is_stuck(seen),
            goes_nowhere,
        ),
        InputLaw(
            "monitor-deletes-what-is-not-active",
            "What is not active is deleted, and nothing else; until #21721 an entry of any state was.",
            "monitorOwnerships, tombstoneAsync; apache/pulsar#21721",
            always,
            lambda seen, answer: answer.deletes == (
                seen.release != "4.0.6" or seen.entry.state in (INIT, FREE, DELETED)
            ),
        ),
    ),
    read_seen,
)  # fmt: skip


# ---- news of a registration ----


def is_gone(news: News, answer: Any) -> bool:
    return not news.is_back


def leader_who_trusts_its_session_schedules(news: News, answer: Any) -> bool:
    return bool(answer == (news.is_scheduled or (news.leads and news.metadata != Metadata.UNSTABLE)))


def only_a_healthy_broker_calls_off(news: News, answer: Any) -> bool:
    return bool(answer == (news.is_scheduled and not news.is_healthy))


NEWS = Decision(
    "channel/registration-news",
    "Whether a clean-up is scheduled after news of a registration (handleBrokerRegistrationEvent)",
    StepSizes,
    some_news,
    judged,
    (
        InputLaw(
            "leader-who-trusts-its-session-schedules",
            "That a broker is gone makes the leader schedule its clean-up, unless it is Unstable; nobody else does.",
            "handleBrokerDeletionEvent",
            is_gone,
            leader_who_trusts_its_session_schedules,
        ),
        InputLaw(
            "only-a-healthy-broker-calls-off",
            "That a broker is back calls its clean-up off if it passes a health check, and else does not.",
            "handleBrokerCreationEvent; apache/pulsar#23382",
            lambda news, answer: news.is_back,
            only_a_healthy_broker_calls_off,
        ),
    ),
    read_news,
)
