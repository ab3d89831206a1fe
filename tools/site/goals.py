"""The shortest runs in which a transfer, a split and a recovery are over, as a search of the model finds them."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.engines.explore.native import explore
from oneowner.checkers.engines.explore.reading_order import in_reading_order
from oneowner.checkers.scenarios.replay import Replay, replay
from oneowner.checkers.scenarios.scenario import Scenario
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.channel import entry
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import is_absent, owner
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, StateLaw
from oneowner.spec.channel.quiescence import is_quiet


class Goal(NamedTuple):
    """An operation that ends, in a small model of its family."""

    title: str
    family: str
    settings: dict[str, str]
    is_over: Callable[[State], bool]
    story: str


def is_served(state: State, unit: int, broker: int) -> bool:
    """Return whether *broker* owns *unit*, and nobody else serves it."""
    servers = [one for one in range(1, state.bounds.brokers + 1) if state.serving[one, unit]]
    return owner(entry(state, unit)) == broker and servers == [broker]


def is_transferred(state: State) -> bool:
    return is_quiet(state) and is_served(state, 1, 2)


def is_split(state: State) -> bool:
    """Return whether the parent's entry is gone, each child has an owner, and that of the topic's child serves it."""
    children = [owner(entry(state, unit)) for unit in (2, 3)]
    return is_quiet(state) and is_absent(entry(state, 1)) and all(children) and is_served(state, 2, children[0])


def is_recovered(state: State) -> bool:
    """Return whether the unit of a broker that crashed is served by another one."""
    return is_quiet(state) and state.run[2] == Run.DOWN and is_served(state, 1, 3)


GOALS: Final = {
    "transfer": Goal(
        "A transfer",
        "transfer",
        {"brokers": "2", "unloads": "0", "transfers": "1"},
        is_transferred,
        "An operator moves a bundle from broker 1 to broker 2. The owner closes its topics before the new one opens"
        " them, and every broker reads every record.",
    ),
    "split": Goal(
        "A split",
        "split",
        {"brokers": "2", "unloads": "0"},
        is_split,
        "The owner of a bundle, unit 1, splits it into the units 2 and 3; the topic of the model lies in unit 2.",
    ),
    "recovery": Goal(
        "A recovery",
        "failure",
        {"assigns": "0", "owner": "2", "restarts": "0"},
        is_recovered,
        "Broker 2 crashes. When its session ends, the leader gives its bundle to another broker by a forced record.",
    ),
}


def run_to(name: str) -> Replay:
    """Return a shortest run to a goal; raise EngineError if the model has none."""
    goal = GOALS[name]
    family = families()[goal.family]
    bounds = bounds_with(family.bounds, goal.settings)
    law = StateLaw(
        f"{name}-is-under-way",
        goal.story,
        "this site",
        lambda _: True,
        lambda state: not goal.is_over(state),
        kind=LawKind.PURPOSE,
    )
    found = explore(bounds, [law], stop_at=frozenset((law.name,))).laws[law.name].steps
    if found is None:
        raise EngineError(f"{name}: no run of {goal.family} reaches the goal")
    steps = in_reading_order(bounds, law, found)
    path = Path(f"{name}.yaml")
    scenario = Scenario(path=path, family=goal.family, steps=steps, bounds=bounds, title=goal.title, story=goal.story)
    return replay(scenario)
