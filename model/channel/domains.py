"""
What each cell of a state may hold (``domains``), concern by concern.

A cell that its bounds do not need has one value, so that it costs nothing: what a family does not model neither makes
its states bigger nor tells two of them apart.
"""

from __future__ import annotations

from oneowner.model.channel import sorts
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.lookup_parts import Outcome, Reply, Request, Stage
from oneowner.model.channel.parts import Message, Metadata, Node, Order, Phase, Progress, Publish, Ring, Run, SplitJob
from oneowner.model.channel.record import Record, ServiceUnitState
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.language import BOOLEAN, NEVER, Array, Domain, Fields, Finite, SequenceOf, integers, names

__traced__ = False  # says what cells may hold; no function runs on a state

BROKER, UNIT = sorts.BROKER.name, sorts.UNIT.name


def domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domain of every cell; cells that a storage does not have are left empty."""
    record = record_domain(bounds)
    return {
        **channel_domains(bounds, record),
        **serving_domains(bounds, record),
        **split_domains(bounds, record),
        **operator_domains(bounds),
        **session_domains(bounds),
        **role_domains(bounds),
        **migration_domains(bounds),
        **storage_domains(bounds, record),
        **lookup_domains(bounds),
        **shutdown_domains(bounds, record),
        **compaction_domains(bounds, record),
        **ghost_domains(bounds),
        **{f"{name}_left": integers(0, getattr(bounds, name)) for name in bounds.system.budgets},
    }


def only_if(modelled: bool | int) -> Finite:
    """Return the domain of a truth that is false unless it is *modelled*."""
    return BOOLEAN if modelled else NEVER


def stops_reading(bounds: Bounds) -> bool:
    """Say whether a broker may stop to read the channel for good."""
    return bounds.rules.handler_waits or not bounds.rules.tombstone_is_read


def record_domain(bounds: Bounds) -> Fields:
    """Return every record: versions count from 1, or from below 0 where they wrap; 0 is none."""
    broker = integers(0, bounds.brokers, BROKER)
    version = integers(0, bounds.versions)
    if bounds.wraps:
        version = Finite(range(-bounds.versions - 1, bounds.versions + 1), start=0)
    state = names(ServiceUnitState)
    return Fields(Record, state=state, destination=broker, source=broker, force=BOOLEAN, version=version)


def channel_domains(bounds: Bounds, record: Domain) -> dict[str, Domain]:
    """Return the domains of the log or the nodes, of every broker's view, and of publishes under way."""
    brokers, units, on_topic = bounds.brokers, bounds.units, bounds.storage == Storage.SYSTEM_TOPIC
    window = bounds.window if on_topic else 0
    unit = integers(1, units, UNIT)
    publish = Fields(Publish, unit=unit, record=record, basis=record)
    return {
        "base": Array((units,), record, (UNIT,)),
        "log": SequenceOf(window, Fields(Message, unit=unit, record=record)),
        "cursor": Array((brokers,), integers(0, window), (BROKER,)),
        "changed": Array((brokers, units), only_if(not on_topic or bounds.synced), (BROKER, UNIT)),
        "run": Array((brokers,), names(Run) if bounds.pauses else Finite((Run.UP, Run.DOWN)), (BROKER,)),
        "view": Array((brokers, units), record, (BROKER, UNIT)),
        "outbox": Array((brokers,), SequenceOf(bounds.pending, publish), (BROKER,)),
        "resent": Array((brokers,), only_if(bounds.sequence_ids), (BROKER,)),
    }


def serving_domains(bounds: Bounds, record: Domain) -> dict[str, Domain]:
    """Return the domains of topics that are open or being closed, and of what waits at a broker."""
    brokers, units = bounds.brokers, bounds.units
    message = Fields(Message, unit=integers(1, units, UNIT), record=record)
    return {
        "closing": Array((brokers,), SequenceOf(bounds.closings, message), (BROKER,)),
        "held_up": Array((brokers,), only_if(stops_reading(bounds)), (BROKER,)),
        "lingering": Array((brokers, units), only_if(bounds.slow_closes), (BROKER, UNIT)),
        "asking": Array((brokers, units), BOOLEAN, (BROKER, UNIT)),
        "serving": Array((brokers, units), BOOLEAN, (BROKER, UNIT)),
        "loaded": Array((brokers, units), only_if(bounds.listeners), (BROKER, UNIT)),
        "kept": Array((brokers, units), only_if(bounds.multi_phase), (BROKER, UNIT)),
    }


