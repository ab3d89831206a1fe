"""
The leader gives the units of a broker that is gone to another one (P13).

Mirrors ``monitorOwnerships``, ``handleBrokerDeletionEvent``, ``doCleanup`` and ``overrideOwnership`` of
``ServiceUnitStateChannelImpl`` (v4.0.6). One step does what the job does for one unit: it checks the
broker's health, waits until the leader has consumed the channel, and publishes the override.
"""

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.broker import UP
from oneowner.model.channel.channel import is_publishing, publish
from oneowner.model.channel.leader import leads, require_manager_free
from oneowner.model.channel.orphans import awaits_change, is_gone, is_orphan
from oneowner.model.channel.parts import Metadata, Run, Stage
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import FREE, NOBODY, OWNED, SPLITTING, Record, next_version, owner
from oneowner.model.channel.ring import overlap
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.session import HAS_SESSION, has_session
from oneowner.model.channel.sorts import BROKER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import never, strong
from oneowner.model.kernel.guards import require

ALLOWED = "the policies allow the destination"
LED = "the channel has an owner, whoever that is"


@action(
    broker=BROKER,
    unit=UNIT,
    destination=BROKER,
    when=lambda bounds: bounds.brokers_go,
    fairness=strong(
        "monitorOwnerships runs every 60 s: what is orphaned again and again is met by a run", choice="destination"
    ),
)
def override(state: State, broker: int, unit: int, destination: int) -> None:
    """
    The leader *broker* overrides an entry that names a broker which is gone, in favour of *destination*.

    Enabled: the broker is up, running, has a session (but with ``leader_caches``), leads (with ``beliefs`` it plays the
    leader, its own cache lists it, and somebody is elected), has consumed the whole channel (``flush``; in the metadata
    store that is not asked) or is ``flushed`` all the same, and publishes nothing for the unit (with
    ``overrides_again`` neither is asked once it publishes for an Owned unit); its load manager's thread waits for
    nothing, nor for the elected one to be registered. Its view is active and names a destination, or
    is in flight and names a source, that is missing from its cache and not healthy. The cache lists the destination,
    which the policies allow, and which with ``shutdown_is_registered`` does not shut down. With ``safe_mode`` it is a
    job that fires (``cleanup.py``, models.H9): somebody leads, in place of the broker; a clean-up of the broker that is
    gone is scheduled here, in place of its missing from the cache, and none of the destination. Without
    ``clean_up_needs_leader`` nobody need lead.
    Changes: a forced Owned(destination, source = the former owner), next version, is under way, so that this one closes
    if it lives: the owner, or for a hand-over the source; nobody if that is the destination. Of Splitting it is a
    forced Splitting(same destination, source = the new broker). ``flushed`` ends.
    Mirrors: ``monitorOwnerships``, ``handleBrokerDeletionEvent``, ``doCleanup``, ``overrideOwnership``.
    """
    require_cleaner(state, broker, unit)
    require(state.known[broker, destination], "the leader's registry cache lists the destination")
    require(not state.cleaning[broker, destination], "the destination is not itself being cleaned up")
    require_stays(state, destination)
    require(destination != state.bounds.refused, ALLOWED)
    orphan = state.view[broker, unit]
    require(is_orphan(state, broker, orphan), "the entry names a broker that is gone for the leader")
    if state.bounds.rules.split_given_together:
        require(keeps_together(state, broker, unit, destination), "nothing that overlaps the unit has another owner")
    begins_again = state.bounds.rules.split_begun_again
    publish(state, broker, unit, naming(orphan, destination, told(state, broker, orphan), begins_again), orphan)
    state.flushed[broker] = False


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.brokers_go and bounds.unplaced,
    fairness=never("an override that finds no broker is a perturbation"),
)
def free_orphan(state: State, broker: int, unit: int) -> None:
    """
    The leader *broker* overrides an orphaned entry when no broker can be selected: the unit becomes free by force.

    ``selectAsync`` finds nobody: isolation, anti-affinity or version policies refuse every broker that is registered.
    Until 3.0.2 and 3.1.2 the entry is left as it is.

    Enabled: as ``override``, but without a destination.
    Changes: a forced Free(source = the former owner, as in ``override``), next version, is under way, so that this one
    closes if it lives.
    Mirrors: ``overrideOwnership`` (channel.9, "none selected").
    """
    require(state.unplaced_left > 0, "the budget allows another override to find no broker")
    state.unplaced_left = state.unplaced_left - 1
    free_by_force(state, broker, unit)


