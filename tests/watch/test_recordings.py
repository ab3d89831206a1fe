"""Every recorded channel, watched: an audit's findings in it."""

from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.question import Question
from oneowner.checkers.recordings.fold.runs import DEFAULT_IN_FLIGHT_LIMIT, Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.judge.lone_dump import LAWS
from oneowner.model.channel.rules import Storage
from tests.recordings.dumps import REAL
from tests.watch.broken_dumps import QUESTION, watched, write_broken

CHANNELS = sorted(REAL.glob("*/channel.jsonl*"))
AS_AUDITED = Question(Storage.SYSTEM_TOPIC, is_history=False, in_flight_limit=DEFAULT_IN_FLIGHT_LIMIT, partial=False)


def place(finding: dict[str, Any]) -> tuple[str, str, str, int, str]:
    at = finding["at"]
    return finding["law"], finding["unit"] or "", at["messageId"] or "", at["line"], finding["severity"]


def audited(path: Path, limit: int) -> list[dict[str, Any]]:
    """Return the findings of an audit of a dump alone, but those of whether it is whole."""
    result, _, _ = audit([str(path)], Options(in_flight_limit=limit), "inline", None)
    return [dict(one) for one in result.findings if one["law"] not in LAWS]


@pytest.mark.parametrize("path", CHANNELS, ids=lambda path: path.parent.name)
def test_watch_finds_what_an_audit_finds(path: Path) -> None:
    found = [one.finding for one in watched(path, question=AS_AUDITED)]
    assert sorted(map(place, found)) == sorted(map(place, audited(path, DEFAULT_IN_FLIGHT_LIMIT)))


def test_there_are_recordings_with_findings_of_several_laws() -> None:
    laws = {one.finding["law"] for path in CHANNELS for one in watched(path, question=AS_AUDITED)}
    assert {"overlapping-owners", "ping-pong", "given-back-by-force"} <= laws


def test_long_dump_with_gaps_is_judged_alike(tmp_path: Path) -> None:
    dump = write_broken(tmp_path / "channel.jsonl", 6_000)
    found = [one.finding for one in watched(dump)]
    assert sorted(map(place, found)) == sorted(map(place, audited(dump, QUESTION.in_flight_limit)))
    assert {"version-chain", "stuck-in-flight"} <= {one["law"] for one in found}
    words = {place(one): one["why"] for one in audited(dump, QUESTION.in_flight_limit)}
    differ = [one for one in found if words[place(one)] != one["why"]]
    assert {one["law"] for one in differ} <= {"ping-pong", "stuck-in-flight"}  # told before it is known how it ends
