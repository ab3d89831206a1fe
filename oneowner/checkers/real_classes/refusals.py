"""
``refusals`` finds the steps that the model refuses and the script can offer: the real classes must refuse them too.

A guard either mirrors code of Pulsar, and is tried, or is the script's own. The latter are declared here, each with its
reason; one that is not declared is tried. Budgets do not count: a step is asked of the state with every budget full.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from oneowner.checkers.real_classes.choice import in_turn
from oneowner.checkers.real_classes.edges import Edges
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.steps import STEPS, Kind
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled, Full
from oneowner.model.kernel.system import initial_states, step

ASKED: Final = 100
"""Steps that are asked of the model for each to try; of a larger graph, those of every second, third, ... state."""
BUDGET: Final = "the budget allows"
"""The beginning of the guard of every budget."""
_NUMBERS: Final = re.compile(r"\d+")


class Reason(StrEnum):
    """The reason that a refused step is not tried."""

    BUDGET = "a budget of the family is used up, and nothing else forbids it"
    ROOM = "a queue of the model is full, or a bound reached"
    NOTHING = "nothing is under way that could be delivered"
    PROCESS = "the process has ended, or has not"
    CALLER = "the caller of the class checks it"
    ANSWER = "the selection, registry or store would not answer so"
    TOPICS = "topics and the bundles that have them are scripted"
    UNTRIED = "the script does not offer the action where it is refused yet"
    THREAD = "the script does not hold the load manager's thread, which waits"
    TIME = "it takes a delay that these bounds leave out"


GUARDS: Final = {
    "the broker is up": Reason.PROCESS,
    "the broker is down": Reason.PROCESS,
    "no publish of the old process is under way": Reason.PROCESS,
    "the broker has a publish under way": Reason.NOTHING,
    "a publish of the broker is under way": Reason.NOTHING,
    "the log holds a record that the broker has not consumed": Reason.NOTHING,
    "a notification for the unit waits": Reason.NOTHING,
    "that close of topics is under way": Reason.NOTHING,
    "a session of the broker holds a node": Reason.NOTHING,
    "the session of the broker has ended": Reason.NOTHING,
    "the broker's registry node is gone": Reason.NOTHING,
    "a lookup of the unit waits at the broker": Reason.NOTHING,
    "a lookup of the unit selects a broker": Reason.NOTHING,
    "the broker splits the parent": Reason.NOTHING,
    "the observer is up": Reason.PROCESS,
    "the broker is another one": Reason.NOTHING,
    "the observer's cache differs from the registry": Reason.NOTHING,
    "the observer has not lost its session unawares": Reason.ANSWER,
    "there is no leader": Reason.ANSWER,
    "the broker is registered": Reason.ANSWER,
    "the broker is up, or starts": Reason.PROCESS,
    "a broker that runs hosts the channel": Reason.ANSWER,
    "the broker has a session, for all it and ZooKeeper know": Reason.ANSWER,
    "the serving broker's registry cache lists the destination": Reason.ANSWER,
    "the leader's registry cache lists the destination": Reason.ANSWER,
    "the policies allow the destination": Reason.ANSWER,
    "the policies refuse every broker of the leader's registry cache": Reason.ANSWER,
    "the boundaries that the split has read are stale": Reason.ANSWER,
    "the unit is a bundle by the broker's boundaries": Reason.CALLER,
    "the broker's boundaries have the unit": Reason.CALLER,
    "the broker's view says that the unit is owned": Reason.CALLER,
    "the broker's view names an owner of the unit": Reason.CALLER,
    "the unit is not owned by the destination": Reason.CALLER,
    "no operator waits there for an unload": Reason.CALLER,
    "no operator waits there for a split": Reason.CALLER,
    "the unit's topics are neither open nor being closed there": Reason.TOPICS,
    "no topic of the unit is closed with its clients kept": Reason.TOPICS,
    "the broker's boundaries locate the unit's topics in it": Reason.TOPICS,
    "the broker does not try to change its role in vain": Reason.THREAD,
    "the leader's registry cache lists the leader itself": Reason.TIME,
    "no publish of the leader for the unit is under way": Reason.TIME,
    "the leader has consumed the whole channel": Reason.TIME,
}
"""
The guards that do not mirror code of the real classes.

