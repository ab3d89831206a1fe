"""The set of states that the Python engine has seen, against a dictionary."""

import numpy as np
import pytest

from oneowner.checkers.engines.explore import known_states
from oneowner.checkers.engines.explore.known_states import KnownStates


@pytest.mark.parametrize("words", [1, 3])
def test_states_are_numbered_in_the_order_in_which_they_come(words: int) -> None:
    chance = np.random.default_rng(words)
    known, expected = KnownStates(words), dict[tuple[int, ...], int]()
    for size in chance.integers(0, 3_000, 30):
        batch = chance.integers(0, 2_000 if words == 1 else 30, (size, words)).astype(np.uint64)
        numbers, is_new = known.add(batch)
        for row, number, new in zip(map(tuple, batch.tolist()), numbers.tolist(), is_new.tolist(), strict=True):
            assert new == (row not in expected)
            assert number == expected.setdefault(row, len(expected))
    assert known.count == len(expected)
    assert [tuple(row) for row in known.states.tolist()] == list(expected)


def test_states_with_the_same_fingerprint_are_not_taken_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_states, "fingerprints", lambda states: np.full(len(states), 7, np.uint64))
    known = KnownStates(2)
    batch = np.array([[1, 2], [3, 4], [1, 2], [1, 4]], np.uint64)
    assert [part.tolist() for part in known.add(batch)] == [[0, 1, 0, 2], [True, True, False, True]]
    assert [part.tolist() for part in known.add(batch[::-1])] == [[2, 0, 1, 0], [False] * 4]
