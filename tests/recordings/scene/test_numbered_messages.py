"""Messages are found by number and place as one finds them who looks at each."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.recordings.read.events import Origin
from oneowner.checkers.recordings.scene.channel_history import Channel
from oneowner.checkers.recordings.scene.message_columns import Message
from oneowner.checkers.recordings.scene.numbered_messages import by_producer, numbered, placed

IDS = ["1:2", "1:2:-1", "1:2:-1:0", "1:3:-1:1", "1:2:-1:-1", "1:3:0:1", "2:0:7", "zxid:9", "", "a:b", "1:2:-1:3:4"]
MESSAGES = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from(["", "p", "q"]), st.none() | st.integers(0, 4)), max_size=12
)


def channel_of(told: list[tuple[str, str, int | None]]) -> Channel:
    """A channel of tombstones with these ids, producers and sequence ids; their positions follow the ids."""
    channel = Channel()
    for at, (text, producer, sequence) in enumerate(told):
        numbers = [int(number) for number in re.findall(r"-?\d+", text)] or [0]
        position = numbers[0], numbers[1] if len(numbers) > 1 else 0, numbers[3] if len(numbers) > 3 else -1
        key = "t/n/0x00000000_0xffffffff"
        channel.take(Message(position, Origin(0, 0, at + 1), text, at, key, None, producer, sequence), False)
    return channel


@given(MESSAGES)
def test_numbers_are_found_as_by_looking_at_each(told: list[tuple[str, str, int | None]]) -> None:
    first: dict[tuple[str, int], int] = {}
    by_name: dict[str, list[int]] = {}
    again = []
    for row, (_, producer, sequence) in enumerate(told):
        if producer and sequence is not None:
            by_name.setdefault(producer, []).append(row)
            if first.setdefault((producer, sequence), row) != row:
                again.append((row, first[producer, sequence]))
    found = numbered(channel_of(told))
    assert {one.producer: one.rows.tolist() for one in found} == by_name
    assert [one.producer for one in found] == [*by_name]
    assert all([told[row][2] for row in one.rows] == one.numbers.tolist() for one in found)
    assert sorted(pair for one in found for pair in one.again()) == again


@given(MESSAGES)
def test_places_are_what_the_ids_say(told: list[tuple[str, str, int | None]]) -> None:
    expected = []
    for row, (text, producer, _) in enumerate(told):
        says = re.fullmatch(r"(\d+):(\d+)(?::-?\d+)?(?::(\d+))?", text)
        if says is not None and producer:
            expected.append((row, (int(says[1]), int(says[2]), -1 if says[3] is None else int(says[3]))))
    lie = placed(channel_of(told))
    assert [(int(row), lie.place(at)) for at, row in enumerate(lie.rows)] == expected


@given(MESSAGES)
def test_rows_of_producers_are_all_rows_each_once(told: list[tuple[str, str, int | None]]) -> None:
    parts = by_producer(channel_of(told), np.arange(len(told)))
    assert sorted(row for own in parts for row in own.tolist()) == [*range(len(told))]
    assert all(len({told[row][1] for row in own.tolist()}) == 1 for own in parts)
    assert len(parts) == len({producer for _, producer, _ in told})