Of time: the leader's next job comes after its publish, a flush ends in time (``flushes.py`` has the others), and a
leader that is not registered is so within 120 s, while its monitor and its clean-ups wait 180 s after its last session
event.
"""


OFFERED: Final = frozenset(
    {
        "append",
        "consume",
        "notify",
        "close",
        "open",
        "unload",
        "transfer",
        "remove",
        "look_up",
        "open_lookup",
        "assign",
        "select",
        "time_out",
        "override",
        "free_orphan",
        "free_refused",
        "end_flight",
        "tombstone",
        "split",
        "split_child",
        "move_boundaries",
        "retry_split",
        "give_up_split",
        "delete_parent",
    }
)
"""The actions whose calls and deliveries can be made in any state."""


class Refusal(NamedTuple):
    """A step that the model refuses in a state: the numbers of both, and the guard."""

    state: int
    label: int
    guard: str


class Refusals(NamedTuple):
    """Refused steps: those to try, the number of those that could be, and of others by the reason."""

    chosen: list[Refusal]
    possible: int
    left_out: Counter[Reason]
    every: int
    """Steps were asked for in every state (1), in every second one, ..."""


def refusals(edges: Edges, bounds: Bounds, budget: int) -> Refusals:
    """Return at most *budget* steps to try, of each action, guard and kind of state in turn."""
    (state, *_) = initial_states(bounds)
    expanded = len(edges.codes) if edges.is_whole else int(edges.sources[-1]) + 1
    labels = [number for number, action in enumerate(edges.actions) if can_refuse(action)]
    every = max(1, -(-expanded * len(labels) // (ASKED * budget)))
    taken = set(zip(edges.sources.tolist(), edges.labels.tolist(), strict=True))
    classes: dict[object, list[Refusal]] = {}
    left_out: Counter[Reason] = Counter()
    projection = shown(bounds)
    for number in range(0, expanded, every):
        refused = [label for label in labels if (number, label) not in taken]
        parts = projection.of(edges.codes[number])
        for label, why in why_refused(state.with_codes(edges.codes[number]), edges.actions, refused).items():
            if isinstance(why, Reason):
                left_out[why] += 1
            else:
                kind = (edges.actions[label].name, why, _seen(edges, label, parts))
                classes.setdefault(kind, []).append(Refusal(number, label, why))
    possible = sum(map(len, classes.values()))
    return Refusals(in_turn(list(classes.values()), budget) if classes else [], possible, left_out, every)


def can_refuse(action: Action) -> bool:
    """Return whether a real class acts in a step, and so may refuse it."""
    return STEPS[action.name].kind != Kind.GIVEN


def budgets_of(state: State) -> dict[str, int]:
    """Return the cells that hold what is left of a budget, with the whole budget."""
    wholes = {f"{name}_left": getattr(state.bounds, name) for name in state.bounds.system.budgets}
    return {name: whole for name, whole in wholes.items() if name in state.domains}


def why_refused(state: State, every: Sequence[Action], labels: Iterable[int]) -> dict[int, str | Reason]:
    """Return the guard that refuses each of some steps in a state, or the reason that it is not tried."""
    asked = state.copy()
    for name, whole in budgets_of(state).items():
        setattr(asked, name, whole)
    found = {label: _asked(asked, every[label]) for label in labels}
    late = {_job(every[label]) for label, why in found.items() if why == Reason.TIME} - {None}
    return {label: Reason.TIME if _job(every[label]) in late else why for label, why in found.items()}


def _asked(state: State, action: Action) -> str | Reason:
    try:
        step(state, action)
    except (Full, BoundReached):
        return Reason.ROOM
    except Disabled as refused:
        if refused.guard.startswith(BUDGET):  # the family has none of it
            return Reason.BUDGET
        return GUARDS.get(refused.guard, refused.guard if action.name in OFFERED else Reason.UNTRIED)
    return Reason.BUDGET


def _job(action: Action) -> tuple[int, int] | None:
    """Return the broker and the unit of a leader's job: all jobs of both are one monitor, which does what is due."""
    if STEPS[action.name].kind != Kind.JOB:
        return None
    return action.argument("broker"), action.argument("unit")


def _seen(edges: Edges, label: int, parts: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return what the acting broker shows, without numbers."""
    own = f"broker {edges.actions[label].arguments[0][1]}, "
    return tuple(_NUMBERS.sub("", words) for name, words in parts if name.startswith(own))
