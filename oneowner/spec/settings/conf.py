"""
``Conf`` is a release's reading of broker.conf, and ``SettingLaw`` a law of it.

A law that is broken names the settings, states the consequence, and gives a *witness*: the smallest input on which
the model of the release shows it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from oneowner.model.kernel.releases import before, since

PULSAR: Final = "org.apache.pulsar."
LOADBALANCE: Final = f"{PULSAR}broker.loadbalance."
WHOLE: Final = {"int": 31, "long": 63}
SYNCERS: Final = ("None", "MetadataStoreToSystemTopicSyncer", "SystemTopicToMetadataStoreSyncer")
HEX: Final = r"0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+"
JAVA_DOUBLE: Final = re.compile(rf"[+-]?(NaN|Infinity|({HEX}|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)[fFdD]?)", re.ASCII)


class Setting(NamedTuple):
    """A release's facts of a setting (``ServiceConfiguration``)."""

    kind: str
    """Its Java type."""
    default: str
    read_by: tuple[str, ...]
    """Classes, named without ``org.apache.pulsar.broker.loadbalance.``"""


class Facts(NamedTuple):
    """A release's facts of all settings of the load balancer."""

    release: str
    settings: Mapping[str, Setting]
    classes: Mapping[str, tuple[str, ...]]
    """By kind, such as ``shedder``."""