def split_domains(bounds: Bounds, record: Domain) -> dict[str, Domain]:
    """Return the domains of the boundaries, of what brokers believe of them, and of splits under way."""
    splitters = bounds.brokers if bounds.splits else 0
    ring = Fields(
        Ring,
        split=only_if(bounds.splits),
        others=integers(0, bounds.other_splits),
        nested=only_if(bounds.nested_splits),
        deleted=only_if(bounds.recreations),
    )
    at_once = 2 if bounds.nested_splits else 1
    job = Fields(SplitJob, parent=record, moved=BOOLEAN, unit=integers(1, at_once))
    return {
        "ring": ring,
        "boundaries": Array((splitters,), ring, (BROKER,)),
        "splitting": Array((splitters,), SequenceOf(at_once, job), (BROKER,)),
    }


def operator_domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domains of what operators asked for and wait to hear of."""
    brokers, units, asked = bounds.brokers, bounds.units, bounds.operators > 0
    order = Fields(
        Order,
        progress=names(Progress) if asked else Finite((Progress.NONE,)),
        carried=only_if(asked),
        destination=integers(0, brokers if asked else 0, BROKER),
    )
    return {
        "unloading": Array((brokers, units), order, (BROKER, UNIT)),
        "dividing": Array((brokers, units), order, (BROKER, UNIT)),
    }


def session_domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domains of the registry, the election, session events and scheduled clean-ups."""
    brokers, in_safe_mode = bounds.brokers, only_if(bounds.safe_mode)
    metadata = names(Metadata) if bounds.safe_mode else Finite((Metadata.STABLE,))
    return {
        "node": Array((brokers,), names(Node), (BROKER,)),
        "known": Array((brokers, brokers), BOOLEAN, (BROKER, BROKER)),
        "cold": Array((brokers, brokers), only_if(is_read_at_once(bounds)), (BROKER, BROKER)),
        "unregistrable": Array((brokers,), only_if(lives_on(bounds)), (BROKER,)),
        "leader": integers(0, brokers, BROKER),
        "host": integers(0, brokers if bounds.channel_host else 0, BROKER),
        "zookeeper_down": only_if(bounds.outages),
        "session_ended": Array((brokers,), in_safe_mode, (BROKER,)),
        "metadata": Array((brokers,), metadata, (BROKER,)),
        "cleaning": Array((brokers, brokers), in_safe_mode, (BROKER, BROKER)),
        "believes": Array((brokers,), only_if(bounds.beliefs), (BROKER,)),
    }


def is_read_at_once(bounds: Bounds) -> bool:
    """Say whether lookups are followed that do not wait for what the registry says."""
    return bounds.lookups > 0 and not bounds.rules.registry_read_waits


def lives_on(bounds: Bounds) -> bool:
    """Say whether a broker may live although its load manager did not start."""
    return bounds.failed_starts > 0 and not bounds.rules.start_fails_fast


def role_domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domains of what brokers read or miss of the election and the registry, and of the leader's topics."""
    brokers, rules = bounds.brokers, bounds.rules
    cached = integers(0, brokers if bounds.leader_caches else 0, BROKER)
    reported = integers(0, brokers if bounds.load_topics else 0, BROKER)
    return {
        "leader_read": Array((brokers,), cached, (BROKER,)),
        "unaware": Array((brokers,), only_if(not rules.hears_of_election), (BROKER,)),
        "running_for_lead": Array((brokers,), only_if(not rules.foreign_leader_kept), (BROKER,)),
        "misled": Array((brokers, brokers), only_if(rules.refresh_before_invalidate), (BROKER, BROKER)),
        "shedding": Array((brokers,), only_if(bounds.sheddings), (BROKER,)),
        "load_open": Array((brokers,), only_if(bounds.load_topics), (BROKER,)),
        "reports_to": Array((brokers,), reported, (BROKER,)),
        "channel_closed": only_if(bounds.channel_losses),
    }


