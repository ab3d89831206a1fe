"""Units of a running cluster, judged by the laws of states: as by an audit of the same folder, within a budget."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.live import explained_units
from oneowner.checkers.recordings.live.channel_watch import ChannelWatch
from oneowner.checkers.recordings.live.explained_units import ExplainedUnits
from oneowner.spec.channel.system import SYSTEM
from tests.command_line import oneowner, refused
from tests.recordings.dumps import REAL
from tests.watch.broken_dumps import QUESTION

LAWS = {law.name for law in SYSTEM.laws}
RUNS = ["forced-free", "late-clean-up", "shutdown-together", "healthy"]


def breach(finding: Mapping[str, Any]) -> tuple[str, str, int, int]:
    """Return the breach of a law of states: an audit reports it with that of a law of recordings that agrees."""
    return finding["model"]["law"], finding["unit"], finding["at"]["line"], finding["model"]["step"]


def passes(folder: Path, seconds: float, batch: int = 20) -> tuple[ExplainedUnits, list[dict[str, Any]]]:
    """Return the units and the breaches of a watch that takes some lines at a time, and ends unexplained."""
    (dump,) = folder.glob("channel.jsonl")
    lines = dump.read_bytes().splitlines()
    watch, units = ChannelWatch("c", str(dump), QUESTION), ExplainedUnits("c", str(folder))
    found = []
    for start in range(0, len(lines), batch):
        watch.take(lines[start : start + batch])
        units.take(watch.judged)
        now = (watch.fold.tally.last_time or 0) + explained_units.SETTLES
        found += units.judge(now, watch.fold.tally.events, is_over=False, seconds=seconds)
        units = ExplainedUnits("c", str(folder), json.loads(json.dumps(units.memory())))
    return units, [one.finding for one in found]


@pytest.mark.parametrize("name", RUNS)
def test_replayed_folder_gives_the_breaches_of_an_audit(name: str, tmp_path: Path) -> None:
    lines = tmp_path / "found.jsonl"
    outcome = oneowner("watch", "--replay", REAL / name, "--least", "note", "--json-lines", lines, "--quiet")
    result, _, _ = audit([str(REAL / name)], Options(explain="always"), "inline", None)
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    audited = sorted(breach(one) for one in result.findings if "model" in one)
    assert sorted(breach(one) for one in found if one["law"] in LAWS) == audited
    assert bool(audited) == (name != "healthy")
    assert "; 0 are behind" in outcome.err
    for one in found:
        if one["law"] in LAWS:
            save = f"oneowner audit {REAL / name} --why --unit {one['model']['unit']} --save FILE"
            assert one["model"]["save"] == save


def test_breach_is_reported_once_while_the_cluster_runs() -> None:
    units, found = passes(REAL / "forced-free", seconds=60)
    assert sorted({one["law"] for one in found}) == ["tombstone-safe"]
    assert len({breach(one) for one in found}) == len(found) == 4
    assert (units.behind, units.explained) == ({}, 9)


def test_pass_without_time_explains_one_unit_and_names_the_others() -> None:
    units, _ = passes(REAL / "forced-free", seconds=0, batch=1_000)
    assert (units.explained, len(units.behind)) == (1, 8)
    assert [*units.doubts()] == [f"{key}: behind, not explained yet" for key in units.behind]


def test_unit_beyond_the_budget_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explained_units, "MOST", 3)
    outcome = oneowner("watch", "--replay", REAL / "late-clean-up", "--quiet")
    assert outcome.code == 3
    assert "observations are too many (3 at most): oneowner audit" in outcome.err


def test_folder_that_cannot_be_explained_is_unknown(tmp_path: Path) -> None:
    shutil.copy(REAL / "forced-free" / "channel.jsonl", tmp_path)
    outcome = oneowner("watch", "--replay", tmp_path, "--quiet")
    assert "behind, not explained: " in outcome.err
    assert "no zookeeper*.jsonl[.gz] in it" in outcome.err


def test_folder_without_a_dump_is_refused(tmp_path: Path) -> None:
    refused(oneowner("watch", "--replay", tmp_path), "0 dumps channel*.jsonl in it")


def test_spark_follows_no_folder() -> None:
    refused(oneowner("watch", "--replay", REAL / "healthy", "--engine", "spark"), "a folder requires --engine inline")
