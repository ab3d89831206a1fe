"""
Laws of PIP-307 require of a transfer that its source closes topics, keeps its clients, and sends them on at Owned.

A broker that keeps connections serves nobody: messages and acknowledgements are silently ignored until the clients are
sent on (``model/channel/connections.py``). So what matters is that it ends, and where the clients are sent.
"""

from oneowner.model.channel.answers import named_by
from oneowner.model.channel.parts import Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import NOBODY, owner
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import hands_over
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, Status, always, step_law
from oneowner.spec.channel.ownership import is_closing


def some_connections_are_kept(state: State) -> bool:
    if state.bounds.multi_phase == 0:
        return False
    return any(state.kept[broker, unit] for broker in brokers(state) for unit in units(state))


# ---- models.S28 ----


def hands_over_or_owns(state: State, broker: int, unit: int) -> bool:
    """Return whether by its own view *broker* is handing *unit* over, or was given it back."""
    return owner(state.view[broker, unit]) == broker or hands_over(broker, state.view[broker, unit])


@always(
    "keep-connections",
    "PIP-307; apache/pulsar#20748",  # bugs.H7, channel.D9, channel.D12
    when=some_connections_are_kept,
    status=Status.GUARDED,
    kind=LawKind.PROTOCOL,
)
def kept_while_handing_over(state: State) -> bool:
    """
    A broker that has closed a unit and kept its clients has not consumed the record that ends the hand-over, or is
    disconnecting them, or is shutting down, or owns the unit again, unless a notification passed over that record or a
    tombstone took the unit away.
    """
    return all(
        hands_over_or_owns(state, broker, unit)
        or is_closing(state, broker, unit)
        or state.stage[broker] != Stage.RUNNING
        for broker in brokers(state)
        for unit in units(state)
        if state.kept[broker, unit]
    )


# ---- PIP-307: clients need not look up ----


def ends_connections(before: State, action: Action, broker: int, unit: int, after: State) -> bool:
    """Return whether this step disconnects clients that *broker* had kept."""
    return action.name == "close" and before.kept[broker, unit] and not after.kept[broker, unit]


def some_connections_end(before: State, action: Action, after: State) -> bool:
    if before.bounds.multi_phase == 0:
        return False
    return any(
        ends_connections(before, action, broker, unit, after) for broker in brokers(before) for unit in units(before)
    )


def is_another(broker: int, named: int) -> bool:
    return named != NOBODY and named != broker


def is_another_and_known(state: State, broker: int, named: int) -> bool:
    return is_another(broker, named) and state.known[broker, named]


@step_law(
    "clients-sent-on",
    "PIP-307; ExtensibleLoadManagerImpl.getAssignedBrokerLookupData",
    when=some_connections_end,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def clients_are_sent_on(before: State, action: Action, after: State) -> bool:
    """
    When the source of a transfer disconnects the clients that it kept, it names another broker, one in its registry
    cache.

    (It names none when that broker's registration is gone by then, or the unit is on its way back.)
    """
    return all(
        is_another_and_known(before, broker, named_by(before.view[broker, unit]))
        for broker in brokers(before)
        for unit in units(before)
        if ends_connections(before, action, broker, unit, after)
    )
