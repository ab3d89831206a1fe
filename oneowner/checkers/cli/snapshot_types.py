"""The types of the parts of a snapshot: a value of another type is refused by file, line and key."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from oneowner.checkers.documents import Part
from oneowner.checkers.settings.facts import facts_of, releases
from oneowner.spec.settings.conf import refusal

Type = Callable[[Part], None]


def anything(part: Part) -> None:
    """Refuse nothing."""


def number(part: Part) -> None:
    """Refuse all but a number; YAML and JSON have numbers that are none, such as .nan."""
    if isinstance(part.data, bool) or not isinstance(part.data, int | float):
        raise part.refuse("it is a number")


def flag(part: Part) -> None:
    """Refuse all but true and false."""
    part.flag()


def text(part: Part) -> None:
    """Refuse all but a text."""
    part.text()


def or_nothing(kind: Type) -> Type:
    """Return the type of a part that may be null."""
    return lambda part: None if part.data is None else kind(part)


def many(kind: Type) -> Type:
    """Return the type of a list."""

    def check(part: Part) -> None:
        for one in part.items():
            kind(one)

    return check


def by_name(kind: Type) -> Type:
    """Return the type of a mapping of names."""

    def check(part: Part) -> None:
        for one in part.mapping().values():
            kind(one)

    return check


def either(first: Type, second: Type, is_first: Callable[[Any], bool]) -> Type:
    """Return one of two types, by the value."""
    return lambda part: first(part) if is_first(part.data) else second(part)


def row(kinds: Mapping[str, Type], *needed: str) -> Type:
    """Return the type of a mapping with these keys; others are no matter of its type."""

    def check(part: Part) -> None:
        parts = part.mapping()
        for key in needed:
            if key not in parts:
                raise part.complaint(f"the key {key} is missing in {part.name}")
        for key, one in parts.items():
            kinds.get(key, anything)(one)

    return check


def pair(part: Part) -> None:
    """Refuse all but the used and the total amount of a resource."""
    if len(part.items()) != 2:
        raise part.refuse("it is a pair: the used and the total amount")
    many(number)(part)


def weighed(part: Part) -> None:
    """Refuse all but a bundle's name, and its bytes in and out a second."""
    items = part.items()
    if len(items) != 3:
        raise part.refuse("it is a list of name, bytes in, bytes out")
    for one, kind in zip(items, (text, number, number), strict=True):
        kind(one)


@cache
def _kinds() -> Mapping[str, str]:
    facts = facts_of(releases()[-1])
    return {key: setting.kind for key, setting in facts.settings.items()}


def whole(part: Part) -> None:
    """Refuse all but a whole number, which Pulsar's administration gives as a text."""
    if isinstance(part.data, bool) or refusal("int", str(part.data)) is not None:
        raise part.refuse("it is a whole number")


def settings(part: Part) -> None:
    """Refuse a setting whose value is none of its kind in broker.conf; a set may also be a list."""
    for key, one in part.mapping().items():
        kind, value = _kinds().get(key, "String"), one.data
        if kind.startswith("Set"):
            either(many(text), text, _is_list)(one)
        elif kind == "boolean" and str(value).lower() not in ("true", "false"):
            raise one.refuse("it is true or false")
        elif kind in ("int", "long", "double") and (isinstance(value, bool) or refusal("double", str(value))):
            raise one.refuse("it is a number")
        elif not isinstance(value, str | int | float):
            raise one.refuse("it is a number, a text, true or false")


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


TEXTS: Final = or_nothing(many(text))
AGES: Final = or_nothing(either(many(text), by_name(number), _is_list))
TRAFFIC: Final = or_nothing(by_name(number))
BUNDLE: Final = row({"name": text, "shortTerm": TRAFFIC, "longTerm": TRAFFIC}, "name")
POLICY: Final = row(
    {
        "namespaces": TEXTS,
        "primary": TEXTS,
        "secondary": TEXTS,
        "min_limit": whole,
        "auto_failover_policy": row({"parameters": row({"min_limit": whole}, "min_limit")}),
    }
)
GATES: Final = {"leader": flag, "metadata_available": flag}
OF_TRANSFER: Final[Mapping[str, Type]] = {
    **GATES,
    "conf": settings,
    "top_bundles": or_nothing(by_name(many(weighed))),
    "recent_bundles": AGES,
    "recent_brokers": or_nothing(by_name(number)),
    "not_owned": TEXTS,
    "isolated": TEXTS,
    "anti_affine": TEXTS,
    "barred": or_nothing(by_name(many(text))),
    "filter_fails": flag,
}
BROKER_OF_TRANSFER: Final[Mapping[str, Type]] = {
    "load": or_nothing(number),
    "throughput_in": number,
    "throughput_out": number,
    "throughput_ema": number,
    "age_s": number,
    "available": flag,
}
OF_MODULAR: Final[Mapping[str, Type]] = {
    **GATES,
    "conf": settings,
    "bundles": or_nothing(many(BUNDLE)),
    "recent": AGES,
    "candidates": many(text),
    "active": many(text),
    "score_order": TEXTS,
    "policies": or_nothing(either(many(POLICY), by_name(POLICY), _is_list)),
    "available": many(text),
    "persistent": many(text),
    "non_persistent": many(text),
    "has_non_persistent": or_nothing(flag),
    "groups": or_nothing(by_name(or_nothing(text))),
    "owned": or_nothing(many(row({"bundle": text, "broker": or_nothing(text), "state": text}, "bundle"))),
    "domains": or_nothing(by_name(text)),
    "current": or_nothing(text),
    "settled": flag,
}
BROKER_OF_MODULAR: Final[Mapping[str, Type]] = {
    **dict.fromkeys(("cpu", "memory", "directMemory", "bandwidthIn", "bandwidthOut"), pair),
    **dict.fromkeys(("msgThroughputIn", "msgThroughputOut", "msgRateIn", "msgRateOut"), number),
    "bundles": TEXTS,
    "timeAverage": TRAFFIC,
    "preallocated": or_nothing(many(BUNDLE)),
    "topics": number,
    "version": or_nothing(text),
    "load_manager": or_nothing(text),
}
"""The types of the keys of a snapshot beside ``brokers``, and those of a broker beside ``id``."""
