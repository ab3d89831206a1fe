"""Each violation of a recording is named as the known bug that it is, and never in a release without the bug."""

from collections.abc import Mapping
from functools import cache

import pytest

from oneowner.checkers.catalogue.recorded import recorded_bugs
from oneowner.checkers.recordings.fold.runs import Options
from oneowner.checkers.recordings.judge.audit import audit
from oneowner.checkers.recordings.judge.known_bugs import NO_BUG, KnownBugs
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS, SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_verdict import Background
from oneowner.checkers.recordings.laws.symptoms import Symptom
from oneowner.checkers.recordings.read.events import NOWHERE, Cause, Finding, Origin
from oneowner.checkers.recordings.scene.happening import Happening, HappeningKind
from oneowner.model.channel.rules import Storage
from oneowner.model.kernel.law import Severity
from tests.command_line import REAL

OUTAGE = "watch_not_set_again", "outage_stops_service"
EXPECTED: Mapping[str, Mapping[str, tuple[str | None, ...]]] = {
    "carried-over": {"accepted-is-not-skipped": ("seek_past_horizon",)},
    "fell-behind": {"dual-serving": ("served_behind_compaction",)},
    "fenced-for-good-4.2.4": dict.fromkeys(
        ("given-back-by-force", "topic-stays-fenced", "unit-is-available"), ("returned_unit_stays_fenced",)
    ),
    "forced-free": {"tombstone-of-active": ("free_deletes_assignment",)},
    "late-clean-up": dict.fromkeys(("live-broker-is-registered", "owner-answers"), OUTAGE[:1]),
    "leader-hang": {"role-is-taken": ("hung_leader_keeps_channel",)},
    "notifications-coalesced": dict.fromkeys(("loss-is-noticed", "unit-is-available"), ("fenced_when_coalesced",)),
    "quick-restart": {"loss-is-noticed": ("served_after_quick_restart",)},
    "rolling-restart": dict.fromkeys(("owner-answers", "view-stops"), ("store_closes_blocking",)),
    "shutdown-together": {"given-back-by-force": ("shutdown_together",)},
    "split-crash": {
        "overlapping-owners": ("split_crash_overlaps",),
        "owner-answers": (None,),  # gates hold the records of the survivor for ten seconds
    },
    "stop-mid-split-4.2.4": {"overlapping-owners": ("split_crash_overlaps",)},
    "zk-partition-livelock": {
        "live-broker-is-registered": ("reregister_only_in_monitor",), "role-is-taken": ("unregistered_leads",),
    },
    "zk-partition-metadata": {"claims-are-owned": ("lists_what_it_knew",)},
    "zk-restart": dict.fromkeys(
        ("live-broker-is-registered", "role-is-taken", "somebody-is-registered", "somebody-leads", "unit-is-available"),
        OUTAGE[:1],
    ),
    "zk-restart-metadata": {
        "claims-are-owned": ("lists_what_it_knew",),
        **dict.fromkeys(("lookups-are-answered", "owner-answers"), OUTAGE[1:]),
        **dict.fromkeys(
            ("orphans-are-reassigned", "somebody-is-registered", "somebody-leads", "stuck-in-flight"), OUTAGE[:1]
        ),
    },
}  # fmt: skip
"""Of every invalid recording: the bugs of its violations, by law; None: none is recognised."""
QUICK = ("forced-free", "split-crash", "quick-restart")
"""Recordings that every change is tried with; the others are nightly."""


@cache
def violations_of(name: str) -> Mapping[str, set[str | None]]:
    found: dict[str, set[str | None]] = {}
    result, _, _ = audit([str(REAL / name)], Options(), "inline", None)
    for one in result.findings:
        if one["severity"] == Severity.VIOLATION:
            assert (one["bug"] is None) == (one["upstream"] == NO_BUG)
            found.setdefault(one["law"], set()).add(one["bug"] and one["bug"]["name"])
    return found


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in EXPECTED]
)
def test_violations_of_a_recording_are_named(name: str) -> None:
    assert violations_of(name) == {law: set(bugs) for law, bugs in EXPECTED[name].items()}


def test_conditions_name_what_is_there() -> None:
    conditions = [one for bug in recorded_bugs().values() for one in bug.conditions]
    assert {one.law for one in conditions} - {""} <= {law.name for law in RECORDING_LAWS}
    assert {one.beside for one in conditions} - {""} <= {law.name for law in SCENE_LAWS}
    assert {one.cause for one in conditions} - {""} <= {kind.value for kind in HappeningKind}
    assert {one.storage for one in conditions} - {""} <= {storage.value for storage in Storage}
    assert {one.symptom for one in conditions} - {""} == {symptom.value for symptom in Symptom}


@pytest.mark.parametrize("name", recorded_bugs())
def test_releases_of_a_bug_with_conditions_are_known(name: str) -> None:
    assert recorded_bugs()[name].releases is not None


ALONE = Background()


