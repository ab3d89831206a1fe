"""
Laws of safe mode: which brokers may be cleaned up, by which leader, and the state that an outage of ZooKeeper spares.
"""

from oneowner.model.channel.parts import HealthCheck, Metadata
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import NOBODY, is_absent, is_active, is_in_flight
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, step_law
from oneowner.spec.channel.brokers import is_registered, keeps_a_session
from oneowner.spec.channel.ownership import some_unit_is_served
from oneowner.spec.channel.recovery import is_override

# ---- models.S38 ----


@step_law(
    "clean-only-by-leader",
    "ServiceUnitStateChannelImpl.doCleanup",  # models.H9
    when=is_override,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def leads_by_the_node(before: State, action: Action, after: State) -> bool:
    """
    Only the elected leader overrides.

    (A clean-up that was scheduled while its broker led runs after that; it checks only that there is some leader.)
    """
    return before.leader == action.argument("broker")


def is_override_that_may_be_late(before: State, action: Action, after: State) -> bool:
    """
    Return whether it is an override where who makes it need not be the elected one: a late job, or a role played on.
    """
    may_be_late = before.bounds.safe_mode > 0 or before.bounds.beliefs > 0
    return is_override(before, action, after) and may_be_late


@step_law(
    "clean-only-while-led",
    "ServiceUnitStateChannelImpl.doCleanup; apache/pulsar#22930",  # models.H9
    when=is_override_that_may_be_late,
    kind=LawKind.PROTOCOL,
)
def somebody_is_elected(before: State, action: Action, after: State) -> bool:
    """
    While no broker is elected, nothing is overridden: neither by a clean-up that was scheduled before the lead ended,
    nor by a broker that keeps the role.
    """
    return before.leader != NOBODY


# ---- models.S40 ----


def is_override_in_the_making(before: State, action: Action, after: State) -> bool:
    return is_override(before, action, after) and before.bounds.safe_mode > 0


@step_law(
    "safe-mode-quiet",
    "PIP-192, Failure Recovery; ServiceUnitStateChannelImpl.scheduleCleanup",  # models.H10
    when=is_override_in_the_making,
    status=Status.HOLE,
    kind=LawKind.PROTOCOL,
)
def trusts_its_session(before: State, action: Action, after: State) -> bool:
    """
    A broker in safe mode, Unstable or Jittery, overrides nothing.

    (A clean-up that was scheduled before safe mode began, or while Jittery, runs during it: PIP-192 promises that none
    does, and the code does not check again.)
    """
    return before.metadata[action.argument("broker")] == Metadata.STABLE


# ---- models.S41 ----


def a_unit_is_served_in_an_outage(before: State, action: Action, after: State) -> bool:
    return before.zookeeper_down and some_unit_is_served(before)


def is_asked_for(before: State, action: Action, broker: int, after: State) -> bool:
    """Return whether *broker* stops serving because it dies, or because of an operator's command."""
    if action.name == "crash" or action.name == "stop" or action.name == "stop_registered":
        return action.argument("broker") == broker
    if after.closing[broker].length <= before.closing[broker].length:
        return False
    record = after.closing[broker][after.closing[broker].length].record
    return not record.force and not is_absent(record)  # on behalf of no record: its session is lost


@step_law(
    "outage-no-interrupt",
    "PIP-192, Failure Recovery; seen in traces/real/zk-restart-metadata",  # models.H10, run.G11
    when=a_unit_is_served_in_an_outage,
    status=Status.HOLE,
    kind=LawKind.PURPOSE,
)
def goes_on_serving(before: State, action: Action, after: State) -> bool:
    """
    While ZooKeeper is down a broker continues to serve its units, unless it dies or an operator moves them.

    (An override that was published before the outage takes the unit of a living broker in the middle of it; and with
    the metadata store a broker that loses its session closes everything.)
    """
    return all(
        after.serving[broker, unit] or is_asked_for(before, action, broker, after)
        for broker in brokers(before)
        for unit in units(before)
        if before.serving[broker, unit]
    )


def is_override_after_an_outage(before: State, action: Action, after: State) -> bool:
    if not is_override(before, action, after) or before.zookeeper_down:
        return False
    return before.outages_left < before.bounds.outages


@step_law(
    "grace-after-outage",
    "PIP-192, Failure Recovery; ExtensibleLoadManagerImpl.selectAsync",
    when=is_override_after_an_outage,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def its_owner_was_reached(before: State, action: Action, after: State) -> bool:
    """
    After an outage of ZooKeeper no unit is taken from a running broker that has not had a session since.

    (A clean-up that was scheduled before waits for ZooKeeper to select the new owner, and goes on as soon as that
    answers; the owner, which has served throughout, connects a moment later.)
    """
    orphan = before.view[action.argument("broker"), action.argument("unit")]
    former = orphan.source if is_in_flight(orphan) else orphan.destination
    return former == NOBODY or not before.unreached[former]


# ---- models.S44 ----


def a_suspect_is_back(before: State, action: Action, after: State) -> bool:
    if action.name != "notice":
        return False
    observer, suspect = action.argument("observer"), action.argument("broker")
    return before.cleaning[observer, suspect] and is_registered(before, suspect)


@step_law(
    "suspect-grace",
    "ServiceUnitStateChannelImpl.handleBrokerCreationEvent; apache/pulsar#23382",
    when=a_suspect_is_back,
    kind=LawKind.PROTOCOL,
)
def its_clean_up_is_called_off(before: State, action: Action, after: State) -> bool:
    """
    A broker that is notified of another one's new registration, and finds it healthy, cancels the clean-up that it has
    scheduled for it.

    (With late_call_offs it is about to.)
    """
    observer, suspect = action.argument("observer"), action.argument("broker")
    return not after.cleaning[observer, suspect] or after.checking[observer, suspect] == HealthCheck.ASKED


# ---- channel.D15 ----


def a_health_check_calls_off(before: State, action: Action, after: State) -> bool:
    if action.name != "call_off":
        return False
    observer, suspect = action.argument("observer"), action.argument("broker")
    return before.cleaning[observer, suspect] and not after.cleaning[observer, suspect]


@step_law(
    "call-off-spares-newer",
    "ServiceUnitStateChannelImpl.handleBrokerCreationEvent; apache/pulsar#26146",
    when=a_health_check_calls_off,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def it_was_asked_for_that_or_the_broker_is_there(before: State, action: Action, after: State) -> bool:
    """
    A health check calls off no clean-up that was scheduled after it, of a broker that is gone again.

    (It calls off any clean-up that is scheduled when it ends; the units of that broker wait for the monitor.)
    """
    observer, suspect = action.argument("observer"), action.argument("broker")
    return before.checking[observer, suspect] == HealthCheck.ASKED or is_registered(before, suspect)


# ---- bugs.R40 ----


def lives_with_a_session(state: State, leader: int, broker: int) -> bool:
    """Return whether *broker*, of which *leader* has scheduled a clean-up, runs and has a session."""
    if broker == NOBODY or not state.cleaning[leader, broker]:
        return False
    return keeps_a_session(state, broker)


@step_law(
    "registered-in-time",
    "BrokerRegistryImpl; apache/pulsar#24057, #24932",  # bugs.L9
    when=is_override_in_the_making,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def no_suspect_lives_with_a_session(before: State, action: Action, after: State) -> bool:
    """
    The leader takes no unit from a running broker that has a session again: that broker registers first.

    (Up to 4.0.6 a broker registers again when it sees its node vanish, or every 120 s; until then the leader may
    take its units.)
    """
    leader = action.argument("broker")
    orphan = before.view[leader, action.argument("unit")]
    if is_active(orphan) and lives_with_a_session(before, leader, orphan.destination):
        return False
    return not is_in_flight(orphan) or not lives_with_a_session(before, leader, orphan.source)


# ---- channel.9, what is scheduled ----


def schedules_a_clean_up(before: State, action: Action, after: State) -> bool:
    if action.name != "notice" and action.name != "monitor":
        return False
    observer, suspect = scheduler(action)
    return after.cleaning[observer, suspect] and not before.cleaning[observer, suspect]


def scheduler(action: Action) -> tuple[int, int]:
    """Return who schedules by this step, and the clean-up of whom."""
    if action.name == "monitor":
        return action.argument("broker"), action.argument("gone")
    return action.argument("observer"), action.argument("broker")


@step_law(
    "scheduled-in-contact",
    "ServiceUnitStateChannelImpl.handleBrokerDeletionEvent, monitorOwnerships",
    when=schedules_a_clean_up,
    kind=LawKind.PROTOCOL,
)
def its_session_is_not_in_doubt(before: State, action: Action, after: State) -> bool:
    """
    A broker that has lost contact to ZooKeeper (Unstable) schedules no clean-up, and its monitor none until it is
    Stable again.
    """
    observer, _ = scheduler(action)
    if action.name == "monitor":
        return before.metadata[observer] == Metadata.STABLE
    return before.metadata[observer] != Metadata.UNSTABLE
