"""
A cycle: the leader decides, bundles are handed over, brokers report; then the leader decides again.

What the protocol of a hand-over does on the way is in ``model.channel`` and ``model.lock_manager``. Here a bundle that
is unloaded is *in flight* until it is handed over, and is not chosen meanwhile.
"""

from oneowner.model.closed_loop.bounds import BROKER, BUNDLE, Shedder, dealt_to
from oneowner.model.closed_loop.state import (
    NOBODY,
    State,
    brokers,
    bundles,
    is_as_seen,
    is_in_flight,
    seen_owner,
    some_in_flight,
    values,
)
from oneowner.model.closed_loop.table import table_of
from oneowner.model.kernel.action import Parameter, action
from oneowner.model.kernel.fairness import never, weak
from oneowner.model.kernel.guards import require, require_bound


@action(
    broker=BROKER,
    heavy=Parameter(lambda bounds: range(2)),
    fairness=weak("Every run begins with all bundles placed.", choice="broker"),
)
def place(state: State, broker: int, heavy: int) -> None:
    """
    The next bundle is *heavy*, or not, and *broker* has it when the run begins.

    Enabled: some bundle has yet to be placed; heavy ones come first.
    Changes: as said; who reports is read at once.
    Log: none.
    Mirrors: nothing: a run may begin with any placement.
    """
    require(state.placed < state.bounds.bundles, "some bundle has yet to be placed")
    if heavy:
        require(state.heavies == state.placed, "heavy bundles come first")
        require(state.heavies < state.bounds.heavies, "so many bundles may be heavy")
        state.heavies = state.heavies + 1
    else:
        require(state.heavies >= state.bounds.fewest, "so many bundles must be heavy")
    state.placed = state.placed + 1
    for bundle in bundles(state):
        if bundle == state.placed:
            is_its = broker == dealt_to(state.bounds, bundle)
            require(is_its or not state.bounds.dealt, "bundles are dealt out in turn")
            state.owner[bundle] = broker
            if state.bounds.lag:
                state.seen[bundle] = broker


@action(fairness=weak("The leader's task runs every loadBalancerSheddingIntervalMinutes."))
def decide(state: State) -> None:
    """
    The leader decides, by its data, the bundles that go, and the brokers of which one is given each.

    Enabled: what was decided has been handed over and reported; or the leader has decided by older reports for fewer
    cycles in a row than the lag.
    Changes: bundles that go are in flight, and rest from now on; those that rested do so for one cycle less.
    Log: ``[Overload shedder] ..``, ``Unloading bundle: .. from broker ..``; of TransferShedder ``Unloading: ..``.
    Mirrors: ``ModularLoadManagerImpl.doLoadShedding``, ``UnloadScheduler.execute``; ``model.balancer.shedding``.
    """
    require(state.placed == state.bounds.bundles, "all bundles are placed")
    is_behind = some_in_flight(state) or not is_as_seen(state)
    require(not is_behind or state.behind < state.bounds.lag, "the leader waits for hand-overs and reports")
    at = followed(state, 0, state.heavies)
    for bundle in bundles(state):
        at = followed(state, at, seen_owner(state, bundle))
    for bundle in bundles(state):
        at = followed(state, at, 1 if state.rest[bundle] > 0 else 0)
    at = followed(state, at, 1 if state.wait > 0 else 0)
    at = followed(state, at, state.memory)
    pass_a_cycle(state, is_behind)
    put_in_flight(state, at)


def followed(state: State, at: int, value: int) -> int:
    """Return the node of the table to which the value leads from a node, one branch for each."""
    for one in values(state, at):
        if value == one:
            return table_of(state.bounds).child(at, one)
    require_bound(False, "lag")
    return at


def pass_a_cycle(state: State, is_behind: bool) -> None:
    """Count a cycle: for the lag, for bundles that rest or wait, and for laws."""
    state.behind = behind_then(state, is_behind)
    state.wait = one_less(state.wait)
    state.cycles = one_more(state.cycles, state.bounds.horizon)
    for bundle in bundles(state):
        state.rest[bundle] = one_less(state.rest[bundle])
        if state.bounds.window:
            ago = ago_then(state, bundle)
            state.left[bundle] = left_then(state, bundle)
            state.ago[bundle] = ago


def one_less(number: int) -> int:
    """Return a number that is counted down to 0."""
    return number - 1 if number > 0 else 0


def one_more(number: int, most: int) -> int:
    """Return a number that is counted up to a limit."""
    return number + 1 if number < most else most


def behind_then(state: State, is_behind: bool) -> int:
    """Return for how many cycles in a row the leader has decided by older reports."""
    return one_more(state.behind, state.bounds.lag) if is_behind else 0


