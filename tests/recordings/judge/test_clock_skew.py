"""A clock that is off changes nothing in the judgement of a run but the finding about it."""

import gzip
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from tests.recordings.skewed import OBSERVER, ZOOKEEPER, skewed

BROKER = "127.0.0.1:18082"
SKEW = "clocks-agree"
LOGS, CHANNEL = r"broker-.*\.log", r"channel\.|manifest"
LOGS_AND_CHANNEL = f"{LOGS}|{CHANNEL}"
OF_DEBUG = (b"ServiceUnitStateData[", b"Handling", b"handled", b" DEBUG ")
Judged = tuple[str, tuple[tuple[object, ...], ...], tuple[str, ...]]


def judged(folder: str) -> Judged:
    """The verdict on a run, its findings by law, severity, unit and record, and those about clocks in words."""
    result, judgement, _ = audit([folder], Options(), "inline", None)
    found = list(judgement.findings())
    shown = [(one["law"], one["severity"], one["unit"] or "", one["at"]["messageId"] or "") for one in found]
    clocks = tuple(one["why"] for one in found if one["law"] == SKEW)
    return result.verdict.value, tuple(sorted(one for one in shown if one[0] != SKEW)), clocks


@cache
def as_recorded(name: str, files: str) -> Judged:
    with TemporaryDirectory() as folder:
        return judged(skewed(name, "", 0, Path(folder), files=files))


slow = pytest.mark.slow


def off(name: str, clock: str, by: int, files: str = "", slowly: bool = False) -> object:
    return pytest.param(name, clock, by, files, id=f"{name} {clock} {by} {files}", marks=[slow] * slowly)


@pytest.mark.parametrize(
    ("name", "clock", "by", "files"),
    [
        off("healthy", BROKER, 90_000),
        off("healthy", BROKER, -5_000, LOGS_AND_CHANNEL),
        off("healthy", BROKER, -90_000, LOGS),
        off("kill-owner", BROKER, 90_000, CHANNEL),
        off("kill-owner", BROKER, -90_000, CHANNEL),
        off("kill-owner", OBSERVER, -90_000),
        off("split", ZOOKEEPER, 5_000),
        off("kill-owner", BROKER, -90_000, slowly=True),
        off("kill-owner", OBSERVER, 90_000, slowly=True),
        off("transfer", BROKER, 90_000, slowly=True),
        off("transfer", BROKER, -90_000, LOGS, slowly=True),
        off("zombie", BROKER, 90_000, slowly=True),
        off("metadata-store", BROKER, -90_000, slowly=True),
        off("metadata-store", BROKER, 90_000, LOGS, slowly=True),
        off("metadata-store", ZOOKEEPER, -90_000, slowly=True),
        off("zk-restart-metadata", BROKER, 90_000, slowly=True),
        off("leader-hang", "127.0.0.1:18081", 90_000, slowly=True),
    ],
)
def test_clock_that_is_off_is_bounded_and_accuses_nobody(
    name: str, clock: str, by: int, files: str, tmp_path: Path
) -> None:
    verdict, found, clocks = judged(skewed(name, clock, by, tmp_path, files=files))
    assert (verdict, found) == as_recorded(name, files)[:2]
    (words,) = clocks
    assert clock in words
    assert ("ahead of" if by > 0 else "behind") in words
    least, most = re.findall(r"certainly (\S+) s to (\S+) s", words)[0]
    assert float(least) - 0.01 <= abs(by) / 1000 <= float(most) + 0.01
    assert float(most) - float(least) < 0.2


@pytest.mark.parametrize("by", [90_000, -90_000])
def test_logs_without_the_debug_mode_bound_a_clock_too(by: int, tmp_path: Path) -> None:
    folder = skewed("kill-owner", BROKER, by, tmp_path, files=LOGS)
    for log in tmp_path.iterdir():
        lines = gzip.decompress(log.read_bytes()).replace(b"DebugModeEnabled=true", b"DebugModeEnabled=false")
        kept = [line for line in lines.splitlines(True) if not any(word in line for word in OF_DEBUG)]
        log.write_bytes(gzip.compress(b"".join(kept)))
    _, found, (words,) = judged(folder)
    assert not [one for one in found if one[1] != "note"]
    assert BROKER in words
    assert "certainly 89.9" in words


@pytest.mark.parametrize("rate", [0.03, -0.03])
def test_clock_that_drifts_is_followed(rate: float, tmp_path: Path) -> None:
    verdict, found, (words,) = judged(skewed("kill-owner", BROKER, 0, tmp_path, rate))
    assert (verdict, found) == as_recorded("kill-owner", "")[:2]
    assert re.search("drifts by (29|30|31) ms in each second", words)


@pytest.mark.parametrize("name", ["healthy", "kill-owner"])
def test_clocks_that_agree_are_not_mentioned(name: str) -> None:
    assert not as_recorded(name, "")[2]


def test_clock_that_was_set_leaves_the_run_unknown_and_accuses_nobody(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, by in (before, 0), (after, 90_000):
        folder.mkdir()
        skewed("healthy", BROKER, by, folder, files=LOGS_AND_CHANNEL)
    log = next(before.glob("broker-2.log*"))
    early, late = (gzip.decompress((folder / log.name).read_bytes()).splitlines(True) for folder in (before, after))
    half = len(early) // 2
    log.write_bytes(gzip.compress(b"".join(early[:half] + late[half:])))
    verdict, found, _ = judged(str(before))
    assert verdict == "unknown"
    assert not [one for one in found if one[1] == "violation"]


@pytest.mark.parametrize("by", [90_000, -90_000])
def test_run_with_a_clock_that_is_off_is_explained(by: int, tmp_path: Path) -> None:
    found = judge(read_recording(Path(skewed("kill-owner", BROKER, by, tmp_path))))
    assert found.answer == Acceptance.ACCEPTED
