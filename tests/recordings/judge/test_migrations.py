"""A run in which the channel moves to its other store is unknown by the laws of one channel, and is reported once."""

from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.channel_laws import CHANNEL_LAWS
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.read.observations import Source
from tests.recordings.dumps import audit
from tests.recordings.laws.files import copied
from tests.recordings.migrating import SIGNS, change_of_manager

MOVES = "the channel moves between its stores"


@pytest.mark.parametrize("sign", SIGNS)
def test_broken_run_stays_broken_with_one_sign_of_a_migration(sign: str, tmp_path: Path) -> None:
    run = copied("forced-free", tmp_path)
    before = audit(run, "--engine", "inline").json
    SIGNS[sign](run)
    after = audit(run, "--engine", "inline").json
    assert (before["verdict"], after["verdict"]) == ("invalid", "invalid")
    assert after["runs"][0]["violations"] == before["runs"][0]["violations"]
    assert not any(MOVES in reason for reason in after["reasons"])


def test_laws_of_one_channel_are_not_judged_in_a_migration(tmp_path: Path) -> None:
    run = copied("forced-free", tmp_path)
    SIGNS["ran"](run)
    SIGNS["written"](run)
    found = audit(run, "--engine", "inline")
    assert sum(MOVES in reason for reason in found.json["reasons"]) == 1
    laws = {row["law"]: row for row in found.json["laws"]}
    untold = {law.name for law in CHANNEL_LAWS if not law.is_of_histories}
    untold |= {law.name for law in SCENE_LAWS if Source.CHANNEL in law.needs and law.name != "dual-serving"}
    for name in untold & laws.keys():
        assert (laws[name]["verdict"], laws[name]["reason"], laws[name]["exercised"]) == ("unknown", MOVES, 0)
    assert not untold & {one["law"] for one in found.json["findings"]}


def test_unreadable_line_of_a_migration_is_told_all_the_same(tmp_path: Path) -> None:
    run = copied("forced-free", tmp_path)
    SIGNS["ran"](run)
    SIGNS["written"](run)
    dump = run / "channel.jsonl"
    dump.write_bytes(dump.read_bytes() + b'{"torn\n')
    found = audit(run, "--engine", "inline")
    assert (found.verdict, found.exit_code) == ("unknown", 2)
    assert "readable-input" in {one["law"] for one in found.json["findings"]}


def test_rolling_change_of_the_load_manager_accuses_nobody(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    change_of_manager(run)
    found = audit(run, "--engine", "inline").json
    assert found["verdict"] == "unknown"
    assert sum("ownership moves between locks and the channel" in reason for reason in found["reasons"]) == 1
    assert not [one for one in found["findings"] if one["severity"] == "violation" or "who changed" in one["repair"]]
    laws = {row["law"]: row for row in found["laws"]}
    for name in ("answers-with-lock", "told-owner-holds-lock", "lookup-follows-the-log", "stuck-in-flight"):
        assert (laws[name]["verdict"], laws[name]["exercised"]) == ("unknown", 0)