def left_then(state: State, bundle: int) -> int:
    """Return which broker a bundle was at before, a cycle later: nobody once that is longer ago than the window."""
    return state.left[bundle] if state.ago[bundle] < state.bounds.window else NOBODY


def ago_then(state: State, bundle: int) -> int:
    """Return how many cycles ago that was, a cycle later."""
    is_within = state.left[bundle] != NOBODY and state.ago[bundle] < state.bounds.window
    return state.ago[bundle] + 1 if is_within else 0


def put_in_flight(state: State, at: int) -> None:
    """Put the bundles that a leaf of the table decides on in flight, but for those that are."""
    found = table_of(state.bounds).found(at)
    state.memory = found.memory
    for bundle in bundles(state):
        to = found.to[bundle - 1]
        if to and not (state.bounds.lag and is_in_flight(state, bundle)):
            state.rest[bundle] = state.bounds.grace
            if state.bounds.shedder == Shedder.TRANSFER:
                state.wait = state.bounds.delay
            for broker in brokers(state):
                state.may[bundle, broker] = to.count(broker) > 0
                if state.bounds.races:
                    state.again[bundle, broker] = found.again[bundle - 1].count(broker) > 0


@action(bundle=BUNDLE, broker=BROKER, fairness=weak("A hand-over ends.", choice="broker"))
def hand_over(state: State, bundle: int, broker: int) -> None:
    """
    *broker*, which is drawn for *bundle*, becomes its owner.

    Enabled: the bundle is in flight, and the broker is one that it may be given to.
    Changes: as said. Where its own broker is drawn before the unload, the bundle is not unloaded, and does not rest;
    where it is drawn after, by whoever is looked up, the bundle comes back.
    Log: ``Unloading bundle: ..``; or ``.. is same as the current broker``, and it stays.
    Mirrors: ``ModularLoadManagerImpl.doLoadShedding``, ``NamespaceService.unloadNamespaceBundle`` and a lookup; of the
    extensible manager a transfer.
    """
    require(state.may[bundle, broker], "the bundle is in flight, and may be given to this broker")
    land(state, bundle)
    if state.owner[bundle] == broker and state.bounds.rules.chooses_first:
        state.rest[bundle] = 0
        return
    move(state, bundle, broker)


def land(state: State, bundle: int) -> None:
    """*bundle* is in flight no more."""
    for broker in brokers(state):
        state.may[bundle, broker] = False
        if state.bounds.races:
            state.again[bundle, broker] = False


def move(state: State, bundle: int, broker: int) -> None:
    """*broker* owns *bundle* from now on."""
    if state.bounds.window:
        state.left[bundle] = NOBODY if state.owner[bundle] == broker else state.owner[bundle]
        state.ago[bundle] = 0
    state.owner[bundle] = broker


@action(
    bundle=BUNDLE,
    broker=BROKER,
    when=lambda bounds: bounds.races and not bounds.rules.destination_lasts,
    budget="races",
    fairness=never("Lookups need not race."),
)
def overtake(state: State, bundle: int, broker: int) -> None:
    """
    The first lookup of an unloaded bundle takes its destination; the second is sent to *broker*, and served first.

    Enabled: the bundle is in flight to another broker than its own, chosen before the unload; *broker* is one that is
    chosen now that nobody has the bundle.
    Changes: the broker owns the bundle, be it the one that unloaded it.
    Log: none.
    Mirrors: ``ModularLoadManagerWrapper.getLeastLoaded``: ``setNamespaceBundleAffinity`` removes what it returns.
    """
    require(state.races_left > 0, "the budget allows another race")
    require(state.bounds.rules.chooses_first, "the destination is chosen before the unload")
    is_unloaded = any(state.may[bundle, other] and other != state.owner[bundle] for other in brokers(state))
    require(is_unloaded, "the bundle is in flight to another broker")
    require(state.again[bundle, broker], "the broker is chosen for a bundle that nobody has")
    state.races_left = state.races_left - 1
    land(state, bundle)
    move(state, bundle, broker)


@action(
    when=lambda bounds: bounds.lag, fairness=weak("A report arrives within loadBalancerReportUpdateMinIntervalMillis.")
)
def report(state: State) -> None:
    """
    Brokers report which bundles they have, and the leader reads it.

    Enabled: the leader has read something else.
    Changes: it has read who has each bundle now; one that is in flight counts where it was.
    Log: ``Writing local data to metadata store because ..``; of the extensible manager ``publishing load report:..``
    Mirrors: ``ModularLoadManagerImpl.writeBrokerDataOnZooKeeper``, ``updateAll``; ``BrokerLoadDataReporter``.
    """
    require(not is_as_seen(state), "the leader has read something else")
    state.behind = 0
    for bundle in bundles(state):
        state.seen[bundle] = state.owner[bundle]
