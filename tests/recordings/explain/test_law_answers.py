"""Laws that are asked only where cells changed that they read answer as they do when they are asked everywhere."""

from itertools import pairwise

import pytest

from oneowner.checkers import places
from oneowner.checkers.recordings.explain.broken_laws import has_occasion, is_kept
from oneowner.checkers.recordings.explain.explain_verdict import judge
from oneowner.checkers.recordings.explain.law_answers import StateAnswers, StepAnswers
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.model.channel.state import State
from oneowner.model.kernel.law import LawKind, StateLaw, StepLaw
from oneowner.spec.channel.system import SYSTEM

OF_STATES = [law for law in SYSTEM.laws if isinstance(law, StateLaw)]
OF_STEPS = [law for law in SYSTEM.laws if isinstance(law, StepLaw)]


@pytest.mark.parametrize("name", ["forced-free", "split-crash", "zk-restart-metadata"])
def test_every_law_answers_at_every_step_as_the_law_alone_does(name: str) -> None:
    whole = read_recording(places.RUNS / name)
    for unit in judge(whole).units:
        states, steps = StateAnswers(OF_STATES), StepAnswers(OF_STEPS)
        for one in unit.steps:
            if one.action is None:
                continue
            before, action, after = one.before, one.action, one.after
            states.move(after)
            occasions = {law.name for law, count in zip(OF_STATES, states.occasions, strict=True) if count}
            broken = {law.name for law, count in zip(OF_STATES, states.breaches, strict=True) if count}
            assert occasions == {law.name for law in OF_STATES if has_occasion(law, before, action, after)}
            assert broken == {law.name for law in OF_STATES if not is_kept(law, before, action, after)}
            asked = {law.name for law in steps.occasions(before, action, after)}
            assert asked == {law.name for law in OF_STEPS if has_occasion(law, before, action, after)}


def test_law_is_asked_again_only_where_a_cell_changed_that_it_read() -> None:
    asked: list[int] = []

    def holds(state: State) -> bool:
        asked.append(state.cursor[1])
        return bool(state.cursor[1] == 0)

    law = StateLaw("stays", "Broker 1 reads nothing.", "", lambda state: True, holds, kind=LawKind.PROTOCOL)
    (unit, *_) = judge(read_recording(places.RUNS / "healthy")).units
    states = StateAnswers([law])
    for one in unit.steps:
        states.move(one.after)
    cursors = [one.after.cursor[1] for one in unit.steps]
    assert asked == [cursors[0], *(new for old, new in pairwise(cursors) if new != old)]
