"""Whole logs: the broker of each, the share of lines that is understood, and damage."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.read.broker_logs import LogRead, read_log, read_logs
from oneowner.checkers.recordings.read.rotated_logs import log_of
from oneowner.checkers.recordings.scene.broker_processes import lives_of

REAL = TOP / "traces" / "real"
B1, B2, B3 = (f"127.0.0.1:1808{n}" for n in (1, 2, 3))
CHANNEL = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"
SCHEDULER = "org.apache.pulsar.broker.loadbalance.extensions.scheduler.SplitScheduler"
UNIT = "rig/a/0x00000000_0x40000000"
OWNED = "ServiceUnitStateData[state=Owned, dstBroker=b1:8080, sourceBroker=null, splitServiceUnitToDestBroker=null, force=false, timestamp=5, versionId=2]"  # noqa: E501


def log_line(second: int, message: str, logger: str = CHANNEL) -> str:
    return f"2026-11-21T00:00:{second:02},000+0000 [main] INFO  {logger} - {message}\n"


def request(second: int, broker: str = "b1:8080", number: int = 1) -> str:
    words = f"{broker} received a handle request for serviceUnit:{UNIT}, data:{OWNED}."
    return log_line(second, f"{words} totalHandledRequests:{number}")


def logs_of(name: str) -> LogRead:
    return read_logs([(n, str(path)) for n, path in enumerate(sorted((REAL / name).glob("*.log*")))], {})


@pytest.mark.parametrize("name", ["zombie", "transfer", "metadata-store"])
def test_recorded_logs_are_understood(name: str) -> None:
    read = logs_of(name)
    assert read.damage == []
    coverages = [coverage for coverage in read.coverage if "broker-" in coverage.path]
    assert [coverage.broker for coverage in coverages] == [B1, B2, B3]
    assert all(coverage.lines > 100 and coverage.understood >= 0.99 * coverage.lines for coverage in coverages)


def test_recorded_lines_are_those_that_grep_counts() -> None:
    read = logs_of("transfer")
    for broker, path in zip((B1, B2, B3), sorted((REAL / "transfer").glob("broker-*")), strict=True):
        text = gzip.decompress(path.read_bytes())
        own = [line.event for line in read.said if line.broker == broker]
        assert own.count("handle-request") == text.count(b" received a handle request for ")
        assert own.count("skipped") == text.count(b" - Skipped the message from topic ") == 31


def test_zookeepers_own_log_says_nothing_and_is_no_damage() -> None:
    read = read_log([(0, str(REAL / "zombie" / "zookeeper.log"))])
    assert (read.said, read.damage, read.coverage[0].lines) == ([], [], 0)


def test_pieces_of_a_log_are_read_in_the_order_of_their_first_times(tmp_path: Path) -> None:
    names = ("b.log", "b.log.1.gz", "b-11-21-2026-1.log.gz")
    for name, second in zip(names, (30, 20, 10), strict=True):
        text = (request(second) + request(second + 5)).encode()
        (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    read = read_logs([(n, str(tmp_path / name)) for n, name in enumerate(names)], {})
    assert read.damage == []
    assert [line.origin.piece for line in read.said] == [2, 2, 1, 1, 0, 0]
    assert [line.time for line in read.said] == sorted(line.time for line in read.said)
    assert {line.broker for line in read.said} == {"b1:8080"}


def test_pieces_that_overlap_are_damage(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text(request(10) + request(30))
    (tmp_path / "b.log.1").write_text(request(20) + request(40))
    read = read_log([(0, str(tmp_path / "b.log")), (1, str(tmp_path / "b.log.1"))])
    assert read.damage == [f"{tmp_path}/b.log.1:1: begins 10000 ms before the end of {tmp_path}/b.log"]


def test_two_logs_of_one_broker_are_one_by_time_and_damage_if_they_overlap(tmp_path: Path) -> None:
    (tmp_path / "late.log").write_text(request(20) + request(30))
    (tmp_path / "new.log").write_text(request(10))
    places = [(0, str(tmp_path / "late.log")), (1, str(tmp_path / "new.log"))]
    read = read_logs(places, {})
    assert ([line.origin.piece for line in read.said], read.damage) == ([1, 0, 0], [])
    (tmp_path / "new.log").write_text(request(10) + request(25))
    assert "two logs of b1:8080 at one time" in read_logs(places, {}).damage[0]


def test_names_of_pieces_lead_to_their_log() -> None:
    assert log_of("logs/pulsar-11-21-2026-1.log.gz") == log_of("logs/pulsar.log.3") == "logs/pulsar.log"
    assert log_of("broker-1.log.gz") == "broker-1.log"
    assert log_of("broker-1.log") != log_of("broker-2.log")


def test_swapped_logs_are_damage_that_names_both(tmp_path: Path) -> None:
    for name in ("broker-1.log", "broker-2.log"):
        shutil.copy(REAL / "zombie" / f"{name}.gz", tmp_path / f"{name}.gz")
    places = [(0, str(tmp_path / "broker-1.log.gz")), (1, str(tmp_path / "broker-2.log.gz"))]
    assert read_logs(places, {"broker-1.log": B1, "broker-2.log": B2}).damage == []
    swapped = read_logs(places, {"broker-1.log": B2, "broker-2.log": B1})
    assert len(swapped.damage) == 2
    assert all(B1 in words and B2 in words for words in swapped.damage)
    assert {line.broker for line in swapped.said if line.origin.piece == 0} == {B1}, "its own lines say so"


def test_log_in_which_several_brokers_speak_is_damage(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text(request(1) + request(2) + request(3, "b2:8080"))
    read = read_log([(0, str(tmp_path / "b.log"))])
    assert len(read.damage) == 1
    assert f"b1:8080 ({tmp_path}/b.log:1), b2:8080 ({tmp_path}/b.log:3)" in read.damage[0]


def test_log_of_several_brokers_is_not_judged_as_that_of_one(tmp_path: Path) -> None:
    """Interleaved without a prefix, each line would be laid to the one that speaks most."""
    (tmp_path / "b.log").write_text("".join(request(at, f"b{1 + at % 2}:8080") for at in range(1, 9)))
    mixed = read_log([(0, str(tmp_path / "b.log"))])
    assert mixed.said == []
    assert "give each a file, or kubectl logs --prefix" in mixed.damage[0]
    (tmp_path / "b.log").write_text("".join(request(at, f"b{1 + (at == 9)}:8080") for at in range(1, 20)))
    stray = read_log([(0, str(tmp_path / "b.log"))])
    assert {line.broker for line in stray.said} == {"b1:8080"}
    assert len(stray.damage) == 1


def test_log_that_names_nobody_takes_the_given_name_and_else_is_damage(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text(log_line(1, "Successfully started the channel."))
    assert read_log([(0, str(tmp_path / "b.log"))], "b1:8080").said[0].broker == "b1:8080"
    assert "no line names the broker" in read_log([(0, str(tmp_path / "b.log"))]).damage[0]


READY = "messaging service is ready, bootstrap_seconds=4, bootstrap service port = 8080, broker url= pulsar://h:1, cluster=c, configs=ServiceConfiguration(webServicePort=Optional[8080], advertisedAddress=h, internalListenerName=null, tags=[a, b], loadBalancerDebugModeEnabled=true)"  # noqa: E501


def test_broker_is_known_from_its_printed_configuration(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text(
        log_line(1, READY, "org.apache.pulsar.broker.PulsarService") + log_line(2, "Successfully started the channel.")
    )
    read = read_log([(0, str(tmp_path / "b.log"))])
    assert ({line.broker for line in read.said}, read.damage) == ({"h:8080"}, [])
    settings = read.said[0].values["settings"]
    assert (settings["tags"], settings["internalListenerName"]) == ("[a, b]", None)
    assert lives_of(read.said)[0].is_debug
    assert "configured as h:8080" in read_log([(0, str(tmp_path / "b.log"))], "b1:8080").damage[0]


def other(second: int, thread: str = "pulsar-web-37-4") -> str:
    return log_line(second, "something else", "org.eclipse.jetty.server.RequestLog").replace("[main]", f"[{thread}]")


START = log_line(5, "Starting Pulsar Broker service; version: '4.0.6'", "org.apache.pulsar.broker.PulsarService")


def test_process_lived_until_the_last_line_of_its_log_whatever_that_says(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text(request(1) + request(6) + other(9))
    lines = read_log([(0, str(tmp_path / "b.log"))]).said
    assert [line.event for line in lines] == ["handle-request", "handle-request", "last-line"]
    assert [life.end % 60_000 for life in lives_of(lines)] == [9_000]
    assert "something else" in lines[-1].text


def test_what_is_written_before_a_start_is_not_the_former_process(tmp_path: Path) -> None:
    """It may be the new one's: of the killed one the last line that was understood counts."""
    (tmp_path / "b.log").write_text(request(1) + other(4) + START + request(6))
    lives = lives_of(read_log([(0, str(tmp_path / "b.log"))]).said)
    assert [life.end % 60_000 for life in lives] == [1_000, 6_000]


