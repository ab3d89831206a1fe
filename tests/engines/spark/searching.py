"""A small model, searched by the engine spark and by another one."""

from functools import cache
from pathlib import Path
from typing import Any

from oneowner.checkers.catalogue.families import bounds_under, family_named
from oneowner.checkers.engines.explore.compiled import explore_compiled
from oneowner.checkers.engines.explore.engine_choice import disagreement
from oneowner.checkers.engines.explore.exploration import NO_LIMITS, Exploration, Limits
from oneowner.checkers.engines.spark.distributed import Spread, explore_spark
from oneowner.model.channel.bounds import Bounds
from oneowner.spec.channel.registry import PROPERTIES, WITNESSES
from tests.command_line import TINY

FAULTY: Bounds = bounds_under(TINY, "4.0.6", ["assign_before_close"])
HERE = 10**9
"""A level of fewer states is expanded in the driver: all are."""


def by_spark(
    bounds: Any = FAULTY,
    folder: Path | None = None,
    limits: Limits = NO_LIMITS,
    small: int = HERE,
    stop_at: frozenset[str] = frozenset(),
    **more: Any,
) -> Exploration:
    laws, witnesses = asked_of(bounds)
    spread = Spread(folder=folder, partitions=4, small=small, **more)
    return explore_spark(bounds, laws, witnesses, stop_at, limits, spread=spread)[0]


@cache
def by_c(bounds: Any = FAULTY, stop_at: frozenset[str] = frozenset(), limits: Limits = NO_LIMITS) -> Exploration:
    return explore_compiled(bounds, *asked_of(bounds), stop_at, limits)


def asked_of(bounds: Any) -> tuple[Any, Any]:
    system = bounds.system
    return (PROPERTIES, WITNESSES) if system is TINY.system else (list(system.laws_by_name.values()), system.witnesses)


def bounds_named(family: str, *faults: str) -> Any:
    found = family_named(family)
    return bounds_under(found.bounds, found.release, faults)


def assert_same(one: Exploration, other: Exploration) -> None:
    assert disagreement(one, other) == ""
