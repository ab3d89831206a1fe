"""Answers and claims are held against the nodes of bundles, where ownership is a lock."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from oneowner.checkers.recordings.laws.locks.lock_answers import LAG
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.read.observations import NodeWrite, Poll, Source
from oneowner.checkers.recordings.scene.lock_nodes import intervals_of, locks_of
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.recordings.scene.timeline import END
from tests.command_line import REAL, Outcome, oneowner
from tests.recordings.laws.cases import Case, case, each, violation, warning
from tests.recordings.laws.crafted import B1, B2, B3, OTHER, UNIT, logs, lookup, poll, said, scene, write

SERVES, TOLD, APART = "answers-with-lock", "told-owner-holds-lock", "locks-do-not-overlap"
HALF = "t/n/0x00000000_0x40000000"
SESSIONS = {B1: "0x1", B2: "0x2", B3: "0x3"}


def acquisition(zxid: int, time: int, broker: str, unit: str = UNIT) -> NodeWrite:
    """A broker makes a bundle's node in its session."""
    data = json.dumps({"nativeUrl": "pulsar://h:6650", "httpUrl": f"http://{broker}", "disabled": False})
    return write(zxid, time, "create", f"/namespace/{unit}", SESSIONS[broker], data, ephemeral=True)


def release(zxid: int, time: int, broker: str, unit: str = UNIT) -> NodeWrite:
    return write(zxid, time, "delete", f"/namespace/{unit}", SESSIONS[broker])


def ended(zxid: int, time: int, broker: str) -> NodeWrite:
    """A broker's session ends, and with it its nodes."""
    return write(zxid, time, "closeSession", session=SESSIONS[broker])


REGISTERED = [
    write(90 + number, 1, "create", f"/loadbalance/brokers/{broker}", session, "{}", ephemeral=True)
    for number, (broker, session) in enumerate(SESSIONS.items())
]


def of_locks(*writes: NodeWrite, registered: bool = True, **fields: object) -> Scene:
    """A scene of the history of some nodes, with all registrations of brokers, or begun after them."""
    return scene(writes=[*REGISTERED, *writes] if registered else list(writes), end=100_000, **fields)


def claim(start: int, broker: str, end: int | None = None) -> Poll:
    return poll(start, start, start + 10 if end is None else end, broker, UNIT)


MOVED = (acquisition(1, 10, B1), ended(2, 20_000, B1), acquisition(3, 21_000, B2))
OF_TOPIC = (acquisition(1, 10, B1, OTHER), ended(2, 20_000, B1), acquisition(3, 21_000, B2, OTHER))
"""The same of the bundle that the topic of a lookup lies in."""
HALVES = {"t/n": (0, 0x80000000, 0xFFFFFFFF)}
AWAKE = logs(*(said(number, 2_000 * number, "handled") for number in range(30)))
"""A log that goes on: an answer that is late was not waited for by a paused process."""
PAUSED = logs(said(1, 900, "handled"), said(2, 60_000, "handled"))

