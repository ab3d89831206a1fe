"""A broker that is dead but registered is still given units."""

from __future__ import annotations

import pytest

from oneowner.checkers.recordings.laws.recovery.dead_brokers import LAWS
from oneowner.checkers.recordings.laws.scene_law import LawOutcome
from oneowner.checkers.recordings.scene.channel_history import Message
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.crafted import (
    B1,
    B2,
    UNIT,
    channel,
    logs,
    lookup,
    message,
    poll,
    printed,
    recorded,
    said,
    scene,
    started,
    write,
)

[LAW] = LAWS
REGISTRY = f"/loadbalance/brokers/{B1}"
WRITES = [write(1, 5, "create", REGISTRY, "0x7", ephemeral=True), write(2, 11_000, "closeSession", session="0x7")]


def judge(*records: Message, **fields: object) -> LawOutcome:
    """B1 says its last line at 1000 and is asked in vain from 1500 on."""
    fields = {"said": logs(said(1, 1_000, "handled")), "writes": WRITES, "start": 0, "end": 100_000, **fields}
    fields = {"lookups": [lookup(1, 1_500, 9_000, B1, None, status=None)], **fields}
    return LAW.judge(scene(channel=channel(*records), **fields))


def test_assignment_to_a_dead_broker_is_a_warning() -> None:
    records = [message(0, 3_000, printed("Assigning", 1, B1)), message(1, 12_000, printed("Owned", 2, B2, force=True))]
    [found] = judge(*records).findings
    assert (found.severity, found.unit, found.brokers, found.message_id) == (Severity.WARNING, UNIT, (B1,), "0:0")
    assert "still registered for 10.0 s" in found.why
    assert "stood up to 9.0 s" in found.why


def test_unit_that_was_on_its_way_is_counted_beside() -> None:
    other = "t/n/0x80000000_0xffffffff"
    records = [
        message(0, 900, printed("Assigning", 1, B1), other), message(1, 3_000, printed("Assigning", 1, B1)),
    ]  # fmt: skip
    [found] = judge(*records).findings
    assert "1 times a unit was given to it, and 1 were on their way when it died" in found.why


def test_what_the_broker_itself_published_last_is_no_gift() -> None:
    judged = judge(message(0, 900, printed("Assigning", 1, B1)), message(1, 1_001, printed("Owned", 2, B1)))
    assert (judged.findings, judged.exercised) == ([], 1)


def test_assignment_to_a_paused_broker_is_another_matter() -> None:
    lines = logs(said(1, 1_000, "handled"), said(2, 60_000, "handled"))
    judged = judge(
        message(0, 3_000, printed("Assigning", 1, B1)),
        said=lines,
        lookups=[],
        polls=[poll(1, 1_500, 60_001, B1)],
        writes=[],
    )
    assert (judged.findings, judged.exercised) == ([], 0)


def test_law_has_no_occasion_while_everybody_lives() -> None:
    judged = judge(message(0, 3_000, printed("Assigning", 1, B1)), lookups=[], writes=[])
    assert (judged.findings, judged.exercised) == ([], 0)


def test_each_of_four_kills_meets_assignments() -> None:
    run, start = recorded("kill-mid-transfer"), started("kill-mid-transfer")
    found = LAW.judge(run).findings
    assert [(one.severity, one.brokers[0][-1]) for one in found] == [(Severity.WARNING, "2")] * 4
    times = []
    for one in found:
        assert one.window is not None
        times.append((one.window.possible_since - start) / 1000)
    assert times == [pytest.approx(time, abs=0.5) for time in (36.3, 91.8, 138.8, 186.3)]
    assert any("stood up to 12.0 s" in one.why for one in found)


@pytest.mark.parametrize("name", ["healthy", "transfer", "shedding", "kill-owner", "zombie"])
def test_run_without_such_an_assignment_is_silent(name: str) -> None:
    assert LAW.judge(recorded(name)).findings == []
