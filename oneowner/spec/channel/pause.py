"""These laws judge paused brokers: which one answers as owner after the pause, and which work waits for it."""

from oneowner.model.channel.parts import Run
from oneowner.model.channel.ranges import brokers, pairs, units
from oneowner.model.channel.record import NOBODY, owner
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, Status, always

# ---- run.G1 ----


def claims(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* runs and answers that it owns *unit*, by its own view."""
    return state.run[broker] == Run.UP and owner(state.view[broker, unit]) == broker


def a_broker_claims_a_unit_after_a_pause(state: State) -> bool:
    if state.bounds.pauses == 0 or state.pauses_left == state.bounds.pauses:
        return False
    return any(claims(state, broker, unit) for broker in brokers(state) for unit in units(state))


@always(
    "one-claimant",
    "ServiceUnitStateChannelImpl.getOwnerAsync; seen in traces/real/zombie",  # bugs.S1
    when=a_broker_claims_a_unit_after_a_pause,
    status=Status.DOCUMENTED,
    kind=LawKind.PURPOSE,
)
def at_most_one_claims(state: State) -> bool:
    """
    At most one running broker answers that it owns a unit, even after a pause.

    (It does not hold: a broker that resumes answers by the view that it had before, until its reader has caught up.)
    """
    return all(
        not (claims(state, one, unit) and claims(state, other, unit))
        for unit in units(state)
        for one, other in pairs(state)
    )


def two_claim_a_unit_after_a_pause(state: State) -> bool:
    return a_broker_claims_a_unit_after_a_pause(state) and not at_most_one_claims(state)


def has_records_ahead(state: State, broker: int, unit: int) -> bool:
    """Return whether *broker* has records of *unit* still to read."""
    return any(
        number > state.cursor[broker] and number <= state.log.length and state.log[number].unit == unit
        for number in range(1, state.bounds.window + 1)
    )


@always(
    "second-claimant-lags",
    "follows from ServiceUnitStateChannelImpl.getOwnerAsync, which answers by the broker's own view;"
    " seen in traces/real/zombie",
    when=two_claim_a_unit_after_a_pause,
    kind=LawKind.PURPOSE,
)
def one_of_two_claimants_lags(state: State) -> bool:
    """
    While two running brokers answer that they own a unit, one of them has records of that unit still to read: the
    answers differ no longer than that.
    """
    return all(
        has_records_ahead(state, one, unit) or has_records_ahead(state, other, unit)
        for unit in units(state)
        for one, other in pairs(state)
        if claims(state, one, unit) and claims(state, other, unit)
    )


# ---- run.G3 ----


def the_elected_leader_runs(state: State) -> bool:
    if state.bounds.channel_host == 0 or state.leader == NOBODY:
        return False
    return state.run[state.leader] == Run.UP


@always(
    "elected-can-publish",
    "PulsarHandler.handleKeepAliveTimeout; seen in traces/real/zombie",  # models.L3
    when=the_elected_leader_runs,
    status=Status.DOCUMENTED,
    kind=LawKind.PROTOCOL,
)
def the_channel_is_served(state: State) -> bool:
    """
    When the elected leader runs, its records reach the channel.

    (It does not hold: the channel's topic stays at a former leader that hangs, until the keep-alive closes the
    connections to it; meanwhile nothing is overridden.)
    """
    return state.run[state.host] == Run.UP
