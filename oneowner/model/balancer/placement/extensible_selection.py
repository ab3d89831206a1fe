"""
The brokers that the extensible load manager may draw: all filters at once on one map of brokers.

Each filter is called with the same map, and takes brokers out of it, at once or when it has read what it needs. So one
that keeps the best of those that are left depends on the first to answer, and one that fails takes nobody out.

Source: ExtensibleLoadManagerImpl.selectAsync; no release differs, 3.0.7 to 4.2.4.
"""

from typing import NamedTuple

from oneowner.model.balancer.filters.anti_affinity import fewest


class Filter(NamedTuple):
    """A filter by its effect on the map."""

    keeps: tuple[str, ...] | None = None
    """The brokers that it may leave, such as by an isolation policy; None: all of them."""
    counts: tuple[tuple[str, int], ...] | None = None
    """Of those it leaves whoever has the fewest, such as bundles of an anti-affinity group; None: all."""
    answers: int = 0
    """0: at once; else in which place, after all have been called."""
    fails: bool = False


class Selection(NamedTuple):
    """The brokers that are available and not excluded, in the order of the map, and the filters in theirs."""

    candidates: tuple[str, ...]
    filters: tuple[Filter, ...]


def left(asked: Selection) -> tuple[str, ...]:
    """Return who is left by all filters that answer."""
    brokers = asked.candidates
    for one in sorted(asked.filters, key=lambda one: one.answers):
        if not one.fails:
            if one.keeps is not None:
                brokers = tuple(broker for broker in brokers if broker in one.keeps)
            if one.counts is not None:
                brokers = fewest(brokers, dict(one.counts))
    return brokers