CASES = {
    "holder answers and lists what it holds":
        case(SERVES, of_locks(*MOVED, polls=[claim(5_000, B1), claim(30_000, B2)]), occasions=2),
    "claim after the session's end is a warning that names who holds the lock":
        case(SERVES, of_locks(*MOVED, polls=[claim(30_000, B1)]),
             warning(B1, B2, why=("ended with its session 0x1", f"{B2} held it"), possible_since=20_000,
                     cites=["zxid:2", "zxid:3", None])),
    "claims for longer than two servers may be seen are a violation":
        case(SERVES, of_locks(*MOVED, polls=[claim(30_000 + n * 1_000, B1) for n in range(12)]),
             violation(B1, B2, why="said 12 times")),
    "claim of a lock that was never held is a violation":
        case(SERVES, of_locks(*MOVED, polls=[claim(30_000, B3)]), violation(B3, B2, why="never held its lock")),
    "claim of what nobody has, after the last write, is a doubt: the history may be older":
        case(SERVES, of_locks(*MOVED[:2], polls=[claim(30_000, B3)]), occasions=0, doubts="1 answers come after"),
    "claim of what nobody has is a violation while the history goes on":
        case(SERVES, of_locks(*MOVED[:2], acquisition(3, 40_000, B2), polls=[claim(30_000, B3)]), violation(B3)),
    "claim that others confirm after the last write is a doubt: the history is older":
        case(SERVES, of_locks(*OF_TOPIC, polls=[claim(30_000, B3)._replace(claims=(OTHER,))],
                              lookups=[lookup(1, 30_000, 30_010, B1, B3)], boundaries=HALVES),
             occasions=0, doubts="1 answers come after the end"),
    "who is told as the owner by others after the last write, as it says itself, is a doubt":
        case(TOLD, of_locks(*OF_TOPIC, polls=[claim(30_000, B3)._replace(claims=(OTHER,))],
                            lookups=[lookup(1, 30_000, 30_010, B1, B3)], boundaries=HALVES),
             occasions=0, doubts="1 answers come after the end"),
    "claim within the lag of a cache is silent":
        case(SERVES, of_locks(*MOVED, polls=[claim(20_000 + LAG, B1)], said=AWAKE)),
    "claim that some moment of the poll explains is silent":
        case(SERVES, of_locks(*MOVED, polls=[claim(19_000, B1, end=40_000)], said=AWAKE)),
    "claim that waited for a paused process is from after the pause, and its cause is told":
        case(SERVES, of_locks(*MOVED, polls=[claim(950, B1, end=60_010)], said=PAUSED),
             warning(why=("session 0x1", "silent for 59.1 s"), since=60_000)),
    "lock that is held again between two claims makes two findings":
        case(SERVES, of_locks(*MOVED, release(4, 40_000, B2), acquisition(5, 41_000, B1), ended(6, 50_000, B1),
                              polls=[claim(30_000, B1), claim(45_000, B1), claim(60_000, B1)]),
             warning(B1, B2), warning(B1)),
    "claim of who had registered before the history begins is a doubt":
        case(SERVES, of_locks(*MOVED, registered=False, polls=[claim(30_000, B3), claim(5_000, B1)]), occasions=1,
             doubts="b3:8080 had registered before"),
    "client is told who had registered before the history begins":
        case(TOLD, of_locks(*OF_TOPIC, registered=False, boundaries=HALVES,
                            lookups=[lookup(1, 30_000, 30_010, B1, B3)]),
             occasions=0, doubts="b3:8080 had registered before"),
    "heartbeat namespaces are no locks of bundles":
        case(SERVES, of_locks(acquisition(1, 10, B1, f"pulsar/{B1}/0x00000000_0xffffffff")), occasions=0),
    "client is told the holder":
        case(TOLD, of_locks(*OF_TOPIC, lookups=[lookup(1, 30_000, 30_010, B1, B2)], boundaries=HALVES),
             occasions=1),
    "client is told within the lag of a cache":
        case(TOLD, of_locks(*OF_TOPIC, lookups=[lookup(1, 20_500, 20_510, B3, B1)], boundaries=HALVES), occasions=1),
    "client is told who held the lock when it asked":
        case(TOLD, of_locks(*OF_TOPIC, lookups=[lookup(1, 19_000, 40_000, B3, B1)], boundaries=HALVES), occasions=1),
    "client is told who lost the lock":
        case(TOLD, of_locks(*OF_TOPIC, lookups=[lookup(1, 30_000, 30_010, B3, B1)], boundaries=HALVES),
             warning(B1, B3, why="did not hold its lock")),
    "clients are told so for longer than two servers may be seen":
        case(TOLD, of_locks(*OF_TOPIC, boundaries=HALVES,
                            lookups=[lookup(n, 30_000 + n * 900, 30_010 + n * 900, B3, B1) for n in range(13)]),
             violation(B1, B3, why="13 times")),
    "owner's answer for itself is another law's":
        case(TOLD, of_locks(*OF_TOPIC, lookups=[lookup(1, 30_000, 30_010, B1, B1)], boundaries=HALVES),
             occasions=0),
    "locks of a parent and a child in two hands are a violation":
        case(APART, of_locks(acquisition(1, 10, B1), acquisition(2, 20, B2, HALF)),
             violation(B1, B2, unit=HALF, since=20)),
    "locks of a parent and a child in one hand are a split":
        case(APART, of_locks(acquisition(1, 10, B1), acquisition(2, 20, B1, HALF), release(3, 30, B1)), occasions=2),
    "locks one after the other do not overlap":
        case(APART, of_locks(acquisition(1, 10, B1), release(2, 15, B1), acquisition(3, 20, B2, HALF)), occasions=2),
    "node that is made while it is there is a doubt":
        case(APART, of_locks(acquisition(1, 10, B1), acquisition(2, 20, B2)), doubts="zxid 2 creates"),
}  # fmt: skip


