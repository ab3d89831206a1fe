"""A run is of a migration by two signs of different sources; a sign that one line can forge makes none."""

from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.scene.gather import gather
from tests.recordings.laws.files import copied
from tests.recordings.migrating import SIGNS, SYNCER, configured, ran, setting, write_run


def _of(folder: Path) -> str:
    return gather(find_runs([str(folder)], Options())[0], Options())[0].migration


@pytest.mark.parametrize("sign", SIGNS)
def test_one_sign_makes_no_migration(sign: str, tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    SIGNS[sign](run)
    assert _of(run) == ""


def test_any_two_signs_make_one_and_are_named(tmp_path: Path) -> None:
    signs = {
        ran: "a syncer ran at 127.0.0.1:",
        write_run: "topic and nodes are both written",
        setting: f"{SYNCER} is set",
    }
    for number, (one, other) in enumerate(
        [(ran, write_run), (ran, setting), (write_run, setting), (write_run, configured)]
    ):
        run = copied("healthy", tmp_path / str(number))
        one(run)
        other(run)
        migration = _of(run)
        assert signs[one] in migration
        assert signs.get(other, signs[setting]) in migration


def test_setting_that_ends_the_syncer_or_twice_the_same_sign_makes_none(tmp_path: Path) -> None:
    run = copied("healthy", tmp_path)
    write_run(run)
    setting(run, "None")
    assert _of(run) == ""
    write_run(run)
    assert _of(run) == ""


def test_dump_of_the_topic_beside_a_history_of_nodes_is_a_sign(tmp_path: Path) -> None:
    run = copied("metadata-store", tmp_path)
    assert _of(run) == ""
    setting(run, "MetadataStoreToSystemTopicSyncer")
    assert _of(run) == ""
    (run / "channel.jsonl").write_bytes((copied("healthy", tmp_path) / "channel.jsonl").read_bytes())
    assert "topic and nodes are both written" in _of(run)
