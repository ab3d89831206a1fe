"""The verb ``why``: owners, moves and their causes in real recordings, whole and with less evidence."""

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.owners.ownership import ownership_at
from oneowner.checkers.recordings.scene.gather import gather
from tests.command_line import REAL, VALIDATOR, oneowner, refused

UNIT = "rig/c/0x00000000_0x40000000"


def first_line(*arguments: object) -> str:
    return oneowner("why", *arguments).out.partition("\n")[0]


def copied(run: str, folder: Path, *kept: str) -> Path:
    """Return a copy of some files of a recording, by the beginnings of their names."""
    folder.mkdir()
    for file in (REAL / run).iterdir():
        if file.name.startswith(kept):
            shutil.copy(file, folder)
    return folder


def test_forced_record_is_explained_by_the_silence_of_the_owner() -> None:
    outcome = oneowner("why", UNIT, REAL / "zombie")
    assert outcome.code == 0
    assert outcome.out.startswith(
        f"{UNIT}: :18083 owns it since 2026-11-21T00:08:47.920Z, by a forced record, which took it from"
        " :18081: the leader :18081 stood still for 30.1 s, and then went on\n"
    )
    assert "published by :18082" in outcome.out
    assert "/zombie/channel.jsonl:51, message 65:0:-1:0)" in outcome.out


def test_incident_that_lasts_is_named_with_its_commands() -> None:
    outcome = oneowner("why", "rig/b/0x00000000_0x40000000", REAL / "rolling-restart")
    assert "  incident: Broken since 2026-11-21T00:39:11.153Z, and still when the recording ends" in outcome.out
    assert "What to do: restart :18082, so that its view begins anew.\n" in outcome.out
    assert "\n    run:   bin/pulsar-daemon restart broker   (on the machine of 127.0.0.1:18082)\n" in outcome.out


def test_transfer_is_explained_by_the_call_that_asked_for_it() -> None:
    outcome = oneowner("why", "rig/c/t0", REAL / "transfer", "--json", "-")
    VALIDATOR.validate(outcome.json)
    answer = outcome.json["why"]
    assert (answer["unit"], answer["owner"], answer["state"]) == (UNIT, "127.0.0.1:18081", "Owned")
    assert (answer["move"]["kind"], answer["move"]["from"]) == ("transfer", "127.0.0.1:18082")
    (cause,) = answer["move"]["causes"]
    assert cause["what"] == (
        "an administrator asked 127.0.0.1:18081 for it (transfer to 127.0.0.1:18081, answered with 204)"
    )
    assert [line["line"] for line in answer["move"]["records"]] == [1265, 1266, 1267]


def test_every_citation_is_the_line_that_it_names() -> None:
    """By an uncompressed dump: the line of the record has its message id."""
    answer = oneowner("why", UNIT, REAL / "zombie", "--json", "-").json["why"]
    for cited in (answer["record"], *answer["move"]["records"]):
        line = Path(cited["file"]).read_text().splitlines()[cited["line"] - 1]
        assert json.loads(line)["messageId"] == cited["messageId"]


def test_logs_show_the_call_where_no_client_recorded_it(tmp_path: Path) -> None:
    run = copied("transfer", tmp_path / "run", "channel.", "broker-", "manifest", "bundles")
    assert first_line("rig/c/t0", run).endswith(
        f"for it ([null] Unloading namespace bundle {UNIT})"
    )  # fmt: skip


def test_dump_alone_gives_the_owner_and_names_the_files_that_have_the_cause(tmp_path: Path) -> None:
    run = copied("transfer", tmp_path / "run", "channel.")
    outcome = oneowner("why", "rig/c/t0", run)
    assert outcome.code == 0
    assert f"{UNIT}: :18081 owns it since 2026-11-20T23:51:45.779Z, by a transfer" in outcome.out
    assert "why: not recorded; to see it, collect actions.jsonl (admin calls) and the leader's log" in outcome.out


def test_answers_of_brokers_alone_leave_the_owner_unknown(tmp_path: Path) -> None:
    run = copied("transfer", tmp_path / "run", "owned", "lookups", "bundles")
    outcome = oneowner("why", "rig/c/t0", run)
    assert outcome.code == 3
    assert f"{UNIT}: unknown at 2026-11-20T23:51:55.662Z, perhaps :18081: " in outcome.out
    assert "to find the owner, add channel*.jsonl" in outcome.out