def migration_domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domains of a migration of the metadata store, and of the locks of an older load manager."""
    return {
        "migrating": only_if(bounds.migrations),
        "acknowledged": Array((bounds.brokers,), only_if(bounds.migrations), (BROKER,)),
        "locks": Array((bounds.units,), integers(0, bounds.brokers if bounds.old_managers else 0, BROKER), (UNIT,)),
    }


def storage_domains(bounds: Bounds, record: Domain) -> dict[str, Domain]:
    """Return the domains of emptied views in the metadata store, and of the syncer of two storages."""
    brokers, units, nodes = bounds.brokers, bounds.units, bounds.units if bounds.synced else 0
    emptied = only_if(bounds.safe_mode and bounds.storage == Storage.METADATA_STORE)
    return {
        "filling": Array((brokers, units), emptied, (BROKER, UNIT)),
        "listed": Array((brokers, units), emptied, (BROKER, UNIT)),
        "nodes": Array((nodes,), record, (UNIT,)),
        "noticed": Array((nodes,), BOOLEAN, (UNIT,)),
        "copied": integers(0, bounds.window if bounds.synced else 0),
        "cleaned": only_if(bounds.syncs),
    }


def lookup_domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domains of followed lookups."""
    brokers, units, asked = bounds.brokers, bounds.units, bounds.lookups > 0
    reply = Fields(
        Reply,
        outcome=names(Outcome) if asked else Finite((Outcome.NONE,)),
        owner=integers(0, brokers if asked else 0, BROKER),
        version=integers(0, bounds.versions if asked else 0),
    )
    request = names(Request) if asked else Finite((Request.NONE,))
    if asked and bounds.rules.waits_in_one_step:
        request = Finite((Request.NONE, Request.WAITING, Request.SELECTING, Request.PUBLISHED))
    return {
        "request": Array((brokers, units), request, (BROKER, UNIT)),
        "reply": Array((brokers, units), reply, (BROKER, UNIT)),
        "named": Array((brokers, brokers), only_if(asked), (BROKER, BROKER)),
        "registered_then": Array((brokers, brokers), only_if(asked), (BROKER, BROKER)),
    }


def shutdown_domains(bounds: Bounds, record: Domain) -> dict[str, Domain]:
    """Return the domains of graceful shutdown."""
    brokers, units, stopped = bounds.brokers, bounds.units, bounds.shutdowns > 0
    stage = names(Stage) if stopped else Finite((Stage.RUNNING,))
    scanned = brokers if stopped and bounds.system_units else 0
    return {
        "stage": Array((brokers,), stage, (BROKER,)),
        "cut_off": Array((brokers,), only_if(stopped and not bounds.rules.unloads_before_closing), (BROKER,)),
        "drained": Array((brokers, units), only_if(stopped), (BROKER, UNIT)),
        "hurried": Array((brokers,), only_if(bounds.late_handlers), (BROKER,)),
        "set_aside": Array((scanned,), record, (BROKER,)),
    }


def compaction_domains(bounds: Bounds, record: Domain) -> dict[str, Domain]:
    """Return the domains of a compaction under way, and of what it kept."""
    place = integers(0, bounds.window if bounds.compactions else 0)
    records = Array((bounds.units if bounds.compactions else 0,), record, (UNIT,))
    compactors = bounds.brokers if bounds.compactions else 0
    return {
        "phase": names(Phase) if bounds.compactions else Finite((Phase.IDLE,)),
        "read_to": place,
        "result": records,
        "horizon": place,
        "ledger": records,
        "saved_horizon": place,
        "saved_ledger": records,
        "swallowed": Array((compactors, bounds.units), BOOLEAN, (BROKER, UNIT)),
        "leaked": integers(0, bounds.compactions),
        "missed": Array((bounds.brokers, bounds.units), only_if(bounds.swallows_tombstones), (BROKER, UNIT)),
        "stale": Array((bounds.units if bounds.failed_writes else 0,), record, (UNIT,)),
        "trimmed": integers(0, bounds.window if bounds.trims else 0),
    }


def ghost_domains(bounds: Bounds) -> dict[str, Domain]:
    """Return the domains of what only laws read of the channel's history."""
    versions = 2 * bounds.versions + 1 if bounds.wraps else bounds.versions
    return {
        "won": Array((bounds.units, versions), BOOLEAN, (UNIT, "")),
        "tainted": Array((bounds.units,), BOOLEAN, (UNIT,)),
        "poisoned": BOOLEAN,
    }
