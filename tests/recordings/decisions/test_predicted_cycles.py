"""Cycles of TransferShedder at real brokers are predicted by the loads that they logged."""

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.decisions.logged_cycles import Cycle, LoadUpdate, LoggedCycles, Report, cycles
from oneowner.checkers.recordings.decisions.predicted_cycles import Prediction, predicted, with_record
from oneowner.checkers.verdict import Verdict
from tests.command_line import oneowner

MOVES = TOP / "tests" / "vectors" / "shed-cycles" / "moves"
"""Lines of the logs of a real cluster of 4.0.6 that shed by itself."""
LEADER = MOVES / "broker-1.log.gz"
BUNDLES = ("lab/a/0x80000000_0xc0000000", "lab/b/0x80000000_0xc0000000", "lab/c/0xeaaaaaa7_0xffffffff")


def changed(folder: Path, change: Callable[[str], str]) -> Path:
    """Return a copy of the run, with another log of its leader."""
    shutil.copytree(MOVES, folder)
    text = gzip.decompress(LEADER.read_bytes()).decode()
    (folder / "broker-1.log.gz").unlink()
    (folder / "broker-1.log").write_text(change(text))
    return folder


def test_bundles_and_cycles_of_a_real_run_are_as_predicted() -> None:
    found = oneowner("decide", str(MOVES))
    assert found.code == 0
    assert ": 10 cycles of TransferShedder, 10 as predicted; 3 bundles moved" in found.out
    text = found.out.partition("  cycle 3, ")[2].partition("  cycle 4, ")[0]
    assert text.splitlines() == [
        "2026-11-26T07:51:03.545Z, broker-1.log.gz:70",
        *(f"    {bundle} moves from 127.0.0.1:38519 to 127.0.0.1:39045 ({record})"
          for bundle, record in zip(BUNDLES, ("0:35", "0:32", "0:36"), strict=True)),
    ]  # fmt: skip
    assert found.out.count("nothing moves: CoolDown") == 7


def test_why_nothing_moves_in_a_real_run_is_as_predicted() -> None:
    outcome = oneowner("decide", "traces/real/shedding")
    assert outcome.code == 0
    assert "3 cycles of TransferShedder, 3 as predicted; 0 bundles moved" in outcome.out
    reasons = [line.split()[2] for line in outcome.out.splitlines() if "nothing moves" in line]
    assert reasons == ["HitCount;", "NoLoadData;", "HitCount;"]


@pytest.mark.parametrize(
    ("old", "new", "predicted", "words"),
    [
        (f"serviceUnit={BUNDLES[2]}, destBroker=Optional[127.0.0.1:39045]",
         f"serviceUnit={BUNDLES[2]}, destBroker=Optional[127.0.0.1:38833]", 9, "otherwise: other bundles moved"),
        ("Reason:CoolDown.", "Reason:NoBrokers.", 3, "otherwise: the leader says NoBrokers; moved: nothing"),
        ("hit count:1 is less", "hit count:0 is less", 9, "has counted 0 cycles with an imbalance, and not 1"),
    ],
)  # fmt: skip
def test_cycle_that_does_otherwise_is_told(tmp_path: Path, old: str, new: str, predicted: int, words: str) -> None:
    found = oneowner("decide", str(changed(tmp_path / "run", lambda text: text.replace(old, new))))
    assert found.code == 1
    assert words in found.out
    assert f"10 cycles of TransferShedder, {predicted} as predicted" in found.out


def test_transfer_that_the_channel_does_not_show_is_unknown(tmp_path: Path) -> None:
    run = changed(tmp_path / "run", str)
    channel = run / "channel.jsonl"
    channel.write_text("".join(channel.read_text().splitlines(keepends=True)[:34]))
    found = oneowner("decide", str(run))
    assert found.code == 3
    assert "not known: the channel has no record that gives a bundle to its destination" in found.out


def test_run_without_a_channel_is_predicted_by_who_reports_a_bundle(tmp_path: Path) -> None:
    run = changed(tmp_path / "run", str)
    (run / "channel.jsonl").unlink()
    found = oneowner("decide", str(run))
    assert found.code == 0
    assert f"{BUNDLES[0]} moves from 127.0.0.1:38519 to 127.0.0.1:39045\n" in found.out


def test_run_without_a_manifest_is_unknown_and_names_it(tmp_path: Path) -> None:
    run = changed(tmp_path / "run", str)
    (run / "manifest.yaml").unlink()
    found = oneowner("decide", str(run))
    assert found.code == 3
    why = "manifest.yaml, which names the broker of each log and the settings, is missing"
    assert f"10 cycles of TransferShedder cannot be computed: {why}\n" in found.out


def test_torn_line_of_loads_is_unknown(tmp_path: Path) -> None:
    found = oneowner("decide", str(changed(tmp_path / "run", lambda text: text.rstrip()[:-5])))
    assert found.code == 3
    assert "the last line has no end; its loads are unknown" in found.out


@pytest.mark.parametrize(
    ("old", "new"), [("weightedMaxEMA= 4", "weightedMaxEMA= 4,"), ("(msgRateIn=", "(msgRateIn=0,")]
)
def test_report_whose_numbers_are_printed_otherwise_is_unknown(tmp_path: Path, old: str, new: str) -> None:
    found = oneowner("decide", str(changed(tmp_path / "run", lambda text: text.replace(old, new))))
    assert found.code == 3
    assert "its numbers are not printed as in English; its loads are unknown" in found.out


