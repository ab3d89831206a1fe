"""Logged placements, sheds and splits of brokers are judged by the numbers that they logged."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from oneowner.checkers.recordings.read.broker_logs import read_logs
from oneowner.checkers.recordings.scene.scene import Scene
from tests.recordings.laws.cases import LAWS, Case, case, each, note, warning
from tests.recordings.laws.crafted import B1, B2, logs, said, scene

PLACED, DECIDED = LAWS["placement-as-computed"], LAWS["decided-by-its-numbers"]
HEAD = "2026-11-20T23:47:47,397+0000 [t] INFO  org.apache.pulsar.broker.loadbalance."
NOW = 1795218467397
STRATEGY = HEAD + "extensions.strategy.LeastResourceUsageWithWeight - "
SPLITS = HEAD + "extensions.strategy.DefaultNamespaceBundleSplitStrategyImpl - "
BUNDLE = "t/n/0x00000000_0x80000000"
NUMBERS = "Topics: {}/1000, Sessions: ({}+3)/1000, Message Rate: {}/30000 (msgs/s), Message Throughput: {}/100 (MB/s)"
IDLE, BUSY = NUMBERS.format(2, 1, "4.09", "0.00"), NUMBERS.format(2, 1, "30000.01", "0.00")
SHED = "Attempting to shed load on b2:8080, which has "
THRESHOLD = f"{HEAD}impl.ThresholdShedder - {SHED}max resource usage above avgUsage"
OVERLOAD = f"{HEAD}impl.OverloadShedder - {SHED}resource usage"
TASK = f"{HEAD}impl.BundleSplitterTask - The bundle {BUNDLE} is considered to be unload."
CYCLE = f"{HEAD}extensions.scheduler.TransferShedder - Can't continue the unload cycle."
NOT_SPLIT = f"Can't split broker:{BUNDLE}. Split condition hit count: {{}} is less than or equal to threshold: 3. {{}}."


def logged(folder: Path, *lines: str) -> Scene:
    """A scene of the log of one broker."""
    path = folder / "broker.log"
    path.write_text("".join(f"{line}\n" for line in lines))
    found = scene(said=logs(said(1, 0, "elected")))
    found.decided = read_logs([(1, str(path))], {}).decided
    return found


def placement(loads: dict[str, float], average: float, best: str, chosen: str, age_ms: int = 0) -> list[str]:
    made = [
        f"{STRATEGY}Broker {name} load data:{{cpu= 0.00%, weightedMaxEMA= {load}%, updatedAt= {NOW - age_ms}}}"
        for name, load in loads.items()
    ]
    names = "b1:8080, b2:8080"
    return [
        *made,
        f"{STRATEGY}Computed avgUsage:{average}, diffThreshold:0.1",
        f"{STRATEGY}Selected 1 best brokers: [{best}] from candidate brokers: [{names}], noLoadDataBrokers: []",
        f"{HEAD}extensions.ExtensibleLoadManagerImpl - Selected new owner broker: {chosen} for bundle: {BUNDLE}.",
    ]


def test_placement_as_computed_is_an_occasion_and_no_finding(tmp_path: Path) -> None:
    judged = PLACED.judge(logged(tmp_path, *placement({B1: 10, B2: 50}, 0.3, B1, B1)))
    assert (judged.exercised, judged.findings, judged.doubts) == (1, [], [])


def in_a_log(*lines: str) -> Scene:
    with TemporaryDirectory() as folder:
        return logged(Path(folder), *lines)


WORDS = ("placed t/n/0x00000000_0x80000000 at b2:8080", "loads b1:8080 0.1000, b2:8080 0.5000", "computed b1:8080")
CASES = {
    "placement that the loads do not give warns with the table of candidates":
        case("placement-as-computed", in_a_log(*placement({B1: 10, B2: 50}, 0.3, B2, B2)),
             warning(B1, why=WORDS, unit=BUNDLE, shows="Selected 1 best")),
    "split that no number asks for warns":
        case("decided-by-its-numbers", in_a_log(f"{SPLITS}Splitting bundle: {BUNDLE}. {IDLE}"),
             warning(why=("against its numbers", "none of its numbers exceeds its limit"))),
}  # fmt: skip


@each(CASES)
def test_decision_is_judged_by_its_log(case: Case) -> None:
    case.check()


def test_placement_that_is_too_coarse_to_tell_is_no_occasion(tmp_path: Path) -> None:
    judged = PLACED.judge(logged(tmp_path, *placement({B1: 10, B2: 30}, 0.2, f"{B1}, {B2}", B2)))
    assert (judged.exercised, judged.findings) == (0, [])


def test_placement_by_an_old_report_is_noted(tmp_path: Path) -> None:
    judged = PLACED.judge(logged(tmp_path, *placement({B1: 10, B2: 50}, 0.3, B1, B1, age_ms=90_000)))
    (found,) = judged.findings
    note(B1, why="1 placements by a report older than 60 s, the oldest of them by one of 90 s").assert_is(found)


@pytest.mark.parametrize(
    "line",
    [
        f"{SPLITS}Splitting bundle: {BUNDLE}. {BUSY}",
        SPLITS + NOT_SPLIT.format(0, IDLE),
        SPLITS + NOT_SPLIT.format(3, BUSY),
        f"{TASK} {BUSY}",
        f"{THRESHOLD} and threshold 80.5% > 60.0% + 10.0% -- "
        "Offloading at least 3.0 MByte/s of traffic, left throughput 9.0 MByte/s (cpu: 80.50%)",
        f"{THRESHOLD}  and threshold 80.5% > 60.0% + 10.0% --",
        f"{OVERLOAD} 90.0% above threshold 85.0% -- Offloading at least 1 MByte/s",
        f"{CYCLE} Shedding condition hit count:2 is less than or equal to the threshold:3.",
        f"{CYCLE}The overall cluster load meets the "
        f"target, std:0.1 <= targetStd:0.25.minBroker:{B1} is not underloaded. maxBroker:{B2} is not overloaded.",
    ],
)
def test_decision_by_its_numbers_is_an_occasion_and_no_finding(tmp_path: Path, line: str) -> None:
    judged = DECIDED.judge(logged(tmp_path, line))
    assert (judged.exercised, judged.findings) == (1, [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (SPLITS + NOT_SPLIT.format(1, IDLE), "none exceeds its limit, and it is counted"),
        (SPLITS + NOT_SPLIT.format(0, BUSY), "a number exceeds its limit, and none is counted"),
        (SPLITS + NOT_SPLIT.format(4, BUSY), "4 hits are more than 3"),
        (
            f"{TASK} {IDLE}",
            "none of its numbers",
        ),
        (
            f"{THRESHOLD} and threshold 69.5% > 60.0% + 10.0% --",
            "69.5 is below 70",
        ),
        (
            f"{OVERLOAD} 80.0% above threshold 85.0% -- Offloading at",
            "80 is below 85",
        ),
        (
            f"{CYCLE} Shedding condition hit count:4 is less than or equal to the threshold:3.",
            "4 is above 3",
        ),
        (
            f"{CYCLE}The overall cluster load meets the "
            f"target, std:0.3 <= targetStd:0.25.minBroker:{B1} is not underloaded. maxBroker:{B2} is",
            "0.3 is above 0.25",
        ),
    ],
)
def test_decision_against_its_numbers_warns(tmp_path: Path, line: str, why: str) -> None:
    (found,) = DECIDED.judge(logged(tmp_path, line)).findings
    assert "against its numbers" in found.why
    warning(why=why, shows=line.partition(" - ")[2][:40]).assert_is(found)


@pytest.mark.parametrize(
    "line",
    [
        f"{SPLITS}Splitting bundle: {BUNDLE}. {NUMBERS.format(2, 1, '30000.00', '0.00')}",
        f"{OVERLOAD} 85.0% above threshold 85.0% -- Offloading at least",
        f"{SPLITS}Splitting bundle: {BUNDLE}. {NUMBERS.format(2, 1, '4,09', '0,00')}",
        f"{HEAD}impl.AvgShedder - Splitting bundle: {BUNDLE}. {IDLE}",
    ],
)
def test_what_is_printed_too_coarsely_or_by_another_class_is_not_judged(tmp_path: Path, line: str) -> None:
    judged = DECIDED.judge(logged(tmp_path, line))
    assert (judged.exercised, judged.findings) == (0, [])
