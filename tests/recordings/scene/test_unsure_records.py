"""Records of unknown acceptance, in a dump that begins late."""

from dataclasses import replace

import pytest

from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.unsure_records import unsure
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.crafted import B1, B2, B3, channel, message, printed, scene

LOST = message(0, 10, printed("Releasing", 3, B2, B1))
"""A record that lost a race: the one that won came before the dump begins."""
REFUSED = message(1, 20, printed("Assigning", 4, B3, B1))
OWNED = message(2, 30, printed("Owned", 5, B3, B1))


@pytest.mark.parametrize(
    ("messages", "places"),
    [
        ((LOST, REFUSED, OWNED), {0, 1}),
        ((LOST, REFUSED, OWNED, message(3, 40, printed("Owned", 2, B1))), {0, 1}),
        ((message(0, 10, printed("Assigning", 1, B1)), message(1, 20, printed("Assigning", 1, B2))), set()),
        ((message(0, 10, printed("Owned", 7, B1, force=True)),), set()),
        ((message(0, 10, None),), set()),
        ((), set()),
    ],
)
def test_first_records_of_a_dump_that_begins_late_are_unsure(messages: tuple[Message, ...], places: set[int]) -> None:
    run = scene(channel=channel(*messages))
    assert unsure(run) == places
    assert unsure(replace(run, storage=Storage.METADATA_STORE)) == set()
