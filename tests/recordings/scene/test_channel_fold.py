"""The fold by columns gives every message the fate that the resolver gives it, message by message."""

import random

import pytest

from oneowner.checkers.recordings.fold import settling
from oneowner.checkers.recordings.scene import channel_fold
from oneowner.checkers.recordings.scene.channel_fold import ChannelFold
from oneowner.checkers.recordings.scene.message_columns import Message, MessageColumns
from oneowner.model.channel.record import ServiceUnitState
from oneowner.model.channel.rules import Storage
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, message, printed

UNITS = (UNIT, OTHER, "t/m/0x00000000_0xffffffff")
VERSIONS = (-(2**63), -(2**61) - 1, 2**61 + 1, 2**63 - 1)
Fates = list[tuple[object, ...]]


def messages(chance: random.Random, number: int) -> list[Message]:
    """Messages of which some follow on earlier ones, some lose a race, and a few have enormous versions."""
    version = dict.fromkeys(UNITS, 0)
    found: list[Message] = []
    for place in range(number):
        unit = chance.choice(UNITS)
        if chance.random() < 0.1:
            version[unit] = 0
            found.append(message(place, place, None, unit))
            continue
        version[unit] += chance.choice((0, 1, 1, 1, 1, 2))
        told = chance.choice(VERSIONS) if chance.random() < 0.01 else version[unit]
        state = chance.choice(list(ServiceUnitState)).value
        to, by = (chance.choice(("", B1, B2)) for _ in range(2))
        found.append(message(place, place, printed(state, told, to, by, chance.random() < 0.2), unit))
    return found


def fates(messages: list[Message], storage: Storage, is_history: bool, size: int) -> Fates:
    """The entry that each message finds and whether it is refused; *size* messages are judged at a time."""
    columns, folding = MessageColumns(storage), ChannelFold(storage, is_history)
    for first in range(0, len(messages), size):
        for one in messages[first : first + size]:
            columns.append(one)
        folding.judge(columns, first)
    return [(columns.held(place), columns.is_refused[place]) for place in range(len(messages))]


@pytest.mark.parametrize("storage", Storage)
@pytest.mark.parametrize("is_history", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_columns_give_the_fates_of_one_by_one(
    storage: Storage, is_history: bool, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = messages(random.Random(seed), 400)
    one_by_one = fates(some, storage, is_history, 1)
    assert {refused for _, refused in one_by_one} == ({0} if is_history else {0, 1})
    monkeypatch.setattr(channel_fold, "FEW", 0)
    monkeypatch.setattr(settling, "ROUNDS", 3 if seed % 2 else 12)
    for size in (7, 150, len(some)):
        assert fates(some, storage, is_history, size) == one_by_one
