"""Recordings that are tampered with, torn, or not whole: refused, unknown or unreadable, but never valid."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.checkers.recordings.read import lines
from tests.command_line import REAL, VALIDATOR, Outcome, oneowner
from tests.recordings.read.test_printed import printed

Json = dict[str, Any]
GHOST = "ghost:8080"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a short recording."""
    return Path(shutil.copytree(REAL / "healthy", tmp_path / "healthy"))


def edited(file: Path, change: Callable[[list[Json]], object]) -> None:
    messages = [json.loads(line) for line in file.read_text().splitlines()]
    change(messages)
    file.write_text("".join(f"{json.dumps(message)}\n" for message in messages))


def replayed(folder: Path) -> Outcome:
    found = oneowner("replay", folder, "--json", "-")
    assert list(VALIDATOR.iter_errors(found.json)) == []
    return found


def is_unknown(folder: Path, *words: str) -> None:
    found = replayed(folder)
    assert (found.code, found.json["verdict"]) == (3, "unknown"), found.said
    assert all(any(word in reason for reason in found.json["reasons"]) for word in words), found.json["reasons"]


def is_unreadable(folder: Path, words: str) -> None:
    found = replayed(folder)
    assert (found.code, found.json["verdict"]) == (2, "unknown"), found.said
    assert found.json["reasons"] == [f"{folder}/{words}"]


def test_record_that_names_a_broker_which_never_registered_is_refused(folder: Path) -> None:
    edited(folder / "channel.jsonl", lambda messages: messages[-1]["value"].update(sourceBroker=GHOST))
    found = replayed(folder)
    assert found.code == 1
    (reason,) = found.json["reasons"]
    assert f"channel.jsonl:24 names {GHOST}, which the ZooKeeper history never registers" in reason


def test_log_that_names_a_broker_which_never_registered_is_a_doubt(folder: Path) -> None:
    log = folder / "broker-1.log.gz"
    text = gzip.decompress(log.read_bytes()).decode()
    before, at, after = text.partition("received a handle request")
    log.write_bytes(
        gzip.compress((before + at + after.replace("sourceBroker=null", f"sourceBroker={GHOST}", 1)).encode())
    )
    is_unknown(folder, f"broker-1.log.gz: rig/a/0x80000000_0xc0000000: Assigning(127.0.0.1:18083, from {GHOST}) v1")


def test_run_without_a_channel_is_unknown(folder: Path) -> None:
    (folder / "channel.jsonl").unlink()
    is_unknown(folder, "healthy: there is no channel*.jsonl[.gz]")
    recording = read_recording(folder)
    assert [unit.answer for unit in judge(recording).units] == [Acceptance.ACCEPTED]
    assert judge(recording, "rig/a/0x80000000_0xc0000000").units == ()


def test_registry_alone_says_where_the_channel_may_be(folder: Path) -> None:
    for file in folder.iterdir():
        if file.name != "zookeeper.jsonl":
            file.unlink()
    is_unknown(folder, "if zookeeper*.jsonl is its history, manifest.yaml must state it")


def test_empty_channel_is_unknown(folder: Path) -> None:
    (folder / "channel.jsonl").write_text("")
    is_unknown(folder, "channel.jsonl: empty: no event of the channel")


def test_run_of_which_nothing_is_judged_is_unknown(folder: Path) -> None:
    assert judge(read_recording(folder), "no/such/0x00000000_0x40000000").answer == Acceptance.UNKNOWN


