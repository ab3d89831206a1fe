"""Laws find the known facts of the real runs (run.G1 to run.G12) without hints where to look."""

import ast
import functools
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from oneowner.checkers.places import PACKAGE
from oneowner.checkers.recordings.fold.runs import Options, Run
from oneowner.checkers.recordings.judge import audit
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.read.file_reads import Coverage
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.yaml_text import data_of
from tests.command_line import REAL, oneowner
from tests.recordings.laws.recorded import about, gathered, of_run, started

TO_THE_END = float("inf")


class Fact(NamedTuple):
    """Findings of a law in a run, documented by the run's README or its files; times are seconds after its start."""

    law: str
    severity: str
    brokers: str = "*"
    """The numbers of those that it accuses, in order; a star for any others."""
    since: Any = None
    """Its beginning, to half a second, or within ``about``; None: unknown."""
    until: Any = None
    """Its end; TO_THE_END: it may last to the end of the run."""
    why: tuple[str, ...] = ()
    """Words of its sentence."""
    number: int = 1
    given: Any = None
    """The time when it became possible."""
    at: tuple[str, ...] = ()
    """The message ids of the findings."""
    upstream: str = ""
    shows: str = ""
    """Words of one of its lines."""


def registered_late(broker: str, since: float, lasted: float, severity: str = "warning") -> Fact:
    """A live broker is not registered; when it is again is known to 10 s."""
    return Fact("live-broker-is-registered", severity, broker, since, about(since + lasted, 10))


def cleanup(broker: str, since: float) -> Fact:
    """A broker gives away what another one, or it itself, still serves."""
    return Fact("cleanup-hits-the-dead", "note", f"{broker}*", about(since, 0.1))


def unheard(severity: str, brokers: str, since: float, until: float) -> Fact:
    """Nobody handles the end of a registration."""
    return Fact("recovery-runs", severity, brokers, about(since, 1), about(until, 1))


def believers(since: float, until: float) -> Fact:
    return Fact("one-believes-to-lead", "note", "1?", about(since, 1), about(until, 1))


def skipped(since: float) -> Fact:
    return Fact("recovery-is-stable", "note", "1", about(since, 0.1))


def unconfirmed(
    since: Any, lasted: str = "", number: int = 1, until: Any = TO_THE_END, severity: str = "warning"
) -> Fact:
    """No send to a topic is confirmed, by default to the end of the run."""
    return Fact("unit-is-available", severity, "*", since, until, (lasted,), number)


TIMES_OF_SENDS = Fact("unit-is-available", "note")
WAITED = ("the split of", "waited for 8.0 s")
LOST_A_RACE = ("to the transfer of", "was refused")

