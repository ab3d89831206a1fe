"""Laws of recovery: which brokers the leader may overrule."""

from oneowner.model.channel.channel import entry
from oneowner.model.channel.record import NOBODY, Record, is_active, is_in_flight
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, step_law
from oneowner.spec.channel.brokers import has_read_the_channel, is_registered
from oneowner.spec.channel.channel import is_write, written


def is_override(before: State, action: Action, after: State) -> bool:
    return action.name == "override" or action.name == "free_orphan" or action.name == "free_refused"


def takes_part_and_is_gone(state: State, leader: int, orphan: Record) -> bool:
    """Return whether the owner, or for a hand-over one of the two, is unregistered and fails its check."""
    if is_active(orphan) and fails(state, leader, orphan.destination):
        return True
    return is_in_flight(orphan) and fails(state, leader, orphan.source)


def fails(state: State, leader: int, broker: int) -> bool:
    """Return whether *broker* was missing from the leader's cache when it was suspected, and is not healthy now."""
    if broker == NOBODY or (state.known[leader, broker] and not state.cleaning[leader, broker]):
        return False
    return not is_registered(state, broker)


@step_law(
    "override-names-the-gone",
    "ServiceUnitStateChannelImpl.monitorOwnerships, doCleanup; apache/pulsar#23064, #23382",  # models.S39, bugs.S1
    when=is_override,
    kind=LawKind.PROTOCOL,
)
def takes_from_the_gone(before: State, action: Action, after: State) -> bool:
    """
    The leader overrides an entry only if its owner, or a broker of its hand-over, is missing from the leader's registry
    cache (or was, when a clean-up of it was scheduled) and fails its health check.
    """
    leader = action.argument("broker")
    orphan = before.view[leader, action.argument("unit")]
    return takes_part_and_is_gone(before, leader, orphan)


# ---- models.S20 ----


def writes_a_refused_override(before: State, action: Action, after: State) -> bool:
    if not is_write(action) or not written(before, action).record.force:
        return False
    publish = written(before, action)
    return entry(after, publish.unit) != publish.record


@step_law(
    "no-lost-override",
    "ServiceUnitStateChannelImpl.overrideOwnership; apache/pulsar#26520",  # models.H15, channel.D10
    when=writes_a_refused_override,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def names_nobody_who_is_gone(before: State, action: Action, after: State) -> bool:
    """
    When an override is refused, the record that was accepted in its place names no broker that is gone.

    (The destination's late Owned has the same version, and may win although its broker is dead; only the next run of
    the leader's monitor repairs this.)
    """
    held = entry(after, written(before, action).unit)
    if is_active(held) and held.destination != NOBODY and not is_registered(after, held.destination):
        return False
    return not is_in_flight(held) or held.source == NOBODY or is_registered(after, held.source)


# ---- models.S43 ----


@step_law(
    "leader-caught-up",
    "ServiceUnitStateTableView.flush; apache/pulsar#23301",
    when=is_override,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def leader_has_read_everything(before: State, action: Action, after: State) -> bool:
    """
    The leader overrides an entry only after it has consumed the whole channel, so that it overrides what is there,
    unless the channel is kept in the metadata store, where its flush does nothing.
    """
    return has_read_the_channel(before, action.argument("broker"))