def test_attempt_to_start_again_is_no_sign_of_life(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text(request(1) + other(9, "main"))
    assert [life.end % 60_000 for life in lives_of(read_log([(0, str(tmp_path / "b.log"))]).said)] == [1_000]


def test_last_line_of_the_json_layout_counts_too(tmp_path: Path) -> None:
    def line(second: int, thread: str, logger: str, body: str) -> str:
        names = {"thread.name": thread, "thread.id": "1", "code.namespace": logger}
        stamp = f"2026-11-21T00:00:{second:02}.000Z"
        return json.dumps({"Timestamp": stamp, "SeverityText": "INFO", "Body": body, "Attributes": names}) + "\n"

    text = line(1, "x", CHANNEL, "Successfully started the channel.")
    text += line(8, "pulsar-web", "org.x.Y", "else") + line(9, "main", "org.x.Y", "else")
    (tmp_path / "b.log").write_text(text)
    lines = read_log([(0, str(tmp_path / "b.log"))], "b1:8080").said
    assert [(one.event, one.time % 60_000) for one in lines][-1] == ("last-line", 8_000)


@pytest.mark.parametrize(
    ("names", "lost"),
    [
        (["b.log", "b.log.1", "b.log.2.gz"], None),
        (["b.log", "b.log.1", "b.log.3"], "b.log.1: the piece after it, number 2, is missing"),
        (["b-11-21-2026-2.log.gz", "b-11-21-2026-4.log.gz"], "b-11-21-2026-2.log.gz: the piece after it, number 3"),
        (["b.log-11-21-2026-1.log.gz", "b.log-11-22-2026-1.log.gz"], None),
        (["b.log.2026-11-21.1", "b.log.2026-11-21.3"], "b.log.2026-11-21.1: the piece after it, number 2, is missing"),
    ],
)
def test_number_that_is_left_out_among_pieces_is_damage(names: list[str], lost: str | None, tmp_path: Path) -> None:
    for second, name in enumerate(names, 1):
        raw = request(second).encode()
        (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    read = read_logs([(number, str(tmp_path / name)) for number, name in enumerate(names)], {})
    assert len(read.damage) == (lost is not None)
    assert not lost or lost in read.damage[0]


def test_unknown_lines_lower_the_coverage_and_are_listed(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text(
        request(1) + log_line(2, f"Odd thing 17 of {UNIT}") + log_line(3, f"Odd thing 18 of {UNIT}")
    )
    (coverage,) = read_log([(0, str(tmp_path / "b.log"))]).coverage
    assert (coverage.lines, coverage.understood) == (3, 1)
    shape = "ServiceUnitStateChannelImpl INFO: Odd thing # of <unit>"
    assert coverage.unknown() == [(shape, 2, f"{tmp_path}/b.log:2")]


def test_known_words_that_do_not_parse_lower_the_coverage_and_are_damage(tmp_path: Path) -> None:
    garbled = request(2).replace("versionId=2", "versionId=two")
    (tmp_path / "b.log").write_text(request(1) + garbled + garbled + request(4))
    read = read_log([(0, str(tmp_path / "b.log"))])
    assert (read.coverage[0].lines, read.coverage[0].understood, len(read.said)) == (4, 2, 2)
    assert len(read.damage) == 1
    assert read.damage[0].startswith(f"{tmp_path}/b.log:2: handle-request refused: no record")
    assert read.damage[0].endswith("(and 1 more of handle-request)")


def test_torn_line_is_damage_with_its_place_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "b.log").write_text(request(1) + "\tat a.B.c\n" + request(2)[:-40] + request(3) + request(4)[:-9])
    read = read_log([(0, str(tmp_path / "b.log"))])
    assert [line.time % 60_000 for line in read.said] == [1000, 3000]
    assert [words.rpartition(": ")[0] for words in read.damage] == [f"{tmp_path}/b.log:3", f"{tmp_path}/b.log:4"]


def test_dump_of_a_view_is_read_as_a_whole_or_is_damage(tmp_path: Path) -> None:
    start, end = log_line(1, "### OwnershipEntrySet start ###", SCHEDULER), "### OwnershipEntrySet end ###\n"
    entry = f"{UNIT}={OWNED}\n"
    path = tmp_path / "b.log"
    path.write_text(start + entry + entry.replace("/a/", "/b/") + end + request(2))
    (dump, _) = read_log([(0, str(path))]).said
    assert [unit for unit, _ in dump.values["entries"]] == [UNIT, UNIT.replace("/a/", "/b/")]
    path.write_text(start + entry + request(2))
    assert "its further lines are missing, as after a grep" in read_log([(0, str(path))]).damage[0]
    path.write_text(start + entry.replace("state=", "") + end + request(2))
    assert "ownership-entry-set refused" in read_log([(0, str(path))]).damage[0]


@pytest.mark.parametrize(
    ("line", "given", "is_damage"),
    [
        ("[0.005s][info][gc] Using G1", None, False),
        ("[0.005s][info][gc] Using G1", "b1:8080", True),
        ("Nov 21 00:00:00 b1 INFO o.a.p.b.loadbalance.extensions.X - hello", None, True),
        ("Nov 21 00:00:00 b1 Closing serviceUnit t/n/0x0_0x1", None, True),
    ],
)
def test_log_of_an_unknown_layout_is_damage_if_it_is_a_brokers(
    line: str, given: str | None, is_damage: bool, tmp_path: Path
) -> None:
    (tmp_path / "b.log").write_text(f"{line}\n" * 9)
    found = read_log([(0, str(tmp_path / "b.log"))], given)
    words = f"none of its 9 lines is of a known layout; the first: {line}; tried: the usual one, "
    assert found.coverage[0].unread.startswith(words)
    assert found.damage[-1:] == ([f"{tmp_path}/b.log: {found.coverage[0].unread}"] if is_damage else [])
    assert len(found.damage) < 3
    assert not found.said
