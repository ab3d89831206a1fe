"""The keys of a line, by its algorithm: a key that is not read, or is misspelt, is refused."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from oneowner.model.kafka.batch.assignors import CONFIG
from oneowner.model.kernel.batch import InvalidInput, Row

NAMES: Final = ("id", "kind", "algorithm")
CLIENT: Final = ("id", "capacity", "lags", "previous_active", "previous_standby", "tags", "rack")
SETTINGS: Final = (
    "acceptable.recovery.lag", "max.warmup.replicas", "num.standby.replicas", "rack.aware.assignment.tags",
    "rack.aware.assignment.strategy", "rack.aware.assignment.traffic_cost", "rack.aware.assignment.non_overlap_cost",
)  # fmt: skip
GROUP: Final = (*NAMES, "assignors", "stateful", "stateless", "clients", "config", "racks", "changelog_racks")
STANDBYS: Final = "num.standby.replicas"
LINES: Final[Mapping[str, tuple[str, ...]]] = {
    "assignors": GROUP,
    "racks": GROUP,
    "series": (*GROUP, "rounds", "end", "budget"),
    "reconcile": (*NAMES, "member", "target", "target_epoch", "owned", "holders"),
    "sticky": (*NAMES, "members", "subtopologies", "config", STANDBYS),
}
ROLES: Final = ("active", "standby", "warmup")
EVENT: Final = ("leave", "join", "members", "lags")
UNREAD: Final = "offsets"
"""The key of a member's local state; its assignor reads it from 4.4.0 on (KAFKA-20719)."""


MOST_PARTITIONS: Final = 1 << 20
"""More than any topic has, and few enough to list the tasks."""


def check(row: Row, name: str) -> None:
    """Raise InvalidInput for a key of a line that its algorithm does not read."""
    refuse_unknown(row, LINES[name], "")
    for at, one in members(row, "clients"):
        refuse_unknown(one, CLIENT, at)
    for at, one in members(row, "members"):
        refuse_unknown(one, ("id", "process", "active", "standby", UNREAD), at)
    for at, event in members(row, "rounds"):
        for key in event if isinstance(event, Mapping) else ():
            if key not in EVENT:
                raise InvalidInput(f"no such event: {key}, in {at}; there are {', '.join(EVENT)}")
        for within, one in (*members(event, "join"), *members(event, "members")):
            refuse_unknown(one, CLIENT, f"{at}.{within}")
    for key, one in named(row, "subtopologies"):
        refuse_unknown(one, ("partitions", "stateful"), f"subtopologies.{key}")
        number = one.get("partitions") if isinstance(one, Mapping) else None
        if isinstance(number, int | float) and number > MOST_PARTITIONS:
            raise InvalidInput(f"subtopologies.{key}.partitions refused: {number}; at most {MOST_PARTITIONS}")
    for part, keys in (
        ("member", ("process", "state", "epoch", "assigned", "pending")),
        ("target", ("epoch", *ROLES)),
        ("owned", ROLES),
        ("holders", ROLES),
    ):
        refuse_unknown(row.get(part), keys, part)
    config = row.get("config")
    if isinstance(config, Mapping):
        for key in config:
            if plain(key) not in ((plain(STANDBYS),) if name == "sticky" else CONFIG):
                raise unknown(key, (STANDBYS,) if name == "sticky" else SETTINGS, "config")


def refuse_unknown(value: Any, known: Iterable[str], at: str) -> None:
    """Raise InvalidInput for a key of a mapping that is not known; another value is not looked at."""
    for key in value if isinstance(value, Mapping) else ():
        if key not in known:
            raise unknown(key, known, at)


def unknown(key: str, known: Iterable[str], at: str) -> InvalidInput:
    """Return the refusal of a key, with the nearest of those that are known."""
    near = difflib.get_close_matches(key, tuple(known), 1) or difflib.get_close_matches(
        plain(key), [plain(one) for one in known], 1
    )
    meant = next((one for one in known if near and plain(one) == plain(near[0])), None)
    hint = f"did you mean {meant}?" if meant else f"there are: {', '.join(known)}"
    return InvalidInput(f"no such key: {f'{at}.' if at else ''}{key}; {hint}")


def plain(key: str) -> str:
    """
    Return a key without what divides words.

    >>> plain("max.warmup.replicas"), plain("maxWarmupReplicas")
    ('maxwarmupreplicas', 'maxwarmupreplicas')
    """
    return key.lower().replace(".", "").replace("_", "")


def members(row: Any, key: str) -> Iterator[tuple[str, Any]]:
    """Yield the elements of a list with their places; of another value, none."""
    found = row.get(key) if isinstance(row, Mapping) else None
    yield from ((f"{key}[{number}]", one) for number, one in enumerate(found if isinstance(found, list) else ()))


def named(row: Row, key: str) -> Iterator[tuple[str, Any]]:
    """Yield the values of a mapping with their keys; of another value, none."""
    found = row.get(key)
    yield from found.items() if isinstance(found, Mapping) else ()
