"""The prefix that a container's or the system's logger puts before each line changes nothing of a log's events."""

import gzip
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from oneowner.checkers.recordings.read.broker_logs import LogRead, read_logs
from oneowner.checkers.recordings.read.observations import LogEvent
from tests.recordings.dumps import REAL, audit
from tests.recordings.laws.files import copied, lines_of
from tests.recordings.read.test_logs import B1, B2, CHANNEL, request

NANOS = b"2026-11-21T00:18:19.896123456Z"
Wrap = Callable[[str, bytes], bytes]
"""The form in which a container's logger writes a line, or several."""


def before(prefix: bytes) -> Wrap:
    return lambda pod, line: prefix.replace(b"POD", pod.encode()) + line + b"\n"


def containerd(pod: str, line: bytes) -> bytes:
    """A long line comes in parts, between which a line of the other stream may stand."""
    parts = [line[at : at + 300] for at in range(0, len(line), 300)] or [b""]
    other = NANOS + b" stderr F a warning\n" if len(parts) > 2 else b""
    return other.join(
        NANOS + b" stdout " + (b"F " if number == len(parts) else b"P ") + part + b"\n"
        for number, part in enumerate(parts, 1)
    )


def docker(pod: str, line: bytes) -> bytes:
    text = line.decode("utf-8", "replace") + "\n"
    return json.dumps({"log": text, "stream": "stdout", "time": NANOS.decode()}).encode() + b"\n"


WRAPS: dict[str, Wrap] = {
    "kubectl logs --prefix": before(b"[pod/POD/pulsar-broker] "),
    "kubectl logs --prefix --timestamps": before(b"[pod/POD/pulsar-broker] " + NANOS + b" "),
    "kubectl logs --timestamps": before(NANOS + b" "),
    "containerd": containerd,
    "docker": docker,
    "docker compose": before(b"POD  | "),
    "docker compose, coloured": before(b"\x1b[36mPOD  | \x1b[0m"),
    "journalctl": before(b"Nov 21 00:18:19 POD pulsar[1234]: "),
    "journalctl -o short-iso": before(b"2026-11-21T00:18:19+0000 POD pulsar[1234]: "),
    "journalctl -o short-full": before(b"Sat 2026-11-21 00:18:19 UTC POD pulsar[1234]: "),
    "syslog": before(b"<30>Nov 21 00:18:19 POD pulsar: "),
    "syslog, RFC 5424": before(b"<30>1 2026-11-21T00:18:19.896Z POD pulsar 1234 - - "),
    "something that is the same before each": before(b"POD broker> "),
}


def wrapped(run: Path, wrap: Wrap) -> None:
    """Give every log of a broker in a run the prefix that a logger would."""
    for path in run.glob("broker-*.log*"):
        raw = b"".join(wrap(path.name.partition(".")[0], line) for line in lines_of(path))
        path.write_bytes(gzip.compress(raw, 1, mtime=0) if path.suffix == ".gz" else raw)


@cache
def plainly() -> LogRead:
    """Return the events of a recording without a prefix."""
    return read(REAL / "healthy-quiet")


def read(run: Path) -> LogRead:
    return read_logs([(number, str(path)) for number, path in enumerate(sorted(run.glob("*.log*")))], {})


def words(lines: list[LogEvent], with_place: bool) -> Iterator[tuple[object, ...]]:
    return ((*line[1:7], line.text, line.origin if with_place else 0) for line in lines)


@pytest.mark.sample(4)
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_recorded_log_says_the_same_with_a_prefix(wrap: Wrap, tmp_path: Path) -> None:
    plain, run = plainly(), copied("healthy-quiet", tmp_path)
    wrapped(run, wrap)
    found = read(run)
    is_line_for_line = wrap is not containerd
    assert [*words(found.said, is_line_for_line)] == [*words(plain.said, is_line_for_line)]
    assert found.damage == plain.damage == []
    shown = [(one.broker, one.lines, one.understood) for one in found.coverage]
    assert shown == [(one.broker, one.lines, one.understood) for one in plain.coverage]


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_line_of_the_json_layout_says_the_same_with_a_prefix(wrap: Wrap, tmp_path: Path) -> None:
    _, _, message = request(1).strip().partition(" - ")
    names = {"thread.name": "x", "thread.id": "1", "code.namespace": CHANNEL}
    line = {"Timestamp": "2026-11-21T00:00:01.000Z", "SeverityText": "INFO", "Body": message, "Attributes": names}
    raw = json.dumps(line, separators=(",", ":")).encode()
    (tmp_path / "b.log").write_bytes(wrap("b", raw) * 3)
    found = read(tmp_path)
    assert ([one.event for one in found.said], found.damage) == (["handle-request"] * 3, [])


