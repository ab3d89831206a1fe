"""
``check_combination`` refuses bounds that say nothing without others, or that are not modelled with them.

Bounds are asked by name, here also for what they say of themselves (``in_store``, ``speaks_dialect``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oneowner.model.channel.rules import Dialect

__traced__ = False  # bounds are refused before any state exists

NEEDED = (
    ("outages", "safe_mode", "they are modelled with safe_mode: 1 only"),
    ("late_call_offs", "safe_mode", "only there clean-ups are scheduled"),
    ("failed_starts", "crashes restarts", "only a broker that crashed starts"),
    ("nested_splits", "splits", "without splits there is no child"),
    ("failed_splits", "splits other_splits", "only boundaries that another split changes are stale"),
    ("split_time_outs", "splits flight_timer", "only the leader's monitor finds a split too old"),
    ("other_splits", "splits", "without splits nobody knows boundaries"),
    ("load_topics", "beliefs", "who opens and closes them is a matter of roles (beliefs: 1)"),
    ("channel_losses", "channel_host", "without channel_host it lies anywhere"),
    ("syncs", "synced", "without synced there is no syncer"),
    ("role_races", "brokers_go", "without elections no role changes"),
    ("syncer_gaps", "syncs", "without syncs no syncer starts"),
    ("late_handlers", "shutdowns", "without shutdowns nothing is scanned"),
    ("short_waits", "shutdowns", "without shutdowns nobody waits"),
    ("early_flushes", "brokers_go", "nobody is cleaned up after"),
    ("failed_flushes", "brokers_go", "nobody is cleaned up after"),
    ("failed_closes", "compactions", "nothing is kept then"),
    ("lost_cursors", "compactions brokers_go", "a cursor that was saved is read by the next host"),
    ("stale_resets", "compactions", "nothing is kept then"),
    ("early_acks", "trims", "what is read stays in the log"),
)
"""A bound, those without which it says nothing, and why: ``outages refused: 1; they are modelled with ..``."""

NO_NEWCOMERS = "in_store synced speaks_dialect shutdowns outages pauses beliefs compactions migrations"
"""With what a broker that starts for the first time, or in two steps, is not modelled."""

APART = (
    ("failed_splits", "operators", "whom the failure is told is not modelled"),
    ("newcomers", NO_NEWCOMERS, "not modelled yet"),
    ("slow_starts", NO_NEWCOMERS, "not modelled yet"),
    ("listeners", "in_store shutdowns splits", "not modelled yet"),
    ("slow_closes", "splits", "topics that lie in two units and linger are not modelled"),
    ("late_loads", "splits slow_closes speaks_dialect", "not modelled"),
    ("policies", "splits in_store speaks_dialect synced", "not modelled"),
    ("leader_caches", "beliefs crashes shutdowns", "what is read is the role then"),
    ("sheddings", "shutdowns pauses splits", "not modelled"),
    ("role_races", "beliefs", "roles are played in steps of their own there"),
    ("role_races", "in_store", "another thread reads the channel there"),
    ("migrations", "beliefs outages safe_mode shutdowns crashes", "not modelled"),
)
"""A bound, those with which it is not modelled, and why: ``listeners refused: with splits; not modelled yet``."""

NEVER_BOTH = (
    ("crashes", "beliefs", "roles of processes that die are not modelled yet"),
    ("multi_phase", "splits compactions speaks_dialect", "not modelled yet"),
    ("shutdowns", "crashes expiries outages beliefs pauses", "what meets there is not modelled yet"),
    ("slow_closes", "multi_phase", "what meets there is not modelled yet"),
)
"""The same where neither of the two is to blame: ``bounds refused: crashes with beliefs; roles of ..``."""

TRUTHS = {"in_store": "the metadata store", "speaks_dialect": "a dialect"}
"""What is no bound, in words."""

COMMANDS_ALONE = "crashes expiries outages pauses shutdowns resends synced"
"""What is not modelled with operators that wait."""
NO_LOCKS = "newcomers crashes expiries outages tombstones splits shutdowns lookups pauses unloads transfers synced"
NO_COPIES = "crashes expiries outages unplaced resends compactions splits shutdowns lookups wraps pauses"
NO_REFUSAL = "transfers lookups shutdowns flight_timer unplaced beliefs safe_mode synced compactions"
NO_DIALECT = "crashes expiries outages removals lookups shutdowns compactions pauses flight_timer slow_closes"


def check_combination(bounds: Any) -> None:
    """Raise ValueError, with one line, for bounds that do not go together."""
    for part in (in_tables, sizes, storages, starts, roles, commands, recovery, syncer, dialects):
        for words in part(bounds):
            raise ValueError(words)


def in_tables(bounds: Any) -> Iterator[str]:
    for name, needed, words in NEEDED:
        if getattr(bounds, name) and len(used(bounds, needed)) < len(needed.split()):
            yield f"{name} refused: {getattr(bounds, name)}; {words}"
    for name, others, words in APART:
        if getattr(bounds, name) and used(bounds, others):
            yield f"{name} refused: with {listed(others)}; {words}"
    for name, others, words in NEVER_BOTH:
        if getattr(bounds, name) and used(bounds, others):
            yield f"bounds refused: {name} with {listed(others)}; {words}"


def used(bounds: Any, names: str) -> list[str]:
    """Return which of some names *bounds* set."""
    return [name for name in names.split() if getattr(bounds, name)]


def listed(names: str) -> str:
    """Return names in words: ``splits, compactions or a dialect``."""
    *first, last = (TRUTHS.get(name, name) for name in names.split())
    return f"{', '.join(first)} or {last}" if first else last


def sizes(bounds: Any) -> Iterator[str]:
    if bounds.owner > bounds.brokers:
        yield f"owner refused: {bounds.owner}; there are {bounds.brokers} brokers"
    if bounds.owner and bounds.versions < 2:
        yield f"versions refused: {bounds.versions}; a unit that is owned at the start has version 2"
    if bounds.splits and (bounds.units != bounds.units_of_splits or bounds.pending < 2):
        yield (
            f"splits refused: {bounds.splits}; a parent and two children are 3 units (units), and the children are"
            " published together (pending 2); with nested_splits there are 5 units"
        )
    if bounds.overtakes and bounds.pending < 2:
        yield f"overtakes refused: {bounds.overtakes}; two publishes have to be under way (pending 2)"
    if bounds.wraps and (bounds.versions < 3 or bounds.lookups):
        yield "wraps refused: 1; versions: 3 or more are needed, and lookups are not followed over it"
    if bounds.lookups and bounds.units > 1:
        yield "bounds refused: lookups of several units; which broker was named is kept for one only"


def storages(bounds: Any) -> Iterator[str]:
    """What only one of the storages has: the topic and its compaction, or the metadata store."""
    if bounds.in_store and bounds.overtakes:
        yield f"overtakes refused: {bounds.overtakes}; on the topic only"
    if bounds.in_store and bounds.lags_after_flush:
        yield "bounds refused: early_flushes or failed_flushes in the metadata store; its flush is empty"
    if bounds.in_store and bounds.expiries and not bounds.safe_mode:
        yield (
            f"expiries refused: {bounds.expiries}; in the metadata store they need safe_mode: 1, because a view is"
            " emptied there when its broker hears that its session is lost"
        )
    if (bounds.trims or bounds.failed_writes) and not bounds.compactions:
        yield "bounds refused: trims or failed_writes without compactions; nothing is kept then"
    if bounds.stale_resets and bounds.compactions != 2:
        yield (
            f"stale_resets refused: with {bounds.compactions} compactions; two are needed, and before the first of them"
            " the cursor had no properties"
        )
    if bounds.in_store and bounds.compactions:
        yield "bounds refused: compactions in the metadata store; only a topic is compacted"
    if bounds.compactions and bounds.owner and bounds.units > 1:
        yield (
            "bounds refused: compactions of several units with an owner at the start; what such a unit was assigned"
            " by lies before the log, and none of it is kept"
        )
    if bounds.in_store and (bounds.pauses or bounds.channel_host):
        yield (
            "bounds refused: pauses or channel_host in the metadata store; what a lost session does to a view there"
            " is not modelled yet, and only a topic has a host"
        )


def starts(bounds: Any) -> Iterator[str]:
    if bounds.newcomers >= bounds.brokers or bounds.owner > bounds.brokers - bounds.newcomers:
        yield f"newcomers refused: {bounds.newcomers}; of {bounds.brokers} brokers one leads, and an owner is there"
    if bounds.newcomers and bounds.restarts < bounds.crashes:
        yield f"restarts refused: {bounds.restarts}; with newcomers which of the starts is another one is not counted"
    if bounds.slow_starts and not used(bounds, "newcomers crashes"):
        yield f"slow_starts refused: {bounds.slow_starts}; without newcomers or crashes nobody starts"


def roles(bounds: Any) -> Iterator[str]:
    if bounds.channel_host and used(bounds, "compactions crashes shutdowns"):
        yield "channel_host refused: with crashes, shutdowns or compactions the leader is the host"
    current = bounds.brokers - bounds.old_managers
    if bounds.old_managers and (used(bounds, NO_LOCKS) or current < 1 or bounds.owner > current):
        yield f"old_managers refused: {bounds.old_managers}; they go with assigns alone, not all brokers"


def commands(bounds: Any) -> Iterator[str]:
    if bounds.operators and (bounds.in_store or used(bounds, COMMANDS_ALONE)):
        yield (
            f"operators refused: {bounds.operators}; they wait with commands alone, on the system topic"
            f" ({COMMANDS_ALONE}: 0)"
        )
    if bounds.late_callbacks and not used(bounds, "lookups operators"):
        yield f"late_callbacks refused: {bounds.late_callbacks}; without lookups or operators nobody waits"
    if bounds.sequence_ids and used(bounds, "in_store crashes shutdowns"):
        yield "sequence_ids refused: only a topic has them, and a process that ends loses its own"


def recovery(bounds: Any) -> Iterator[str]:
    if bounds.refused > bounds.brokers or (bounds.refused and used(bounds, NO_REFUSAL)):
        yield f"refused refused: {bounds.refused}; it is a broker, and goes without {NO_REFUSAL}"
    if bounds.recreations and (not bounds.splits or bounds.nested_splits or bounds.crashes):
        yield f"recreations refused: {bounds.recreations}; they need splits, not nested, and no crashes"


def syncer(bounds: Any) -> Iterator[str]:
    if not bounds.synced:
        return
    if bounds.tombstones and (bounds.assigns or bounds.syncs):
        yield "synced refused: tombstones with assigns or syncs; a copied deletion is sent back there"
    others = used(bounds, NO_COPIES)
    if others or bounds.in_store or bounds.speaks_dialect:
        yield f"synced refused: {bounds.synced}; it goes with commands alone, not {', '.join(others)}"
    if bounds.synced >= bounds.brokers:
        yield f"synced refused: {bounds.synced}; of {bounds.brokers} brokers some use the topic"


def dialects(bounds: Any) -> Iterator[str]:
    if not bounds.speaks_dialect:
        if bounds.upgraded:
            yield "upgraded refused: every broker speaks the protocol of the releases; set dialect too"
        return
    dialect = bounds.dialect
    if bounds.in_store or used(bounds, NO_DIALECT):
        yield f"dialect refused: {dialect}; it goes with assigns, unloads and transfers on the system topic only"
    if bounds.splits and (dialect != Dialect.PIP_192 or used(bounds, "nested_splits recreations upgraded")):
        yield f"dialect refused: {dialect}; splits go with pip-192 only, neither nested nor recreated"
    if dialect == Dialect.GENERATION_0 and bounds.unloads:
        yield (
            f"unloads refused: {bounds.unloads}; in the dialect {dialect} an unload is an empty message, which"
            " is not modelled yet"
        )
    if dialect != Dialect.GENERATION_1 and bounds.upgraded:
        yield f"upgraded refused: {bounds.upgraded}; the dialect {dialect} has no versions"
    if bounds.upgraded > bounds.brokers:
        yield f"upgraded refused: {bounds.upgraded}; there are {bounds.brokers} brokers"
