"""Violations by records and by time, each reported once; the memory is released."""

import json
from pathlib import Path
from typing import Any

from oneowner.checkers.recordings.fold.fold import Fold
from oneowner.checkers.recordings.fold.unit_memory import Moves, Unit
from oneowner.checkers.recordings.live.channel_watch import ChannelWatch
from oneowner.checkers.recordings.live.packed_fold import packed, unpack
from tests.recordings.dumps import START, dump, recorded
from tests.watch.broken_dumps import QUESTION, names

STUCK = "stuck-in-flight 0:1 tenant/ns/0x00000000_0x80000000"


def raw(messages: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(message).encode() for message in messages]


def begun(memory: Any = None) -> ChannelWatch:
    return ChannelWatch("c", "topic", QUESTION, memory)


def test_broken_law_is_told_with_the_record_that_breaks_it() -> None:
    watch = begun()
    lines = raw(dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2", "0-8 -"))
    assert watch.take(lines[:2]) == []
    (told,) = watch.take(lines[2:])
    assert told.name == "tombstone-of-active 0:2 tenant/ns/0x00000000_0x80000000"
    assert told.finding["severity"] == "violation"
    assert told.finding["at"] == {"file": "topic", "line": 3, "messageId": "0:2", "time": START + 2000}


def test_two_findings_of_one_record_have_names_of_their_own() -> None:
    lines = raw(dump("0-4 Owned(1) v1", "4-8 Owned(2) v1", "0-8 Owned(3) v1"))
    unit = "tenant/ns/0x00000000_0x80000000"
    assert names(begun().take(lines)) == [f"overlapping-owners 0:2 {unit}", f"overlapping-owners 0:2 {unit} 2"]


def test_hand_over_that_does_not_end_is_told_once_when_its_time_is_over() -> None:
    watch = begun()
    lines = raw(dump("0-8 Owned(1) v1", "0-8 Releasing(2, from 1) v2", "0-8 Assigning(2, from 1) v3 @60"))
    assert watch.take(lines[:2]) == []
    assert watch.next_time() == START + 4000
    assert watch.pass_time(START + 4000) == []  # not longer than the limit
    assert names(watch.pass_time(START + 4001)) == [STUCK]
    assert watch.pass_time(START + 9000) == []
    assert watch.next_time() is None
    assert watch.take(lines[2:]) == []  # the fold says it, too, now that it has ended
    assert names(watch.pass_time(START + 70_000)) == ["stuck-in-flight 0:2 tenant/ns/0x00000000_0x80000000"]


def test_hand_over_that_ended_late_is_told_by_the_record_that_ends_it() -> None:
    watch = begun()
    found = watch.take(raw(dump("0-8 Owned(1) v1", "0-8 Releasing(2, from 1) v2", "0-8 Assigning(2, from 1) v3 @60")))
    assert names(found) == [STUCK]
    assert "stayed in flight for 59.000 s" in found[0].finding["why"]


def test_what_was_told_of_time_is_not_told_by_who_goes_on() -> None:
    watch = begun()
    lines = raw(dump("0-8 Owned(1) v1", "0-8 Releasing(2, from 1) v2", "0-8 Assigning(2, from 1) v3 @60"))
    watch.take(lines[:2])
    watch.pass_time(START + 50_000)
    again = begun(json.loads(json.dumps(watch.memory())))
    assert again.pass_time(START + 51_000) == []
    assert again.take(lines[2:]) == []


def test_damage_is_told_and_passed_over() -> None:
    watch = begun()
    messages = dump("0-8 Assigning(1) v1", "0-8 Owned(1) v2")
    one, two = raw(messages)
    found = watch.take([one, b"{", b"\n", two, two, one])
    assert names(found) == [
        "readable-input line 2",
        "message-order 0:1 tenant/ns/0x00000000_0x80000000",
        "message-order 0:0 tenant/ns/0x00000000_0x80000000",
    ]
    assert watch.counts(START).records == 2


def test_counts_tell_states_and_what_is_in_flight() -> None:
    watch = begun()
    watch.take(
        raw(dump("0-8 Owned(1) v1", "8-c Releasing(2, from 1) v1", "8-c Owned(1) v1", "c-end Owned(1) v1", "c-end -"))
    )
    counts = watch.counts(START + 5000)
    assert (counts.records, counts.states, counts.refused) == (5, {"Owned": 1, "Releasing": 1}, {"version": 1})
    assert (counts.in_flight, counts.longest) == (1, 4000)


def test_memory_of_a_fold_comes_back_whole(tmp_path: Path) -> None:
    for run in ("split-crash", "shutdown-together", "kill-mid-transfer"):
        lines = raw(recorded(run))
        for cut in (len(lines) // 3, len(lines) // 2):
            whole, part = begun(), begun()
            reports = names(whole.take(lines[:cut])) + names(whole.take(lines[cut:]))
            first = names(part.take(lines[:cut]))
            rest = begun(json.loads(json.dumps(part.memory())))
            assert first + names(rest.take(lines[cut:])) == reports
            assert json.dumps(rest.memory()) == json.dumps(whole.memory())
            fold = Fold(QUESTION)
            unpack(json.loads(json.dumps(packed(whole.fold))), fold)
            for key, unit in whole.fold.units.by_key.items():
                assert all_of(fold.units.by_key[key]) == all_of(unit)


def all_of(unit: Unit) -> dict[str, Any]:
    """Return every field of a unit's memory, with other units by their keys."""
    fields = {name: getattr(unit, name) for name in Unit.__slots__}
    moves = {name: getattr(unit.moves, name) for name in Moves.__slots__}
    return fields | {
        "neighbours": [one.key for one in unit.neighbours],
        "namespace": unit.namespace.name,
        "moves": moves,
    }
