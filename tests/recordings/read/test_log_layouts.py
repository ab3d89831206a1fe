"""Logs in the layouts that people have are read as the same log in the usual layout."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from oneowner.checkers.recordings.read.broker_logs import LogRead, Setting, read_logs
from oneowner.checkers.recordings.read.log_clock import Clock, LogTimes, day_of, zone_of
from oneowner.checkers.recordings.read.log_layouts import Layout, layouts
from oneowner.checkers.verdict import Misuse

CHANNEL = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateChannelImpl"
UNIT = "rig/a/0x00000000_0x40000000"
OWNED = "ServiceUnitStateData[state=Owned, dstBroker=b1:8080, sourceBroker=null, splitServiceUnitToDestBroker=null, force=false, timestamp=5, versionId=2]"  # noqa: E501
REQUEST = f"b1:8080 received a handle request for serviceUnit:{UNIT}, data:{OWNED}. totalHandledRequests:1"
WAIT = f"b1:8080 failed to wait for owner for serviceUnit:{UNIT}; Trying to return the current owner:Optional[b1:8080]"
TRACE = "java.util.concurrent.TimeoutException: null\n\tat java.base/java.lang.Thread.run(Thread.java:840)"
LINES = (("00:00:01", "INFO", REQUEST), ("00:00:31", "WARN", WAIT))
MIDNIGHT = 1795219200000
"""2026-11-21, UTC."""
USUAL = "".join(f"2026-11-21T{clock},250+0000 [io-1] {level}  {CHANNEL} - {text}\n" for clock, level, text in LINES)
SHORT = {"short": "o.a.p.b.l.e.c.ServiceUnitStateChannelImpl", "bare": "ServiceUnitStateChannelImpl", "full": CHANNEL}
ALL = (*layouts().texts, *layouts().timeless)
LONDON = "2026-11-21 {clock},250"


def read(tmp_path: Path, text: str, name: str = "b.log", setting: Setting | None = None) -> LogRead:
    (tmp_path / name).write_text(text)
    return read_logs([(0, str(tmp_path / name))], {}, setting=setting)


def told(read: LogRead) -> list[tuple[object, ...]]:
    return [(line.time, line.broker, line.event, line.thread, line.unit, line.values) for line in read.said]


def written(layout: str, when: str, logger: str) -> str:
    """Return LINES in a layout."""
    text = ""
    for clock, level, message in LINES:
        parts = {"when": when.format(clock=clock), "level": level, "logger": logger, "thread": "io-1"}
        parts |= {"message": message, "line": "962", "number": "1", "word": "word"}
        text += re.sub(r"\{(\w+)\}", lambda one, parts=parts: parts[one[1]], layout) + "\n"  # type: ignore[misc]
    return text


@pytest.mark.parametrize("layout", ALL, ids=lambda layout: layout.text)
def test_layout_reads_its_own_sample_and_no_earlier_one_does(layout: Layout) -> None:
    readers = [one for one in ALL if one.cut(layout.sample, 0, LogTimes(Clock())) is not None]
    assert readers[0] is layout


@pytest.mark.parametrize("logger", SHORT.values(), ids=SHORT)
@pytest.mark.parametrize("layout", [one.text for one in layouts().texts])
def test_log_in_each_layout_is_read_as_the_usual_one(layout: str, logger: str, tmp_path: Path) -> None:
    usual, other = read(tmp_path, USUAL), read(tmp_path, written(layout, LONDON, logger))
    assert [line.event for line in usual.said] == ["handle-request", "owner-wait-timed-out"]
    has_thread = "{thread}" in layout
    expected = [(*one[:3], one[3] if has_thread else "", *one[4:]) for one in told(usual)]
    assert told(other) == expected
    assert other.damage == []
    assert other.coverage[0].notes == ["its lines print no zone: they are read as UTC; --zone +08:00 sets another one"]


@pytest.mark.parametrize(
    ("when", "hours"),
    [
        ("2026-11-21T{clock}.250Z", 0), ("2026-11-21 {clock},250Z", 0), ("2026-11-21 {clock}.250 +0800", -8),
        ("2026/11/21 {clock}:250+08:00", -8), ("21 Nov 2026 {clock},250 UTC", 0), ("2026-11-21T{clock}.250431-05", 5),
    ],
)  # fmt: skip
def test_time_with_a_zone_is_a_moment(when: str, hours: int, tmp_path: Path) -> None:
    found = read(tmp_path, written(layouts().texts[0].text, when, CHANNEL))
    assert [line.time for line in found.said] == [MIDNIGHT + hours * 3_600_000 + at for at in (1_250, 31_250)]
    assert found.coverage[0].notes == []


def test_zone_and_date_settle_lines_without_them(tmp_path: Path) -> None:
    dated, undated = (written(layouts().texts[0].text, when, CHANNEL) for when in (LONDON, "{clock}.250"))
    setting = Setting(Clock("Asia/Shanghai", "2026-11-21"))
    for text in (dated, undated):
        found = read(tmp_path, text, setting=setting)
        assert found.said[0].time == MIDNIGHT - 8 * 3_600_000 + 1_250
    assert found.coverage[0].notes == ["its lines print no date: the first is of 2026-11-21, by --date"]
    by_name = read(tmp_path, undated, "b-11-21-2026-1.log")
    assert by_name.said[0].time == MIDNIGHT + 1_250
    assert (
        by_name.coverage[0].notes[0] == "its lines print no date: the first is of 2026-11-21, by the name of the file"
    )


@pytest.mark.parametrize("layout", [one.text for one in layouts().timeless])
def test_log_without_any_time_is_read_in_its_order(layout: str, tmp_path: Path) -> None:
    found = read(tmp_path, written(layout, "", CHANNEL))
    assert [(line.time, line.event) for line in found.said] == [(0, "handle-request"), (0, "owner-wait-timed-out")]
    assert found.coverage[0].notes == ["its lines print no time: their order is right, and no duration"]
    timed = read(tmp_path, USUAL + written(layout, "", CHANNEL))
    assert timed.damage == [f"{tmp_path}/b.log:3: its beginning is lost (and 1 more such lines)"]


def test_log_of_an_unknown_day_has_durations_and_is_compared_with_no_date(tmp_path: Path) -> None:
    text = written(layouts().texts[0].text, "{clock}.250", CHANNEL)
    found = read(tmp_path, text)
    assert [line.time for line in found.said] == [1_250, 31_250]
    assert found.coverage[0].notes[0].startswith("its lines print no date: their day is unknown")
    (tmp_path / "c.log").write_text(USUAL.replace("b1:8080", "b2:8080"))
    both = read_logs([(0, str(tmp_path / "b.log")), (1, str(tmp_path / "c.log"))], {})
    assert {line.broker for line in both.said} == {"b2:8080"}
    assert both.damage == [
        f"{tmp_path}/b.log: not judged: its lines print no date, and other files of the run do; "
        "--date 2024-05-01 sets its first day"
    ]
    assert not read(tmp_path, text, setting=Setting(is_dated=True)).said


def test_midnight_passes_where_the_time_goes_back_by_half_a_day() -> None:
    times = LogTimes(Clock())
    clocks = ["23:59:58", "00:00:01", "23:59:59", "00:00:02", "12:30:00", "12:29:00", "23:00:00", "01:00:00"]
    found = [times.moment(None, clock, 0, None) // 3_600_000 for clock in clocks]
    assert found == [23, 24, 23, 24, 36, 36, 47, 49]


def quoted(text: str) -> str:
    return "Hi all,\nwe see this:\n" + "".join(f"> {line}\n" for line in text.splitlines())


def wrapped(text: str, width: int = 76) -> str:
    """Return a text as a mail program wraps it."""
    return re.sub(rf"(?=.{{{width}}})(.{{1,{width}}}) ", r"\1\n", text)


def cut(text: str, width: int = 100) -> str:
    """Return a text as a terminal wraps it."""
    return re.sub(rf"(.{{{width}}})(?=.)", r"\1\n", text)


WAYS: dict[str, Callable[[str], str]] = {
    "quoted": quoted,
    "quoted twice": lambda text: quoted(quoted(text)),
    "wrapped": wrapped,
    "wrapped and quoted": lambda text: quoted(wrapped(text)),
    "cut by a terminal": cut,
    "container": lambda text: re.sub("(?m)^(?=.)", "pulsar-broker ", text),
    "pod and container": lambda text: re.sub("(?m)^(?=.)", "pulsar-broker-0 pulsar-broker ", text),
    "compose": lambda text: re.sub("(?m)^(?=.)", "broker-1  | ", text),
    "kubectl": lambda text: re.sub("(?m)^(?=.)", "[pod/pulsar-broker-0/broker] ", text),
    "grep": lambda text: re.sub("(?m)^(?=.)", "logs/pulsar.log:", text),
    "indented": lambda text: re.sub("(?m)^(?=.)", "    ", text),
    "without an end": lambda text: text.removesuffix("\n"),
    "of Windows": lambda text: text.replace("\n", "\r\n"),
    "coloured": lambda text: re.sub(r"(?m)^(\S+)", "\x1b[32m\\1\x1b[0m", text),
    "marked as UTF-8": lambda text: f"\ufeff{text}",
    "in a code block": lambda text: f"```\n{text}```\n",
    "elided": lambda text: text.replace("\n", "\n[...]\n"),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("when", ["2026-11-21T{clock},250+0000", LONDON, "{clock}.250"])
def test_pasted_log_is_read_as_it_was_written(when: str, way: Callable[[str], str], tmp_path: Path) -> None:
    text = written("{when} [{thread}] {level}  {logger} - {message}", when, CHANNEL)
    text = text.removesuffix("\n") + f"\n{TRACE}\n"
    usual, other = read(tmp_path, text), read(tmp_path, way(text))
    if way is WAYS["without an end"] and when.endswith("+0000"):  # a broker may have been killed within the line
        other.damage.clear()
    assert len(usual.said) == 2
    assert told(other) == told(usual)
    assert other.damage == []


def nested(fields: dict[str, str]) -> dict[str, object]:
    """Return fields whose names have dots as objects in objects."""
    whole: dict[str, object] = {}
    for name, value in fields.items():
        *path, last = name.split(".")
        at = whole
        for one in path:
            at = at.setdefault(one, {})  # type: ignore[assignment]
        at[last] = value
    return whole


@pytest.mark.parametrize(
    "names",
    [
        ("@timestamp", "logLevel", "loggerName", "logThread", "message"),
        ("ts", "severity", "class", "thread_name", "msg"),
        ("time", "lvl", "logger_name", "thread", "body"),
        ("log.timestamp", "log.level", "log.logger", "process.thread.name", "message"),
        ("data.timestamp", "data.status", "data.logger.name", "data.logger.thread_name", "data.message"),
    ],
)
def test_json_with_names_of_its_own_is_read(names: tuple[str, ...], tmp_path: Path) -> None:
    time, level, logger, thread, message = names
    text = "".join(
        json.dumps(
            nested({time: f"2026-11-21 {clock}.250", level: word, logger: CHANNEL, thread: "io-1", message: said})
            | {"stack_trace": TRACE, "kubernetes": {"pod_name": "b-0"}}
        ) + "\n"
        for clock, word, said in LINES
    )  # fmt: skip
    assert told(read(tmp_path, text)) == told(read(tmp_path, USUAL))


def test_line_in_an_object_of_a_collector_is_read(tmp_path: Path) -> None:
    lines = written(layouts().texts[0].text, LONDON, CHANNEL).splitlines()
    text = "".join(json.dumps({"pod": "b-0", "message": line, "labels": {"level": "INFO"}}) + "\n" for line in lines)
    assert told(read(tmp_path, text)) == told(read(tmp_path, USUAL))


def test_broker_of_a_silent_log_is_guessed_by_its_name(tmp_path: Path) -> None:
    text = USUAL.splitlines()[1].replace("b1:8080 failed to wait", "b1:8080 failed to wit") + "\n"
    text += (
        f"2026-11-21T00:00:32,250+0000 [io-1] INFO  {CHANNEL} - BrokerRegistry detected the broker:b2:8080 registry "
    )
    text += "has been created.\n"
    found = read(tmp_path, text, "pulsar-broker-3.log")
    assert found.said[0].broker == "pulsar-broker-3:8080"
    assert found.coverage[0].notes == [
        f"no line names its broker: taken for pulsar-broker-3:8080; --broker-log BROKER={tmp_path}/pulsar-broker-3.log "
        "sets it"
    ]
    known = Setting(brokers=["pulsar-broker-3.svc:8081", "b2:8080"])
    assert read(tmp_path, text, "pulsar-broker-3.log", known).said[0].broker == "pulsar-broker-3.svc:8081"
    other = read(tmp_path, text, "elsewhere.log", known)
    assert other.damage == [f"{tmp_path}/elsewhere.log:1: no line names the broker whose log this is"]


def test_log_of_a_client_is_not_read_and_asks_for_the_brokers(tmp_path: Path) -> None:
    line = "2024-02-21 06:08:54.340 INFO  [139] ClientConnection:1730 | [a -> b] Connected to broker\n"
    found = read(tmp_path, line + line.replace("08:54", "09:29"))
    assert found.coverage[0].unread == (
        "it is the log of a client; collect the brokers' logs of 2024-02-21T06:08:54 to 2024-02-21T06:09:29 UTC; "
        f"its first line: {line.rstrip()}"
    )
    assert (found.said, found.damage) == ([], [])


@pytest.mark.parametrize("text", ["+8 hours", "Mars/Olympus", ""])
def test_zone_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Misuse, match=r"--zone refused: it is an offset such as \+08:00"):
        zone_of(text)


def test_date_that_is_none_is_refused() -> None:
    with pytest.raises(Misuse, match="--date refused: '2024-02-30'"):
        day_of("2024-02-30")


@pytest.mark.parametrize(
    ("when", "zone"),
    [("2026-11-21 {clock},250", "+08:00"), ("{clock}.250", "+08:00"), ("{clock}.250", "-03:30")],
    ids=["no zone", "no date", "no date, in the west"],
)
def test_records_settle_the_zone_and_the_day_of_their_lines(when: str, zone: str, tmp_path: Path) -> None:
    """Else a log of Shanghai would be accused of a clock that is eight hours fast."""
    hours, minutes = int(zone[:3]), int(zone[0] + zone[4:])
    begun = MIDNIGHT - (hours * 60 + minutes) * 60_000
    text = USUAL.replace("timestamp=5,", f"timestamp={begun + 1_150},")
    for clock, _, _ in LINES:
        text = text.replace(f"2026-11-21T{clock},250+0000", when.format(clock=clock))
    found = read(tmp_path, text)
    assert [line.time - begun for line in found.said if line.event != "last-line"] == [1_250, 31_250]
    assert not found.is_of_unknown_day
    assert f"they are read as {zone}, by the records that its lines print" in found.coverage[0].notes[-1]
    given = read(tmp_path, text, setting=Setting(clock=Clock("Z", "2026-11-21")))
    assert given.said[0].time == MIDNIGHT + 1_250


def test_record_of_another_time_settles_no_zone(tmp_path: Path) -> None:
    text = USUAL.replace("timestamp=5,", f"timestamp={MIDNIGHT - 3_000_000},").replace("+0000", "")
    assert read(tmp_path, text).said[0].time == MIDNIGHT + 1_250