@action(
    broker=BROKER,
    unit=UNIT,
    when=lambda bounds: bounds.brokers_go and bounds.refused,
    fairness=strong("as override, where the policies refuse every broker"),
)
def free_refused(state: State, broker: int, unit: int) -> None:
    """
    The leader *broker* overrides an orphaned entry when the policies refuse every broker that its cache lists.

    Enabled: as ``free_orphan``, where the broker's cache lists nobody but the one that is ``refused``.
    Changes: as ``free_orphan``.
    Mirrors: as ``free_orphan``.
    """
    require(nobody_is_allowed(state, broker), "the policies refuse every broker of the leader's registry cache")
    free_by_force(state, broker, unit)


def keeps_together(state: State, leader: int, unit: int, destination: int) -> bool:
    """
    Return whether no unit that overlaps *unit* belongs to another broker than *destination*, as far as *leader* knows.

    It sees its view and its own publishes under way; it disposes of the units of an owner that is gone.
    """
    for other in units(state):
        if other != unit and overlap(state.bounds, unit, other):
            its_owner = coming_owner(state, leader, other)
            if its_owner != NOBODY and its_owner != destination and not is_gone(state, leader, its_owner):
                return False
    return True


def coming_owner(state: State, leader: int, unit: int) -> int:
    """Return who owns *unit* once what *leader* publishes is in the channel."""
    for number in range(1, state.bounds.pending + 1):
        if number <= state.outbox[leader].length and state.outbox[leader][number].unit == unit:
            return owner(state.outbox[leader][number].record)
    return owner(state.view[leader, unit])


def free_by_force(state: State, broker: int, unit: int) -> None:
    """
    Publish a forced Free of an orphan.

    Until #23349 that of an assignment without a source could not be built (``Empty broker``): nothing was published.
    """
    require(state.bounds.rules.frees_unplaced, "an override that finds no broker frees the unit")
    require_cleaner(state, broker, unit)
    orphan = state.view[broker, unit]
    require(is_orphan(state, broker, orphan), "the entry names a broker that is gone for the leader")
    former = former_owner(orphan)
    if not state.bounds.rules.free_names_nobody:
        require(former != NOBODY, "the record names a broker, so that it can be built")
    publish(state, broker, unit, Record(FREE, NOBODY, former, True, next_version(orphan)), orphan)
    state.flushed[broker] = False


def nobody_is_allowed(state: State, leader: int) -> bool:
    """Return whether the policies refuse every broker that the registry cache of *leader* lists."""
    return all(broker == state.bounds.refused for broker in brokers(state) if state.known[leader, broker])


def is_system(bounds: Bounds, unit: int) -> bool:
    """Return whether *unit* is a bundle of ``pulsar/system``."""
    return bounds.system_units > 0 and unit == bounds.units


def require_stays(state: State, destination: int) -> None:
    require(stays(state, destination), "the destination does not shut down")


def stays(state: State, destination: int) -> bool:
    """Return whether *destination* stays, where its registration says so (a repair); it is read at once."""
    return not state.bounds.rules.shutdown_is_registered or state.stage[destination] == Stage.RUNNING


def require_cleaner(state: State, broker: int, unit: int) -> None:
    """
    Require that *broker* leads (or a clean-up fires), selects an owner, has flushed its view, publishes nothing.

    ``ExtensibleLoadManagerImpl.selectAsync`` reads who is registered and what the policies of the namespace say: it
    ends, and the override with it, once ZooKeeper answers. In a recorded outage nothing was published until then.
    That caches answer instead (for up to 10 minutes, and until a node of a broker is deleted) is a matter of
    ``leader_caches``, as is what a broker without contact reads of the election.
    """
    if not state.bounds.leader_caches:  # before who leads: a broker without a session reads its old leader
        require(has_session(state, broker), HAS_SESSION)
    require_clean_up(state, broker)
    if is_system(state.bounds, unit):
        require(state.bounds.rules.system_units_overridden, "the clean-up comes to the system bundles")
    if awaits_change(state, broker, unit):
        return
    if state.bounds.rules.override_when_caught_up:
        require(has_flushed(state, broker), "the leader has consumed the whole channel")
    if state.bounds.rules.override_awaits_views:
        require(
            all_have_read(state, broker), "every broker of the leader's registry cache has consumed the whole channel"
        )
    require(not is_publishing(state, broker, unit), "no publish of the leader for the unit is under way")


