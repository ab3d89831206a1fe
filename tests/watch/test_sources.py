"""Dumps that grow and that are replayed, a topic; each goes on behind its place."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulsar
import pytest

from oneowner.checkers.collect.credentials import Credentials
from oneowner.checkers.verdict import EngineError, Misuse
from oneowner.checkers.watch.channel_topic import ChannelTopic
from oneowner.checkers.watch.sources import Batch, Dump, Replay, Source
from tests.recordings.dumps import START, dump

LINES = [json.dumps(one).encode() + b"\n" for one in dump(*(f"0-8 Owned({n}) v{n} @{n}" for n in range(1, 7)))]


def all_of(source: Source, most: int = 2) -> tuple[list[bytes], Batch]:
    found: list[bytes] = []
    while True:
        batch = source.read(most, 0.0)
        found += batch.lines
        if source.is_over:
            return found, batch


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_replay_goes_on_behind_its_place(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"channel.jsonl{ending}"
    text = b"".join(LINES).removesuffix(b"\n")  # the last line need not end
    path.write_bytes(gzip.compress(text) if ending else text)
    first = Replay(str(path), None, None)
    batch = first.read(2, 0.0)
    assert batch.lines == LINES[:2]
    assert batch.clock == START + 2000
    assert not batch.is_at_end
    rest, last = all_of(Replay(str(path), json.loads(json.dumps(batch.place)), None))
    assert b"".join([*LINES[:2], *rest]) == text
    assert (last.clock, last.is_at_end) == (START + 6000, True)


def test_replay_keeps_its_speed(tmp_path: Path) -> None:
    path = tmp_path / "channel.jsonl"
    path.write_bytes(b"".join(LINES))
    source = Replay(str(path), None, 20.0)
    begun = time.monotonic()
    found, last = all_of(source, 100)
    assert found == LINES
    assert time.monotonic() - begun >= 5 / 20
    assert last.clock >= START + 6000


def test_growing_dump_gives_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "channel.jsonl"
    path.write_bytes(LINES[0] + LINES[1][:9])
    source = Dump(str(path), None, grows=True)
    batch = source.read(9, 0.0)
    assert (batch.lines, batch.is_at_end, source.is_over) == (LINES[:1], True, False)
    with path.open("ab") as file:
        file.write(LINES[1][9:] + LINES[2])
    assert source.read(9, 0.0).lines == LINES[1:3]
    assert source.read(9, 0.0).lines == []


def test_what_cannot_be_followed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="no such file"):
        Dump(str(tmp_path / "none"), None, grows=True)
    (tmp_path / "a.gz").write_bytes(b"no")
    with pytest.raises(Misuse, match="--replay reads it"):
        Dump(str(tmp_path / "a.gz"), None, grows=True)
    with pytest.raises(EngineError, match=r"a\.gz"):
        Replay(str(tmp_path / "a.gz"), None, None).read(9, 0.0)


def message(entry: int, time_: int = 5, batch: int = -1) -> Any:
    place = SimpleNamespace(
        ledger_id=lambda: 7, entry_id=lambda: entry, partition=lambda: -1, batch_index=lambda: batch
    )
    return SimpleNamespace(
        message_id=lambda: place, publish_timestamp=lambda: time_, producer_name=lambda: "p",
        partition_key=lambda: "k", data=lambda: b"",
    )  # fmt: skip


class Topic:
    """Stands for a client and its reader: it begins at the message that it is asked for, if that is there."""

    def __init__(self, messages: list[Any]) -> None:
        self.messages = messages
        self.asked: list[dict[str, Any]] = []

    def __call__(self, *_: Any, **__: Any) -> Topic:
        return self

    def create_reader(self, _: str, begin: Any, **given: Any) -> Topic:
        self.asked.append({"begin": begin, **given})
        return self

    def read_next(self, timeout_millis: int) -> Any:
        if not self.messages:
            raise pulsar.Timeout
        return self.messages.pop(0)

    def has_message_available(self) -> bool:
        return bool(self.messages)

    def is_connected(self) -> bool:
        return True

    def close(self) -> None:
        """Nothing is open."""


def test_topic_goes_on_behind_the_message_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = Topic([message(3), message(4)])
    monkeypatch.setattr(pulsar, "Client", topic)
    first = ChannelTopic("pulsar://b1:6650", Credentials(), None, print)
    batch = first.read(9, 0.0)
    assert [json.loads(line)["messageId"] for line in batch.lines] == ["7:3", "7:4"]
    assert (batch.is_at_end, first.is_up, first.is_over) == (True, True, False)
    assert topic.asked == [{"begin": pulsar.MessageId.earliest}]
    topic.messages = [message(4), message(5)]
    again = ChannelTopic("pulsar://b1:6650", Credentials(), json.loads(json.dumps(batch.place)), print)
    assert [json.loads(line)["messageId"] for line in again.read(9, 0.0).lines] == ["7:5"]
    assert topic.asked[1]["start_message_id_inclusive"] is True
    assert topic.asked[1]["begin"].entry_id() == 4


def test_topic_that_has_lost_the_known_message_goes_on_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulsar, "Client", Topic([message(9)]))
    source = ChannelTopic("pulsar://b1:6650", Credentials(), {"id": "7:4", "time": 5, "key": "k"}, print)
    assert [json.loads(line)["messageId"] for line in source.read(9, 0.0).lines] == ["7:9"]


def test_topic_goes_on_within_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulsar, "Client", Topic([message(4, batch=number) for number in range(4)]))
    source = ChannelTopic("pulsar://b1:6650", Credentials(), {"id": "7:4:-1:1", "time": 5, "key": "k"}, print)
    assert [json.loads(line)["messageId"] for line in source.read(9, 0.0).lines] == ["7:4:-1:2", "7:4:-1:3"]


def test_topic_of_another_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulsar, "Client", Topic([message(4, time_=6)]))
    source = ChannelTopic("pulsar://b1:6650", Credentials(), {"id": "7:4", "time": 5, "key": "k"}, print)
    with pytest.raises(Misuse, match=r"not the one that the checkpoint is of; use another"):
        source.read(9, 0.0)


def test_topic_that_fails_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = Topic([])
    monkeypatch.setattr(pulsar, "Client", topic)
    monkeypatch.setattr(topic, "read_next", lambda timeout_millis: (_ for _ in ()).throw(pulsar.AlreadyClosed("gone")))
    with pytest.raises(EngineError, match="AlreadyClosed"):
        ChannelTopic("pulsar://b1:6650", Credentials(), None, print).read(9, 0.0)