FACTS: dict[str, tuple[Fact, ...]] = {
    "zombie": (
        # run.G1: it answers for what had been given away 19 s before
        Fact("dual-serving", "warning", "3*", about(65.209, 0.02), about(65.23, 0.03), given=about(65.209, 0.02),
             number=5),
        Fact("claims-are-owned", "warning", "3", about(65.209, 0.1), why=("5 units",)),
        Fact("view-lag", "note", "3", 65.2 - 19.6, 65.2),
        # run.G2: 81 s of it with its session back
        registered_late("3", 45.4, 101.2), registered_late("1", 127.4, 74.8),
        # run.G3: until the hung leader goes on
        Fact("role-is-taken", "warning", "2*", about(127.4, 0.2), about(146.6, 0.5)),
        Fact("recovery-stalled", "warning", "1", about(127.4, 0.2),
             why=("its 7 units were given to others only 19.8 s later (31.0 s after", "Longest: 19.2 s from",
                  "began to take the role")),
        Fact("orphans-are-reassigned", "note"),
        unheard("note", "1", 127.4, 146.9), cleanup("1", 45.7), cleanup("2", 147.2), believers(146.59, 146.65),
    ),
    "leader-hang": (
        # run.G1: it answers for what had been given away 65 s before
        Fact("dual-serving", "warning", "1*", about(142.38, 0.05), about(142.8, 0.3), given=about(142.38, 0.05),
             number=5),
        Fact("view-lag", "note", "1", 142.9 - 65.5, 142.9),
        # run.G3
        Fact("role-is-taken", "violation", "2*", about(44.24, 0.1), about(77.0, 0.5),
             why=("the former leader 127.0.0.1:18081 hung",)),
        Fact("recovery-stalled", "warning", "1", about(44.23, 0.2),
             why=("its 5 units were given to others only 33.3 s later (45.1 s after", "Longest: 32.8 s from",
                  "began to take the role")),
        Fact("orphans-are-reassigned", "note"),
        registered_late("1", 44.2, 138.1), unheard("warning", "1", 44.2, 77.0), cleanup("2", 77.5),
        believers(77.0, 142.8), skipped(142.6),
    ),
    "zk-partition": (
        Fact("dual-serving", "warning", "2*", 45.9, why=("whole time-out of 20.0 s",), number=3),
        Fact("dual-serving", "warning", "1*", 122.1, why=("whole time-out of 20.0 s",), number=6),
        registered_late("2", 45.6, 91.9), registered_late("1", 121.6, 76.0),
        cleanup("1", 45.9), cleanup("3", 122.1), believers(121.8, 159.6),
    ),
    "zk-partition-metadata": (
        # run.G4: a broker that was cut lists every unit of the cluster
        Fact("claims-are-owned", "violation", "2", 43.4, 79.4, ("12 units",)),
        Fact("claims-are-owned", "violation", "1", 120.4, 156.4, ("12 units",)),
        registered_late("2", 42.6, 92.4), registered_late("1", 120.6, 74.0),
        cleanup("1", 42.9), cleanup("3", 121.3), believers(121.0, 156.4), skipped(131.1),
    ),
    "zk-partition-livelock": (
        # run.G2
        registered_late("3", 44.4, 184.2, "violation"), registered_late("1", 122.4, 106.2),
        Fact("role-is-taken", "violation", "312", about(122.4, 0.2), about(228.6, 0.5),
             why=("tried again 521 times in 106.0 s on thread pulsar-load-manager-1-1, without end",
                  "the broker has not been registered; it is not registered, and the check")),
        Fact("leader-is-registered", "warning", "3", 122.4, 228.6),
        Fact("lookups-are-answered", "warning", "*", 157.4, TO_THE_END),
        unheard("warning", "1", 122.4, 228.6),
    ),
    "late-clean-up": (
        # candidate 9: the leader's session is new when the other broker dies, and it is cut off until +162.6
        Fact("cleanup-is-by-the-leader", "warning", why=("136.3 s after", "and gave 4 bundles away"),
             shows="with delay:180 secs"),
        # scheduled for 180 s later, which is no fault; the former leader's own bundle waits 136.0 s until it is
        # registered, and the next leader skips its monitor meanwhile, as its session is new, too
        Fact("orphans-are-reassigned", "note", why=("max 189.8 s",)),
        Fact("recovery-stalled", "warning", since=85.5, why=("put the clean-up off by 180 s",)),
        Fact("live-broker-is-registered", "violation", since=129.5, until=about(265.5, 1)),
    ),
    "carried-over": (
        # B2 had the bundle, and is stopped; B3 answers by its dead entry until the recording ends
        Fact("others-answer-too", "warning", since=about(121.3, 1), until=TO_THE_END, why=("15 times status 500",)),
        Fact("accepted-is-not-skipped", "violation", at=("0:46", "0:47"), number=2, why=("the view held Owned",)),
    ),
    "fell-behind": (
        # candidate 7: four bundles' topics are open at two brokers from the end of the pause to that of the recording
        Fact("dual-serving", "violation", since=about(102, 0.5), until=about(182, 0.5), number=4,
             why=("its view never took that record",), upstream="served_behind_compaction"),
        Fact("live-broker-is-registered", "warning", since=about(73.3, 0.5), until=about(159.6, 0.5)),
        unconfirmed(52.9, number=3, until=about(103, 0.5)), TIMES_OF_SENDS,
    ),
    "quick-restart": (
        # candidate 5: two bundles of B2 are given away while it is cut off, and it reads what came after
        Fact("loss-is-noticed", "violation", "9", since=about(66.8, 0.5), until=TO_THE_END, at=("zxid:239",) * 2,
             number=2, why=("which takes the unit from it",), upstream="served_after_quick_restart"),
        Fact("dual-serving", "warning", "9*", number=1),
    ),
    "notifications-coalesced": (
        # candidate 4: two bundles of B3 come back before it reads that B1 owned them
        Fact("loss-is-noticed", "violation", "5", at=("zxid:228", "zxid:235"), until=TO_THE_END, number=2,
             upstream="fenced_when_coalesced"),
        Fact("unit-is-available", "violation", "*", until=TO_THE_END, number=2), TIMES_OF_SENDS,
    ),
    "split": (
        Fact("refusal-is-told", "warning", "*", about(60, 30), why=WAITED, number=5),  # run.G5
        Fact("done-as-asked", "warning", "3*", about(60, 60), at=("0:46", "0:54"), number=2),  # run.G6
    ),
    "transfer": (Fact("done-as-asked", "warning", why=LOST_A_RACE, number=6),),
    "kill-owner": (Fact("orphans-are-reassigned", "note"),),
    "kill-mid-transfer": (
        # run.G7
        *(Fact("assigned-to-the-dead", "warning", "2", given=time) for time in (36.3, 91.8, 138.8, 186.3)),
        # run.G8: the connection was closed
        Fact("sent-once", "note", since=about(120, 120), at=("0:622",), shows="Re-Sending 1 messages"),
        Fact("done-as-asked", "warning", why=LOST_A_RACE, number=5), Fact("done-as-asked", "note", number=2),
    ),
    "compaction": (  # run.G10; the third had no leader to hear it
        *(Fact("cleanup-is-called-off", "note", "12", about(time, 0.1)) for time in (59.7, 83.7)),
    ),
    "delete-decommission": (cleanup("2", 49.0), cleanup("1", 86.2)),
    "rolling-restart": (
        # run.G12: a view stops for good
        Fact("view-stops", "violation", "2", about(94.4, 0.2), about(125, 0.5),
             why=("proved to have taken is 37:18",), at=("37:21",), upstream="store_closes_blocking"),
        Fact("owner-answers", "violation", "2", about(94.48, 0.1), TO_THE_END, ("2 units", "not in its own list")),
        unconfirmed(94.4, "for 39.6 s", number=7), TIMES_OF_SENDS,
        cleanup("1", 39.0), cleanup("2", 66.0), cleanup("3", 94.3),
    ),
    "zk-restart": (
        # run.G9: its own start needs 115 s
        Fact("somebody-is-registered", "violation", "*", 114.0, about(182.7, 1)),
        Fact("somebody-leads", "violation", "*", 114.0, about(182.7, 1)),
        registered_late("1", 114.0, 197.6, "violation"), registered_late("3", 114.0, 203.6, "violation"),
        registered_late("2", 114.0, 19.6),
        Fact("role-is-taken", "violation", "2*", about(182.7, 0.2), about(309.6, 0.5)),
        # most of it after the outage, at owners that live
        unconfirmed(73.5, "for 236.0 s", severity="violation"),
        unconfirmed(89.5, "for 220.0 s", severity="violation"),
        unconfirmed(96.5, "for 213.0 s", severity="violation"),
        unconfirmed(about(93, 7), number=6, until=about(118, 7)), TIMES_OF_SENDS,
        unheard("warning", "123", 114.0, 309.6), believers(309.6, 318.4), skipped(86.5),
    ),
    "zk-restart-metadata": (
        # run.G11
        Fact("no-broker-exits-by-itself", "warning", "1", about(114.1, 0.1)),
        Fact("lookups-are-answered", "violation", "*", about(86, 4), TO_THE_END, ("all of 12 units",)),
        Fact("somebody-leads", "violation", "*", 121.1, about(162.3, 1)),
        Fact("somebody-is-registered", "violation", "*", 121.1, about(162.8, 1)),
        registered_late("2", 121.1, 40.4), registered_late("3", 121.1, 40.7),
        Fact("owner-answers", "violation", "2"), Fact("owner-answers", "violation", "3"),
        *(Fact("claims-are-owned", "violation", broker) for broker in "123"),
        Fact("orphans-are-reassigned", "violation", "1", given=about(114, 1)),
        Fact("done-as-asked", "warning", why=("37 calls in a row",)), Fact("done-as-asked", "note", number=3),
        unconfirmed(about(42.1, 0.1)),  # one unit had been Assigning ever since
        unconfirmed(about(84, 5), number=11), TIMES_OF_SENDS,
        unheard("warning", "123", 121.1, 161.8), skipped(88.2),
    ),
}  # fmt: skip