def require_clean_up(state: State, broker: int) -> None:
    """
    Require that *broker* lives and leads, or that a clean-up of it fires while somebody leads.

    ``doCleanup`` asks ``getChannelOwnerAsync`` and goes on whoever that is (repaired, at the elected one alone).
    """
    require_running(state, broker)
    require(state.stage[broker] == Stage.RUNNING, "the broker is not shutting down")
    if state.bounds.safe_mode or state.bounds.beliefs:  # elsewhere who leads is the one who is elected
        if state.bounds.rules.clean_up_needs_leader:
            require(state.leader != NOBODY, LED)
    if state.bounds.safe_mode:
        if state.bounds.rules.clean_up_asks_leader:
            require(leads(state, broker), "the broker is the leader")
        if state.bounds.rules.clean_up_asks_again:
            require(leads(state, broker), "the broker is the leader")
            require(state.metadata[broker] == Metadata.STABLE, "the broker trusts its session")
    else:
        require(leads(state, broker), "the broker is the leader")
        if state.bounds.beliefs:
            require(state.known[broker, broker], "the leader's registry cache lists the leader itself")
            if state.bounds.rules.clean_up_asks_leader:
                require(state.leader == broker, "the broker is the elected one")


def require_monitor(state: State, broker: int) -> None:
    """Require that *broker* is the leader and Stable, and that its monitor runs."""
    require_running(state, broker)
    require(leads(state, broker), "the broker is the leader")
    require(state.metadata[broker] == Metadata.STABLE, "the broker trusts its session")


def require_running(state: State, broker: int) -> None:
    """Require that *broker* lives, and that its clean-ups run."""
    require(state.bounds.rules.monitor_runs, "no session event of old holds the leader's clean-ups up")
    require(state.run[broker] == Run.UP, UP)
    require_manager_free(state, broker)


def overriding(orphan: Record, destination: int) -> Record:
    """Return the forced record that gives an orphaned unit to *destination* (channel.9)."""
    return naming(orphan, destination, former_owner(orphan))


def naming(orphan: Record, destination: int, former: int, begins_again: bool = True) -> Record:
    """
    Return the forced record that gives an orphaned unit to *destination*, and tells *former* to close its topics.

    A split is begun again there: no record names the broker that had begun it as a loser (channel.D3). Until #19988
    it was not (*begins_again* is false): the parent became Owned, whatever the split had done by then.
    """
    if orphan.state == SPLITTING and begins_again:
        return Record(SPLITTING, orphan.destination, destination, True, next_version(orphan))
    source = NOBODY if former == destination else former
    return Record(OWNED, destination, source, True, next_version(orphan))


def former_owner(orphan: Record) -> int:
    """Return who owned the unit before the override, and may serve it still."""
    return orphan.destination if orphan.state == OWNED else orphan.source


def told(state: State, leader: int, orphan: Record) -> int:
    """
    Return the broker that the override names as source.

    In 3.0.0 none, until #23064 the broker whose clean-up it is (``getOverrideInactiveBrokerStateData``). Of two that
    are gone the model takes the destination; there are clean-ups of both.
    """
    if not state.bounds.rules.override_tells_owner:
        return NOBODY
    if state.bounds.rules.override_names_owner:
        return former_owner(orphan)
    if is_gone(state, leader, orphan.destination):
        return orphan.destination
    return orphan.source


def has_flushed(state: State, broker: int) -> bool:
    """
    Return whether *broker*, which flushes its view before it cleans up, has consumed the whole channel, or goes on.

    It goes on where its flush has ended early or failed (``flushes.py``). In the metadata store nothing is waited for:
    ``ServiceUnitStateMetadataStoreTableViewImpl.flush`` is empty.
    """
    return state.bounds.storage == Storage.METADATA_STORE or state.flushed[broker] or is_caught_up(state, broker)


def all_have_read(state: State, leader: int) -> bool:
    """Return whether every broker that *leader* lists runs, so that it answers, and has consumed the whole channel."""
    return all(
        state.run[other] == Run.UP and is_caught_up(state, other)
        for other in brokers(state)
        if state.known[leader, other]
    )


def is_caught_up(state: State, broker: int) -> bool:
    """Return whether *broker* has consumed the whole channel."""
    if state.bounds.storage == Storage.SYSTEM_TOPIC:
        return state.cursor[broker] == state.log.length
    return all(not state.changed[broker, unit] for unit in units(state))
