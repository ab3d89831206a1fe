"""
``follow_schedule`` replays the recorded steps of a ``LeaderElectionImpl`` on the model.

A schedule is ``{"brokers": N, "options": [..], "steps": [{"step": [name, broker], "node", "brokers"}]}``, as in
``tests/vectors/leader_election``. Every field is compared; an unknown one is refused, so that nothing is passed over in
silence.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.schedule import Difference, Taken, Unreadable, follow
from oneowner.model.kernel.system import actions, step
from oneowner.model.leader_election.bounds import Bounds
from oneowner.model.leader_election.rules import RELEASES
from oneowner.model.leader_election.state import NOBODY, Asked, Cached, Result, State, brokers

ROOM: Final = 16
AMPLE: Final = 99
BUDGETS: Final = ("again", "closes", "restarts", "expiries", "survivals", "reconnects", "losses", "reads")
METHODS: Final = {
    Asked.CHECK: "get",
    Asked.LOAD: "get",
    Asked.CREATE: "put",
    Asked.REPLACE: "delete",
    Asked.CLEAN: "delete",
    Asked.CLOSE: "delete",
}
OPTIONS: Final = ("unordered",)


def follow_schedule(schedule: Mapping[str, Any], release: str) -> Difference | None:
    """Return the first difference of *schedule* under the rules of *release*; raise Unreadable if it is no schedule."""
    lines: Sequence[Mapping[str, Any]] = schedule["steps"]
    bounds = bounds_of(schedule, release)
    known = {named(one): one for one in actions(bounds)}
    steps = [Taken(known[words_of(number, line, known)], line) for number, line in enumerate(lines, 1)]
    return follow([State(bounds)], steps, outcomes, compared)


def bounds_of(schedule: Mapping[str, Any], release: str) -> Bounds:
    """Return bounds that no recorded schedule uses up."""
    options = schedule.get("options", [])
    unknown = [option for option in options if option not in OPTIONS]
    count = schedule.get("brokers")
    if unknown or not isinstance(count, int) or not 1 <= count <= 9 or not schedule["steps"]:
        raise Unreadable(
            f"schedule refused: {count} brokers, options {options}; there are 1 to 9, {', '.join(OPTIONS)}"
        )
    return ample(count, release, options)


def ample(count: int, release: str, options: Sequence[str]) -> Bounds:
    """Return bounds of *count* brokers that no schedule uses up."""
    room = dict.fromkeys(("requests", "waiting", "notices", "timers", "conflicts"), ROOM)
    budgets = dict.fromkeys(BUDGETS, AMPLE)
    unordered = int("unordered" in options)
    return Bounds(
        brokers=count, rules=RELEASES[release], creations=1, listens=1, unordered=unordered, **room, **budgets
    )


def named(action: Action) -> tuple[str, int]:
    """Return the name of an action, and whose it is; nobody's is 0."""
    return action.name, dict(action.arguments).get("broker", NOBODY)


def words_of(number: int, line: Mapping[str, Any], known: Mapping[tuple[str, int], Action]) -> tuple[str, int]:
    """Return name and broker of a step."""
    step_ = line.get("step")
    words = tuple(step_) if isinstance(step_, list) else ()
    if words not in known or not isinstance(line.get("brokers"), list):
        raise Unreadable(f"step {number} refused: {step_}; there are {', '.join(sorted({name for name, _ in known}))}")
    return words


def outcomes(before: State, action: Action) -> Iterator[State | str]:
    """Yield the state that *action* leads to, or why it is refused."""
    try:
        yield step(before, action)
    except (Disabled, BoundReached) as refused:
        yield str(refused)


def compared(number: int, state: State, told: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield every recorded field, as the model has it and as it was recorded."""
    whole = {"node": [state.node, state.earlier] if state.node != NOBODY else None}
    for field in told:
        if field not in ("step", "brokers"):
            yield field, whole.get(field, "no such field"), told[field]
    if len(told["brokers"]) != state.bounds.brokers:
        yield "brokers", state.bounds.brokers, len(told["brokers"])
    for broker, recorded in zip(brokers(state), told["brokers"], strict=False):
        here = seen(state, broker)
        for field in recorded:
            yield f"brokers[{broker}].{field}", here.get(field, "no such field"), recorded[field]


def seen(state: State, broker: int) -> dict[str, Any]:
    """Return the recorded fields of a broker."""
    is_known = state.cached[broker] == Cached.READY and state.value[broker] != NOBODY
    requests = [[METHODS[one.request.asked], True] for one in state.answers[broker]]
    return {
        "live": state.live[broker],
        "internal": state.internal[broker].value,
        "state": state.says[broker].value,
        "value": state.value[broker] if is_known else None,
        "elected": outcome_of(state.elected[broker]),
        "closed": outcome_of(state.closed[broker]),
        "heard": [says.value for says in state.heard[broker]],
        "timers": state.timers[broker],
        "notifications": [notice.kind.value for notice in state.notices[broker]],
        "requests": [*requests, *([METHODS[one.asked], False] for one in state.sent[broker])],
    }


def outcome_of(result: Result) -> str | None:
    """Return the recorded outcome; nothing before it was requested."""
    return None if result == Result.NONE else result.value
