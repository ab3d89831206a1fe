"""Inputs of the callers of shedders: gates that are open or not, a few bundles, and the fate of their unloads."""

from dataclasses import dataclass
from typing import Final

from oneowner.model.balancer.filters.anti_affinity import Asked as Groups
from oneowner.model.balancer.filters.anti_affinity import Owned
from oneowner.model.balancer.filters.isolation import Isolated, Policy
from oneowner.model.balancer.shedding import load_shedding_task, unload_scheduler
from oneowner.model.kernel.bounds import Bounds, size
from oneowner.model.kernel.decision import Choose

BUNDLES: Final = ("t/a/0", "t/b/0")
BROKERS: Final = ("b1:8080", "b2:8080")
AGES: Final = ((), ((BUNDLES[0], 29.0),), ((BUNDLES[0], 30.0),), ((BUNDLES[0], 31.0),))
"""Minutes since the first bundle was unloaded, about the grace period."""


@dataclass(frozen=True, slots=True)
class CallerSizes(Bounds):
    """The number of bundles that a shedder names."""

    bundles: int = size(2, "how many bundles it names at most", least=1)


def some_scheduled(choose: Choose, sizes: CallerSizes) -> unload_scheduler.Asked:
    """Return a run of the extensible manager."""
    is_off, is_quiet = choose(0, 1), choose(0, 1)
    owner, brokers = (True, False, None)[choose(0, 2)], (2, 1, 0, None)[choose(0, 3)]
    ages, count = AGES[choose(0, 3)], choose(0, sizes.bundles + 1)
    named = tuple((f"t/{'abcdefgh'[number % 8]}/{number // 8}", BROKERS[0]) for number in range(count))
    fates = [choose(0, 2) for _ in named] if count <= sizes.bundles else []
    return unload_scheduler.Asked(
        None if count > sizes.bundles else named,
        not is_off, not is_quiet, owner, brokers, ages,
        refused=frozenset(name for (name, _), fate in zip(named, fates, strict=False) if fate == 1),
        late=frozenset(name for (name, _), fate in zip(named, fates, strict=False) if fate == 2),
    )  # fmt: skip


def some_task(choose: Choose, sizes: CallerSizes) -> load_shedding_task.Asked:
    """Return a run of the modular manager; the fate of its bundles is drawn if all gates are open."""
    rules = tuple(dict.fromkeys(load_shedding_task.RULES.values()))[choose(0, 5)]
    ages, gates = AGES[choose(0, 3)], [choose(0, 1) == 1 for _ in range(5)]
    brokers = BROKERS[: 2 - gates[4]]
    named: tuple[tuple[str, tuple[str, ...]], ...] | None = ((BROKERS[0], BUNDLES[:1]),)
    policies, owned, refused, excluded = tuple[Policy, ...](), tuple[Owned, ...](), False, False
    selected: str | None = BROKERS[1]
    if not any(gates):
        named = (named, (), None, ((BROKERS[0], BUNDLES[: sizes.bundles]),))[choose(0, 2 + (sizes.bundles > 1))]
        if named:
            policies = (Policy(("t/a",), ("b1",), (), 1),) * choose(0, 1)
            owned = (Owned(BUNDLES[0], BROKERS[0]), Owned(BUNDLES[1], BROKERS[1])) * choose(0, 1)
            selected = (BROKERS[1], BROKERS[0], None)[choose(0, 2)]
            refused, excluded = choose(0, 1) == 1, choose(0, 1) == 1
    return load_shedding_task.Asked(
        named,
        Isolated(policies, "", False, brokers, brokers, brokers),
        Groups((("t/a", "g"), ("t/b", "g")), owned, (), (), "", ""),
        tuple((bundle, selected) for bundle in BUNDLES),
        gates[0], not gates[1], not gates[2], not gates[3], ages,
        refused=frozenset(BUNDLES[:1] if refused else ()),
        excluded=frozenset(("t/a",) if excluded else ()),
        rules=rules,
    )  # fmt: skip
