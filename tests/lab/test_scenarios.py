"""Each scenario of `lab record` on a cluster on paper: its operations, their order, and its cluster."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.documents import read_document
from oneowner.checkers.lab.cluster import distribution, recording
from oneowner.checkers.lab.cluster.start import Wanted
from oneowner.checkers.lab.gates.client import NOTHING, Held, Read
from oneowner.checkers.lab.scenarios import gated
from oneowner.checkers.lab.scenarios import prepare as preparing
from oneowner.checkers.lab.scenarios.prepare import prepare
from oneowner.checkers.lab.scenarios.register import SCENARIOS
from oneowner.checkers.ledger.recording_pins import RUNS, first_pinned, recordings
from tests.command_line import oneowner
from tests.lab.fake_cluster import FakeCluster, recording_of

MOVES = re.compile(r"(unload|transfer) ")
CRASH = ["SIGKILL 2", "25 s", "start 2"]
PAUSE = ["SIGSTOP 2", "SIGCONT 2"]
OUTAGE = ["zookeeper lost", "4 s", "zookeeper back", "zookeeper lost", "30 s", "zookeeper back"]
CUTS = ["held 2", "45 s", "open 2", "held 1", "45 s", "open 1"]
NEMESIS = [
    "unanswered 2", "SIGSTOP 1", "open 2", "SIGCONT 1", "SIGKILL 2", "start 2", "held 1", "open 1", "SIGTERM 3",
    "start 3", "SIGSTOP 2", "SIGCONT 2", "held 3", "open 3", "60 s",
]  # fmt: skip
"""The choices of seed 1."""
DONE = {
    "healthy": ["unload lab/a/0x00000000_0x40000000", "split lab/b/0xc0000000_0xffffffff"],
    "healthy-quiet": ["unload or transfer", "split lab/a/0x00000000_0x80000000"],
    "transfer": ["unload or transfer", "35 s", "unload or transfer", "35 s"],
    "split": ["split lab/a/0x00000000_0x80000000", "unload or transfer"],
    "shedding": ["create namespace lab/c", "sends", "60 s"],
    "kill-owner": CRASH,
    "kill-mid-transfer": ["unload or transfer", *CRASH, "unload or transfer", *CRASH, *CRASH, *CRASH],
    "resumed-owner": PAUSE,
    "zombie": [*PAUSE, *PAUSE, "SIGSTOP 1", "30 s", "SIGCONT 1"],
    "leader-hang": ["SIGSTOP 1", "110 s", "SIGCONT 1"],
    "graceful-stop": ["SIGTERM 1", "start 1"],
    "rolling-restart": ["SIGTERM 1", "start 1", "SIGTERM 2", "start 2", "SIGTERM 3", "start 3"],
    "stop-mid-split": ["split lab/a/0x80000000_0xffffffff", "SIGTERM 2", "25 s", "start 2"],
    "bookie-hang": ["SIGSTOP bookie", "unload lab/a/0x00000000_0x80000000", "SIGCONT bookie", "45 s"],
    "delete-in-use": ["8 s", "delete namespace lab/b", "60 s"],
    "isolation": ["isolation policy", "unload lab/a/0x00000000_0x80000000", "60 s", "isolation policy lifted"],
    "migration": [
        "create namespace lab/m", "set SystemTopicToMetadataStoreSyncer", "SIGTERM 2", "start 2 in the metadata store",
        "SIGTERM 3", "start 3 in the metadata store", "visits from persistent://lab/m/t0 on", "SIGTERM 1",
        "start 1 in the metadata store", "set None",
    ],
    "shutdown-together": ["SIGTERM 2", "SIGTERM 3", "start 2", "start 3"] * 3,
    "delete-decommission": [
        "delete namespace lab/d", "delete namespace lab/z", "delete bundle lab/a/0x00000000_0x80000000",
        "create namespace lab/d", "SIGTERM 2", "start 2", "SIGTERM 1", "start 1", "50 s",
    ],
    "compaction": [*["compact", "SIGKILL 2", "start 2"] * 3, "SIGKILL 1", "25 s", "start 1"],
    "trimmed": [*["unload or transfer", "6 s", "compact"] * 2, "SIGKILL 2", "25 s", "start 2"],
    "carried-over": [
        "create namespace lab/d", "SIGSTOP 2", "12 s", "unload lab/d/0x00000000_0xffffffff", "9 s", "compact",
        "SIGCONT 2", "SIGTERM 3", "look up persistent://lab/d/t0 at b2:2", "start 3",
    ],
    "fell-behind": [
        "SIGSTOP 2", "40 s", "unload lab/a/0x80000000_0xffffffff", "unload lab/b/0x00000000_0x80000000", "compact",
        "SIGCONT 2", "10 s", "10 s",
    ],
    "metadata-store": ["unload or transfer", "split lab/a/0x00000000_0x80000000", *CRASH, "SIGKILL 1", "start 1"],
    "fenced-for-good": ["SIGSTOP 2", "4 s", "SIGKILL 2"],
    "zk-restart": [*OUTAGE, "SIGKILL 2", "30 s", "start 2"],
    "zk-restart-metadata": OUTAGE,
    "zk-partition": CUTS,
    "zk-partition-livelock": ["held 2", "45 s", "open 2", "held 1", "6.5 s", "held 3", "5.5 s", "open 3", "open 1"],
    "zk-partition-metadata": CUTS,
    "split-unseen": ["held 2", "45 s", "split lab/a/0x00000000_0x80000000", "5 s", "open 2", "60 s"],
    "notifications-missed": [
        "unanswered 2", "1 s", "transfer lab/a/0x00000000_0x80000000", "7.5 s", "open 2", "60 s",
    ],
    "late-clean-up": [
        "unanswered 1", "12.5 s", "open 1", "SIGKILL 2", "25 s", "unanswered 3", "12.5 s", "open 3", "held 1", "45 s",
        "open 1", "135 s",
    ],
    "clean-up-called-off": ["unanswered 1", "12.5 s", "open 1", "SIGKILL 2", "25 s", "start 2", "start 2", "45 s"],
    "quick-restart": ["SIGKILL 2", "start 2", "30 s", "held 2", "3 s", "open 2", "10 s", "35 s"],
    "notifications-coalesced": [
        "21 hold append ^lab/a/0x80000000_0xffffffff ", "transfer lab/a/0x80000000_0xffffffff",
        "22 hold notify lab/a/0x80000000_0xffffffff", "21 open append", "22 open notify", "75 s",
    ],
    "nemesis": NEMESIS,
    "nemesis-metadata": NEMESIS,
    "transfer-told-done": [
        "21 hold append ^lab/a/0x00000000_0x80000000 ", "21 open append",
        "22 hold append ^lab/a/0x80000000_0xffffffff ", "22 open append", "23 open append",
    ],
    "split-crash": [
        "22 hold boundaries ^lab/a/0x80000000_0xffffffff", "SIGKILL 2", "b1:1 is selected for the parent",
        "b3:3 is selected for a child", "21 open boundaries",
    ],
    "forced-free": [
        "transfer lab/a/0x00000000_0x80000000", "22 hold close ^lab/a/", "isolation policy", "held 2",
        "isolation policy lifted", "22 open close", "open 2",
    ],
}  # fmt: skip
"""The operations in their order; other things may be between."""


class FakeGates:
    """Gates at which what a scenario waits for arrives."""

    notes: list[str]

    def __init__(self, port: int) -> None:
        self.port, self.selections = port, [
            Held(2, "lab/a/0x80000000_0xffffffff"), Held(3, "lab/a/0x80000000_0xc0000000"),
        ]  # fmt: skip

    def hold(self, point: str, text: str) -> None:
        self.notes.append(f"{self.port} hold {point} {text}")

    def open(self, point: str) -> None:
        self.notes.append(f"{self.port} open {point}")

    def held(self) -> list[tuple[str, str]]:
        return [("append", "one"), ("append", "another")]

    def waits(self, point: str, text: str = "", seconds: float = 30) -> Held | None:
        if point == "select":
            return self.selections.pop(0) if self.selections else None
        return Held(1, "the first")

    def view(self, unit: str) -> Read:
        return NOTHING

    def topics(self, prefix: str) -> list[tuple[str, int, str]]:
        return []

    def let_go(self, held: Held, value: str = "", seconds: float = 30) -> str:
        self.notes.append(f"{value} is selected for {'the parent' if held.number == 2 else 'a child'}")
        return ""


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    cluster = FakeCluster()
    monkeypatch.setattr(FakeGates, "notes", cluster.notes, raising=False)
    monkeypatch.setattr(gated, "Gates", FakeGates)
    return cluster


def in_order(wanted: Sequence[str], notes: Sequence[str]) -> list[str]:
    """Return the wanted operations that do not come after all before them."""
    rest = iter({note, "unload or transfer" if MOVES.match(note) else note} for note in notes)
    return [one for one in wanted if not any(one in names for names in rest)]


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_does_what_it_says(name: str, cluster: FakeCluster) -> None:
    run = recording_of(cluster)
    SCENARIOS[name].done(run)
    assert in_order(DONE[name], cluster.notes) == []
    assert all(
        not note.startswith(("SIGSTOP", "held", "unanswered")) or _undone(note, cluster.notes) for note in cluster.notes
    )


def _undone(note: str, notes: Sequence[str]) -> bool:
    """True if every paused process goes on later, or is killed, and every relay that is held is opened."""
    what, number = note.split()
    after = notes[notes.index(note) :]
    undoing = {"SIGSTOP": ("SIGCONT", "SIGKILL"), "held": ("open",), "unanswered": ("open",)}
    return any(f"{other} {number}" in after for other in undoing[what])


@pytest.mark.parametrize("name", SCENARIOS)
def test_words_of_a_scenario_name_each_signal_that_it_sends(name: str, cluster: FakeCluster) -> None:
    about = SCENARIOS[name].about
    SCENARIOS[name].done(recording_of(cluster))
    sent = {note.split()[0] for note in cluster.notes if note.startswith("SIG")} - {"SIGCONT"}
    words = {"SIGKILL": "kill", "SIGSTOP": "still", "SIGTERM": "asked to end"}
    assert all(words[signal] in about for signal in sent)
    assert about.endswith(".")


def test_every_recording_of_a_channel_or_of_locks_is_a_scenario() -> None:
    names = {path.name for path in recordings()}
    assert {re.sub(r"^locks-|-\d+\.\d+\.\d+$", "", name) for name in names} <= set(SCENARIOS)
    of_locks = {name.removeprefix("locks-") for name in names if name.startswith("locks-")}
    assert of_locks == {name for name, one in SCENARIOS.items() if one.of_locks}


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_a_scenario_shows_is_what_the_audit_of_its_recording_found(name: str) -> None:
    folders = [path for path in recordings() if re.fullmatch(rf"{name}(-\d+\.\d+\.\d+)?", path.name)]
    if not folders:
        assert not SCENARIOS[name].shows
        of_locks = {"resumed-owner", "graceful-stop"}  # recorded of locks alone
        assert name in of_locks | {
            "bookie-hang",
            "delete-in-use",
            "migration",
            "nemesis",
            "nemesis-metadata",
            "notifications-missed",
            "split-unseen",
        }  # of which none was kept
        return
    pinned = read_document(folders[0] / "expectation.yaml").data
    reasons = " ".join(pinned["reasons"])
    assert set(SCENARIOS[name].shows) == {
        law for law, words in pinned["laws"].items() if not words.startswith("valid") and law in reasons
    }


@pytest.mark.parametrize("name", SCENARIOS)
def test_cluster_of_a_scenario_has_its_storage_and_timers(name: str, tmp_path: Path) -> None:
    scenario = SCENARIOS[name]
    if scenario.gated:
        return  # needs a JDK and a release
    given = {"loadBalancerDebugModeEnabled": "maybe"}
    wanted = prepare(name, scenario, Path("apache-pulsar-4.0.6"), tmp_path, tmp_path / "out", "extensible", given)
    assert wanted.release == "4.0.6"
    assert wanted.settings["loadBalancerDebugModeEnabled"] == "maybe"
    views = wanted.settings.get("loadManagerServiceUnitStateTableViewClassName", "")
    assert ("MetadataStore" in str(views)) == (scenario.storage == "metadata-store")
    assert bool(wanted.gates) == scenario.quiet


def test_broker_that_does_not_start_again_is_noted_and_the_recording_goes_on() -> None:
    cluster = FakeCluster(starts=False)
    run = recording_of(cluster)
    SCENARIOS["kill-owner"].done(run)
    assert [event["event"] for event in run.events][-2:] == ["start", "not ready"]


def test_broker_that_does_not_end_is_waited_for_and_noted() -> None:
    run = recording_of(FakeCluster())
    run.wait_for_end(1, 3)
    assert (run.events[-1]["event"], run.events[-1]["seconds"]) == ("still runs", 3)


def test_channel_is_read_from_another_broker_where_the_leader_cannot_be_read_from() -> None:
    cluster = FakeCluster()
    run = recording_of(cluster)
    run.dump()
    assert cluster.notes == ["dump at pulsar://127.0.0.1:11", "dump at pulsar://127.0.0.1:12"]
    assert [event["result"] for event in run.events] == ["no leader", "whole"]


def test_new_line_of_a_log_is_waited_for_and_one_that_was_there_is_none(tmp_path: Path) -> None:
    cluster = FakeCluster()
    run, log = recording_of(cluster), tmp_path / "broker-1.log"
    log.write_text("it started\n")
    cluster.brokers[0].log = log
    run.wait_for_line(1, "it started", 2)

    def says_so(seconds: float) -> None:
        log.write_text("it started\nit started\n")

    run.wait = says_so
    run.wait_for_line(1, "it started", 2)
    assert [event["event"] for event in run.events] == ["not logged", "logged"]


def test_nobody_is_asked_what_it_owns_when_it_does_not_run() -> None:
    cluster = FakeCluster()
    run = recording_of(cluster)
    cluster.brokers[0].lives = False
    assert (run.leader(), run.owned(1), run.alive()) == (2, [], [2, 3])


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        ("split-crash", ["audit: invalid: overlapping-owners, owner-answers"]),
        ("healthy", ["audit: valid: every law holds",
                     "shown by the saved recording, but not by this one: overlapping-owners, owner-answers"]),
    ],
)  # fmt: skip
def test_what_an_audit_of_a_new_recording_finds_is_told_beside_the_saved_one(
    found: str, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[tuple[str, str, int]] = []

    def record(asked: Wanted, done: object, out: Path, told: object, seed: int) -> None:
        wanted.append((asked.name, asked.storage, len(asked.ports)))
        shutil.copytree(RUNS / found, out, ignore=shutil.ignore_patterns("expectation.yaml"))

    monkeypatch.setattr(recording, "record_scenario", record)
    monkeypatch.setattr(distribution, "distribution", lambda release, home: tmp_path / f"apache-pulsar-{release}")
    monkeypatch.setattr(preparing, "prepared", lambda pulsar, releases: (tmp_path / "jar", tmp_path))
    outcome = oneowner("lab", "record", "split-crash", "--out", tmp_path / "out")
    assert outcome.code == 0
    assert outcome.out.splitlines()[1:] == lines
    assert wanted == [("split-crash", "system-topic", 3)]
    assert (tmp_path / "out" / "expectation.yaml").exists()


def test_new_recording_is_pinned_with_what_keeps_it_from_valid(tmp_path: Path) -> None:
    def link(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for path in (RUNS / name).iterdir():
            if path.name != "expectation.yaml":
                (folder / path.name).symlink_to(path)
        return folder

    assert first_pinned(link("healthy")) == ("valid", [])
    folder = link("split-crash")
    verdict, laws = first_pinned(folder)
    assert (verdict, set(laws)) == ("invalid", set(SCENARIOS["split-crash"].shows))
    pinned: Any = read_document(folder / "expectation.yaml").data
    assert pinned == read_document(RUNS / "split-crash" / "expectation.yaml").data
