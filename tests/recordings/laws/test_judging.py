"""A law that lacks its input is unknown for itself; damage and doubts keep a run from being valid."""

import ast
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from oneowner.checkers.places import PACKAGE
from oneowner.checkers.recordings.fold.recorded_law import Harm
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw, finding
from oneowner.checkers.recordings.laws.scene_verdict import judge_scene
from oneowner.checkers.recordings.read.events import Window
from oneowner.checkers.recordings.read.observations import Source
from oneowner.checkers.recordings.scene.broker_processes import STARTING
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.verdict import Verdict
from oneowner.checkers.yaml_text import data_of
from oneowner.model.kernel.law import Severity
from tests.command_line import REAL, oneowner
from tests.recordings.laws.crafted import (
    B1,
    EVERYTHING,
    UNIT,
    call,
    channel,
    logs,
    lookup,
    message,
    printed,
    said,
    scene,
)
from tests.recordings.laws.recorded import recorded

FOLD = channel(message(0, 0, printed("Owned", 1, "b1:8080")))


def law(judged: LawOutcome, *needs: Source) -> SceneLaw:
    return SceneLaw("some-law", "Something holds.", "PIP-192", needs=needs, judge=lambda _: judged)


def found(severity: Severity) -> LawOutcome:
    step = FOLD.units[UNIT].steps[0]
    return LawOutcome(1, [finding("some-law", severity, "why", [step], unit=UNIT, step=step, brokers=(B1,))])


HELD, NOTE, WARNING, VIOLATION = LawOutcome(3), *map(found, (Severity.NOTE, Severity.WARNING, Severity.VIOLATION))
LOGS_TORN = scene(damage={Source.LOGS: ("b1.log:7: torn",)})
LOOKUPS_TORN = scene(damage={Source.LOOKUPS: ("lookups.jsonl:3: malformed",)})
CHANNEL_TORN = scene(damage={Source.CHANNEL: ("channel.jsonl:2: torn",)}, channel=FOLD)
USES_LOOKUPS = replace(law(HELD, Source.CHANNEL), uses=(Source.LOOKUPS,))
REPORT = replace(law(VIOLATION), severity=Severity.WARNING)
BEFORE = "b1:8080 before 1970-01-01T00:00:05.000Z"
WARNS_OF_HARM = replace(law(WARNING), harm=Harm.UNUSABLE)

VERDICTS: dict[str, tuple[Scene, SceneLaw, Verdict]] = {
    "law that was never exercised is not valid": (scene(), law(LawOutcome()), Verdict.UNKNOWN),
    "note breaks no law": (scene(), law(NOTE), Verdict.VALID),
    "warning breaks no law": (scene(), law(WARNING), Verdict.VALID),
    "warning of harm by a broker whose log is missing is no verdict": (scene(), WARNS_OF_HARM, Verdict.UNKNOWN),
    "warning of harm by a broker breaks no law by its log":
        (scene(said=logs(said(1, 0, "registered"))), WARNS_OF_HARM, Verdict.VALID),
    "warning of harm before a log begins amid its process is no verdict":
        (scene(said=logs(said(1, 5_000, "registered"))), WARNS_OF_HARM, Verdict.UNKNOWN),
    "warning of harm before the start of a process breaks no law by its log":
        (scene(said=logs(said(1, 5_000, STARTING))), WARNS_OF_HARM, Verdict.VALID),
    "warning of harm breaks no law of a channel alone":
        (scene(present=frozenset({Source.CHANNEL})), WARNS_OF_HARM, Verdict.VALID),
    "violation breaks a law": (scene(), law(VIOLATION), Verdict.INVALID),
    "violation of a report breaks the run all the same": (scene(), REPORT, Verdict.INVALID),
    "damage makes a law that needs it unknown": (LOGS_TORN, law(HELD, Source.LOGS), Verdict.UNKNOWN),
    "damage leaves other laws alone": (LOGS_TORN, law(HELD, Source.LOOKUPS), Verdict.VALID),
    "damage makes a law that only uses it unknown too": (LOOKUPS_TORN, USES_LOOKUPS, Verdict.UNKNOWN),
    "law that uses what is whole is valid": (scene(), USES_LOOKUPS, Verdict.VALID),
    "violation that a missing record could fake only warns":
        (scene(is_partial=True), law(VIOLATION, Source.CHANNEL), Verdict.VALID),
    "violation that no missing record could fake breaks a law":
        (scene(is_partial=True), law(VIOLATION, Source.LOGS), Verdict.INVALID),
    "violation that an unreadable record could fake is no verdict":
        (CHANNEL_TORN, law(VIOLATION, Source.CHANNEL), Verdict.UNKNOWN),
    "violation that no unreadable record could fake breaks a law":
        (CHANNEL_TORN, law(VIOLATION, Source.LOGS), Verdict.INVALID),
}  # fmt: skip


