"""Defects that one of two releases has alone."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from oneowner.checkers.bugs.known_bugs import known_bugs
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

DEFAULT_MANAGER: Final = "modular"
"""That of every release, where no setting names another."""


class BugChanges(NamedTuple):
    """The defects of two releases."""

    items: tuple[UpgradeItem, ...]
    """Those that come, then those that go."""
    kept: tuple[str, ...]
    """The names of those that both have."""


class Presence(NamedTuple):
    """A defect, and whether each of two releases has it."""

    name: str
    title: str
    upstream: str
    manager: str
    """The load manager that has it; empty: any, or unknown."""
    before: bool
    after: bool


def bug_changes(before: str, after: str, managers: tuple[str, str]) -> BugChanges:
    """Return the defects of two releases, with the load *managers* before and after; "" is any."""
    come, gone, kept = list[UpgradeItem](), list[UpgradeItem](), list[str]()
    for one in (*_modelled(before, after, managers), *_stated(before, after)):
        source = f"{one.upstream or 'no report'}; {one.name}"
        if one.before and one.after:
            kept.append(one.name)
        elif one.before:
            gone.append(UpgradeItem(Area.BUGS, Weight.NOTE, f"goes: {one.title}", "", source))
        elif one.after:
            verb = "bugs" if one.name in known_bugs() else "faults"
            is_sure = one.manager in ("", *(managers if managers[1] else (DEFAULT_MANAGER,)))
            words = f"comes: {one.title}" if is_sure else f"comes with the {one.manager} load manager: {one.title}"
            come.append(UpgradeItem(Area.BUGS, Weight.MIND, words, f"read `oneowner {verb} {one.name}`", source))
    return BugChanges((*come, *gone), tuple(kept))


def _modelled(before: str, after: str, managers: tuple[str, str]) -> Iterator[Presence]:
    """Yield the defects that the model has; a release that a system does not model is as the nearest older one."""
    for fault in defects().values():
        of = releases_of(fault)
        if DEFAULT_RELEASE not in of:
            continue  # another product
        affected = set(affected_releases(fault))
        had, has = (
            nearest(name, of) in affected and manager in ("", BY_MANAGER.get(fault.system, manager))
            for name, manager in zip((before, after), managers, strict=True)
        )
        yield Presence(fault.name, fault.title, fault.upstream, BY_MANAGER.get(fault.system, ""), had, has)


def _stated(before: str, after: str) -> Iterator[Presence]:
    """Yield the defects that no model has, whose files state their releases."""
    for bug in known_bugs().values():
        had, has = bug.affects(before), bug.affects(after)
        if bug.stated is not None and bug.name not in defects() and had is not None and has is not None:
            yield Presence(bug.name, bug.title, bug.upstream, "", had, has)
