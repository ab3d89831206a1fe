"""Answers of a node while a slot is migrated: the cases of ``tests/cluster/tests/29-slot-migration-response.tcl``."""

from typing import Any

import pytest

from oneowner.model.redis.bounds import Bounds
from oneowner.model.redis.commands import answer
from oneowner.model.redis.state import NOBODY, State
from tests.cells import where

BOUNDS = Bounds(keys=2, migrations=1, commands=1)
OPEN: dict[str, Any] = {"migrating": {1: 2}, "importing": {2: 1}}
"""Slot 1 is migrated from node 1 to node 2."""


@pytest.mark.parametrize(
    ("node", "key", "asking", "sent_to"),
    [
        (1, 1, False, (NOBODY, False)),  # the source has the key, and writes it
        (1, 2, False, (2, True)),  # the source has it not: ASK
        (2, 2, True, (NOBODY, False)),  # the destination writes it for a client that is ASKING
        (2, 1, False, (1, False)),  # the destination sends who is not ASKING to the owner: MOVED
        (3, 1, False, (1, False)),  # and so do all others
        (3, 2, True, (1, False)),  # also who is ASKING, where nothing is imported
    ],
)
def test_answer_depends_on_the_table_the_key_and_asking(
    node: int, key: int, asking: bool, sent_to: tuple[int, bool]
) -> None:
    state = where(State(BOUNDS), **OPEN, at=node, wanted=key, asking=asking)
    answer(state, node, key)
    assert (state.at, state.asking) == sent_to
    assert (state.acked[key] > State(BOUNDS).acked[key]) is (sent_to[0] == NOBODY)