def test_cycles_of_another_shedder_are_unknown(tmp_path: Path) -> None:
    found = oneowner("decide", str(changed(tmp_path / "run", lambda text: text.replace("[TransferShedder]", "[Own]"))))
    assert found.code == 3
    assert "10 cycles are not supported: the 5.0 line, or another shedder" in found.out


LOW, HIGH = Report(0.2, 100.0, 0.0, 100.0, 0), Report(0.8, 400.0, 0.0, 400.0, 0)
TOPS = (("t/n/0x00000000_0x40000000", 100.0, 0.0), ("t/n/0x40000000_0x80000000", 300.0, 0.0))
MOVE = (TOPS[0][0], "a", "b")
CONF = {"loadBalancerSheddingConditionHitCountThreshold": 0}


def logged(*told: LoadUpdate, time: int = 60_000, moves: tuple[tuple[str, str, str], ...] = ()) -> LoggedCycles:
    return LoggedCycles(list(told), [Cycle(time, "a", "broker-1.log", 1, ("a", "b"), moves, "", None)], {}, {}, [])


def only(found: LoggedCycles, **conf: float) -> Prediction:
    (one,) = predicted(found, CONF | conf, "4.0.6", None)
    return one


def updates_of(high: Report) -> list[LoadUpdate]:
    return [LoadUpdate(0, "a", high, True), LoadUpdate(0, "a", TOPS, False), LoadUpdate(0, "b", LOW, True)]


def test_report_just_before_a_cycle_may_come_after_it() -> None:
    late = LoadUpdate(59_950, "a", LOW, True)
    assert only(logged(*updates_of(HIGH), late, moves=(MOVE,))).verdict is Verdict.VALID
    assert only(logged(*updates_of(HIGH), late)).verdict is Verdict.VALID
    assert only(logged(*updates_of(HIGH), late._replace(time=59_000), moves=(MOVE,))).verdict is Verdict.INVALID


def test_load_that_was_printed_too_coarsely_is_unknown() -> None:
    """Deviation of 0.2 and 0.8 is 0.3."""
    for target, verdict in ((0.30002, Verdict.UNKNOWN), (0.31, Verdict.INVALID), (0.29998, Verdict.VALID)):
        found = logged(*updates_of(HIGH), moves=(MOVE,))
        assert only(found, loadBalancerBrokerLoadTargetStd=target).verdict is verdict


def test_coarse_load_explains_a_cycle_also_with_the_report_just_before_it() -> None:
    """Before it the deviation is 0, so that another bundle would have moved; after it, nearly the target."""
    early = [LoadUpdate(0, "a", LOW, True), LoadUpdate(0, "a", TOPS, False), LoadUpdate(0, "b", LOW, True)]
    found = logged(*early, LoadUpdate(59_950, "a", HIGH, True), moves=(MOVE,))
    assert only(found, loadBalancerBrokerLoadTargetStd=0.30002).verdict is Verdict.UNKNOWN
    assert only(found, loadBalancerBrokerLoadTargetStd=0.31).verdict is Verdict.INVALID
    later = logged(*updates_of(HIGH), LoadUpdate(59_950, "a", LOW, True), moves=(MOVE,))
    assert only(later, loadBalancerBrokerLoadTargetStd=0.30002).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(("release", "nearest"), [("4.0.10", "4.0.8"), ("9.9.9", "5.0.1")])
def test_release_whose_shedder_is_not_modelled_goes_by_the_nearest_older_one_and_is_unknown(
    tmp_path: Path, release: str, nearest: str
) -> None:
    run = changed(tmp_path / "run", str)
    text = (run / "manifest.yaml").read_text()
    assert text.count("4.0.6") >= 1
    (run / "manifest.yaml").write_text(text.replace("4.0.6", release))
    found = oneowner("decide", str(run))
    assert found.code == 3
    assert f"release {release} is not known; it is judged by the transfer rules of {nearest}\n" in found.out


def test_leader_that_is_started_anew_remembers_nothing() -> None:
    cycle = logged(*updates_of(HIGH)).cycles[0]._replace(skipped="HitCount")
    twice = [cycle._replace(hits=1), cycle._replace(time=120_000, hits=1)]
    conf = {"loadBalancerSheddingConditionHitCountThreshold": 5}
    for started, verdict in (({"a": [100_000]}, Verdict.VALID), ({}, Verdict.INVALID)):
        found = list(predicted(LoggedCycles(updates_of(HIGH), twice, {}, started, []), conf, "4.0.6", None))
        assert [one.verdict for one in found] == [Verdict.VALID, verdict]


def test_prediction_without_moves_needs_no_record() -> None:
    one = only(logged(*updates_of(LOW)))
    assert with_record(one, lambda *_: None).verdict is Verdict.VALID


def test_logs_without_cycles_say_nothing_of_them() -> None:
    assert cycles({"traces/real/kill-owner/broker-1.log.gz": "b1"}).cycles == []
    assert "TransferShedder" not in oneowner("decide", "traces/real/kill-owner").out
