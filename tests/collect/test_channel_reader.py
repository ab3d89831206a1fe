"""Messages become lines; a dump goes on behind its last whole line."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulsar
import pytest

from oneowner.checkers.collect import channel_reader
from oneowner.checkers.collect.channel_reader import ChannelReader, cut_torn, last_place
from oneowner.checkers.recordings.scripts.dump_channel import line_of
from oneowner.checkers.verdict import Misuse


def message(data: bytes, batch: int = -1) -> Any:
    place = SimpleNamespace(ledger_id=lambda: 7, entry_id=lambda: 3, partition=lambda: -1, batch_index=lambda: batch)
    return SimpleNamespace(
        message_id=lambda: place, publish_timestamp=lambda: 5, producer_name=lambda: "p", partition_key=lambda: "k",
        data=lambda: data,
    )  # fmt: skip


def test_message_becomes_a_line() -> None:
    assert line_of(message(b'{"state": "Owned"}')) == {
        "messageId": "7:3", "publishTime": 5, "producer": "p", "key": "k", "value": {"state": "Owned"},
    }  # fmt: skip
    assert line_of(message(b"", batch=2))["messageId"] == "7:3:-1:2"
    assert line_of(message(b""))["value"] is None
    assert line_of(message(b"\xffno"))["value"] == "\\xffno"


@pytest.mark.parametrize(
    ("text", "place", "kept"),
    [
        ("", None, ""),
        ('{"messageId": "7:3"}\n', (-1, 7, 3, -1), '{"messageId": "7:3"}\n'),
        ('{"messageId": "7:3:0:2"}\n{"mess', (0, 7, 3, 2), '{"messageId": "7:3:0:2"}\n'),
        ('{"mess', None, ""),
    ],
)
def test_dump_goes_on_behind_its_last_whole_line(text: str, place: Any, kept: str, tmp_path: Path) -> None:
    dump = tmp_path / "channel.jsonl"
    dump.write_text(text)
    assert last_place(dump) == place
    assert dump.read_text() == kept


def test_long_torn_line_is_cut_off(tmp_path: Path) -> None:
    dump = tmp_path / "channel.jsonl"
    dump.write_bytes(b"a\n" + b"x" * 9_000)
    cut_torn(dump)
    assert dump.read_bytes() == b"a\n"
    cut_torn(tmp_path / "none")


def test_what_is_no_dump_is_not_continued(tmp_path: Path) -> None:
    dump = tmp_path / "channel.jsonl"
    dump.write_text('{"id": 3}\n')
    with pytest.raises(Misuse, match="no message of a dump"):
        last_place(dump)


class FakeReader:
    """Gives messages, then time-outs."""

    def __init__(self, timeout: type[Exception], messages: list[Any]) -> None:
        self.timeout, self.messages = timeout, messages

    def read_next(self, timeout_millis: int) -> Any:
        if not self.messages:
            raise self.timeout
        return self.messages.pop(0)

    def has_message_available(self) -> bool:
        return bool(self.messages)

    def close(self) -> None:
        """Nothing is open."""


def test_channel_is_read_to_its_end_and_begun_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []

    class Client:
        def __init__(self, url: str, **_: Any) -> None:
            self.url = url

        def create_reader(self, topic: str, begin: Any, is_read_compacted: bool = False) -> FakeReader:
            begun.append(begin)
            return FakeReader(pulsar.Timeout, [message(b'{"n": 1}'), message(b'{"n": 2}')])

        def close(self) -> None:
            """Nothing is open."""

    monkeypatch.setattr(pulsar, "Client", Client)
    for _ in range(2):
        reader = ChannelReader("pulsar://b1:6650", tmp_path, {}, 1_000, print)
        reader.follow(lambda: True)
        assert reader.read == 2
    assert begun[0] == pulsar.MessageId.earliest
    assert (begun[1].ledger_id(), begun[1].entry_id()) == (7, 3)
    assert len((tmp_path / "channel.jsonl").read_text().splitlines()) == 4
    assert reader.compacted() == 2
    assert len((tmp_path / "compacted.jsonl").read_text().splitlines()) == 2


def test_reader_that_is_refused_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    class Client:
        def __init__(self, *_: Any, **__: Any) -> None:
            """Nothing is connected yet."""

        def create_reader(self, *_: Any, **__: Any) -> None:
            raise pulsar.AuthorizationError("no")

        def close(self) -> None:
            """Nothing is open."""

    monkeypatch.setattr(pulsar, "Client", Client)
    with pytest.raises(Misuse, match=r"AuthorizationError.*the role needs consume on pulsar/system"):
        ChannelReader("pulsar://b1:6650", tmp_path, {}, 1_000, print)


def test_broker_that_never_answers_is_given_up_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_closed = threading.Event()

    class Client:
        def __init__(self, *_: Any, **__: Any) -> None:
            """Nothing is connected yet."""

        def create_reader(self, *_: Any, **__: Any) -> None:
            is_closed.wait()

        def close(self) -> None:
            is_closed.set()

    monkeypatch.setattr(pulsar, "Client", Client)
    monkeypatch.setattr(channel_reader, "PATIENCE", 0.2)
    monkeypatch.setattr(channel_reader, "TOLD_AFTER", 0.1)
    messages: list[str] = []
    with pytest.raises(Misuse, match=r"pulsar://b1:6650: no answer within 0.2 s; is --service-url the address"):
        ChannelReader("pulsar://b1:6650", tmp_path, {}, 1_000, messages.append)
    assert messages == ["pulsar://b1:6650: no answer yet; it is waited for 0.2 s at most"]
    assert is_closed.is_set()
