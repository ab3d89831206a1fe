"""The publisher of a record is read from logs and sessions."""

from functools import cache

from oneowner.checkers.ledger.recording_pins import RUNS
from oneowner.checkers.recordings.explain.recording import Recording, read_recording
from oneowner.model.channel.record import NOBODY, OWNED
from oneowner.model.channel.rules import Storage


@cache
def read(name: str) -> Recording:
    return read_recording(RUNS / name)


def test_publisher_of_every_record_is_known() -> None:
    for name in ("kill-owner", "zk-restart-metadata"):
        recording = read(name)
        assert recording.records
        assert all(written.broker != NOBODY for written in recording.records)


def test_unforced_owner_publishes_its_own_record() -> None:
    """P2 and P8: nobody else does, so a wrong reading of producers would show."""
    for written in read("kill-owner").records:
        if written.record.state == OWNED and not written.record.force:
            assert written.broker == written.record.destination


def test_storage_comes_from_the_manifest() -> None:
    assert read("zk-restart-metadata").storage == Storage.METADATA_STORE
    assert read("healthy").storage == Storage.SYSTEM_TOPIC


def test_waits_are_those_of_the_manifest_or_the_defaults() -> None:
    assert read("kill-owner").waits == (10_000, 60_000)
    assert read("healthy").waits == (30_000, 3_600_000)


def test_publish_that_came_twice_is_one_publish() -> None:
    """run.G8: the same producer and sequence id at 0:618 and 0:622."""
    resent = [written.place for written in read("kill-mid-transfer").records if written.resent]
    assert resent == ["0:618"]


def test_process_of_a_record_is_the_one_that_made_its_producer() -> None:
    """Broker 2 was killed four times (manifest), and its records came from four of its five processes or more."""
    processes = {written.process for written in read("kill-mid-transfer").records if written.broker == 2}
    assert processes <= {0, 1, 2, 3, 4}
    assert len(processes) >= 4