@each(CASES)
def test_lock_is_judged_by_its_nodes(case: Case) -> None:
    case.check()


def test_locks_are_held_from_write_to_write() -> None:
    made = of_locks(*MOVED)
    assert [(held.broker, held.since, held.until) for held in locks_of(made).held[UNIT]] == [
        (B1, 10, 20_000),
        (B2, 21_000, END),
    ]
    first, last = intervals_of(made)
    assert (first.broker, first.since.message_id, first.until and first.until.message_id) == (B1, "zxid:1", "zxid:2")
    assert last.until is None


def test_laws_of_the_other_load_manager_are_not_asked() -> None:
    named = {law.name: law for law in SCENE_LAWS}
    locks, channel = {Source.LOCKS, Source.POLLS}, {Source.CHANNEL, Source.POLLS}
    assert named[SERVES].concerns(locks)
    assert not named[SERVES].concerns(channel)
    assert named["claims-are-owned"].concerns(channel)
    assert not named["claims-are-owned"].concerns(locks)
    assert named["recovery-runs"].concerns(channel)
    assert not named["recovery-runs"].concerns(locks)
    assert all(named[law].concerns({*locks, *channel}) for law in (SERVES, "claims-are-owned", "recovery-runs"))


def altered(folder: Path, change: Callable[[list[str]], list[str]]) -> Outcome:
    """An audit of the healthy recording of locks with its ZooKeeper history changed."""
    shutil.copytree(REAL / "locks-healthy", folder / "run")
    history = folder / "run" / "zookeeper.jsonl"
    history.write_text("\n".join(change(history.read_text().splitlines())) + "\n")
    return oneowner("audit", folder / "run", "--engine", "inline", "--json", "-")


def test_history_that_begins_late_accuses_nobody(tmp_path: Path) -> None:
    def late(lines: list[str]) -> list[str]:
        return lines[
            1 + next(at for at, line in enumerate(lines) if '"/namespace/lab/' in line and '"create"' in line) :
        ]

    outcome = altered(tmp_path, late)
    assert outcome.code == 3
    assert "had registered before this history begins" in " ".join(outcome.json["reasons"])
    assert [found for found in outcome.json["findings"] if found["severity"] == "violation"] == []


def test_damaged_history_leaves_every_law_of_locks_unknown(tmp_path: Path) -> None:
    outcome = altered(tmp_path, lambda lines: [*lines[:-1], lines[-1][:20]])
    rows = {row["law"]: row["verdict"] for row in outcome.json["laws"]}
    assert outcome.code == 3
    assert {rows[law] for law in (SERVES, TOLD, APART)} == {"unknown"}


def test_locks_from_before_a_move_to_the_channel_do_not_stand_for_it(tmp_path: Path) -> None:
    elected = (
        '{"zxid":999999,"time":1795548970700,"session":"0x1","op":"create","path":"/loadbalance/extension/leader"}'
    )
    outcome = altered(tmp_path, lambda lines: [*lines, elected])
    assert outcome.code == 3
    assert "there is no channel" in " ".join(outcome.json["reasons"])
    assert not {SERVES, TOLD, APART} & {row["law"] for row in outcome.json["laws"]}