@pytest.mark.parametrize(("told", "asked", "verdict"), VERDICTS.values(), ids=VERDICTS)
def test_verdict_of_a_law_is_that_of_what_it_says_and_of_what_it_read(
    told: Scene, asked: SceneLaw, verdict: Verdict
) -> None:
    assert judge_scene(told, laws=(asked,)).rows[0].verdict == verdict


@pytest.mark.parametrize(
    ("warnings", "missing"),
    [
        pytest.param([Window(None, None, 4_999, 9_000)], BEFORE, id="before the log"),
        pytest.param([Window(6_000, 7_000, 4_999, 9_000)], BEFORE, id="may be before"),
        pytest.param([Window(None, None, 5_000, 9_000)], "", id="with the first line"),
        pytest.param([Window(None, None, 1, 2), Window(None, None, 8_000, 9_000)], BEFORE, id="the first of two"),
    ],
)
def test_doubt_names_the_broker_and_the_time_before_which_its_log_is_missing(
    warnings: list[Window], missing: str
) -> None:
    step = FOLD.units[UNIT].steps[0]
    harm = [
        finding("some-law", Severity.WARNING, "why", [step], unit=UNIT, brokers=(B1,), window=window)
        for window in warnings
    ]
    warns = replace(law(LawOutcome(1, harm)), harm=Harm.UNUSABLE)
    doubts = judge_scene(scene(said=logs(said(1, 5_000, "registered"))), laws=(warns,)).doubts
    assert [one.partition("collect that of ")[2] for one in doubts] == ([missing] if missing else [])


def test_damage_is_a_doubt_of_the_run() -> None:
    assert judge_scene(LOGS_TORN, laws=()).doubts == ("b1.log:7: torn",)


def test_violation_that_a_missing_record_could_fake_is_a_warning() -> None:
    [warning] = judge_scene(scene(is_partial=True), laws=(law(VIOLATION, Source.CHANNEL),)).findings
    assert warning.severity == Severity.WARNING


def test_law_without_its_input_names_it_and_hides_nothing() -> None:
    partial = scene(present=EVERYTHING - {Source.LOOKUPS})
    evidence = judge_scene(partial, laws=(law(LawOutcome(3), Source.LOOKUPS), law(LawOutcome(3), Source.LOGS)))
    assert [row.verdict for row in evidence.rows] == [Verdict.UNKNOWN, Verdict.VALID]
    assert evidence.rows[0].reason == "needs lookups*.jsonl[.gz]"
    assert not evidence.doubts  # absent is not damaged


@pytest.mark.parametrize("there", [(), (Source.BUNDLES,), (Source.ZOOKEEPER,), (Source.BUNDLES, Source.ZOOKEEPER)])
def test_law_that_needs_one_of_two_names_both_where_neither_is_there(there: tuple[Source, ...]) -> None:
    either = (Source.BUNDLES, Source.ZOOKEEPER)
    partial = scene(present=EVERYTHING - {*either} | {*there})
    (row,) = judge_scene(partial, laws=(replace(law(LawOutcome(3)), one_of=either),)).rows
    reason = "" if there else "needs bundles.json or zookeeper*.jsonl[.gz]"
    assert (row.verdict, row.reason) == (Verdict.VALID if there else Verdict.UNKNOWN, reason)


def test_report_has_no_verdict_but_its_doubts_count() -> None:
    report = replace(law(LawOutcome(3, [], ["two lines fit"])), severity=Severity.WARNING)
    evidence = judge_scene(scene(), laws=(report,))
    assert evidence.rows == ()
    assert evidence.reports == (("some-law", 3),)
    assert evidence.doubts == ("crafted: some-law: two lines fit",)


def test_run_of_sends_alone_is_not_valid(tmp_path: Path) -> None:
    shutil.copy(REAL / "healthy" / "clients.jsonl.gz", tmp_path)
    outcome = oneowner("audit", tmp_path, "--json", "-")
    assert (outcome.code, outcome.json["verdict"]) == (3, "unknown")
    (row,) = [row for row in outcome.json["laws"] if row["law"] == "unit-is-available"]
    assert (row["verdict"], row["exercised"]) == ("unknown", 0)
    assert [found["law"] for found in outcome.json["findings"]] == ["unit-is-available"]


READS = {
    "channel": Source.CHANNEL, "said": Source.LOGS, "lives": Source.LOGS, "lookups": Source.LOOKUPS,
    "polls": Source.POLLS, "calls": Source.CALLS, "sends": Source.SENDS, "writes": Source.ZOOKEEPER,
    "boundaries": Source.BUNDLES,
}  # fmt: skip
"""Which source a field of a scene comes from."""


