"""``facts_of`` reads the settings of the load balancer in a release."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from oneowner.checkers.documents import read_document, suggestion
from oneowner.checkers.places import PACKAGE
from oneowner.checkers.verdict import Misuse
from oneowner.spec.settings.conf import Facts, Setting

OURS: Final = ("loadBalance", "loadManager")
"""Prefixes of the names of settings of the load balancer."""
FILE: Final = PACKAGE / "spec" / "settings" / "settings.yaml"


@cache
def _file() -> Mapping[str, Any]:
    data: Mapping[str, Any] = read_document(FILE).data
    return data


def releases() -> list[str]:
    """Return the releases of which the settings were read, from the oldest."""
    return list(_file()["releases"])


@cache
def facts_of(release: str) -> Facts:
    """Return the settings of a release; raise Misuse if it was not read."""
    known = releases()
    if release not in known:
        raise Misuse(f"settings are not modelled for {release}; {suggestion(release, known)}")
    upto = known[: known.index(release) + 1]

    def at(by_release: Mapping[str, Any]) -> Any:
        return next((by_release[one] for one in reversed(upto) if one in by_release), None)

    settings = {
        key: Setting(at(told["type"]), at(told["default"]), tuple(at(told["read_by"]) or ()))
        for key, told in _file()["keys"].items()
        if at(told["type"]) is not None
    }
    return Facts(release, settings, {role: tuple(at(told) or ()) for role, told in _file()["classes"].items()})


@cache
def _names() -> frozenset[str]:
    return frozenset(_file()["keys"])


def is_setting(key: str) -> bool:
    """Return whether a key is that of a setting of the load balancer in any release, or is named like one."""
    return key in _names() or key.startswith(OURS)