@pytest.mark.slow
@pytest.mark.parametrize("run", ["leader-hang", "zombie"])
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_recording_is_judged_the_same_with_a_prefix(run: str, wrap: Wrap, tmp_path: Path) -> None:
    assert_judged_alike(run, wrap, tmp_path)


@pytest.mark.slow
def test_recording_with_a_violation_is_judged_the_same_with_a_prefix(tmp_path: Path) -> None:
    assert_judged_alike("leader-hang", WRAPS["kubectl logs --prefix"], tmp_path)


def assert_judged_alike(name: str, wrap: Wrap, folder: Path) -> None:
    run = copied(name, folder)
    plain = audit(run, "--engine", "inline")
    wrapped(run, wrap)
    found = audit(run, "--engine", "inline")
    assert found.exit_code == plain.exit_code
    assert found.json["reasons"] == plain.json["reasons"]
    assert [(one["law"], one["why"]) for one in found.json["findings"]] == [
        (one["law"], one["why"]) for one in plain.json["findings"]
    ]
    if wrap is not containerd:  # whose lines are more
        assert found.json["findings"] == plain.json["findings"]


def test_file_with_the_lines_of_several_containers_holds_the_log_of_each(tmp_path: Path) -> None:
    """``kubectl logs -l component=broker --prefix``, or ``docker compose logs``: line by line in turn."""
    plain, run = plainly(), copied("healthy-quiet", tmp_path)
    logs = {path.name.partition(".")[0]: lines_of(path) for path in sorted(run.glob("*.log*"))}
    for path in run.glob("*.log*"):
        path.unlink()
    mixed = [(pod, line) for pod, lines in logs.items() for line in lines]
    mixed.sort(key=lambda item: item[1][:23])  # by their times; what has none keeps to no order
    (run / "all.log").write_bytes(b"".join(b"%s  | %s\n" % (pod.encode(), line) for pod, line in mixed))
    found = read(run)
    assert found.damage == []
    kept = {broker: [line.event for line in found.said if line.broker == broker] for broker in (B1, B2)}
    assert kept == {broker: [line.event for line in plain.said if line.broker == broker] for broker in (B1, B2)}


def test_name_of_a_container_tells_whose_its_log_is_where_the_manifest_has_it(tmp_path: Path) -> None:
    line = request(1).partition(" [main] INFO  ")
    silent = f"{line[0]} [main] INFO  {line[2].partition(' - ')[0]} - Closed the channel\n"
    (tmp_path / "x.log").write_text(f"[pod/broker-7/pulsar] {silent}" * 2)
    for hint in ("broker-7", "broker-7.log", "broker-7/pulsar"):
        (coverage,) = read_logs([(0, str(tmp_path / "x.log"))], {hint: "b7:8080"}).coverage
        assert coverage.lines == 2


def test_part_of_a_line_whose_rest_is_lost_is_damage_with_its_line(tmp_path: Path) -> None:
    lines = containerd("b", request(1).strip().encode())
    (tmp_path / "b.log").write_bytes(lines * 2 + lines[: lines.rindex(NANOS)])
    found = read(tmp_path)
    assert [line.time % 60_000 for line in found.said] == [1_000, 1_000]
    assert found.damage == [f"{tmp_path}/b.log:{2 * lines.count(NANOS) + 1}: the last line has no end"]


def test_line_that_starts_within_another_is_told_with_a_prefix_too(tmp_path: Path) -> None:
    whole = b"broker-1  | " + request(1).encode()
    (tmp_path / "b.log").write_bytes(whole * 2 + whole[:90] + whole + whole)
    found = read(tmp_path)
    assert found.damage == [f"{tmp_path}/b.log:3: a line starts within it; its own end is lost"]
    assert len(found.said) == 4


def test_prefix_that_nobody_knows_is_one_doubt_with_a_count(tmp_path: Path) -> None:
    text = "".join(f"{number} odd {request(1)}" for number in range(40))
    (tmp_path / "b.log").write_text(text)
    damage = f"{tmp_path}/b.log:1: a line starts within it; its own end is lost (and 39 more such lines)"
    assert read(tmp_path).damage == [damage]


def test_lines_in_json_whose_ends_the_collector_cut_are_whole(tmp_path: Path) -> None:
    """Else all lines are parts of one that never ends, and reading takes the square of their number."""
    lines = (json.dumps({"log": request(at).strip()}) + "\n" for at in range(1, 6))
    (tmp_path / "b.log").write_text("".join(lines))
    assert [line.time % 60_000 for line in read(tmp_path).said] == [1_000, 2_000, 3_000, 4_000, 5_000]
