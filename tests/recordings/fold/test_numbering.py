"""The numbering of a dump does not depend on the number of lines read at once."""

import json
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.checkers.recordings.fold import numbered_runs, numbering
from oneowner.checkers.recordings.fold.numbering import Numbered, Numbering
from oneowner.checkers.recordings.read.many_lines import LinesReader
from tests.recordings.dumps import START, steadily

Numbers = list[tuple[str, int]]
"""Of each message its producer and its sequence id."""


def line(entry: int, producer: str, sequence: int) -> bytes:
    value = {"state": "Owned", "dstBroker": "b", "versionId": entry, "timestamp": START + entry}
    message = {"messageId": f"0:{entry}", "publishTime": START + entry, "producer": producer, "sequenceId": sequence}
    key = {"key": "t/n/0x00000000_0xffffffff", "value": value}
    return json.dumps({**message, **key}, separators=(",", ":")).encode() + b"\n"


def numbered(numbers: Numbers, at_once: int) -> Numbered:
    reader, found = LinesReader(0, 0), Numbering()
    lines = [line(entry, *number) for entry, number in enumerate(numbers)]
    for first in range(0, len(lines), at_once):
        columns = reader.columns(b"".join(lines[first : first + at_once]), first + 1)
        assert columns is not None
        found.take(columns)
    return found.result()


@pytest.mark.sample(1)
@pytest.mark.parametrize("lately", [2, 100])
@steadily
@given(numbers=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 6)), min_size=1, max_size=20))
def test_parts_are_read_as_the_whole(lately: int, numbers: Numbers) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbered_runs, "LATELY", lately)
        whole = numbered(numbers, len(numbers))
        assert numbered(numbers, 1).breaks == numbered(numbers, 3).breaks == whole.breaks
        for producer in "ab":
            for at_once in (1, 3):
                assert runs(numbered(numbers, at_once), producer) == runs(whole, producer)


def runs(found: Numbered, producer: str) -> list[tuple[list[int], list[int]]]:
    """Return the sequence ids that are kept of each run of a producer: its first ones and its last ones."""
    sides = [(run.firsts(), run.lasts()) for run in found.runs if run.producer == producer]
    return [([one.sequence for one in first], [one.sequence for one in last]) for first, last in sides]


def test_of_a_long_run_the_first_and_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbered_runs, "LATELY", 3)
    for at_once in (1, 2, 4, 100):
        assert runs(numbered([("a", number) for number in range(10)], at_once), "a") == [([0, 1, 2], [7, 8, 9])]


def test_a_run_that_is_kept_goes_on_behind_those_that_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, "MOST_RUNS", 2)
    for at_once in (1, 3, 4):
        found = numbered([("a", 0), ("a", 5), ("a", 9), ("a", 6)], at_once)
        assert runs(found, "a") == [([0], [0]), ([5, 6], [5, 6])]


def test_messages_that_no_number_joins_are_no_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """They would cost three quarters of the reading."""
    made = Mock(side_effect=numbered_runs.marks_of)
    for module in (numbering, numbered_runs):
        monkeypatch.setattr(module, "marks_of", made)
    monkeypatch.setattr(numbering, "MOST_RUNS", 2)
    numbered([("a", 7 * number % 50) for number in range(50)], 50)
    assert made.call_count < 10, "of the ends of the part, and of both sides of two runs"
