"""
Which steps of the syncer, of elections, of caches, of the leader's own topics and of a migration there are in which
bounds.

``system.actions`` lists them with all the others; steps that only a bug makes possible are there with its switch alone.
(The occasions of a law, in ``spec``, are something else.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from oneowner.model.channel import caches, elections, load_topics, locks, migration, pause, shedding, syncer
from oneowner.model.channel.bounds import Bounds

Occasion = tuple[Callable[..., None], dict[str, range]]
"""An action, and the values that each of its arguments may have."""


def occasions(bounds: Bounds) -> Iterator[Occasion]:
    """Yield the actions of these bounds, each with its arguments."""
    yield from _elections_and_caches(bounds)
    yield from _leader_topics_and_shedding(bounds)
    yield from _stores_and_locks(bounds)


def syncing(bounds: Bounds) -> Iterator[Occasion]:
    """Yield what brokers in the metadata store and the syncer do, while others are on the topic."""
    unit = range(1, bounds.units + 1)
    if bounds.synced:
        others = range(bounds.brokers - bounds.synced + 1, bounds.brokers + 1)
        yield syncer.put, {"broker": others}
        yield syncer.look, {"broker": others, "unit": unit}
        yield syncer.copy_to_store, {}
        yield syncer.copy_to_topic, {"unit": unit}
    if bounds.syncs:
        yield syncer.start_syncer, {}
        yield syncer.copy_existing, {}


def _elections_and_caches(bounds: Bounds) -> Iterator[Occasion]:
    each = range(1, bounds.brokers + 1)
    fails = bounds.crashes or bounds.expiries or bounds.outages or bounds.pauses
    if bounds.leader_caches:
        yield elections.read_leader, {"broker": each}
    if fails and bounds.beliefs and not bounds.rules.hears_of_election:
        yield elections.elect_unheard, {"broker": each}
    if fails and not bounds.rules.foreign_leader_kept:
        yield elections.depose, {"broker": each}
    if fails and bounds.rules.refresh_before_invalidate:
        yield caches.keep_old_entry, {"observer": each, "broker": each}


def _leader_topics_and_shedding(bounds: Bounds) -> Iterator[Occasion]:
    each = range(1, bounds.brokers + 1)
    if bounds.sheddings:
        yield shedding.begin_shedding, {"broker": each}
        yield shedding.shed, {"broker": each, "unit": range(1, bounds.units + 1), "destination": each}
        yield shedding.end_shedding, {"broker": each}
    if bounds.load_topics:
        yield load_topics.report, {"broker": each, "destination": each}
    if bounds.channel_losses:
        yield pause.lose_channel, {}
        if bounds.rules.channel_served_again:
            yield pause.serve_channel, {"broker": each}


def _stores_and_locks(bounds: Bounds) -> Iterator[Occasion]:
    if bounds.migrations:
        yield migration.start_migration, {}
        yield migration.prepare, {"broker": range(1, bounds.brokers + 1)}
        yield migration.cut_over, {}
    if bounds.old_managers and not bounds.rules.managers_redirect:
        old = range(bounds.brokers - bounds.old_managers + 1, bounds.brokers + 1)
        yield locks.acquire, {"broker": old, "unit": range(1, bounds.units + 1)}
