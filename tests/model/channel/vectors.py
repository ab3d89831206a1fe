"""The facts of ``tests/vectors``, as records of the model."""

from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from oneowner.checkers.documents import read_document
from oneowner.model.channel.record import MAX_VERSION, MIN_VERSION, NOBODY, TOMBSTONE, Record, ServiceUnitState
from oneowner.model.channel.rules import Storage

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
STATES = [state for state in ServiceUnitState if state != ServiceUnitState.NOTHING]
BROKERS = {None: NOBODY, "a": 1, "b": 2}
RULES = {"R2": "first-version", "R4": "version", "R5": "gap", "R7": "transition", "R8": "broker"}
"""The note's rules that can refuse, and the words of the contract for them."""

GUARDS = {
    "Owned > Splitting": "splits_its_owner",
    "Owned > Releasing": "releases_its_owner",
    "Assigning > Owned": "same_brokers",
    "Releasing > Assigning": "same_brokers_with_destination",
    "Releasing > Free": "same_brokers",
    "Splitting > Deleted": "same_brokers",
    "Free > Assigning": "only_destination",
}
"""Our name for the broker rule of each pair that has one."""


class Case(NamedTuple):
    """One line of ``resolver-cases.yaml`` for one storage; *refused* is empty if the record is accepted."""

    rule: str
    about: str
    storage: Storage
    held: Record
    proposed: Record
    refused: str
    guard: str

    def __str__(self) -> str:
        return f"{self.rule}, {self.storage}: {self.about}"


def vector(name: str) -> Any:
    """Return the data of one file of facts."""
    return read_document(VECTORS / name).data


def record(fields: list[Any] | None) -> Record:
    """Return the record that a vector writes as [state, destination, source, version, force?]."""
    if fields is None:
        return TOMBSTONE
    state, destination, source, version, *force = fields
    number = {"MAX": MAX_VERSION, "MIN": MIN_VERSION}.get(version, version)
    return Record(ServiceUnitState(state), BROKERS[destination], BROKERS[source], force == ["force"], int(number))


def cases() -> list[Case]:
    """Return every case of ``resolver-cases.yaml``, those of both storages twice."""
    return [
        Case(
            block["rule"],
            row["about"],
            storage,
            record(row["held"]),
            record(row["proposed"]),
            RULES[row["refused"]] if "refused" in row else "",
            GUARDS.get(row.get("guard", ""), ""),
        )
        for block in vector("resolver-cases.yaml")
        for row in block["cases"]
        for storage in ([Storage(row["storage"])] if "storage" in row else list(Storage))
    ]


def constructible(proposed: Record) -> bool:
    """Return whether ``ServiceUnitStateData`` can be built so: one broker at least, or Free (channel 2)."""
    return proposed.state == ServiceUnitState.FREE or bool(proposed.destination or proposed.source)


def pairs() -> list[tuple[Record, Record]]:
    """Return the pairs of the exhaustive check: every state and broker, version 1, then 2, unforced."""
    brokers = [BROKERS[name] for name in vector("resolver-pair-counts.yaml")["domain"]["brokers"]]
    every = [Record(*parts) for parts in product(STATES, brokers, brokers) if constructible(Record(*parts))]
    held = [it for it in every if it.state != ServiceUnitState.OWNED or it.destination != NOBODY]
    return [(first._replace(version=1), then._replace(version=2)) for first, then in product(held, every)]
