"""
``State`` holds the store, and of every broker its session, its own idea of its role, its cache, its locks, its topics.

A lock is taken at its word, as ``model.locks`` shows it to keep it: a request is carried out and answered at once, or
lost; a lock that is in doubt is checked in one step.
"""

from enum import StrEnum

from oneowner.model.kernel.cells import Cells
from oneowner.model.kernel.concrete import concrete
from oneowner.model.kernel.language import BOOLEAN, integers, names
from oneowner.model.kernel.state import State as KernelState
from oneowner.model.kernel.state import cell, left
from oneowner.model.lock_manager.bounds import BROKER, BUNDLE, CLIENT, Bounds

NOBODY = 0
FIRST = 1
"""The bundle that lookups are about."""
STEPS = 3
"""A broker whose session ended hears of it, checks its lock, and closes topics."""


class Entry(StrEnum):
    """The entry of a bundle in ``ownedBundlesCache``; INACTIVE: ``OwnedBundle`` is not active, it is being unloaded."""

    NONE = "none"
    LOADING = "loading"
    ACTIVE = "active"
    INACTIVE = "inactive"


class Lock(StrEnum):
    """The ``ResourceLock`` of a bundle; STUCK: its release failed, and nothing will end it."""

    NONE = "none"
    WANTED = "wanted"
    VALID = "valid"
    IN_DOUBT = "in doubt"
    GIVEN_BACK = "given back"
    STUCK = "stuck"


class Unload(StrEnum):
    """A chain of ``handleUnloadRequest``; OUTLIVED: the lock that it began with has ended."""

    NONE = "none"
    CLOSING = "closing"
    OUTLIVED = "outlived"


class Lookup(StrEnum):
    """The stage of a client's lookup; JOINED: it waits for a future that nobody will complete."""

    NONE = "none"
    ASKED = "asked"
    SEARCHING = "searching"
    ACQUIRING = "acquiring"
    JOINED = "joined"
    TOLD = "told"
    FAILED = "failed"


