"""
Replay: one scenario through the model, step by step, with the verdict of every law after every step.

A disabled step ends the replay with the guard that refused it and with the enabled steps.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from oneowner.checkers.engines.liveness.lasso import kept, not_closed, occasions, short_of_room, unfair
from oneowner.checkers.scenarios.scenario import Scenario
from oneowner.checkers.verdict import Verdict
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.law import Law, LivenessLaw, StateLaw
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import System, actions, initial_states, step


@dataclass(frozen=True, slots=True)
class Step:
    """One step that was taken."""

    number: int
    action: Action
    changes: tuple[tuple[str, Any, Any], ...]
    """(cell, value before, value after) for every cell that changed."""
    broken: tuple[Law, ...]
    """Laws that fail here and did not fail at the step before."""


@dataclass(slots=True)
class Replay:
    """A replayed scenario."""

    scenario: Scenario
    verdict: Verdict
    reasons: list[str]
    steps: list[Step]
    states: list[Any]
    exercised: dict[str, int]
    broken: dict[str, int]
    """
    Every law that failed, with the first step after which it did (0: in the initial state); a law of liveness fails
    after the last step before the loop.
    """
    failing: list[Law] = field(default_factory=list)
    """The laws that fail at the last step."""
    unfair: str = ""
    """The owed step that the loop defers for ever; such a run breaks no law of liveness."""

    @property
    def system(self) -> System:
        """The system whose run it is."""
        system: System = self.scenario.bounds.system
        return system


def replay(scenario: Scenario) -> Replay:
    """Replay *scenario*; the verdict compares the run with the expectation."""
    result = begin(scenario)
    for number, action in enumerate(scenario.steps, 1):
        try:
            take(result, action)
        except (Disabled, BoundReached) as refused:
            result.reasons.append(_refused(scenario, number, action, result.states[-1], refused))
            if scenario.expect is None and _hard(result):  # what was found before stands
                result.verdict = Verdict.INVALID
                result.reasons += [_failed(result, name) for name in _hard(result)]
            return result
    _conclude(result)
    return result


def begin(scenario: Scenario) -> Replay:
    """Return the run of *scenario* before its first step, with the laws that its initial state breaks."""
    state = initial_states(scenario.bounds)[0]
    system = scenario.bounds.system
    exercised = {law.name: 0 for law in (*system.laws, *system.liveness)}
    result = Replay(scenario, Verdict.UNKNOWN, [], [], [state], exercised, broken={})
    result.failing = _failing(result, None, None, state)
    _remember(result, result.failing, 0)
    return result


def take(result: Replay, action: Action) -> Step:
    """Let a run go on by one step; raise ``Disabled`` or ``BoundReached`` if its last state does not allow that."""
    scenario, before, number = result.scenario, result.states[-1], len(result.states)
    if action not in actions(scenario.bounds):
        raise Disabled(f"an action of {scenario.release} in these bounds")
    after = step(before, action)
    fails = _failing(result, before, action, after)
    new = tuple(law for law in fails if law not in result.failing)
    taken = Step(number, action, tuple(before.differences(after)), new)
    result.steps.append(taken)
    _remember(result, fails, number)
    result.states.append(after)
    result.failing = fails
    return taken


def end_in_words(result: Replay) -> str:
    """Describe an illegal continuation of an endless run; return an empty text if the loop is legal."""
    loop, steps = result.scenario.loop, len(result.scenario.steps)
    if loop is None or len(result.steps) < steps:
        return ""
    if result.unfair or loop <= steps:
        return f"that is not fair: {result.unfair}" if result.unfair else ""
    not_owed = ", ".join(map(str, enabled(result.states[-1])))
    why = f"no enabled step is owed: {not_owed}" if not_owed else "no step is enabled, a deadlock"
    return f"then for ever: nothing; {why}"


def broken_for_ever(result: Replay) -> list[LivenessLaw]:
    """Return the laws of liveness that the run breaks."""
    broken = [law for law in result.system.liveness if law.name in result.broken]
    expect = result.scenario.expect
    return sorted(broken, key=lambda law: expect is None or law.name != expect.law)


def enabled(state: State) -> list[Action]:
    found = []
    for action in actions(state.bounds):
        try:
            step(state, action)
        except (Disabled, BoundReached):
            continue
        found.append(action)
    return found


def _failing(result: Replay, before: State | None, action: Action | None, after: State) -> list[Law]:
    failing: list[Law] = []
    for law in result.system.laws:
        if isinstance(law, StateLaw):
            applies = law.when(after)
            holds = not applies or law.holds(after)
        elif before is None or action is None:
            continue
        else:
            applies = law.when(before, action, after)
            holds = not applies or law.holds(before, action, after)
        if applies:
            result.exercised[law.name] += 1
            if not holds:
                failing.append(law)
    return failing


def _remember(result: Replay, failing: Iterable[Law], number: int) -> None:
    for law in failing:
        result.broken.setdefault(law.name, number)


def _refused(scenario: Scenario, number: int, action: Action, state: State, refused: Disabled | BoundReached) -> str:
    line = scenario.lines[number - 1] if scenario.lines else number
    if isinstance(refused, BoundReached):
        return f"{scenario.path}:{line}: step {number} goes beyond what the scenario can hold: {refused}"
    instead = ", ".join(map(str, enabled(state))) or "nothing"
    needs = f"it needs: {refused.guard}; enabled: {instead}"
    return f"{scenario.path}:{line}: step {number} is not enabled: {action}; {needs}"


def _conclude(result: Replay) -> None:
    scenario, expect = result.scenario, result.scenario.expect
    if not scenario.steps:
        result.reasons.append(f"{scenario.path}: no step in it")
        return
    if scenario.loop is not None:
        against = not_closed(result.states, scenario.loop)
        if against:
            result.reasons.append(f"{scenario.path}: {against}")
            return
        _go_on_for_ever(result, scenario.loop)
    hard = _hard(result)
    if expect is None:
        result.verdict = Verdict.INVALID if hard else Verdict.VALID
        result.reasons += [_failed(result, name) for name in hard]
        return
    unmet = _unmet(result, hard)
    if unmet:
        result.reasons.append(f"{scenario.path}: {unmet}")
        return
    result.verdict = expect.verdict
    if expect.verdict == Verdict.UNKNOWN:
        result.reasons.append(f"{scenario.path}: the scenario expects to leave it open")
    if expect.verdict == Verdict.INVALID:
        result.reasons += [_failed(result, name) for name in ([expect.law] if expect.law else hard)]


def _go_on_for_ever(result: Replay, loop: int) -> None:
    """Judge the laws of liveness by a run that repeats its steps from *loop* on."""
    run = result.states, result.scenario.steps, loop
    result.unfair = unfair(*run) or short_of_room(*run)
    for law in result.system.liveness:
        result.exercised[law.name] = occasions(law, result.states)
        if not result.unfair and not kept(law, result.states, loop):
            result.broken[law.name] = loop - 1


def _hard(result: Replay) -> list[str]:
    """Return the broken laws that are not known to be broken in Pulsar."""
    return [name for name, status in result.system.statuses.items() if not status.is_violated and name in result.broken]


def _unmet(result: Replay, hard: list[str]) -> str:
    """Describe the difference from the expectation, or return an empty text."""
    expect = result.scenario.expect
    assert expect is not None
    seen = ", ".join(f"{name} failed after step {number}" for name, number in result.broken.items())
    seen = seen or "no law failed"
    if expect.law in result.system.liveness_by_name and expect.law not in result.broken:
        seen = _why_kept(result, expect.law)
    if expect.verdict != Verdict.INVALID:
        about = [expect.law] if expect.law else hard
        if expect.verdict == Verdict.VALID and expect.law and not result.exercised[expect.law]:
            return f"expected {expect.law} to hold, but it had no occasion to fail"
        return f"expected {expect.law or 'every law'} to hold, but {seen}" if set(about) & set(result.broken) else ""
    wanted = f"{expect.law or 'a law'} to fail" + (f" after step {expect.step}" if expect.step is not None else "")
    candidates = [expect.law] if expect.law else hard
    at = [result.broken[name] for name in candidates if name in result.broken]
    if not at or (expect.step is not None and expect.step not in at):
        return f"expected {wanted}, but {seen}"
    return ""


def _failed(result: Replay, name: str) -> str:
    system = result.system
    law = system.laws_by_name.get(name) or system.liveness_by_name[name]
    when = f"{'for ever ' if name in system.liveness_by_name else ''}after step {result.broken[name]}"
    return f"{result.scenario.path}: {name} fails {when}: {law.statement}"


def _why_kept(result: Replay, name: str) -> str:
    """Return why a run does not break a law of liveness."""
    loop = result.scenario.loop
    if loop is None:
        return "it has no loop, and only a run without end can break that law"
    return result.unfair or kept(result.system.liveness_by_name[name], result.states, loop)