class Conf(NamedTuple):
    """The settings of a broker."""

    facts: Facts
    told: Mapping[str, str]
    """The value in the file."""

    def text(self, key: str) -> str:
        """Return a value as the broker takes it: an empty one, and one that does not parse, is the default."""
        setting, told = self.facts.settings[key], self.told.get(key, "").strip()
        return told if told and refusal(setting.kind, told) is None else setting.default

    def number(self, key: str) -> float:
        """Return a value as a number; of an empty option it is 0."""
        return number_of(self.text(key) or "0")

    def flag(self, key: str) -> bool:
        """Return a value as yes or no, as ``Boolean.valueOf`` does."""
        return self.text(key).lower() == "true"

    def has(self, *keys: str) -> bool:
        """Return whether the release has all these settings."""
        return all(key in self.facts.settings for key in keys)

    def changed(self) -> dict[str, str]:
        """Return the settings that are not as the release has them by default."""
        known = self.facts.settings
        return {key: self.text(key) for key in self.told if key in known and not self.is_default(key)}

    def is_default(self, key: str) -> bool:
        """Return whether a setting has the value that it has by default, however it is written."""
        kind, default, here = self.facts.settings[key].kind, self.facts.settings[key].default, self.text(key)
        if kind in (*WHOLE, "double"):
            return number_of(here) == number_of(default)
        return here.lower() == default.lower() if kind == "boolean" else here == default

    def with_values(self, values: Mapping[str, str]) -> Conf:
        """Return these settings with some changed."""
        return self._replace(told={**self.told, **values})

    def defaults(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the defaults of some settings, which repair what was changed."""
        return {key: self.facts.settings[key].default for key in keys}


class Broken(NamedTuple):
    """A law that these settings break."""

    keys: tuple[str, ...]
    """The settings that do it together, the culprit first."""
    follows: str
    """The consequence, in a sentence."""
    witness: str
    """The smallest input that shows it, and the model's decision for it."""
    repair: Mapping[str, str]
    """The settings to use instead; an empty value: leave it out."""


class SettingLaw(NamedTuple):
    """A condition on the settings of a broker."""

    name: str
    statement: str
    source: str
    """The class that makes it so."""
    applies: Callable[[Conf], bool]
    broken: Callable[[Conf], Iterable[Broken]]


def setting_law(
    source: str, applies: Callable[[Conf], bool]
) -> Callable[[Callable[[Conf], Iterable[Broken]]], SettingLaw]:
    """Make a law of a function that yields what breaks it; its name and its docstring are those of the law."""

    def declared(broken: Callable[[Conf], Iterable[Broken]]) -> SettingLaw:
        name, statement = broken.__name__.replace("_", "-"), " ".join((broken.__doc__ or "").split())
        return SettingLaw(name, statement, source, applies, broken)

    return declared


def refusal(kind: str, text: str) -> str | None:
    """
    Return why ``FieldParser`` cannot make a value of a text, None if it can.

    >>> refusal("int", "2147483648"), refusal("double", "0.5d"), refusal("boolean", "yes"), refusal("long", "1_000")
    ('it is no int', None, None, 'it is no long')
    """
    if kind in WHOLE:
        is_whole = re.fullmatch(r"[+-]?\d+", text, re.ASCII) is not None and len(text) < 40
        return None if is_whole and -(2 ** WHOLE[kind]) <= int(text) < 2 ** WHOLE[kind] else f"it is no {kind}"
    if "ouble" in kind:
        return None if JAVA_DOUBLE.fullmatch(text) else "it is no double"
    if kind.endswith("SyncerType"):
        return None if text in SYNCERS else f"it is one of {', '.join(SYNCERS)}"
    return None


def number_of(text: str) -> float:
    """
    Return a number as Java reads it.

    >>> number_of("0.5d"), number_of("NaN"), number_of("7"), number_of("-Infinity"), number_of("0x1p3")
    (0.5, nan, 7, -inf, 8.0)
    """
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if "x" in text.lower():
        return float.fromhex(text.rstrip("fFdD"))
    return float(text if text.endswith(("NaN", "Infinity")) else text.rstrip("fFdD"))


# ---- which classes are in use ----

MANAGERS: Final = {
    "impl.ModularLoadManagerImpl": "modular",
    "extensions.ExtensibleLoadManagerImpl": "extensible",
    "impl.SimpleLoadManagerImpl": "simple",
    "NoopLoadManager": "none",
}
TRANSFER: Final = "extensions.scheduler.TransferShedder"
SIMPLE_BY: Final = since("4.0.6", until="4.2.4")
"""Releases in which a manager that cannot be made is replaced by ``SimpleLoadManagerImpl``."""
OVERLOAD_BY: Final = before("4.0.6")
"""Releases in which a shedder that cannot be made is replaced by ``OverloadShedder``."""


FALLS_BACK: Final = since("5.0.0")
"""Releases in which AvgShedder, named for the placement alone, is replaced by LeastLongTermMessageRate (5.0.1)."""
AVG: Final = "impl.AvgShedder"
LEAST_RATE: Final = "impl.LeastLongTermMessageRate"


def short(name: str) -> str:
    """Return a class's name as the facts have it."""
    return name.removeprefix("org.apache.pulsar.broker.").removeprefix("loadbalance.")


def named(conf: Conf, key: str) -> str:
    """Return the class that a setting names; empty if the release has no such setting."""
    return short(conf.text(key)) if conf.has(key) else ""


def is_of(conf: Conf, name: str, *roles: str) -> bool:
    """Return whether a class of the release is of one of these kinds."""
    return any(name in conf.facts.classes.get(role, ()) for role in roles)


def no_such(conf: Conf, key: str, *roles: str) -> str:
    """Return that a setting names no class of the release, and the nearest one of these kinds; empty if it does."""
    known = {one for classes in conf.facts.classes.values() for one in classes}
    if named(conf, key) in known:
        return ""
    by_name = {one.rpartition(".")[2]: one for role in roles for one in conf.facts.classes.get(role, ())}
    near = difflib.get_close_matches(conf.text(key).rpartition(".")[2], by_name, 1)
    hint = (
        f"did you mean {LOADBALANCE}{by_name[near[0]]}?" if near else f"it has {', '.join(sorted(by_name)) or 'none'}"
    )
    return f"Pulsar {conf.facts.release} has no such class; {hint}"


def near_class(conf: Conf, key: str, role: str) -> str:
    """Return the whole name of the class of a kind whose name is nearest to that in a setting; empty: none is near."""
    words = no_such(conf, key, role)
    return words.rpartition("did you mean ")[2].rstrip("?") if "did you mean " in words else ""


def is_foreign(conf: Conf, key: str) -> bool:
    """Return whether a setting names a class that is none of Pulsar's, of which nothing is known."""
    return conf.has(key) and "." in conf.text(key) and not conf.text(key).startswith(PULSAR)


def manager(conf: Conf) -> str:
    """Return the load manager: modular, extensible, simple, none; empty for a class that is not known."""
    name = named(conf, "loadManagerClassName")
    return MANAGERS.get(name, "") if is_of(conf, name, "manager") else ""


def shedder(conf: Conf) -> str:
    """Return the class that sheds; empty if it is not known."""
    name = named(conf, "loadBalancerLoadSheddingStrategy")
    if manager(conf) == "extensible":
        is_own = is_foreign(conf, "loadBalancerLoadSheddingStrategy")
        return "" if is_own else TRANSFER
    if manager(conf) == "modular" and not is_of(conf, name, "shedder"):
        is_replaced = conf.facts.release in OVERLOAD_BY and not is_foreign(conf, "loadBalancerLoadSheddingStrategy")
        return "impl.OverloadShedder" if is_replaced else ""
    return name if manager(conf) == "modular" else ""


def placement(conf: Conf) -> str:
    """Return the class that places; empty if it is not known."""
    if manager(conf) == "extensible":
        return "extensions.strategy.LeastResourceUsageWithWeight"
    if not conf.has("loadBalancerLoadPlacementStrategy"):
        return LEAST_RATE
    name = named(conf, "loadBalancerLoadPlacementStrategy") if manager(conf) == "modular" else ""
    return LEAST_RATE if name == AVG != shedder(conf) and conf.facts.release in FALLS_BACK else name


def sheds(conf: Conf) -> bool:
    """Return whether bundles are unloaded at all."""
    return conf.flag("loadBalancerEnabled") and conf.flag("loadBalancerSheddingEnabled")
