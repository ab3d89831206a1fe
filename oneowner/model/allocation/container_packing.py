"""Heron: into which container each instance is packed (``FirstFitDecreasingPacking``)."""

from typing import NamedTuple

from oneowner.model.kernel.decision import Thrown


class Component(NamedTuple):
    """A spout or a bolt; each instance takes one CPU."""

    instances: int
    ram: int = 1


class Topology(NamedTuple):
    """Its components, and the room of a container."""

    components: tuple[Component, ...]
    ram: int
    cpu: int = 16
    most: int = 10
    padding: int = 10
    """In percent of a container's resources; at least 1 CPU and 1 GB are kept free."""


def room(capacity: int, padding: int) -> float:
    return capacity - max(capacity * padding / 100, 1)


def fits(topology: Topology, container: tuple[int, ...]) -> bool:
    """Return whether instances of such components go into one container."""
    ram = sum(topology.components[one].ram for one in container)
    is_light = ram <= room(topology.ram, topology.padding) and len(container) <= room(topology.cpu, topology.padding)
    return is_light and len(container) <= topology.most


def first_fit_decreasing(topology: Topology) -> tuple[tuple[int, ...], ...] | Thrown:
    """
    Return of each container the components of its instances: the heaviest first, each where it fits first.

    >>> first_fit_decreasing(Topology((Component(2, 3), Component(4, 2)), ram=8))
    ((0, 0), (1, 1, 1), (1,))
    """
    containers: list[tuple[int, ...]] = []
    for one in sorted(range(len(topology.components)), key=lambda one: -topology.components[one].ram):
        for _ in range(topology.components[one].instances):
            containers.append(())
            places = [number for number, held in enumerate(containers) if fits(topology, (*held, one))]
            if not places:
                return Thrown("PackingException", "an instance is too large for a container")
            containers[places[0]] = (*containers[places[0]], one)
            containers = [held for held in containers if held]
    return tuple(containers)
