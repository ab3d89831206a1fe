"""``OVERRIDE``, ``MONITOR`` and ``NEWS`` judge how the leader cleans up after other brokers."""

from typing import Any

from oneowner.model.channel.leader_inputs import (
    News,
    Orphan,
    Pass,
    Seen,
    judged,
    monitored,
    overridden,
    read_news,
    read_orphan,
    read_seen,
    some_news,
    some_orphan,
    some_seen,
)
from oneowner.model.channel.parts import Metadata
from oneowner.model.channel.record import (
    ASSIGNING,
    DELETED,
    FREE,
    INIT,
    NOBODY,
    OWNED,
    RELEASING,
    SPLITTING,
    Record,
)
from oneowner.model.channel.step_inputs import GONE, LEADER, StepSizes
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind

__traced__ = False  # laws of decisions, concrete


# ---- the clean-up of a broker that is gone ----


def names_the_gone(orphan: Orphan) -> bool:
    _, destination, source, *_ = orphan.entry
    is_in_flight = orphan.entry.state in (ASSIGNING, RELEASING, SPLITTING)
    return (destination == GONE and (is_in_flight or orphan.entry.state == OWNED)) or (source == GONE and is_in_flight)


def may_receive(orphan: Orphan) -> bool:
    return orphan.selected not in (NOBODY, GONE) and not orphan.is_cleaned_up


def former(orphan: Orphan) -> int:
    """The last owner of the unit, which may serve it still."""
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
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "who-is-cleaned-up-receives-nothing",
            "No unit is given to a broker that is gone, or that is being cleaned up itself.",
            "ServiceUnitStateChannelImpl.selectBroker",
            lambda orphan, answer: orphan.selected != NOBODY and not may_receive(orphan),
            publishes_nothing,
            kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "orphan-is-given-by-force",
            "A unit is given by a forced Owned of the next version that tells its former owner to close, unless that is"
            " selected (3.0.0 tells nobody, 3.1.0 the broker that is gone); a split is begun again where it is given.",
            "overrideOwnership; getOverrideInactiveBrokerStateData of 3.1.0; apache/pulsar#20315, #23064",
            lambda orphan, answer: names_the_gone(orphan) and may_receive(orphan),
            gives_to_the_selected,
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "orphan-without-a-broker-is-freed",
            "Where no broker is selected the unit is freed by force, and its former owner closes; until 3.0.2 and 3.1.2"
            " it is left as it is.",
            "overrideOwnership; apache/pulsar#21811",
            lambda orphan, answer: names_the_gone(orphan) and orphan.selected == NOBODY,
            is_freed,
            kind=LawKind.MIRROR,
        ),
    ),
    read_orphan,
)


# ---- the monitor ----


def missing(seen: Seen) -> set[int]:
    """The broker whose absence the monitor notices: the owner of Owned, any named broker in flight."""
    _, destination, source, *_ = seen.entry
    if seen.entry.state == OWNED:
        named = {destination}
    elif seen.entry.state in (ASSIGNING, RELEASING, SPLITTING):
        named = {destination, source}
    else:
        named = set()
    return named - {NOBODY} - set(seen.listed)


def names_the_listed(seen: Seen) -> bool:
    return {seen.entry.destination, seen.entry.source} <= {NOBODY, *seen.listed}


def is_stuck(seen: Seen) -> bool:
    return seen.entry.state in (ASSIGNING, RELEASING, SPLITTING) and not missing(seen)


def endings(seen: Seen) -> tuple[Record, ...]:
    """The records that end a hand-over, for each broker that may be selected."""
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
            lambda seen, answer: set(answer.clean_ups) == missing(seen), kind=LawKind.MIRROR,
        ),
        InputLaw(
            "monitor-ends-what-is-stuck",
            "A hand-over whose brokers are registered is given by force to whoever is selected, and its source closes;"
            " until #23064 one that is Releasing went back, one that is Assigning to another broker.",
            "monitorOwnerships, overrideOwnership; getOverrideInFlightStateData of 3.1.0; apache/pulsar#23064",
            lambda seen, answer: is_stuck(seen),
            lambda seen, answer: answer.publishes == endings(seen), kind=LawKind.MIRROR,
        ),
        InputLaw(
            "monitor-overrides-nothing-else",
            "Nothing else is overridden.",
            "monitorOwnerships",
            lambda seen, answer: not is_stuck(seen),
            goes_nowhere, kind=LawKind.PROTOCOL,
        ),
        InputLaw(
            "monitor-deletes-what-is-not-active",
            "What is not active is deleted, and nothing else; from #21213 until #21721 also what is Owned, if its"
            " brokers are registered.",
            "monitorOwnerships, tombstoneAsync; apache/pulsar#21213, #21721",
            always,
            lambda seen, answer: answer.deletes == (
                seen.entry.state in (INIT, FREE, DELETED)
                or (seen.release == "3.1.2" and seen.entry.state == OWNED and names_the_listed(seen))
            ), kind=LawKind.MIRROR,
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
            kind=LawKind.MIRROR,
        ),
        InputLaw(
            "only-a-healthy-broker-calls-off",
            "That a broker is back calls its clean-up off if it passes a health check, and else does not.",
            "handleBrokerCreationEvent; apache/pulsar#23382",
            lambda news, answer: news.is_back,
            only_a_healthy_broker_calls_off,
            kind=LawKind.MIRROR,
        ),
    ),
    read_news,
)
