"""
``LoadSheddingTask`` calls the shedder of the modular load manager at the leader, which passes over some of its bundles.

A bundle that passes is unloaded, and given to the broker that ``selectBroker`` names then; nobody asks whether it got
there.

Source: LoadSheddingTask.run, ModularLoadManagerImpl.doLoadShedding.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from oneowner.model.balancer.filters import anti_affinity, isolation
from oneowner.model.balancer.filters.anti_affinity import namespace_of
from oneowner.model.balancer.shedding.unload_scheduler import Gate, recent


class Rules(NamedTuple):
    """The behaviour that differs by release."""

    starts_itself: bool = True
    """Each run starts the next; before (2.9), the leader runs it at a fixed rate."""
    minds_the_store: bool = True
    """A run ends at once while the metadata store is away (#23040)."""
    ends_without_the_store: bool = False
    """Such a run starts no next one: nothing is unloaded until another broker leads (until #24838)."""
    checks_policies: bool = True
    """A bundle stays that policies, or ``selectBroker``, give to no other broker (3.0)."""
    excludes_namespaces: bool = False
    """``loadBalancerSheddingExcludedNamespaces`` is read (PIP-380)."""


BEFORE_4: Final = Rules(minds_the_store=False)
RULES: Final = {
    "2.9.1": BEFORE_4._replace(starts_itself=False, checks_policies=False),
    "2.10.5": BEFORE_4._replace(checks_policies=False),
    **dict.fromkeys(("3.0.7", "3.3.6"), BEFORE_4),
    **dict.fromkeys(("4.0.6", "4.0.7"), Rules(ends_without_the_store=True)),
    "4.0.8": Rules(),
    "4.2.4": Rules(excludes_namespaces=True),
}
"""By release, of which the classes were read."""


class Asked(NamedTuple):
    """The input of a run."""

    unload: tuple[tuple[str, tuple[str, ...]], ...] | None
    """Brokers, and which of their bundles the shedder names; None: it throws."""
    policies: isolation.Isolated
    """With the brokers that are available."""
    groups: anti_affinity.Asked
    selected: tuple[tuple[str, str | None], ...] = ()
    """To whom ``selectBroker`` gives a bundle; None: to nobody."""
    cancelled: bool = False
    """Another broker leads."""
    store: bool = True
    """True if the metadata store can be reached."""
    enabled: bool = True
    sheds: bool = True
    ages: tuple[tuple[str, float], ...] = ()
    grace: float = 30.0
    refused: frozenset[str] = frozenset()
    """Bundles whose unload is refused by their broker."""
    excluded: frozenset[str] = frozenset()
    """``loadBalancerSheddingExcludedNamespaces``"""
    rules: Rules = Rules()


class Run(NamedTuple):
    """The outcome of a run."""

    skipped: Gate | None
    """The first gate that said no."""
    told: tuple[str, ...] | None
    """Bundles that the shedder is told were unloaded lately; None: it is not asked."""
    unloaded: tuple[tuple[str, str, str | None], ...]
    """Bundle, broker, and its next broker; None: the one that a lookup selects."""
    stays: tuple[tuple[str, str], ...]
    """Bundles that the shedder named in vain, and why."""
    remembered: tuple[str, ...]
    """Bundles that count as unloaded when it ends."""
    runs_again: bool


def run(asked: Asked) -> Run:
    every = tuple(name for name, _ in asked.ages)
    if asked.cancelled and asked.rules.starts_itself:
        return Run(Gate.NOT_STARTED, None, (), (), every, False)
    if not asked.store and asked.rules.minds_the_store:
        return Run(Gate.NO_STORE, None, (), (), every, not asked.rules.ends_without_the_store)
    if not (asked.enabled and asked.sheds):
        return Run(Gate.OFF, None, (), (), every, True)
    if len(asked.policies.available) <= 1:
        return Run(Gate.ONE_BROKER, None, (), (), every, True)
    lately = recent(asked.ages, asked.grace)
    if not asked.unload:
        return Run(Gate.THROWS if asked.unload is None else Gate.NOTHING, lately, (), (), lately, True)
    selected = dict(asked.selected)
    unloaded, stays = [], []
    for broker, bundles in asked.unload:
        for bundle in bundles:
            if (why := next(refusals(asked, bundle, broker), None)) is None:
                unloaded.append((bundle, broker, selected.get(bundle) if asked.rules.checks_policies else None))
            else:
                stays.append((bundle, why))
    remembered = tuple(dict.fromkeys([*lately, *(bundle for bundle, _, _ in unloaded)]))
    return Run(None, lately, tuple(unloaded), tuple(stays), remembered, True)


def refusals(asked: Asked, bundle: str, broker: str) -> Iterator[str]:
    """Yield why a bundle stays that the shedder names, the first reason first."""
    namespace, rules = namespace_of(bundle), asked.rules
    if rules.excludes_namespaces and namespace in asked.excluded:
        yield "its namespace is excluded from shedding"
    allowed = isolation.kept(asked.policies._replace(namespace=namespace))
    if rules.checks_policies and not set(allowed) - {broker}:
        yield "policies allow no other broker"
    group = asked.groups._replace(bundle=bundle, candidates=allowed, current=broker)
    if not anti_affinity.may_unload(group, anti_affinity.namespaces_of_group(group)):
        yield "every broker has as many namespaces of its anti-affinity group"
    if rules.checks_policies and (chosen := dict(asked.selected).get(bundle)) in (None, broker):
        yield "nobody is chosen for it" if chosen is None else "its broker would be chosen again"
    if bundle in asked.refused:
        yield "its broker refuses"
