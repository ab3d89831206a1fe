"""Settings that go, come, or have another default; laws of settings that a file newly breaks."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.settings.forms import read_settings
from oneowner.checkers.settings.lint import CLASSES, KNOWN, lint
from oneowner.checkers.settings.properties import Property
from oneowner.checkers.upgrade.upgrade_item import Area, UpgradeItem, Weight
from oneowner.spec.settings.conf import Conf, Facts, Setting, manager, placement, refusal, shedder, short
from oneowner.spec.settings.starting import in_use

CONFIGURATION: Final = "ServiceConfiguration"
UPSTREAM: Final = {
    ("loadBalancerLoadSheddingStrategy", "impl.AvgShedder"): "apache/pulsar#26609",
    ("loadBalancerLoadPlacementStrategy", "impl.AvgShedder"): "apache/pulsar#26609",
    ("defaultNumberOfNamespaceBundles", "32"): "apache/pulsar#26610",
    ("defaultNumberOfSystemNamespaceBundles", "64"): "apache/pulsar#26610",
}
"""The pull requests that gave settings their defaults."""
OF_MODULAR: Final = ("loadBalancerLoadSheddingStrategy", "loadBalancerLoadPlacementStrategy")
"""Settings of which the default names a class of the modular load manager; the extensible one has its own."""
HARMLESS: Final = ("changed-setting-is-read", "debug-changes-nothing")
"""Laws that a setting breaks without effect."""


class SettingsFile(NamedTuple):
    """The settings of a file, by name."""

    path: Path
    properties: Mapping[str, Property]

    def conf(self, facts: Facts) -> Conf:
        """Return the settings as a release reads them."""
        return Conf(facts, {key: one.value for key, one in self.properties.items()})

    def where(self, key: str) -> str:
        return f"{self.path}:{self.properties[key].line}"


def settings_file(path: Path) -> SettingsFile:
    """Read a file; the settings of several places in it count together, the last one of a name."""
    return SettingsFile(path, {one.key: one for place in read_settings(path) for one in place.properties})


def setting_changes(
    before: Facts, after: Facts, old: SettingsFile | None, new: SettingsFile | None
) -> Iterator[UpgradeItem]:
    """
    Yield the changes of settings between two releases.

    They are those for a broker with the settings of the *old* file before and of the *new* one after, if given.
    """
    here = Conf(after, {}) if new is None else new.conf(after)
    for key in sorted({*before.settings, *after.settings}, key=lambda one: (one not in CLASSES, one.lower())):
        was, now = before.settings.get(key), after.settings.get(key)
        told = new if new is not None and key in new.properties else None
        if was is None and now is not None:
            yield from _new(key, now, after.release, told)
        elif now is None and was is not None:
            yield from _gone(key, was, after.release, told)
        elif was is not None and now is not None:
            left_out = old.properties[key].value.strip() if old is not None and key in old.properties else ""
            yield from _changed(key, was._replace(default=left_out or was.default), now, here, told)
    if old is not None and new is not None:
        yield from _newly_broken(old, before.release, new, after.release)


def _new(key: str, now: Setting, release: str, file: SettingsFile | None) -> Iterator[UpgradeItem]:
    if file is not None:
        value = file.properties[key].value
        words = f"{key}={value} of your file takes effect: it is new in {release}"
        yield UpgradeItem(Area.SETTINGS, Weight.MIND, words, "", file.where(key))
    else:
        words = f"new: {key}={now.default or '(empty)'}"
        yield UpgradeItem(Area.SETTINGS, Weight.NOTE, words, "", _source(key, now.default))


def _gone(key: str, was: Setting, release: str, file: SettingsFile | None) -> Iterator[UpgradeItem]:
    if file is None:
        yield UpgradeItem(Area.SETTINGS, Weight.NOTE, f"gone: {key} (default {was.default})", "", CONFIGURATION)
        return
    value = file.properties[key].value
    words = f"{key}={value} of your file has no effect: {release} has no such setting"
    yield UpgradeItem(Area.SETTINGS, Weight.ACT, words, f"remove {key}, and set what replaces it", file.where(key))


def _changed(key: str, was: Setting, now: Setting, here: Conf, file: SettingsFile | None) -> Iterator[UpgradeItem]:
    if file is not None:
        value, why = file.properties[key].value, refusal(now.kind, file.properties[key].value.strip())
        if value.strip() and why is not None and refusal(was.kind, value.strip()) is None:
            words = f"{key}={value} of your file is no longer read: {why}"
            yield UpgradeItem(Area.SETTINGS, Weight.ACT, words, f"set {key} to a value of {now.kind}", file.where(key))
        return  # the file decides, whatever the default
    if was.default == now.default:
        return
    is_read = any(in_use(here, reader) for reader in now.read_by)
    if key in OF_MODULAR:
        is_read = manager(here) in ("modular", "") and short(now.default) in (placement(here), shedder(here))
    words = f"{key}, which you do not set: {_short(was.default)} before, {_short(now.default)} after"
    unread = "" if is_read else "; your settings do not use it"
    weight = Weight.MIND if is_read else Weight.NOTE
    keep = f"set {key}={was.default} to keep it" if is_read else ""
    yield UpgradeItem(Area.SETTINGS, weight, words + unread, keep, _source(key, now.default))


def _source(key: str, default: str) -> str:
    upstream = UPSTREAM.get((key, short(default)))
    return f"{upstream}; {CONFIGURATION}" if upstream else CONFIGURATION


def _short(text: str) -> str:
    """Return a value without the package of a class."""
    return text.rpartition(".")[2] if text.startswith("org.apache.pulsar.") else text or "(empty)"


def _newly_broken(old: SettingsFile, before: str, new: SettingsFile, after: str) -> Iterator[UpgradeItem]:
    """Yield the findings of ``lint`` that only the new file in the later release has, and those that are gone."""
    was, now = (
        {(found["law"], found["why"]): found for place in lint(file.path, release) for found in place.findings}
        for file, release in ((old, before), (new, after))
    )
    laws = {law for law, _ in was}, {law for law, _ in now}
    for (law, why), found in now.items():
        if law not in (*laws[0], KNOWN):  # a setting that is gone is an item of its own
            weight = Weight.NOTE if law in HARMLESS else Weight.ACT
            words = f"{law}: {why} (lint of {after})"
            yield UpgradeItem(Area.SETTINGS, weight, words, found["repair"], _place(found))
    for (law, why), found in was.items():
        if law not in (*laws[1], KNOWN):
            words = f"{law}, a finding of {before}, is none of {after}: {why}"
            yield UpgradeItem(Area.SETTINGS, Weight.NOTE, words, "", _place(found))


def _place(found: Mapping[str, Any]) -> str:
    return f"{found['at']['file']}:{found['at']['line']}"
