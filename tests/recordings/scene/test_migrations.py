"""A run is of a migration by two signs of different sources; a sign that one line can forge makes none."""

from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.read.zookeeper import LEADERS
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.migrations import manager_change
from tests.recordings.laws.crafted import B1, B2, B3, write
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


MODULAR = "org.apache.pulsar.broker.loadbalance.impl.ModularLoadManagerImpl"
EXTENSIBLE = "org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl"
ELECTIONS = [write(number, number, "create", path, "0x1", "{}", True) for number, path in enumerate(LEADERS)]


@pytest.mark.parametrize(
    ("managers", "writes", "both", "words"),
    [
        ({B1: {MODULAR, EXTENSIBLE}, B2: {MODULAR, EXTENSIBLE}}, [], False, f"{B1} and {B2} with that of locks"),
        (
            {B1: {MODULAR}, B2: {MODULAR, EXTENSIBLE}, B3: {EXTENSIBLE}},
            [],
            False,
            "brokers ran with either load manager",
        ),
        ({}, ELECTIONS, True, "either manager elected a leader, and bundles have locks and records"),
        ({B1: {MODULAR, EXTENSIBLE}, B2: {EXTENSIBLE}}, [], True, "bundles have locks and records"),
        ({B1: {MODULAR, EXTENSIBLE}, B2: {EXTENSIBLE}}, [], False, ""),  # one line can be forged
        ({B1: {EXTENSIBLE}, B2: {EXTENSIBLE}}, ELECTIONS, False, ""),
        ({B1: {MODULAR}, B2: {MODULAR}}, [], True, ""),
    ],
)
def test_brokers_that_change_their_manager_are_a_migration_by_two_signs(
    managers: dict[str, set[str]], writes: list[NodeWrite], both: bool, words: str
) -> None:
    found = manager_change(managers, writes, both)
    assert bool(found) == bool(words)
    assert words in found


def test_dump_of_the_topic_beside_a_history_of_nodes_is_a_sign(tmp_path: Path) -> None:
    run = copied("metadata-store", tmp_path)
    assert _of(run) == ""
    setting(run, "MetadataStoreToSystemTopicSyncer")
    assert _of(run) == ""
    (run / "channel.jsonl").write_bytes((copied("healthy", tmp_path) / "channel.jsonl").read_bytes())
    assert "topic and nodes are both written" in _of(run)
