"""The induction of single ownership: its steps are those of the model, and everything that it rests on is needed."""

import itertools

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.model.channel.parts import Publish
from oneowner.model.channel.record import ASSIGNING, FREE, OWNED, TOMBSTONE, Record, is_absent, loser
from oneowner.model.channel.state import State
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.lemma import PROVED, REFUTED
from oneowner.model.kernel.system import actions, initial_states, step
from oneowner.spec.channel.induction import INVARIANT, UNTAINTED
from oneowner.spec.channel.invariant import (
    Point,
    Sent,
    accepts,
    holder,
    is_behind_a_gap,
    is_computed,
    is_forced,
    is_late,
)
from oneowner.spec.channel.ownership_lemmas import APPEND, STEPS
from oneowner.spec.channel.ownership_needs import BUGS, DROPPED_CONJUNCTS, TAINTS
from oneowner.spec.channel.registry import LEMMAS

VISITED = 600
"""States of each family from which publishes are taken: the first ones."""


def publishes(name: str) -> set[tuple[int, Publish]]:
    """Every publish under way in the first states of a family, with its sender."""
    bounds = families()[name].bounds
    instances, found = list(actions(bounds)), set[tuple[int, Publish]]()
    waiting = list(initial_states(bounds))
    seen = {state.key() for state in waiting}
    for state in waiting:
        found |= set(sent_in(state))
        for action in instances if len(seen) < VISITED else ():
            try:
                after = step(state, action)
            except (Disabled, BoundReached):
                continue
            if after.key() not in seen:
                seen.add(after.key())
                waiting.append(after)
    return found


def sent_in(state: State) -> list[tuple[int, Publish]]:
    return [(broker, one) for broker in range(1, state.bounds.brokers + 1) for one in state.outbox[broker]]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["assignment", "transfer", "failure", "split", "shutdown", "lookup"])
def test_publishes_of_the_model_are_those_of_the_induction(name: str) -> None:
    """A broker's publications about itself (P1 to P9) are those of ``is_published``, whatever their cause."""
    found = publishes(name)
    kinds = {one.record.state for _, one in found}
    assert len(kinds) >= 2, kinds
    for broker, one in found:
        sent = Sent(broker, one.record, Point(one.basis.version, 0, one.basis))
        assert is_computed(sent), f"{sent} in {name}"


def test_weaker_taint_is_not_enough() -> None:
    """Neither forced records nor tombstones of active entries, and two brokers serve: nothing notifies the first."""
    free = Point(5, 0, Record(FREE, source=3, version=5))
    late = Sent(3, Record(ASSIGNING, 2, version=6), free)
    assert accepts(free.record, TOMBSTONE)
    history = [TOMBSTONE, Record(ASSIGNING, 1, version=1), Record(OWNED, 1, version=2)]
    for held, proposed in itertools.pairwise(history):
        assert accepts(held, proposed)
    end = Point(8, 6, history[-1])
    assert holder(end.record) == 1
    assert accepts(end.record, late.record)
    assert not is_forced(end, late)
    assert not is_absent(late.record)
    assert (is_late(end, late), is_behind_a_gap(end, late)) == (True, True)
    taken = Record(OWNED, 2, version=7)
    assert accepts(late.record, taken)
    assert holder(taken) == 2
    assert loser(late.record) != 1
    assert loser(taken) != 1


def test_every_conjunct_and_every_item_of_the_taint_is_left_out_by_some_lemma() -> None:
    for conjunct in INVARIANT:
        left_out = [one for one in DROPPED_CONJUNCTS if conjunct not in one.given]
        assert left_out, conjunct.__name__
        assert all(conjunct not in one.claims and one.expected == REFUTED for one in left_out)
    for item in UNTAINTED:
        assert [one for one in TAINTS if item not in one.given], item.__name__
    assert len(DROPPED_CONJUNCTS) == len(INVARIANT)
    assert len(TAINTS) == len(UNTAINTED)


def test_every_step_claims_the_whole_invariant_and_assumes_no_more_than_it_and_its_guard() -> None:
    for lemma in STEPS:
        assert lemma.claims == INVARIANT
        assert lemma.expected == PROVED
        guards = set(lemma.given) - set(INVARIANT)
        assert len(guards) == (2 + len(UNTAINTED) if lemma is APPEND else 2), lemma.name


def test_a_dozen_bugs_break_a_step() -> None:
    assert len(BUGS) >= 12
    assert {one.expected for one in BUGS} == {REFUTED}


def test_there_are_lemmas_of_every_kind() -> None:
    assert len(LEMMAS) >= 25
    assert {lemma.expected for lemma in LEMMAS} == {PROVED, REFUTED}
