"""Conflicts between brokers of two releases in one cluster: load managers, storage of the channel."""

from collections.abc import Iterator
from typing import Final

from oneowner.checkers.upgrade.upgrade_item import Area, UpgradeItem, Weight
from oneowner.model.kernel.releases import nearest
from oneowner.spec.settings.conf import PULSAR, Conf, Facts, manager
from oneowner.spec.systems import systems

MANAGER: Final = "loadManagerClassName"
MIGRATION: Final = "loadManagerMigrationEnabled"
"""Since 5.0 a broker redirects lookups to the newest load manager only with this setting."""
STORAGE: Final = "loadManagerServiceUnitStateTableViewClassName"
SYNCER: Final = "loadBalancerServiceUnitTableViewSyncer"
STORAGES: Final = {"ServiceUnitStateTableViewImpl": "topic", "ServiceUnitStateMetadataStoreTableViewImpl": "nodes"}
SYNCERS: Final = {
    ("topic", "nodes"): "SystemTopicToMetadataStoreSyncer", ("nodes", "topic"): "MetadataStoreToSystemTopicSyncer",
}  # fmt: skip
WORDS: Final = {"topic": "the system topic", "nodes": "the metadata store"}


def together(before: Conf, after: Conf) -> Iterator[UpgradeItem]:
    """Yield what keeps brokers before and after the upgrade from serving one cluster, or that nothing does."""
    was, now = manager(before), manager(after)
    found: list[UpgradeItem] = []
    if not was or not now:
        release = (before if not was else after).facts.release
        words = f"the load manager of {release} is not one of Pulsar's: nothing is known"
        found.append(_item(Weight.MIND, words, "", "loadManagerClassName"))
    elif was != now:
        found += _managers(before, after, was, now)
    elif was == "extensible":
        found += _storages(before, after)
    yield from found
    if not any(one.weight == Weight.ACT for one in found):
        release, other = before.facts.release, after.facts.release
        words = f"brokers of {release} and {other} may run together, as far as their load managers are known ({now})"
        yield _item(Weight.NOTE, words, "", "oneowner/model/channel/locks.py")


def switches(before: Facts, after: Facts) -> Iterator[UpgradeItem]:
    """Yield what would be due if the load manager, or the storage of the channel, were changed in the same roll."""
    extensible = {MANAGER: f"{PULSAR}broker.loadbalance.extensions.ExtensibleLoadManagerImpl"}
    old, new = Conf(before, extensible), Conf(after, extensible)
    if manager(new) == "extensible":
        for one in _managers(Conf(before, {}), new, "modular", "extensible"):
            yield one._replace(weight=Weight.NOTE, what=f"with another load manager in the same roll: {one.what}")
    if old.has(STORAGE) or new.has(STORAGE):
        for one in _storages(old, new.with_values({STORAGE: "ServiceUnitStateMetadataStoreTableViewImpl"})):
            yield one._replace(weight=Weight.NOTE, what=f"with another storage in the same roll: {one.what}")


def _managers(before: Conf, after: Conf, was: str, now: str) -> Iterator[UpgradeItem]:
    mixed = f"while you roll, brokers have two load managers, {was} and {now}"
    lacking = [conf.facts.release for conf in (before, after) if not _redirects(conf.facts.release)]
    if "simple" in (was, now) or "none" in (was, now) or lacking:
        why = f"{' and '.join(lacking)} does not redirect lookups" if lacking else "they do not redirect lookups"
        words = f"{mixed}; {why}, so two brokers may own a bundle"
        todo = "stop all brokers, and start them with the new load manager"
        yield _item(Weight.ACT, words, todo, "apache/pulsar#19999, #20058; mixed_manager_no_redirect")
        return
    off = [conf.facts.release for conf in (before, after) if conf.has(MIGRATION) and not conf.flag(MIGRATION)]
    if off:
        words = (
            f"{mixed}; {' and '.join(off)} redirects lookups only with {MIGRATION}=true, and else two may own a bundle"
        )
        yield _item(
            Weight.ACT, words, f"set {MIGRATION}=true until the roll is over", "RedirectManagerForLoadManagerMigration"
        )
        return
    words = f"{mixed}: lookups are redirected to the manager of the broker that started last"
    todo = "roll without a break: brokers with the older manager get no new bundles"
    yield _item(Weight.MIND, words, todo, "RedirectManager; apache/pulsar#20058")


def _redirects(release: str) -> bool:
    channel = systems()["channel"]
    by = nearest(release, channel.releases)
    return by is not None and bool(channel.releases[by].managers_redirect)


def _storages(before: Conf, after: Conf) -> Iterator[UpgradeItem]:
    was, now = _storage(before), _storage(after)
    if was == now:
        return
    if not was or not now:
        conf = before if not was else after
        words = f"{STORAGE}={conf.text(STORAGE)}: the storage of the channel is not one of Pulsar's"
        yield _item(Weight.ACT, words, "ask its author", STORAGE)
        return
    syncer = SYNCERS[was, now]
    words = (
        f"the channel moves from {WORDS[was]} to {WORDS[now]}: brokers of one store do not read the other, and a bundle"
        " may get an owner in each"
    )
    lacks = " and ".join(conf.facts.release for conf in (before, after) if not conf.has(SYNCER))
    if lacks:
        todo = f"{lacks} has no syncer between the two: upgrade first, and then move the channel with {SYNCER}={syncer}"
    else:
        todo = f"set {SYNCER}={syncer} before you roll, and None when all brokers are new"
    yield _item(Weight.ACT, words, todo, "ServiceUnitStateTableViewSyncer; apache/pulsar#25946; syncer_gap_update")


def _storage(conf: Conf) -> str:
    """Return the storage of the channel: that of the setting, the topic where there is none; empty: unknown."""
    return STORAGES.get(conf.text(STORAGE).rpartition(".")[2], "") if conf.has(STORAGE) else "topic"


def _item(weight: Weight, what: str, todo: str, source: str) -> UpgradeItem:
    return UpgradeItem(Area.TOGETHER, weight, what, todo, source)
