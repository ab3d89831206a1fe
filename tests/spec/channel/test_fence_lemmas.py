"""The lemmas of fences are about the model: they describe a broker's treatment of a record of one unit."""

from dataclasses import replace

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.model.channel.record import TOMBSTONE, Record
from oneowner.model.channel.rules import Rules
from oneowner.model.channel.state import State
from oneowner.model.channel.topics import is_disconnecting
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.system import actions, initial_states, step
from oneowner.spec.channel.fence_lemmas import (
    Keeper,
    after_disconnecting,
    after_reading,
    after_reading_repaired,
    is_fenced_for_a_reason,
)

VISITED = 1500
"""States of which the steps are compared: the first ones."""


def keeper(state: State, broker: int, read: Record = TOMBSTONE) -> Keeper:
    kept, disconnects = state.kept[broker, 1], is_disconnecting(state, broker, 1)
    return Keeper(broker, state.view[broker, 1], state.serving[broker, 1], kept, disconnects, read)


@pytest.mark.parametrize("repaired", [False, True])
def test_steps_of_the_model_are_those_of_the_lemmas(repaired: bool) -> None:
    bounds = replace(families()["transfer-given-back"].bounds, unloads=1, rules=Rules(returned_unit_is_closed=repaired))
    reading = after_reading_repaired if repaired else after_reading
    waiting = list(initial_states(bounds))
    seen = {state.key() for state in waiting}
    read, closed, unfounded = 0, 0, 0
    for before in waiting:
        for action in actions(bounds) if len(seen) < VISITED else ():
            try:
                after = step(before, action)
            except (Disabled, BoundReached):
                continue
            if after.key() not in seen:
                seen.add(after.key())
                waiting.append(after)
            if action.name == "consume":
                broker = action.argument("broker")
                if after.view[broker, 1] != before.view[broker, 1]:
                    record = after.view[broker, 1]
                    assert reading(keeper(before, broker, record)) == keeper(after, broker, record)
                    read += 1
            elif action.name == "close":
                broker = action.argument("broker")
                if is_disconnecting(before, broker, 1) and not is_disconnecting(after, broker, 1):
                    assert after_disconnecting(keeper(before, broker)) == keeper(after, broker)
                    closed += 1
            unfounded += not all(is_fenced_for_a_reason(keeper(after, one)) for one in (1, 2))
    assert read > 0
    assert closed > 0
    assert (unfounded == 0) == repaired
