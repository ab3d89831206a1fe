"""A unit in flight while the leader is not to clean up is no violation; one that stays longer is."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from oneowner.model.pulsar.boundaries import topic_hash
from tests.recordings.dumps import START, Judged, audit, dump, write

STUCK = "stuck-in-flight"
CHANNEL_LINE = (
    "[metadata-store-10-1] INFO  org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"
)
LOST, BACK = "SessionLost", "SessionReestablished"


def ms(second: float) -> int:
    return START + round(1000 * second)


def line(second: float, words: str) -> str:
    time = datetime.fromtimestamp(ms(second) / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S,%f")[:-3]
    return f"{time}+0000 {CHANNEL_LINE} - {words}\n"


def event(second: float, name: str) -> str:
    return line(second, f"Received metadata session event:{name} at timestamp:{ms(second)}")


def audited(
    folder: Path,
    left: float | None,
    lines: Sequence[str] = (),
    leads: Sequence[tuple[str, float, float | None]] = (("b1", -900, None),),
    records: Sequence[str] = ("0-8 Owned(2) v1 @-5", "0-8 Releasing(3, from 2) v2 @0"),
    *options: str,
) -> Judged:
    """A unit is in flight from second 0 until it has *left*; the log of b1 has these *lines*; who *leads* when."""
    ends = ("4-8 Owned(1) v1 @900",) if left is None else (f"0-8 Owned(3) v3 forced @{left}", "4-8 Owned(3) v1 @900")
    write(folder / "channel.jsonl", dump(*records, *ends))
    writes = []
    for number, (broker, since, until) in enumerate(leads):
        session = hex(number + 1)
        path = "/loadbalance/extension/leader"
        data = json.dumps({"brokerId": broker})
        writes.append(
            {"time": ms(since), "session": session, "op": "create", "path": path, "data": data, "ephemeral": True}
        )
        if until is not None:
            writes.append({"time": ms(until), "session": session, "op": "closeSession"})
    write(folder / "zookeeper.jsonl", [one | {"zxid": 100 + n} for n, one in enumerate(writes)])
    (folder / "broker-1.log").write_text("".join((line(-800, "Closing the leader election service."), *lines)))
    (folder / "manifest.yaml").write_text("brokers:\n- {id: b1, log: broker-1.log}\n")
    return audit(folder, "--engine", "inline", *options)


def findings_of(found: Judged) -> list[tuple[str, str]]:
    return [(one["severity"], one["why"]) for one in found.json["findings"] if one["law"] == STUCK]


NEW = (event(-30, LOST), event(-10, BACK))
"""The session of b1 is new until second 170."""


@pytest.mark.parametrize(
    ("left", "lines", "severity"),
    [
        (121, (), "violation"),
        (280, NEW, "warning"),  # 170 s in which nobody was to clean up, and 110 s in which one was
        (291, NEW, "violation"),
        (400, (event(-1, LOST), event(120, BACK)), "warning"),
        (421, (event(-1, LOST), event(120, BACK)), "violation"),
        (121, (event(200, BACK),), "violation"),
        (310, (line(5, "Scheduled ownership cleanup for broker:b2 with delay:200 secs. Pending clean jobs:1."),),
         "warning"),
        (330, (line(5, "Scheduled ownership cleanup for broker:b2 with delay:200 secs. Pending clean jobs:1."),),
         "violation"),
        (310, (line(5, "Scheduled ownership cleanup for broker:b4 with delay:200 secs. Pending clean jobs:1."),),
         "violation"),
    ],
)  # fmt: skip
def test_time_in_which_the_leader_cleans_nothing_up_is_not_counted(
    left: float, lines: Sequence[str], severity: str, tmp_path: Path
) -> None:
    found = audited(tmp_path, left, lines)
    [(how, why)] = findings_of(found)
    assert how == severity, why
    assert ("nobody was to clean up for" in why) == (severity == "warning")
    row = found.law(STUCK)
    assert row["verdict"] == ("invalid" if severity == "violation" else "valid")
    assert row["exercised"] == 1
    assert found.json["runs"][0]["violations"].get(STUCK, 0) == (severity == "violation")


def test_session_of_another_broker_than_the_leader_excuses_nothing(tmp_path: Path) -> None:
    assert [how for how, _ in findings_of(audited(tmp_path, 280, NEW, [("b3", -900, None)]))] == ["violation"]


def test_that_nobody_leads_excuses_nothing(tmp_path: Path) -> None:
    assert [how for how, _ in findings_of(audited(tmp_path, 280, NEW, [("b1", -900, -40)]))] == ["violation"]


@pytest.mark.parametrize(("left", "severity"), [(149, "warning"), (151, "violation")])
def test_leader_that_dies_leads_on_until_its_session_ends(left: float, severity: str, tmp_path: Path) -> None:
    found = audited(tmp_path, left, (), [("b1", -900, 119), ("b3", 119.1, None)])
    assert [how for how, _ in findings_of(found)] == [severity]


def test_unit_that_never_leaves_is_told_once_the_leader_had_the_time(tmp_path: Path) -> None:
    [(how, why)] = findings_of(audited(tmp_path, None, NEW))
    assert (how, "to the end of the dump" in why) == ("violation", True)


def test_unit_that_is_in_flight_when_the_dump_ends_is_excused_as_any(tmp_path: Path) -> None:
    assert [how for how, _ in findings_of(audited(tmp_path, None, (event(-30, LOST), event(640, BACK))))] == ["warning"]


def test_settings_that_the_caller_gives_are_those_that_are_judged_by(tmp_path: Path) -> None:
    found = audited(
        tmp_path, 280, NEW, [("b1", -900, None)], ("0-8 Owned(2) v1 @-5", "0-8 Releasing(3, from 2) v2 @0"),
        "--in-flight-limit", "100s",
    )  # fmt: skip
    assert [how for how, _ in findings_of(found)] == ["violation"]


def test_harm_to_clients_is_told_all_the_same(tmp_path: Path) -> None:
    names = (f"persistent://tenant/ns/t{number}" for number in range(100))
    topic = next(name for name in names if topic_hash(name) < 0x8000_0000)
    acked = [(second, ms(second) + 5, "Ok") for second in (-4, -3, 285, 290)]
    sends = [*acked, *((second, None, "Timeout") for second in range(1, 279, 10))]
    lines = [
        {"t": ms(t), "ev": "send", "topic": topic, "t_ack": ack, "result": result} for t, ack, result in sorted(sends)
    ]
    write(tmp_path / "clients.jsonl", lines)
    found = audited(tmp_path, 280, NEW)
    assert [how for how, _ in findings_of(found)] == ["warning"]
    waits = [
        one for one in found.json["findings"] if one["law"] == "unit-is-available" and one["severity"] == "warning"
    ]
    assert len(waits) == 1
    assert "was confirmed for 284.0 s" in waits[0]["why"]
    assert "Releasing for 279.0 s" in waits[0]["why"]
