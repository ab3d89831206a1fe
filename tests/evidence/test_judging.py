"""A law that lacks its input is unknown for itself; damage and doubts keep a run from being valid."""

from __future__ import annotations

from checkers.audit.events import Severity
from checkers.evidence.judging import judge_scene
from checkers.evidence.law import Judged, Law, finding
from checkers.evidence.laws import LAWS
from checkers.evidence.scene import Scene
from checkers.evidence.sources.seen import Source
from checkers.verdict import Verdict
from tests.evidence.crafted import EVERYTHING, UNIT, channel, message, printed, scene

FOLD = channel(message(0, 0, printed("Owned", 1, "b1:8080")))


def law(judged: Judged, *needs: Source) -> Law:
    return Law("some-law", "Something holds.", needs, lambda _: judged)


def verdict_of(judged: Judged, told: Scene, *needs: Source) -> Verdict:
    return judge_scene(told, laws=(law(judged, *needs),)).rows[0].verdict


def found(severity: Severity) -> Judged:
    return Judged(1, [finding("some-law", severity, "why", FOLD.timeline, unit=UNIT)])


def test_law_without_its_input_names_it_and_hides_nothing() -> None:
    told = scene(present=EVERYTHING - {Source.LOOKUPS})
    evidence = judge_scene(told, laws=(law(Judged(3), Source.LOOKUPS), law(Judged(3), Source.LOGS)))
    assert [row.verdict for row in evidence.rows] == [Verdict.UNKNOWN, Verdict.VALID]
    assert evidence.rows[0].reason == "needs lookups*.jsonl[.gz]"
    assert not evidence.doubts  # absent is not damaged


def test_law_that_was_never_exercised_is_not_valid() -> None:
    assert verdict_of(Judged(), scene()) == Verdict.UNKNOWN


def test_only_a_violation_breaks_a_law() -> None:
    assert verdict_of(found(Severity.NOTE), scene()) == Verdict.VALID
    assert verdict_of(found(Severity.WARNING), scene()) == Verdict.VALID
    assert verdict_of(found(Severity.VIOLATION), scene()) == Verdict.INVALID


def test_damaged_input_makes_the_laws_that_need_it_unknown_and_the_run_doubtful() -> None:
    told = scene(damage={Source.LOGS: ("b1.log:7: torn",)})
    assert verdict_of(Judged(3), told, Source.LOGS) == Verdict.UNKNOWN
    assert verdict_of(Judged(3), told, Source.LOOKUPS) == Verdict.VALID
    assert judge_scene(told, laws=()).doubts == ("b1.log:7: torn",)


def test_with_records_missing_what_they_could_fake_only_warns() -> None:
    told = scene(is_partial=True)
    assert verdict_of(found(Severity.VIOLATION), told, Source.CHANNEL) == Verdict.VALID
    assert verdict_of(found(Severity.VIOLATION), told, Source.LOGS) == Verdict.INVALID
    [warning] = judge_scene(told, laws=(law(found(Severity.VIOLATION), Source.CHANNEL),)).findings
    assert warning.severity == Severity.WARNING


def test_own_doubt_of_a_law_is_one_of_the_run() -> None:
    evidence = judge_scene(scene(), laws=(law(Judged(3, [], ["two lines fit"])),))
    assert evidence.rows[0].verdict == Verdict.UNKNOWN
    assert evidence.doubts == ("crafted: some-law: two lines fit",)


def test_laws_have_names_of_their_own_and_a_sentence_each() -> None:
    names = [one.name for one in LAWS]
    assert len(set(names)) == len(names)
    for one in LAWS:
        assert one.statement[0].isupper(), one.name
        assert one.statement.endswith("."), one.name


def test_empty_scene_exercises_no_law() -> None:
    for row in judge_scene(scene()).rows:
        assert row.verdict == Verdict.UNKNOWN, row.law
        assert row.exercised == 0, row.law
