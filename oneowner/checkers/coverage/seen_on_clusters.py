"""
Actions and laws of a system, with the recordings and drives that show or exercise them.

The evidence of an action stands in the binding table (``spec/SYSTEM/binding.yaml``), also the reason why there is
none. Nothing is computed anew: the runs of the model that explain recordings are pinned in
``spec/channel/conformance.yaml``, and the scenarios that real brokers were driven through in
``spec/channel/driven.yaml``. Of other systems with a binding table the logs of clusters with locks are read.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from oneowner.checkers.catalogue.faults import scenarios
from oneowner.checkers.documents import read_document
from oneowner.checkers.lab.drive.events import EVENTS
from oneowner.checkers.lab.drive.ledger import read_kept
from oneowner.checkers.ledger.binding import CHANNEL, Binding, bindings
from oneowner.checkers.ledger.conformance_pins import PINS, counts_in
from oneowner.checkers.ledger.logged_actions import logged_with_locks
from oneowner.checkers.verdict import Verdict
from oneowner.spec.channel.system import SYSTEM


class Seen(StrEnum):
    """How much a real cluster has shown of an action or a law, the most first."""

    OBSERVED = "observed"
    """A record, a write to ZooKeeper or a drive shows the action; a run that a recording has exercises the law."""
    LOGGED = "logged"
    """A line of a log shows it, by the binding table."""
    INFERRED = "inferred"
    """It is among the steps that explain a recording, and nothing shows it by itself."""
    NEVER = "never"


class SeenAction(NamedTuple):
    """An action of the model."""

    name: str
    observed: Mapping[str, int]
    """By recording, how many observations show it."""
    logged: Mapping[str, int]
    """By recording, the lines that show it."""
    inferred: Mapping[str, int]
    """By recording, how often its explanation takes it unobserved."""
    driven: tuple[str, ...]
    """Scenarios in which real brokers took it, and were as the model predicts after each step up to it."""
    evidence: tuple[str, ...]
    """The observations of a cluster that would show it."""
    reason: str
    """Why no line or record shows it by itself, or no cluster does at all; empty: there is nothing to explain."""
    is_beyond: bool
    """True if no cluster can show it."""

    @property
    def seen(self) -> Seen:
        if self.observed or self.driven:
            return Seen.OBSERVED
        return Seen.LOGGED if self.logged else Seen.INFERRED if self.inferred else Seen.NEVER


class SeenLaw(NamedTuple):
    """A law of states or steps of the channel's model."""

    name: str
    exercised: Mapping[str, int]
    """By recording, its occasions."""
    broken: Mapping[str, int]
    """By recording, the units that break it."""

    @property
    def seen(self) -> Seen:
        return Seen.OBSERVED if self.exercised else Seen.NEVER


def seen_actions(system: str = CHANNEL) -> list[SeenAction]:
    """Return every action of a system, in the order of the model."""
    if system != CHANNEL:
        return [
            SeenAction(
                name, {}, logged_with_locks(system).get(name, {}), {}, (), tuple(binding.evidence), binding.reason,
                bool(binding.beyond),
            )
            for name, binding in bindings(system).items()
        ]  # fmt: skip
    observed, logged, inferred = map(_by_name, ("observed-actions", "logged-actions", "inferred-actions"))
    driven: dict[str, set[str]] = {}
    for action, scenario in _driven():
        driven.setdefault(action, set()).add(scenario)
    return [
        SeenAction(
            name, observed.get(name, {}), logged.get(name, {}), inferred.get(name, {}),
            tuple(sorted(driven.get(name, ()))), tuple(_evidence(binding)), binding.reason, bool(binding.beyond),
        )
        for name, binding in bindings().items()
    ]  # fmt: skip


def _evidence(binding: Binding) -> Iterator[str]:
    """Yield in words the observations that show an action."""
    yield from binding.evidence
    if binding.action in EVENTS:
        yield "drive"


def seen_laws() -> list[SeenLaw]:
    """Return every law of states and steps, in the order of the model."""
    exercised, broken = _by_name("exercised-laws"), _by_name("broken-laws")
    return [SeenLaw(law.name, exercised.get(law.name, {}), broken.get(law.name, {})) for law in SYSTEM.laws]


def _by_name(key: str) -> dict[str, dict[str, int]]:
    """Return the counts of a pinned line, by name and recording."""
    found: dict[str, dict[str, int]] = {}
    for recording, row in _pinned().items():
        for name, count in counts_in(row, key).items():
            found.setdefault(name, {})[recording] = count
    return found


@cache
def _pinned() -> dict[str, Any]:
    data: dict[str, Any] = read_document(PINS).data
    return data


def _driven() -> Iterator[tuple[str, str]]:
    """Yield each action that a drive took, with its scenario: of one that parted from the model the steps before."""
    for row in read_kept():
        if row.verdict == Verdict.UNKNOWN.value:
            continue
        saved = sorted(scenarios().parent.glob(f"*/{row.scenario}.yaml"))[0]
        steps = read_document(saved).data["steps"]
        yield from ((str(step).partition("(")[0], row.scenario) for step in steps[: row.done])
