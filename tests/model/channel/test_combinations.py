"""Bounds that are refused: those without meaning alone, and combinations that are not modelled."""

from typing import Any

import pytest

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Dialect, Storage
from oneowner.model.kernel.bounds import MechanismBound

STORE = Storage.METADATA_STORE
PIP, GENERATION_0, GENERATION_1 = Dialect.PIP_192, Dialect.GENERATION_0, Dialect.GENERATION_1
ALONE = "dialect refused: generation-1; it goes with assigns, unloads and transfers"
SPLITS = "dialect refused: generation-1; splits go with pip-192 only, neither nested nor recreated"
THREE = "splits refused: 1; a parent and two children are 3 units"

REFUSED: list[tuple[dict[str, Any], str]] = [
    # Single numbers.
    ({"brokers": 0}, "brokers refused: 0; at least 1 is needed"),
    ({"units": 0}, "units refused: 0; at least 1 is needed"),
    ({"window": 0}, "window refused: 0; at least 1 is needed"),
    ({"pending": 0}, "pending refused: 0; at least 1 is needed"),
    ({"versions": 0}, "versions refused: 0; at least 1 is needed"),
    ({"owner": -1}, "owner refused: -1; 0 is the least"),
    ({"closings": -1}, "closings refused: -1; 0 is the least"),
    ({"assigns": -1}, "assigns refused: -1; 0 is the least"),
    ({"crashes": -1}, "crashes refused: -1; 0 is the least"),
    ({"compactions": -1}, "compactions refused: -1; 0 is the least"),
    ({"pauses": -1}, "pauses refused: -1; 0 is the least"),
    ({"channel_host": 2}, "channel_host refused: 2; 0 or 1 is allowed"),
    ({"safe_mode": 2}, "safe_mode refused: 2; 0 or 1 is allowed"),
    # What says nothing without others.
    ({"outages": 1}, "outages refused: 1; they are modelled with safe_mode: 1 only"),
    ({"failed_starts": 1}, "failed_starts refused: 1; only a broker that crashed starts"),
    ({"slow_starts": 1}, "slow_starts refused: 1; without newcomers or crashes nobody starts"),
    ({"newcomers": 2}, "newcomers refused: 2; of 2 brokers one leads, and an owner is there"),
    ({"newcomers": 1, "owner": 2}, "newcomers refused: 1; of 2 brokers one leads, and an owner is there"),
    ({"newcomers": 1, "crashes": 1, "restarts": 0}, "restarts refused: 0; with newcomers which of the starts"),
    ({"newcomers": 1, "pauses": 1}, "newcomers refused: with the metadata store, synced, a dialect, outages"),
    ({"shutdowns": 1, "crashes": 2, "restarts": 1}, "restarts refused: 1; with shutdowns which broker had crashed"),
    ({"last_stops": 1}, "last_stops refused: 1; without shutdowns nobody is told to"),
    ({"short_flushes": 1}, "short_flushes refused: 1; without shutdowns nobody unregisters"),
    ({"slow_starts": 1, "crashes": 1, "pauses": 1}, "slow_starts refused: with the metadata store, synced, a dialect"),
    ({"newcomers": 1, "old_managers": 1}, "old_managers refused: with newcomers, crashes, expiries"),
    ({"load_topics": 1}, "load_topics refused: 1; who opens and closes them is a matter of roles"),
    ({"late_callbacks": 1}, "late_callbacks refused: 1; without lookups or operators nobody waits"),
    ({"channel_losses": 1}, "channel_losses refused: 1; without channel_host"),
    ({"synced": 0, "syncs": 1, "owner": 1, "unloads": 2}, "syncs refused: 1; without synced there is no syncer"),
    ({"synced": 1, "syncer_gaps": 1, "owner": 1}, "syncer_gaps refused: 1; without syncs no syncer starts"),
    ({"trims": 1}, "trims refused: 1; without compactions nothing is kept"),
    ({"failed_writes": 1}, "failed_writes refused: 1; without compactions nothing is kept"),
    ({"early_flushes": 1}, "early_flushes refused: 1; nobody is cleaned up after"),
    ({"failed_flushes": 1}, "failed_flushes refused: 1; nobody is cleaned up after"),
    ({"failed_closes": 1}, "failed_closes refused: 1; without compactions nothing is kept"),
    ({"lost_cursors": 1, "compactions": 1}, "lost_cursors refused: 1; a cursor that was saved is read by the next"),
    ({"early_acks": 1, "compactions": 1}, "early_acks refused: 1; what is read stays in the log"),
    ({"stale_resets": 1, "compactions": 3}, "stale_resets refused: with 3 compactions; two are needed"),
    # Room: for an owner, for a split, for two publishes, for versions that wrap.
    ({"owner": 3}, "owner refused: 3; there are 2 brokers"),
    ({"versions": 1, "owner": 1}, "versions refused: 1; a unit that is owned at the start has version 2"),
    ({"splits": 1}, THREE),
    ({"splits": 1, "units": 3}, THREE),
    ({"splits": 1, "nested_splits": 1, "units": 3, "pending": 2}, THREE),
    ({"other_splits": 1}, "other_splits refused: 1; without splits"),
    ({"failed_splits": 1}, "failed_splits refused: 1; only boundaries that another split changes are stale"),
    ({"nested_splits": 1}, "nested_splits refused: 1; without splits"),
    ({"overtakes": 1}, "overtakes refused: 1; two publishes have to be under way"),
    ({"wraps": 2, "owner": 1, "unloads": 2, "versions": 5}, "wraps refused: 2; 0 or 1 is allowed"),
    ({"wraps": 1, "versions": 2}, "wraps refused: 1; versions: 3 or more are needed"),
    ({"wraps": 1, "owner": 1, "unloads": 2, "versions": 2}, "wraps refused: 1; versions: 3 or more are needed"),
    ({"wraps": 1, "owner": 1, "unloads": 2, "lookups": 1}, "wraps refused: 1; versions: 3 or more are needed"),
    ({"lookups": 1, "units": 2}, "bounds refused: lookups of several units"),
    # What only one of the storages has.
    ({"storage": STORE, "compactions": 1}, "bounds refused: compactions with the metadata store; only a topic"),
    ({"storage": STORE, "overtakes": 1, "pending": 2}, "overtakes refused: with the metadata store; on the topic"),
    ({"storage": STORE, "expiries": 1}, "expiries refused: 1; in the metadata store they need safe_mode: 1"),
    ({"storage": STORE, "crashes": 1, "failed_flushes": 1}, "bounds refused: failed_flushes with the metadata"),
    ({"storage": STORE, "pauses": 1}, "bounds refused: pauses with the metadata store"),
    ({"storage": STORE, "listeners": 1}, "listeners refused: with the metadata store, shutdowns or splits"),
    ({"storage": STORE, "dialect": PIP}, "dialect refused: pip-192; it goes with assigns, unloads and transfers"),
    # What is not modelled together.
    ({"listeners": 1, "shutdowns": 1}, "listeners refused: with the metadata store, shutdowns or splits"),
    ({"beliefs": 1, "crashes": 1}, "bounds refused: crashes with beliefs"),
    ({"multi_phase": 1, "splits": 1, "units": 3, "pending": 2, "owner": 1}, "bounds refused: multi_phase with splits"),
    ({"multi_phase": 1, "compactions": 1, "owner": 1}, "bounds refused: multi_phase with splits"),
    ({"slow_closes": 1, "splits": 1, "units": 3, "pending": 2}, "slow_closes refused: with splits"),
    ({"split_time_outs": 1, "flight_timer": 1}, "split_time_outs refused: 1; only the leader's monitor finds"),
    ({"channel_host": 1, "compactions": 1}, "channel_host refused: with crashes, shutdowns or compactions"),
    ({"channel_host": 1, "crashes": 1}, "channel_host refused: with crashes, shutdowns or compactions"),
    ({"leader_caches": 1, "beliefs": 1}, "leader_caches refused: with beliefs, crashes or shutdowns"),
    ({"sheddings": 1, "shutdowns": 1}, "sheddings refused: with shutdowns, pauses or splits"),
    ({"role_races": 1, "crashes": 1, "storage": STORE}, "role_races refused: with the metadata store"),
    ({"role_races": 1, "expiries": 1, "beliefs": 1}, "role_races refused: with beliefs; roles are played in steps"),
    ({"role_races": 1}, "role_races refused: 1; without elections no role changes"),
    ({"migrations": 1, "beliefs": 1}, "migrations refused: with beliefs"),
    ({"migrations": 1, "crashes": 1}, "migrations refused: with beliefs"),
    ({"operators": 1, "crashes": 1, "owner": 1}, "operators refused: with the metadata store, crashes"),
    ({"refused": 1, "compactions": 1}, "refused refused: with transfers, lookups, shutdowns"),
    ({"refused": 3}, "refused refused: 3; there are 2 brokers"),
    ({"old_managers": 1, "crashes": 1}, "old_managers refused: with newcomers, crashes, expiries"),
    ({"old_managers": 2}, "old_managers refused: 2; of 2 brokers one is current"),
    ({"synced": 2}, "synced refused: 2; of 2 brokers some use the topic"),
    ({"synced": 1, "crashes": 1}, "synced refused: with crashes, expiries"),
    ({"synced": 1, "pauses": 1}, "synced refused: with crashes, expiries"),
    ({"synced": 1, "tombstones": 1, "assigns": 1}, "synced refused: tombstones with assigns or syncs"),
    # What a unit was assigned by before the log begins would be lost by any compaction, and is not in Pulsar.
    ({"units": 2, "owner": 1, "compactions": 1}, "bounds refused: compactions of several units with an owner"),
    # What a dialect does not say.
    ({"dialect": PIP, "crashes": 1}, "dialect refused: pip-192; it goes with assigns, unloads and transfers"),
    ({"dialect": GENERATION_0, "unloads": 1}, "unloads refused: 1; in the dialect generation-0"),
    ({"dialect": GENERATION_1, "crashes": 1}, ALONE),
    ({"dialect": GENERATION_1, "lookups": 1}, ALONE),
    ({"dialect": GENERATION_1, "shutdowns": 1}, ALONE),
    ({"dialect": GENERATION_1, "compactions": 1}, ALONE),
    ({"dialect": GENERATION_1, "splits": 1, "units": 3, "pending": 2}, SPLITS),
    ({"dialect": PIP, "splits": 1, "nested_splits": 1, "units": 5, "pending": 2}, SPLITS.replace("generation-1", PIP)),
    ({"dialect": PIP, "upgraded": 1}, "upgraded refused: 1; the dialect pip-192 has no versions"),
    ({"upgraded": 1}, "upgraded refused: every broker speaks the protocol of the releases"),
    ({"dialect": GENERATION_1, "upgraded": 3}, "upgraded refused: 3; there are 2 brokers"),
]


@pytest.mark.parametrize(("bounds", "words"), REFUSED, ids=[" ".join(map(str, bounds)) for bounds, _ in REFUSED])
def test_bounds_refuse_what_is_not_modelled_and_say_why(bounds: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as refused:  # its words are looked at
        Bounds(**bounds)
    assert str(refused.value).startswith(words)


def test_bounds_allow_compactions_of_several_units_that_nobody_owns_at_the_start() -> None:
    assert Bounds(units=2, compactions=1).units == 2


@pytest.mark.parametrize("bound", Bounds.of_mechanisms(), ids=lambda bound: bound.name)
def test_bound_names_only_bounds_that_exist(bound: MechanismBound) -> None:
    others = " ".join((*bound.needs, *bound.apart, *bound.clashes)).replace("|", " ").split()
    assert bound.name not in others
    assert [name for name in others if not hasattr(Bounds, name)] == []
