"""``CONTAINER_PACKING`` judges into which container Heron packs each instance."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from oneowner.model.allocation.allocation_inputs import TopologySizes, some_topology
from oneowner.model.allocation.container_packing import Component, Topology, first_fit_decreasing, fits
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown, answers, throws
from oneowner.model.kernel.law import LawKind, Status

CLASS = "FirstFitDecreasingPacking"
Found = Any
"""Containers, or what is thrown."""


def is_too_large(given: Topology, found: Found) -> bool:
    return not all(fits(given, (one,)) for one in range(len(given.components)))


def can_be_packed(given: Topology, found: Found) -> bool:
    return answers(given, found) and not is_too_large(given, found)


def each_is_in_one(given: Topology, found: Found) -> bool:
    packed = sum(found, ())
    return all(packed.count(number) == one.instances for number, one in enumerate(given.components)) and all(found)


def knows_all(given: Topology, found: Found) -> bool:
    return all(one < len(given.components) for held in found for one in held)


def is_within_what_it_has(given: Topology, found: Found) -> bool:
    """Include the reserve that is kept free."""
    return knows_all(given, found) and all(
        sum(given.components[one].ram for one in held) + max(given.ram * given.padding / 100, 1) <= given.ram
        and len(held) + max(given.cpu * given.padding / 100, 1) <= given.cpu
        and len(held) <= given.most
        for held in found
    )


def none_is_opened_too_soon(given: Topology, found: Found) -> bool:
    """The instance for which a container was opened fits into no earlier container."""
    return knows_all(given, found) and not any(
        fits(given, (*held, *later[:1])) for number, later in enumerate(found) for held in found[:number]
    )


@cache
def fewest(given: Topology, left: tuple[int, ...]) -> int:
    """Return how few containers are enough for so many instances of each of at most two components."""
    if not any(left):
        return 0
    first, second = (*left, 0)[:2]
    loads = [(one, other) for one in range(first + 1) for other in range(second + 1) if one or other]
    held = [load for load in loads if fits(given, (0,) * load[0] + (1,) * load[1])]
    return 1 + min(fewest(given, (first - one, second - other)) for one, other in held)


def fewest_are_used(given: Topology, found: Found) -> bool:
    return len(found) == fewest(given, tuple(one.instances for one in given.components))


def read(row: Mapping[str, Any]) -> Topology:
    """Return the topology of a fact: spouts and bolts, each with how much memory it takes."""
    components = tuple(Component(*row[name]) for name in ("spouts", "bolts"))
    return Topology(components, *(row[name] for name in ("ram", "cpu", "most", "padding")))


def told(found: Found) -> Any:
    """Return what a fact gives: the number of containers, or what is thrown."""
    return {"error": found.exception} if isinstance(found, Thrown) else len(found)


CONTAINER_PACKING = Decision(
    "allocation/container-packing",
    "Into which container each instance is packed (Heron)",
    TopologySizes,
    some_topology,
    first_fit_decreasing,
    (
        InputLaw("each-instance-has-one-container", "Each instance is in one container, and no container is empty.",
                 CLASS, answers, each_is_in_one, kind=LawKind.PURPOSE),
        InputLaw("container-is-within-its-capacity", "No container holds more than its capacity, less the room "
                                                     "that is kept free.",
                 "ResourceConstraint; InstanceDensityConstraint", answers, is_within_what_it_has, kind=LawKind.PURPOSE),
        InputLaw("no-container-is-opened-too-soon", "The instance for which a container was opened fits into no "
                                                    "earlier container.",
                                                    CLASS, answers, none_is_opened_too_soon, kind=LawKind.PROTOCOL),
        InputLaw("too-large-instances-are-refused", "An instance for which no container has room is refused.",
                 "FirstFitDecreasingPackingTest", is_too_large, throws, kind=LawKind.PROTOCOL),
        InputLaw("fewest-containers-are-used", "No other packing needs fewer containers. (This fails: to take the "
                                               "heaviest first is not always best.)",
                                               CLASS, can_be_packed, fewest_are_used, Status.DOCUMENTED,
                                               kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