@functools.cache
def audited(run: str) -> dict[str, Any]:
    """The audit of a recording; it reads the logs and the like once, with the other tests of it."""

    def shared(asked: Run, options: Options, *_: Any) -> tuple[Scene, list[Coverage]]:
        assert (Path(asked.name).name, options) == (run, Options())
        return gathered(run)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(audit, "gather", shared)
        return dict(oneowner("audit", REAL / run, "--engine", "inline", "--json", "-").json)


def findings_of(run: str) -> list[dict[str, Any]]:
    return list(audited(run)["findings"])


def is_at(expected: Any, time: int | None, run: str) -> bool:
    """True if a time of a finding is the expected one, if any is."""
    if expected is None or expected == TO_THE_END:
        return expected is None or time is None
    return time is not None and (time - started(run)) / 1000 == (
        about(expected, 0.5) if isinstance(expected, float | int) else expected
    )


def is_of(fact: Fact, finding: dict[str, Any], run: str) -> bool:
    """True if a finding is one of those of a fact."""
    window, at = finding.get("window", {}), finding["at"]
    end = window.get("possibleUntil") if fact.until == TO_THE_END else window.get("until")
    return (
        (finding["law"], finding["severity"]) == (fact.law, fact.severity)
        and fnmatchcase("".join(broker[-1] for broker in finding["brokers"]), fact.brokers)
        and is_at(fact.since, window.get("since") or at["time"], run)
        and is_at(fact.until, end, run)
        and is_at(fact.given, window.get("possibleSince"), run)
        and all(words in finding["why"] for words in fact.why)
        and (not fact.at or at["messageId"] in fact.at)
        and fact.upstream in finding.get("upstream", "")
        and any(fact.shows in line["text"] for line in finding["evidence"])
    )


