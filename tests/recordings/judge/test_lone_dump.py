"""A dump that is alone is held to the numbers and times of its messages, wherever the file is cut."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.fold import runs
from oneowner.checkers.recordings.read.lines import chunks_of
from tests.recordings.dumps import START, Judged, recorded, silently, write

Lines = list[dict[str, Any]]


def whole() -> Lines:
    """Five units are assigned and owned; each of two producers numbers its messages."""
    found = []
    for number in range(10):
        unit, (state, version) = number // 2, (("Assigning", 1), ("Owned", 2))[number % 2]
        key = f"tenant/ns/0x{unit}0000000_0x{unit + 1}0000000"
        value = {"state": state, "dstBroker": "b1", "versionId": version, "timestamp": START + 1000 * number - 2}
        found.append({"messageId": f"0:{number}", "publishTime": START + 1000 * number, "producer": f"p{number % 2}",
                      "sequenceId": number // 2, "key": key, "value": value})  # fmt: skip
    return found


def audited(folder: Path, lines: Lines, **options: bool) -> Judged:
    return silently("audit", write(folder / "channel.jsonl", lines), **options)


def findings_of(found: Judged) -> list[tuple[str, str, str]]:
    return [(one["law"], one["severity"], one["why"]) for one in found.json["findings"]]


def test_whole_dump_is_valid_and_its_numbers_were_looked_at(tmp_path: Path) -> None:
    found = audited(tmp_path, whole())
    assert (found.verdict, findings_of(found)) == ("valid", [])
    (run,) = found.json["runs"]
    assert {law: run["reports"][law] for law in ("no-entry-is-missing", "no-sequence-is-broken", "sent-once")} == {
        "no-entry-is-missing": 10, "no-sequence-is-broken": 10, "sent-once": 10,
    }  # fmt: skip


def without(lines: Lines) -> None:
    del lines[4]


def number_used_twice(lines: Lines) -> None:
    lines[6]["sequenceId"] = 2


def number_left_out(lines: Lines) -> None:
    lines[8]["sequenceId"] = 7


def sent_again(lines: Lines) -> None:
    lines.append({**lines[9], "messageId": "0:10"})


def time_back(lines: Lines) -> None:
    lines[6]["publishTime"] -= 60_000
    lines[6]["value"]["timestamp"] -= 60_000


def made_later(lines: Lines) -> None:
    lines[6]["value"]["timestamp"] += 60_000


def made_long_before(lines: Lines) -> None:
    lines[6]["value"]["timestamp"] -= 60_000


def entry_with_two_times(lines: Lines) -> None:
    lines[8]["messageId"], lines[9]["messageId"] = "0:8:-1:0", "0:8:-1:1"


def number_before_the_first(lines: Lines) -> None:
    for number, line in enumerate(lines):
        line["sequenceId"] += 5 if number != 8 else -1


ALTERED: dict[Callable[[Lines], None], tuple[str, str, str, bool]] = {
    without: ("no-entry-is-missing", "warning", "0:4 is not in the dump, which goes on with 0:5", False),
    number_used_twice: ("no-sequence-is-broken", "warning", "p0 sent two messages with number 2, 0:4 and 0:6", True),
    number_left_out: ("no-sequence-is-broken", "warning", "numbers 4 to 6 are of producer p0 missing", False),
    sent_again: ("sent-once", "note", "producer p1 sent message 4 twice, as 0:9 and 0:10", False),
    time_back: ("publish-time-is-the-publishers", "warning", "p0 published 0:6 after 0:4, by its own clock", False),
    made_later: ("publish-time-is-the-publishers", "warning", "0:6 was published 60.0 s before its record", False),
    made_long_before: ("publish-time-is-the-publishers", "warning", "0:6 was published 60.0 s after its", False),
    entry_with_two_times: ("publish-time-is-the-publishers", "warning", "0:8:-1:0 and 0:8:-1:1 are one entry", True),
    number_before_the_first: ("no-sequence-is-broken", "warning", "goes back from 8 to 3, which it did not", False),
}


@pytest.mark.sample(10)
@pytest.mark.parametrize("alter", ALTERED, ids=lambda one: one.__name__)
@pytest.mark.parametrize("size", [1, 700, 1 << 20])
def test_alteration_is_told_wherever_the_file_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alter: Callable[[Lines], None], size: int
) -> None:
    lines = whole()
    alter(lines)
    monkeypatch.setattr(runs, "chunks_of", partial(chunks_of, size=size))
    found = audited(tmp_path, lines)
    law, severity, why, is_proof = ALTERED[alter]
    assert any((one[:2], why in one[2]) == ((law, severity), True) for one in findings_of(found)), findings_of(found)
    assert found.verdict == ("unknown" if is_proof else "valid")
    assert any(why in reason for reason in found.json["reasons"]) == is_proof
    monkeypatch.undo()
    assert audited(tmp_path, lines).json["findings"] == found.json["findings"]


def test_records_that_may_be_missing_are_not_missed(tmp_path: Path) -> None:
    lines = whole()
    without(lines)
    assert [law for law, _, _ in findings_of(audited(tmp_path, lines, partial=True))] == ["began-truncated"]


def test_dump_that_begins_late_is_not_called_incomplete(tmp_path: Path) -> None:
    assert audited(tmp_path, whole()[3:]).verdict == "valid"


def test_files_that_lie_amid_each_other_lack_nothing(tmp_path: Path) -> None:
    lines = whole()
    write(tmp_path / "channel-1.jsonl", lines[::2])
    write(tmp_path / "channel-2.jsonl", lines[1::2])
    assert silently("audit", tmp_path).verdict == "valid"


def test_fields_that_a_dump_does_not_tell_or_tells_oddly_are_not_judged(tmp_path: Path) -> None:
    lines = whole()
    for line in lines:
        line["sequenceId"] = "7"
        line["value"]["timestamp"] = None
    found = audited(tmp_path, lines)
    assert found.verdict == "valid"
    assert "no-sequence-is-broken" not in found.json["runs"][0]["reports"]


def test_message_that_was_sent_again_is_a_note_in_a_recorded_run(tmp_path: Path) -> None:
    laws = findings_of(audited(tmp_path, recorded("kill-mid-transfer")))
    assert [why for law, severity, why in laws if (law, severity) != ("ping-pong", "note")] == [
        "producer rig-0-3 sent message 227 twice, as 0:618 and 0:622; without logs nobody says why"
    ]