def found(law: str, *symptoms: str, causes: tuple[Cause, ...] = (), severity: Severity = Severity.VIOLATION) -> Finding:
    return Finding(
        law, severity, None, NOWHERE, Origin(0, 0, 1), None, 0, ("b1",), "", None, None, law, "", symptoms=symptoms,
        causes=causes,
    )  # fmt: skip


def named(one: Finding, release: str = "", *others: Finding, background: Background = ALONE) -> str | None:
    known = KnownBugs("system-topic", release, background, [one, *others]).of(one)
    return None if known is None else known.bug.name


LATE = found("live-broker-is-registered", Symptom.SESSION_BACK)


@pytest.mark.parametrize(
    ("one", "bug", "last", "repaired"),
    [
        (found("view-stops", Symptom.CHANGE_OF_ROLE), "store_closes_blocking",
         ("3.0.3", "3.1.3", "3.3.9", "4.0.12", "4.1.3", "4.2.3"), ("3.0.2", "3.1.2", "4.0.13", "4.2.4")),
        (LATE, "reregister_only_in_monitor",
         ("3.3.5", "4.0.7", "4.1.1"), ("3.3.1", "4.0.8", "4.1.2", "4.2.9", "2.10.5")),
        (found("accepted-is-not-skipped", Symptom.HELD_VERSION), "equality_by_version_only",
         ("4.0.0", "4.0.4"), ("3.3.9", "4.0.5", "4.1.0")),
        (found("accepted-is-not-skipped", causes=(Cause(HappeningKind.CARRIED_OVER, "b1", 0),)), "seek_past_horizon",
         ("3.0.0", "4.0.99", "5.0.0"), ("2.10.5", "5.0.1", "5.1.0")),
        (found("somebody-leads", Symptom.LOST_WATCH), "watch_not_set_again",
         ("4.0.10", "4.1.3", "4.2.1"), ("4.0.11", "4.2.2", "5.0.0")),
        (found("recovery-is-stable", Symptom.SESSION_BACK), "stuck_in_safe_mode",
         ("3.3.9", "4.0.8", "4.1.2"), ("4.0.9", "4.1.3", "4.2.0", "5.0.1")),
    ],
)  # fmt: skip
def test_bug_ends_with_the_release_that_repairs_it(
    one: Finding, bug: str, last: tuple[str, ...], repaired: tuple[str, ...]
) -> None:
    assert [named(one, release) for release in last] == [bug] * len(last)
    assert [named(one, release) for release in repaired] == [None] * len(repaired)
    assert named(one) == bug


def test_release_is_that_of_the_process_else_of_others_else_of_the_manifest() -> None:
    assert named(LATE, "4.0.8", background=Background(releases={"b1": ("4.0.6",), "b2": ("4.0.8",)}))
    assert not named(LATE, "4.0.6", background=Background(releases={"b1": ("4.0.8",), "b2": ("4.0.6",)}))
    assert named(LATE, "4.0.8", background=Background(releases={"b1": (), "b2": ("4.0.6",)}))
    assert not named(LATE, "4.0.8", background=Background(releases={"b1": ()}))


def test_finding_beside_another_of_the_same_cause_is_its_bug() -> None:
    cut, away = Cause(HappeningKind.CUT, "b1", 5), Cause(HappeningKind.DIED, "b1", 3)
    unanswered, listed = found("owner-answers", causes=(cut,)), LATE._replace(causes=(away,))
    assert named(unanswered, "4.0.6", listed) is None
    behind = Background(happenings=(Happening(cut, 9, "", ("b1",), (), (away,)),))
    assert named(unanswered, "4.0.6", listed, background=behind) == "reregister_only_in_monitor"
    assert named(unanswered, "4.0.8", listed, background=behind) is None


def test_bug_with_the_most_facts_is_named() -> None:
    stopped = found("given-back-by-force", causes=(Cause(HappeningKind.STOPPED, "b1", 5),))
    assert (named(found("given-back-by-force")), named(stopped)) == ("returned_unit_stays_fenced", "shutdown_together")


def test_words_name_the_release_and_those_that_brought_and_end_the_bug() -> None:
    words = KnownBugs("system-topic", "4.0.6", Background(), []).words
    assert words(LATE) == (
        "this is reregister_only_in_monitor (apache/pulsar#24057, #24907, #24932), in 4.0.6, since 4.0.3, fixed in "
        "4.0.8"
    )
    assert "in 4.0.6, since the first release, fixed in 4.0.11" in words(found("somebody-leads", Symptom.LOST_WATCH))
    assert "fixed in no known release" in words(found("assigned-to-the-dead"))
    assert words(found("version-chain")) == NO_BUG
    assert not words(found("version-chain", severity=Severity.WARNING))
    assert not words(LATE._replace(severity=Severity.NOTE))
    unrecorded = KnownBugs("system-topic", "", Background(), []).words(LATE)
    assert "if the release has it: 3.3.5-3.3.9, 4.0.3-4.0.7, 4.1.0-4.1.1; fixed in 4.0.8, 4.1.2" in unrecorded