class State(KernelState):
    """One instant of a cluster with the lock-based manager."""

    bounds: Bounds

    node: Cells[int] = cell(
        lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name),
        per=(BUNDLE,),
        first=lambda bounds, bundle: bundle if owned_at_start(bounds, bundle) else NOBODY,
    )
    """``/namespace/..``: the broker whose session owns the node."""
    node_of_ghost: Cells[bool] = cell(BOOLEAN, per=(BUNDLE,), when=lambda bounds: bounds.restarts)
    """The node is of a session of its broker's earlier process."""
    leader: int = cell(lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name), first=1)
    """``/loadbalance/leader``: its owner; an election is one step (its own: ``leader_election``)."""
    registered: Cells[bool] = cell(BOOLEAN, per=(BROKER,), first=True)
    """``/loadbalance/brokers/..``"""
    registered_by_ghost: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.restarts)
    to_register: Cells[bool] = cell(
        BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.restarts or bounds.expiries, ends=True
    )
    """It is still to register."""
    ghost: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.crashes)
    """The store still has the session of a process that has ended."""
    cut: Cells[bool] = cell(BOOLEAN, per=(BUNDLE,), when=lambda bounds: bounds.splits)
    """The local policies of the namespace have the bundle in two halves."""
    version: int = cell(lambda bounds: integers(0, bounds.splits))
    """The version of these policies."""
    channel: Cells[int] = cell(
        lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name),
        per=(BUNDLE,),
        when=lambda bounds: bounds.extensible,
    )
    """The owner of the bundle by the channel of the extensible manager."""

    up: Cells[bool] = cell(BOOLEAN, per=(BROKER,), first=True)
    live: Cells[bool] = cell(BOOLEAN, per=(BROKER,), first=True, ends_as=False)
    """The store has the session of its process."""
    entry: Cells[Entry] = cell(
        names(Entry),
        per=(BROKER, BUNDLE),
        first=lambda bounds, broker, bundle: Entry.ACTIVE if owns_at_start(bounds, broker, bundle) else Entry.NONE,
        ends_as=Entry.NONE,
    )
    lock: Cells[Lock] = cell(
        names(Lock),
        per=(BROKER, BUNDLE),
        first=lambda bounds, broker, bundle: Lock.VALID if owns_at_start(bounds, broker, bundle) else Lock.NONE,
        ends_as=Lock.NONE,
    )
    unload: Cells[Unload] = cell(names(Unload), per=(BROKER, BUNDLE), ends=True)
    serving: Cells[bool] = cell(BOOLEAN, per=(BROKER, BUNDLE), ends=True)
    """Topics of the bundle are open."""
    window: Cells[int] = cell(integers(0, STEPS), per=(BROKER, BUNDLE), when=lambda bounds: bounds.expiries, ends=True)
    """Steps that it has still to take until topics of a session that ended are closed. Nothing but laws asks for it."""
    loading: Cells[bool] = cell(BOOLEAN, per=(BROKER, BUNDLE), when=lambda bounds: bounds.loads, ends=True)
    """A topic of the bundle is being loaded."""
    takes_for_leader: Cells[int] = cell(
        lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name), per=(BROKER,), first=1, ends_as=NOBODY
    )
    """The broker that it takes for the leader, perhaps itself (``getCurrentLeader``, ``isLeader``)."""
    promised: Cells[int] = cell(
        lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name),
        per=(BROKER,),
        when=lambda bounds: bounds.clients,
        ends=True,
    )
    """The broker that it has chosen for the first bundle (``preallocatedBundleToBroker``)."""
    unready: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.starting, first=True)
    """Its election is not there yet (``getLeaderElectionService``)."""
    leaked: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.starting, ends=True)
    """``findingBundlesNotAuthoritative`` has a future that nobody will complete."""
    stuck: Cells[int] = cell(
        lambda bounds: integers(0, bounds.permits if bounds.starting else 0), per=(BROKER,), ends=True
    )
    """Permits of ``getLookupRequestSemaphore`` that are held by lookups which nobody waits for, and which never end."""
    to_claim: Cells[bool] = cell(
        BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.monitored and bounds.restarts, ends=True
    )
    """It has started, and is still to get the bundle that belongs to it."""
    stopping: Cells[bool] = cell(BOOLEAN, per=(BROKER,), when=lambda bounds: bounds.stops, ends=True)
    splitting: Cells[int] = cell(
        lambda bounds: integers(NOBODY, bounds.bundles if bounds.splits else 0), per=(BROKER,), ends=True
    )
    """The bundle that it splits; it has read the policies, and acquires the halves."""
    read_version: Cells[int] = cell(lambda bounds: integers(0, bounds.splits), per=(BROKER,), ends=True)
    read_cut: Cells[bool] = cell(BOOLEAN, per=(BROKER, BUNDLE), when=lambda bounds: bounds.splits, ends=True)

    stage: Cells[Lookup] = cell(names(Lookup), per=(CLIENT,))
    at: Cells[int] = cell(lambda bounds: integers(NOBODY, bounds.brokers, BROKER.name), per=(CLIENT,))
    """Which broker deals with the lookup; once it is told, who the owner is."""
    authoritative: Cells[bool] = cell(BOOLEAN, per=(CLIENT,))
    hops: Cells[int] = cell(lambda bounds: integers(0, bounds.hops), per=(CLIENT,))
    """How often it was redirected; the last number stands for all from there on."""
    steady: Cells[bool] = cell(BOOLEAN, per=(CLIENT,), when=lambda bounds: bounds.clients, first=False)
    """Since it was asked, all have taken one broker, or none, for the leader. Nothing but laws asks for it."""

    asks_left: int = left("asks")
    acquires_left: int = left("acquires")
    unloads_left: int = left("unloads")
    splits_left: int = left("splits")
    expiries_left: int = left("expiries")
    losses_left: int = left("losses")
    crashes_left: int = left("crashes")
    restarts_left: int = left("restarts")
    stops_left: int = left("stops")
    loads_left: int = left("loads")


def owned_at_start(bounds: Bounds, bundle: int) -> bool:
    """Return whether somebody owns *bundle* at the start: the broker of its number."""
    return not bounds.idle and bundle <= min(bounds.bundles, bounds.brokers)


def owns_at_start(bounds: Bounds, broker: int, bundle: int) -> bool:
    return broker == bundle and owned_at_start(bounds, bundle)


brokers = concrete(BROKER.numbers)
bundles = concrete(BUNDLE.numbers)
clients = concrete(CLIENT.numbers)


def belongs_to(state: State) -> int:
    """
    Return to which broker the first bundle belongs now, whoever leads, or nobody.

    Its heartbeat always does, what monitors its service level while it is registered
    (``NamespaceService.getHeartbeatOrSLAMonitorBrokerId``).
    """
    monitored = state.bounds.monitored
    if monitored == NOBODY:
        return NOBODY
    if state.bounds.service_level and not state.registered[monitored]:
        return NOBODY
    return monitored


def is_extensible(state: State, broker: int) -> bool:
    """Return whether *broker* is configured with the extensible manager."""
    return broker > state.bounds.brokers - state.bounds.extensible
