"""
``check_combination`` refuses bounds that have no effect without others, or that are not modelled with them.

Most of that is declared with each bound, beside its mechanism; the conditions on numbers, storages and dialects stand
here. Other bounds are named, and so are properties of ``Bounds`` (``in_store``, ``speaks_dialect``).
"""

from collections.abc import Iterator
from typing import Any

from oneowner.model.channel.rules import Dialect
from oneowner.model.kernel.bounds import MechanismBound

__traced__ = False  # bounds are refused before any state exists

PROPERTIES = {"in_store": "the metadata store", "speaks_dialect": "a dialect"}
"""The names that are no bounds, in words."""

NO_DIALECT = "crashes expiries outages removals lookups shutdowns compactions pauses flight_timer slow_closes"


def check_combination(bounds: Any) -> None:
    """Raise ValueError, with one line, for bounds that do not go together."""
    chosen = [one for one in bounds.of_mechanisms() if getattr(bounds, one.name)]
    for part in (needs(bounds, chosen), apart(bounds, chosen), clashes(bounds, chosen)):
        for words in part:
            raise ValueError(words)
    for check in (sizes, storages, starts, roles, syncer, dialects):
        for words in check(bounds):
            raise ValueError(words)


def needs(bounds: Any, chosen: list[MechanismBound]) -> Iterator[str]:
    """Refuse a bound without those that it needs: ``outages refused: 1; they are modelled with ..``."""
    for one in chosen:
        for names, why in one.needs.items():
            if not all(used(bounds, either.replace("|", " ")) for either in names.split()):
                yield f"{one.name} refused: {getattr(bounds, one.name)}; {why}"


def apart(bounds: Any, chosen: list[MechanismBound]) -> Iterator[str]:
    """Refuse a bound with those that it is not modelled with: ``listeners refused: with splits; not modelled yet``."""
    for one in chosen:
        for names, why in one.apart.items():
            if used(bounds, names):
                yield f"{one.name} refused: with {listed(names)}; {why}"


def clashes(bounds: Any, chosen: list[MechanismBound]) -> Iterator[str]:
    """Refuse two bounds of which neither is to blame: ``bounds refused: crashes with beliefs; roles of ..``."""
    for one in chosen:
        for names, why in one.clashes.items():
            if used(bounds, names):
                yield f"bounds refused: {one.name} with {listed(names)}; {why}"


def used(bounds: Any, names: str) -> list[str]:
    """Return which of some names *bounds* set."""
    return [name for name in names.split() if getattr(bounds, name)]


def listed(names: str) -> str:
    """Return names in words: ``splits, compactions or a dialect``."""
    *first, last = (PROPERTIES.get(name, name) for name in names.split())
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
    """Refuse numbers that the metadata store, or a compaction, has no use for."""
    if bounds.in_store and bounds.expiries and not bounds.safe_mode:
        yield (
            f"expiries refused: {bounds.expiries}; in the metadata store they need safe_mode: 1, because a view is"
            " emptied there when its broker hears that its session is lost"
        )
    if bounds.stale_resets and bounds.compactions != 2:
        yield (
            f"stale_resets refused: with {bounds.compactions} compactions; two are needed, and before the first of them"
            " the cursor had no properties"
        )
    if bounds.compactions and bounds.owner and bounds.units > 1:
        yield (
            "bounds refused: compactions of several units with an owner at the start; what such a unit was assigned"
            " by lies before the log, and none of it is kept"
        )


def starts(bounds: Any) -> Iterator[str]:
    if bounds.newcomers >= bounds.brokers or bounds.owner > bounds.brokers - bounds.newcomers:
        yield f"newcomers refused: {bounds.newcomers}; of {bounds.brokers} brokers one leads, and an owner is there"
    is_limited = bounds.restarts < bounds.crashes
    if bounds.newcomers and is_limited:
        yield f"restarts refused: {bounds.restarts}; with newcomers which of the starts is another one is not counted"
    if bounds.shutdowns and bounds.restarts and is_limited:
        yield f"restarts refused: {bounds.restarts}; with shutdowns which broker had crashed is not counted"


def roles(bounds: Any) -> Iterator[str]:
    current = bounds.brokers - bounds.old_managers
    if bounds.old_managers and (current < 1 or bounds.owner > current):
        yield f"old_managers refused: {bounds.old_managers}; of {bounds.brokers} brokers one is current, so is an owner"
    if bounds.refused > bounds.brokers:
        yield f"refused refused: {bounds.refused}; there are {bounds.brokers} brokers"


def syncer(bounds: Any) -> Iterator[str]:
    if bounds.synced and bounds.tombstones and (bounds.assigns or bounds.syncs):
        yield "synced refused: tombstones with assigns or syncs; a copied deletion is sent back there"
    if bounds.synced and bounds.synced >= bounds.brokers:
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
