"""Defects that one of two releases has alone."""

from typing import Final, NamedTuple

from oneowner.checkers.catalogue.affected import affected_releases, releases_of
from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.upgrade.upgrade_item import Area, UpgradeItem, Weight
from oneowner.model.kernel.releases import nearest
from oneowner.model.pulsar.releases import DEFAULT_RELEASE

BY_MANAGER: Final = {
    "channel": "extensible", "load_data": "extensible", "lock_manager": "modular", "locks": "modular",
    "closed_loop": "modular",
}  # fmt: skip
"""The load manager that a system models; the others concern both."""


class BugChanges(NamedTuple):
    """The defects of two releases."""

    items: tuple[UpgradeItem, ...]
    """Those that come, then those that go."""
    kept: tuple[str, ...]
    """The names of those that both have."""


def bug_changes(before: str, after: str, managers: tuple[str, str]) -> BugChanges:
    """
    Return the defects of two releases, with the load *managers* before and after; "" is any.

    A release that a system does not model is taken to be as the nearest older one.
    """
    come, gone, kept = list[UpgradeItem](), list[UpgradeItem](), list[str]()
    for fault in defects().values():
        of = releases_of(fault)
        if DEFAULT_RELEASE not in of:
            continue  # another product
        affected = set(affected_releases(fault))
        had, has = (
            nearest(name, of) in affected and manager in ("", BY_MANAGER.get(fault.system, manager))
            for name, manager in zip((before, after), managers, strict=True)
        )
        source = f"{fault.upstream or 'no report'}; {fault.name}"
        if had and has:
            kept.append(fault.name)
        elif had:
            gone.append(UpgradeItem(Area.BUGS, Weight.NOTE, f"goes: {fault.title}", "", source))
        elif has:
            todo = f"read `oneowner faults {fault.name}`"
            come.append(UpgradeItem(Area.BUGS, Weight.ACT, f"comes: {fault.title}", todo, source))
    return BugChanges((*come, *gone), tuple(kept))