class Watched:
    """A scene that remembers what was read of it."""

    def __init__(self, watched: Scene) -> None:
        self.watched, self.read = watched, set[Source]()

    def __getattr__(self, name: str) -> Any:
        if name in READS:
            self.read.add(READS[name])
        return getattr(self.watched, name)

    def lines(self, *events: str) -> Any:
        self.read.add(Source.LOGS)
        return self.watched.lines(*events)

    def once(self, work: Callable[[Any], Any]) -> Any:
        return work(self)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "run", ["zombie", "split", "rolling-restart", pytest.param("zk-restart-metadata", marks=pytest.mark.slow)]
)
def test_law_declares_all_that_it_reads(run: str) -> None:
    whole = recorded(run)
    for one in SCENE_LAWS:
        if not whole.lacks(one.needs):
            watched = Watched(whole)
            one.judge(cast(Scene, watched))
            assert watched.read <= {*one.needs, *one.uses}, one.name


def test_what_a_law_needs_one_of_is_read_by_it_so_that_damage_counts() -> None:
    asking = [one for one in SCENE_LAWS if one.one_of]
    assert asking
    assert all({*one.one_of} <= {*one.uses} for one in asking)


def patterns() -> set[str]:
    """The ids of all log lines."""
    text = (PACKAGE / "checkers" / "recordings" / "read" / "log_patterns.yaml").read_text(encoding="utf-8")
    return {line["id"] for group in data_of(text) for line in group["lines"]}


OTHER_WORDS = {
    "sla-monitor",
    "loadbalancer-service-unit-state",
    "log-has-gaps",
    "dump-begins-late",
    "dump-is-older",
    "last-line",
}


def test_words_by_which_laws_know_log_lines_are_in_the_table() -> None:
    known = patterns() | {one.name for one in SCENE_LAWS} | OTHER_WORDS
    for file in sorted((PACKAGE / "checkers" / "recordings" / "laws").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        words = {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
        }
        assert {word for word in words if re.fullmatch("[a-z]+(-[a-z]+)+", word)} <= known, file.name


def test_own_doubt_of_a_law_is_one_of_the_run() -> None:
    evidence = judge_scene(scene(), laws=(law(LawOutcome(3, [], ["two lines fit"])),))
    assert evidence.rows[0].verdict == Verdict.UNKNOWN
    assert evidence.doubts == ("crafted: some-law: two lines fit",)


def test_laws_have_names_of_their_own_and_a_sentence_each() -> None:
    names = [one.name for one in SCENE_LAWS]
    assert len(set(names)) == len(names)
    for one in SCENE_LAWS:
        assert one.statement[0].isupper(), one.name
        assert one.statement.endswith("."), one.name


def test_empty_scene_exercises_no_law() -> None:
    evidence = judge_scene(scene())
    assert len(evidence.rows) + len(evidence.reports) == sum(law.concerns(EVERYTHING) for law in SCENE_LAWS)
    for row in evidence.rows:
        assert row.verdict == Verdict.UNKNOWN, row.law
        assert row.exercised == 0, row.law
    assert not any(occasions for _, occasions in evidence.reports)


HOUR = 3_600_000


def test_files_of_two_nights_are_told_first() -> None:
    night = scene(
        channel=FOLD, lookups=[lookup(1, 8 * HOUR, 8 * HOUR, B1)], said=logs(said(1, 0, "registered")),
        damage={Source.LOGS: ("x.log:3: torn",)},
    )  # fmt: skip
    first, second = judge_scene(night, laws=()).doubts
    assert first.startswith("crafted: the log of b1:8080 to 1970-01-01T00:00:00.000Z, lookups from 1970-01-01T08:00")
    assert second == "x.log:3: torn"


def test_sources_hours_apart_are_of_one_night_if_another_one_tells_of_the_time_between() -> None:
    asked = {"calls": [call(1, 0, 9, "unload")], "lookups": [lookup(1, 8 * HOUR, 8 * HOUR, B1)]}
    assert len(judge_scene(scene(**asked), laws=()).doubts) == 1
    whole = scene(said=logs(said(1, 0, "registered"), said(2, 8 * HOUR, "registered")), **asked)
    assert judge_scene(whole, laws=()).doubts == ()


@pytest.mark.parametrize("later", [HOUR, 8 * HOUR])
def test_channel_that_was_silent_before_all_else_is_well_and_one_that_begins_after_it_is_not(later: int) -> None:
    quiet = scene(channel=FOLD, said=logs(said(1, later, "registered")))
    assert judge_scene(quiet, laws=()).doubts == ()
    other = scene(channel=channel(message(0, later, printed("Owned", 1, "b1:8080"))), said=logs(said(1, 0, "x")))
    assert len(judge_scene(other, laws=()).doubts) == (later > HOUR)


def test_unreadable_record_is_unknown_and_2_whatever_the_logs_break(tmp_path: Path) -> None:
    run = tmp_path / "leader-hang"
    shutil.copytree(REAL / "leader-hang", run)
    dump = run / "channel.jsonl"
    dump.write_bytes(dump.read_bytes()[:-40])
    outcome = oneowner("audit", str(run), "--json", "-")
    assert (outcome.code, outcome.json["verdict"]) == (2, "unknown")
    assert {row["law"]: row["verdict"] for row in outcome.json["laws"]}["role-is-taken"] == "invalid"  # by logs alone
