"""Lines joined many at once are joined as each alone, and as one who compares all with all joins them."""

import random

import pytest

from oneowner.checkers.recordings.laws.views import record_places
from oneowner.checkers.recordings.laws.views.record_places import Places
from oneowner.checkers.recordings.read.line_columns import LineColumns
from oneowner.checkers.recordings.read.observations import Printed
from tests.recordings.laws.crafted import B1, B2, OTHER, UNIT, channel, message, printed, said, scene

CHILDREN = None, ("0x0_0x4", "0x4_0x8"), ("0x4_0x8", "0x0_0x4"), ("0x0_0x2", "0x2_0x8")
EXTREMES = 0, 1, 2**63 - 1, -(2**63), 2**63


def record(chance: random.Random, most: int) -> Printed:
    """One of few records, so that many are equal; numbers beyond those of a long are no record's of a channel."""
    version, made = (chance.choice(EXTREMES[:most]) for _ in range(2))
    shown = printed("Splitting", version, chance.choice(["", B1]), chance.choice([B1, B2]), timestamp=made)
    return shown._replace(children=chance.choice(CHILDREN))


def is_equal(one: Printed, other: Printed | None) -> bool:
    if other is None or one[:2] != other[:2]:
        return False
    return one.children == other.children or (
        one.children is not None and other.children is not None and sorted(one.children) == sorted(other.children)
    )


@pytest.mark.parametrize("seed", range(20))
def test_lines_join_what_is_equal(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_places, "_AT_ONCE", 7)
    chance = random.Random(seed)
    messages = [
        message(n, n, chance.choice([None, record(chance, 4), record(chance, 4)]), chance.choice([UNIT, OTHER]))
        for n in range(60)
    ]
    lines = [
        said(n, n, "handle-request", chance.choice([UNIT, OTHER, "t/n/never"]), data=record(chance, 5))
        for n in range(60)
    ]
    places = Places(scene(channel=channel(*messages)))
    equal = places.of_lines(LineColumns.of(lines))
    for at, line in enumerate(lines):
        shown = line.values["data"]
        expected = [n for n, one in enumerate(messages) if one.key == line.unit and is_equal(shown, one.printed)]
        assert [step.place for step in places.equal(line.unit or "", shown)] == expected
        assert (equal.number[at], equal.first[at]) == (len(expected), expected[0] if expected else -1)
        assert equal.several.get(at) == (tuple(expected) if len(expected) > 1 else None)


def test_channel_of_nothing_joins_nothing() -> None:
    lines = LineColumns.of([said(1, 1, "handle-request", UNIT, data=printed("Owned", 1, B1))])
    for one in (channel(), channel(message(0, 0, None))):
        assert Places(scene(channel=one)).of_lines(lines).number.tolist() == [0]
