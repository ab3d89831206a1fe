"""Locks of recorded clusters are runs of the model of a lock; impossible steps of a lock are refused."""

import json
from pathlib import Path

import pytest

from oneowner.checkers.ledger.recording_pins import RUNS
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance
from oneowner.checkers.recordings.explain.lock_runs import explain_lock_run, explain_locks, is_of_locks
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.model.locks.rules import RELEASES
from tests.command_line import oneowner
from tests.recordings.laws.crafted import write

LOCK = "/namespace/t/n/0x00000000_0xffffffff"
UNIT = LOCK.removeprefix("/namespace/")
RECORDED = sorted(RUNS.glob("locks-*"))


def broker(zxid: int, number: int) -> NodeWrite:
    """Broker *number* registers in its session."""
    return write(zxid, zxid, "create", f"/loadbalance/brokers/b{number}:8080", f"0x{number}", "{}", ephemeral=True)


def acquisition(zxid: int, number: int) -> NodeWrite:
    return write(zxid, zxid, "create", LOCK, f"0x{number}", "{}", ephemeral=True)


def deleted(zxid: int, number: int) -> NodeWrite:
    return write(zxid, zxid, "delete", LOCK, f"0x{number}")


def ended(zxid: int, number: int) -> NodeWrite:
    return write(zxid, zxid, "closeSession", session=f"0x{number}")


TWO = (broker(1, 1), broker(2, 2), acquisition(3, 1))

CASES = {
    "one takes, gives back, and takes again": ((*TWO, deleted(4, 1), acquisition(5, 1)), Acceptance.ACCEPTED, ""),
    "another takes after a session's end": ((*TWO, ended(4, 1), acquisition(5, 2)), Acceptance.ACCEPTED, ""),
    "another takes what was given back": ((*TWO, deleted(4, 1), acquisition(5, 2)), Acceptance.ACCEPTED, ""),
    "a lock is taken while another holds it": ((*TWO, acquisition(4, 2)), Acceptance.REFUSED, "zxid:4"),
    "a lock is taken twice": ((*TWO, acquisition(4, 1)), Acceptance.REFUSED, "zxid:4"),
    "a lock is deleted by who does not hold it": ((*TWO, deleted(4, 2)), Acceptance.REFUSED, "zxid:4"),
    "a lock that is gone is deleted": ((*TWO, deleted(4, 1), deleted(5, 1)), Acceptance.REFUSED, "zxid:5"),
    "a session that nobody registered in": ((*TWO, acquisition(4, 3)), Acceptance.UNKNOWN, ""),
}


@pytest.mark.parametrize(("writes", "answer", "place"), CASES.values(), ids=CASES)
def test_history_of_a_lock_is_explained(writes: tuple[NodeWrite, ...], answer: Acceptance, place: str) -> None:
    [lock] = explain_locks(writes, lambda *_: 1, RELEASES["4.0.6"])
    assert (lock.unit, lock.answer, lock.place) == (UNIT, answer, place), lock


def test_broker_that_is_back_gets_its_lock_again_by_revalidation() -> None:
    again = write(6, 6, "create", "/loadbalance/brokers/b1:8080", "0x11", "{}", ephemeral=True)
    back = write(7, 7, "create", LOCK, "0x11", "{}", ephemeral=True)
    [lock] = explain_locks((*TWO, ended(4, 1), again, back), lambda *_: 1, RELEASES["4.0.6"])
    assert lock.answer == Acceptance.ACCEPTED
    assert [step.partition("(")[0] for step in lock.trail] == [
        "acquire", "carry_out", "answer", "expire", "reestablish", "carry_out", "answer", "carry_out", "answer",
    ]  # fmt: skip


def test_a_new_process_is_another_client() -> None:
    again = write(6, 6, "create", "/loadbalance/brokers/b1:8080", "0x11", "{}", ephemeral=True)
    back = write(7, 7, "create", LOCK, "0x11", "{}", ephemeral=True)
    [lock] = explain_locks((*TWO, ended(4, 1), again, back), lambda _, time: 1 if time < 6 else 2, RELEASES["4.0.6"])
    assert lock.trail[-2:] == ("carry_out(client=2) (zxid:7)", "answer(client=2)")


def test_a_new_process_deletes_the_node_of_the_one_before() -> None:
    again = write(4, 4, "create", "/loadbalance/brokers/b1:8080", "0x11", "{}", ephemeral=True)
    gone, back = write(5, 5, "delete", LOCK, "0x11"), write(6, 6, "create", LOCK, "0x11", "{}", ephemeral=True)
    writes = (*TWO, again, gone, back, ended(7, 1))
    [lock] = explain_locks(writes, lambda _, time: 1 if time < 4 else 2, RELEASES["4.0.6"])
    assert lock.answer == Acceptance.ACCEPTED, lock


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_recorded_locks_are_accepted(path: Path) -> None:
    assert is_of_locks(path)
    run = explain_lock_run(path)
    assert run.answer == Acceptance.ACCEPTED, run
    assert len(run.locks) >= 7
    assert sum(lock.observed for lock in run.locks) >= 10


def test_there_are_four_recordings_of_locks() -> None:
    assert {"locks-healthy", "locks-kill-owner", "locks-resumed-owner", "locks-graceful-stop"} == {
        p.name for p in RECORDED
    }


def test_replay_refuses_a_history_with_a_write_removed(tmp_path: Path) -> None:
    run = RUNS / "locks-healthy"
    lines = (run / "zookeeper.jsonl").read_text(encoding="utf-8").splitlines()
    first = next(at for at, line in enumerate(lines) if '"delete"' in line and '"/namespace/lab/' in line)
    (tmp_path / "zookeeper.jsonl").write_text("\n".join([*lines[:first], *lines[first + 1 :]]) + "\n", encoding="utf-8")
    outcome = oneowner("replay", tmp_path, "--json", "-")
    assert outcome.code == 1
    assert json.loads(lines[first])["path"].endswith(outcome.json["findings"][0]["unit"])