def test_hand_over_under_way_is_open_with_its_time_out() -> None:
    outcome = oneowner("why", "rig/a/t0", REAL / "zombie", "--at", "2026-11-21T00:07:56.137Z")
    assert "no broker owns it: it is being released by :18082 for :18081 since" in outcome.out
    assert "the leader's monitor, which runs every 15.0 s, ends the hand-over after 2026-11-21T00:08:06.135Z" in (
        outcome.out
    )
    assert "open: in flight for 0.0 s" in outcome.out


def test_split_unit_has_no_owner_and_its_children_are_named() -> None:
    outcome = oneowner("why", UNIT, REAL / "split")
    assert "no broker owns it since 2026-11-20T23:56:06.237Z, by a split: an administrator asked" in outcome.out
    assert "it was split, and its children have its topics: 0x20000000_0x40000000 and 0x00000000_0x20000000" in (
        outcome.out
    )
    child = first_line("rig/c/0x00000000_0x20000000", REAL / "split")
    assert "by a split" in child
    assert "(split, answered with 204)" in child


def test_last_cycle_of_the_shedder_is_shown() -> None:
    outcome = oneowner("why", "rig/b/t0", REAL / "shedding")
    assert "by its first assignment, for a lookup\n" in outcome.out
    assert "the last one, at 2026-11-21T01:13:43.955Z: Can't continue the unload cycle." in outcome.out


def test_lock_is_explained_by_the_call_or_stands_alone() -> None:
    assert "by its lock: an administrator asked" in first_line("lab/b/0x80000000_0xc0000000", REAL / "locks-healthy")
    outcome = oneowner("why", "lab/a/t1", REAL / "locks-kill-owner")
    assert ":33165 owns it since 2026-11-24T19:33:48.066Z, by its lock\n" in outcome.out
    assert "its locks end, and the next lookup assigns the bundle" in outcome.out


@pytest.mark.parametrize("run", ["split", "zombie", "delete-decommission"])
def test_owners_are_those_of_the_timeline(run: str) -> None:
    scene, _ = gather(find_runs([str(REAL / run)], Options())[0], Options())
    times = sorted({step.time for step in scene.channel.timeline})
    middle = [(one + other) // 2 for one, other in pairwise(times) if other - one > 1]
    for time in (*middle[:: max(1, len(middle) // 3)], times[-1]):
        owners = oneowner("timeline", REAL / run, "--at", time, "--json", "-").json["owners"]
        found = {unit: ownership_at(scene, unit, time) for unit in scene.channel.units}
        assert {unit: one.owner for unit, one in found.items() if one and one.owner} == {
            unit: owner for unit, owner in owners.items() if owner
        }


def test_time_before_the_first_record_is_unknown() -> None:
    outcome = oneowner("why", UNIT, REAL / "zombie", "--at", 1)
    assert outcome.code == 3
    assert "unknown at 1970-01-01T00:00:00.001Z" in outcome.out
    assert "its first record is at 2026-11-21T00:06:43.077Z" in outcome.out


@pytest.mark.parametrize(("asked", "words"), [
    ("rig/z/0x00000000_0x40000000", "it has bundles of rig/a, rig/b, rig/c"),
    ("rig/z/t0", "it has bundles of rig/a, rig/b, rig/c"),
    ("rig/c", "topic refused: 'rig/c'"),
    ("persistent://pulsar/127.0.0.1:18081/healthcheck", "each broker, or the leader, serves its own"),
])  # fmt: skip
def test_unknown_name_is_refused_with_the_known_namespaces(asked: str, words: str) -> None:
    refused(oneowner("why", asked, REAL / "healthy"), words)


def test_deletion_is_distinguished_from_an_unload() -> None:
    """A deletion forces the owner to release (P3 of ``publishers.py``)."""
    answer = first_line("rig/a/0x80000000_0xc0000000", REAL / "delete-decommission", "--at", "2026-11-21T01:02:00Z")
    assert "after a deletion of the bundle, or of its namespace, at :18081: an administrator asked" in answer
    assert "(delete bundle, answered with 204)" in answer


def test_history_of_the_metadata_store_alone_needs_its_storage(tmp_path: Path) -> None:
    run = copied("metadata-store", tmp_path / "run", "zookeeper.jsonl")
    outcome = oneowner("why", "rig/a/0xa0000000_0xc0000000", run)
    assert outcome.code == 3
    assert "add --storage metadata-store" in outcome.out
    answer = first_line("rig/a/0xa0000000_0xc0000000", run, "--storage", "metadata-store")
    assert ": :18082 owns it since 2026-11-21T00:19:21.099Z, by a forced record" in answer