def test_line_of_the_channel_that_cannot_be_read_ends_in_2_with_a_result(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited(folder / "channel.jsonl", lambda messages: messages[20].pop("key"))
    is_unreadable(folder, "channel.jsonl:21: Object missing required field `key`")
    monkeypatch.setattr(lines.chunks_of, "__defaults__", (1_000, False))  # lines count from the file's beginning
    is_unreadable(folder, "channel.jsonl:21: Object missing required field `key`")


def test_ids_that_go_back_are_a_doubt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(folder / "channel.jsonl", lambda messages: messages.insert(20, messages.pop(2)))
    words = "channel.jsonl:21: its message id goes back behind the one before it, 0:20"
    is_unknown(folder, words)
    for size in range(1_000, 1_400, 100):  # also where a chunk begins
        monkeypatch.setattr(lines.chunks_of, "__defaults__", (size, False))
        is_unknown(folder, words)


def test_id_in_two_files_is_a_doubt(folder: Path) -> None:
    first = (folder / "channel.jsonl").read_text().splitlines(keepends=True)[0]
    (folder / "channel-2.jsonl").write_text(first)
    recording = read_recording(folder)
    assert any("its message id occurs in another file too" in doubt for doubt in recording.doubts)
    assert judge(recording).answer != Acceptance.ACCEPTED


def test_damage_beside_the_channel_is_a_doubt(folder: Path) -> None:
    (folder / "bundles.json").write_text("[")
    is_unknown(folder, "bundles.json:1: not JSON")


def test_dump_as_pulsar_client_prints_it_is_read(folder: Path) -> None:
    messages = [json.loads(line) for line in (folder / "channel.jsonl").read_text().splitlines()]
    (folder / "channel.jsonl").unlink()
    (folder / "channel.txt").write_text(printed(messages))
    recording = read_recording(folder)
    assert len(recording.records) == len(messages)
    assert recording.doubts == ()
    is_unknown(folder, "the run does not say who published")  # nothing printed names a producer


REGISTERED = "/loadbalance/brokers/127.0.0.1:18082"
LEADER = "/loadbalance/extension/leader"


@pytest.mark.parametrize(
    ("path", "data", "words"),
    [
        (REGISTERED, '{"startTime', f"79: data of {REGISTERED} refused: not a JSON object"),
        (REGISTERED, "[]", f"79: data of {REGISTERED} refused: not a JSON object"),
        (REGISTERED, '{"startTimestamp":"x"}', f"79: data of {REGISTERED} refused: a broker's node says when it"
         " started (startTimestamp)"),
        (LEADER, '{"brok', f"55: data of {LEADER} refused: not a JSON object"),
        (LEADER, "{}", f"55: data of {LEADER} refused: a leader's node names a broker (brokerId)"),
        (LEADER, f'{{"brokerId":"{GHOST}"}}', f"55: broker refused: {GHOST}; no line of the history registers it"),
    ],
)  # fmt: skip
def test_node_of_the_registry_that_is_torn_ends_in_2(folder: Path, path: str, data: str, words: str) -> None:
    def tear(writes: list[Json]) -> None:
        next(write for write in writes if write.get("path") == path)["data"] = data

    edited(folder / "zookeeper.jsonl", tear)
    is_unreadable(folder, f"zookeeper.jsonl:{words}")


def test_leader_before_4_0_is_named_by_its_url(folder: Path) -> None:
    whole = read_recording(folder)

    def rename(writes: list[Json]) -> None:
        elected = next(write for write in writes if write.get("path") == LEADER)
        elected["data"] = json.dumps({"serviceUrl": json.loads(elected["data"])["serviceUrl"]})

    edited(folder / "zookeeper.jsonl", rename)
    assert read_recording(folder).brokers == whole.brokers


def test_unknown_run_that_is_not_pinned_ends_in_3(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(REAL / "healthy", folder)
    (folder / "channel.jsonl").write_text("")
    found = oneowner("explain", folder, "--json", "-")
    assert (found.code, found.json["rows"][0]["name"], found.json["rows"][0]["verdict"]) == (3, "mine", "unknown")
    shutil.copy(REAL / "healthy" / "channel.jsonl", folder)
    edited(folder / "channel.jsonl", lambda messages: messages[-1]["value"].update(sourceBroker=GHOST))
    assert oneowner("explain", folder).code == 1


def test_blank_lines_of_the_zookeeper_history_change_nothing(folder: Path) -> None:
    whole, file = read_recording(folder), folder / "zookeeper.jsonl"
    file.write_text("\n" + file.read_text().replace("\n", "\n \n", 3) + "\n")
    found = read_recording(folder)
    assert (found.brokers, found.records, found.steps) == (whole.brokers, whole.records, whole.steps)


def test_run_without_a_zookeeper_history_is_refused_by_the_name_of_what_is_missing(folder: Path) -> None:
    (folder / "zookeeper.jsonl").unlink()
    found = oneowner("replay", folder)
    words = "no zookeeper*.jsonl[.gz] in it, which records when brokers were registered and elected"
    assert (found.code, found.said) == (2, f"error: {folder}: {words}\n")
