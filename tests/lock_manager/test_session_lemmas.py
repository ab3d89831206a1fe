"""The steps that the lemmas of sessions speak of are those of the model, as far as two brokers and a bundle go."""

from oneowner.model.lock_manager.bounds import Bounds
from oneowner.model.lock_manager.ownership import create_node
from oneowner.model.lock_manager.sessions import expire
from oneowner.model.lock_manager.state import Entry, Lock, State
from oneowner.spec.lock_manager.session_lemmas import Pair, after_creating, after_end, after_fenced_end, one_owns
from tests.cells import where

BOUNDS = Bounds(acquires=1, expiries=1)


def pair(state: State) -> Pair:
    """The lemmas' view of a state."""
    owns = [state.entry[broker, 1] == Entry.ACTIVE for broker in (1, 2)]
    return Pair(1, 2, state.node[1], *owns)


def test_creation_of_a_node_is_that_of_the_model() -> None:
    for node in (0, 2):
        owned = {(1, 1): Entry.LOADING, (2, 1): Entry.ACTIVE if node else Entry.NONE}
        state = where(State(BOUNDS), node={1: node}, entry=owned, lock={(1, 1): Lock.WANTED})
        before = pair(state)
        create_node(state, 1, 1)
        assert pair(state) == after_creating(before)


def test_session_of_the_model_is_not_fenced() -> None:
    state = State(BOUNDS)
    before = pair(state)
    assert before.first_owns
    expire(state, 1)
    assert pair(state) == after_end(before) != after_fenced_end(before)
    assert not one_owns(after_creating(pair(state)._replace(first=2, second=1, first_owns=False, second_owns=True)))