FACTS_BY_LAW = [
    of_run(run, law, named=f"{run}-{law}")
    for run, facts in FACTS.items()
    for law in dict.fromkeys(fact.law for fact in facts)
]


@pytest.mark.parametrize(("run", "law"), FACTS_BY_LAW)
def test_law_finds_what_is_known_of_a_run_and_nothing_else(run: str, law: str) -> None:
    facts = [fact for fact in FACTS[run] if fact.law == law]
    found = [finding for finding in findings_of(run) if finding["law"] == law]
    for fact in facts:
        assert len([finding for finding in found if is_of(fact, finding, run)]) == fact.number, fact
    assert len(found) == sum(fact.number for fact in facts)


@pytest.mark.parametrize(
    ("run", "law", "words", "count"),
    [
        of_run("zk-partition", "dual-serving", "", 2, named="zk-partition"),  # one for each broker that was cut
        # five records had been sent 7.6 s before; nothing tells when the topic had them
        of_run(
            "zk-restart", "view-stops", "127.0.0.1:18083 is behind 130:0:-1:0 when its log ends", 1, named="zk-restart"
        ),
    ],
)
def test_law_is_in_doubt_of_a_run(run: str, law: str, words: str, count: int) -> None:
    reasons = [reason for reason in audited(run)["reasons"] if f": {law}: " in reason]
    assert len([reason for reason in reasons if words in reason]) == len(reasons) == count
    assert law in {fact.law for fact in FACTS[run]} or law not in {found["law"] for found in findings_of(run)}


HEALTHY = ("healthy", "healthy-quiet", "transfer", "shedding", "split", "compaction", "delete-decommission")


@pytest.mark.parametrize("run", [of_run(run, named=run) for run in HEALTHY])
def test_run_without_a_broken_law_has_no_violation(run: str) -> None:
    assert not [finding for finding in findings_of(run) if finding["severity"] == "violation"]


@pytest.mark.parametrize("run", [of_run(run, named=run) for run in ("zombie", "zk-restart", "split")])
def test_finding_shows_lines_that_are_there(run: str) -> None:
    for finding in findings_of(run):
        for line in finding.get("evidence", ()):
            assert Path(line["file"]).exists()
            assert line["line"] >= 1
            assert line["text"].strip()


def constants(path: Path) -> set[str]:
    """The strings of a file's code; docstrings are prose."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {str(node.value) for node in strings if id(node) not in prose}


def test_laws_read_no_list_of_faults_and_name_no_run() -> None:
    words = ("SIGSTOP", "SIGCONT", "127.0.0.1", "1808", "rig", *(path.name for path in REAL.iterdir() if path.is_dir()))
    for file in sorted((PACKAGE / "checkers" / "recordings" / "laws").rglob("*.py")):
        found = constants(file)
        assert "events" not in found, file.name
        for word in words:
            if word not in GENERAL:
                assert not [text for text in found if word in text.split()], f"{file.name}: {word}"


GENERAL = {"compaction", "transfer", "split", "healthy", "shedding"}
"""Names of runs that are words of the protocol too."""


def test_every_law_of_evidence_is_exercised_in_some_recording() -> None:
    """By the pins beside each of them, which the gate compares with the findings."""
    pinned = [data_of(file.read_text(encoding="utf-8")) for file in REAL.glob("*/expectation.yaml")]
    exercised = {law for run in pinned for law, found in run["laws"].items() if not found.endswith("exercised 0")}
    exercised |= {report for run in pinned for report, occasions in run["reports"].items() if occasions}
    assert len(pinned) == len([path for path in REAL.iterdir() if path.is_dir()])
    assert {law.name for law in SCENE_LAWS} <= exercised
