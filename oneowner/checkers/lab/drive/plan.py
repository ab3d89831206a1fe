"""The plan of a scenario: the real event of each step, and the first step without one; needs no cluster."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from oneowner.checkers.catalogue.families import bounds_under
from oneowner.checkers.judged_release import JudgedRelease, judged_release
from oneowner.checkers.lab.drive.events import event
from oneowner.checkers.lab.drive.look import differences, predicted
from oneowner.checkers.lab.drive.real_event import Event, Point, Undrivable
from oneowner.checkers.lab.gates.repair import Repair
from oneowner.checkers.scenarios.scenario import Scenario
from oneowner.checkers.verdict import Misuse
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Dialect
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.fairness import Strength
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.system import actions, initial_states, step

WITHOUT: Final = {"4.0.4": {Point.OVERRIDE: "overrides several bundles in one call, which nobody can hold"}}
"""Points at which a release has no gate, with the reason: there ``overrideOwnership`` returns no future."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One step, the states around it, and its real event, or the reason that it has none."""

    number: int
    action: Action
    before: Any
    after: Any
    event: Event | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """All steps of a scenario, and the reason that a cluster of the release cannot follow it, if any."""

    scenario: Scenario
    release: str
    against: str
    steps: tuple[Planned, ...]
    repairs: tuple[Repair, ...] = ()
    """The repairs of the brokers."""
    goes_on: str = ""
    """If the scenario comes to a rest: the step that is still owed by the rules of the release, if any."""

    @property
    def name(self) -> str:
        path = self.scenario.path
        return f"{path.parent.name}/{path.stem}" if path.parent.name else path.stem

    @property
    def judged_by(self) -> JudgedRelease:
        """The release by whose rules it is planned."""
        return judged_release(self.release, self.scenario.bounds.system.releases)

    @property
    def stops(self) -> Planned | None:
        """The first step that has no real event."""
        return next((one for one in self.steps if one.event is None), None)

    @property
    def loop(self) -> tuple[Planned, ...] | None:
        """The repeated steps; none if it comes to a rest; None if the scenario has no ending."""
        return None if self.scenario.loop is None else self.steps[self.scenario.loop - 1 :]

    @property
    def drivable(self) -> bool:
        """True if every step has a real event, and brokers of the release follow the scenario's rules."""
        return not self.against and self.stops is None

    @property
    def words(self) -> str:
        """Return on one line that it can be driven, or the reason that it cannot."""
        if self.against:
            return self.against
        if (stops := self.stops) is None:
            return "can be driven"
        return f"stops at step {stops.number}, {stops.action.name}: {stops.why}"


def is_of_channel(scenario: Scenario) -> bool:
    """Return whether it is a run of the channel's model, the model of a lab's brokers."""
    return isinstance(scenario.bounds, Bounds)


def plan_of(scenario: Scenario, release: str, repairs: Sequence[Repair] = ()) -> Plan:
    """
    Return the plan for brokers of *release*, with those *repairs* whose switches the scenario has turned.

    :raises Misuse: it is no run of the channel's model.
    """
    if not is_of_channel(scenario):
        raise Misuse(f"{scenario.path}: a scenario of another system; a lab has brokers of Pulsar with its channel")
    judged_release(release, scenario.bounds.system.releases)  # before anything is planned
    steps = tuple(_steps(scenario))
    switches = {name: value for repair in repairs for name, value in repair.switches.items()}
    against, end = _against(scenario, release, switches, steps)
    is_rest = scenario.loop is not None and scenario.loop > len(steps)  # in a loop its own steps follow
    goes_on = _to_come(end) if is_rest and end is not None else ""
    return Plan(scenario, release, against, steps, tuple(repairs), goes_on)


def _to_come(state: Any) -> str:
    """Return the first step that is owed in a state; nothing at rest."""
    for action in actions(state.bounds):
        how = state.bounds.system.fairness[action.name]
        try:
            if how.strength is not Strength.NONE and how.owed(state, action, step(state, action)):
                return str(action)
        except Disabled:
            continue
        except BoundReached:  # Pulsar has no such bounds
            return str(action)
    return ""


def _steps(scenario: Scenario) -> Iterator[Planned]:
    state = initial_states(scenario.bounds)[0]
    for number, action in enumerate(scenario.steps, 1):
        try:
            after = step(state, action)
        except (Disabled, BoundReached) as refused:
            raise Misuse(f"{scenario.path}: step {number} is not enabled: {action}; it needs: {refused}") from None
        found, why = None, ""
        try:
            found = event(state, action)
        except Undrivable as reason:
            why = str(reason)
        yield Planned(number, action, state, after, found, why)
        state = after


def _against(
    scenario: Scenario, release: str, switches: Mapping[str, str], steps: tuple[Planned, ...]
) -> tuple[str, Any]:
    """
    Return the reason that brokers of *release* cannot follow, or else the end by its rules.

    They cannot if by the release's rules the model takes another path, or none.
    """
    bounds = scenario.bounds
    if bounds.dialect != Dialect.RELEASED:
        return f"no release speaks the dialect {bounds.dialect}", None
    if bounds.wraps:
        return "the versions at the start are the last ones there are, which nobody reaches", None
    by = judged_release(release, bounds.system.releases).name
    try:
        state = initial_states(bounds_under(bounds, by, (), (), switches))[0]
    except Misuse:
        return f"the bounds do not go with the rules of {release}", None
    for one in steps:
        point = None if one.event is None else one.event.point
        if point is not None and (why := WITHOUT.get(release, {}).get(point)):
            return f"stops at step {one.number}, {one.action.name}: {release} {why}", None
        try:
            state = step(state, one.action)
        except (Disabled, BoundReached) as refused:
            return f"{release} goes another way at step {one.number}, {one.action.name}; it needs: {refused}", None
        if apart := differences(predicted(one.after), predicted(state), release):
            return f"{release} goes another way at step {one.number}, {one.action.name}: {apart[0]}", None
    return "", state
