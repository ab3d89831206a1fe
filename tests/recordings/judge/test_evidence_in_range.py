"""In a part of the time, evidence is judged by observations within it and by all earlier ones."""

from dataclasses import replace

import pytest

from oneowner.checkers.recordings.fold.time_range import Scope
from oneowner.checkers.recordings.judge.evidence_in_range import narrowed
from oneowner.checkers.recordings.judge.run_verdict import _evidence_row
from oneowner.checkers.recordings.laws.scene_verdict import Evidence, judge_scene
from oneowner.checkers.recordings.read.events import Tally
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.results import LawRow
from oneowner.checkers.verdict import Verdict
from tests.command_line import REAL
from tests.recordings.dumps import Judged, audit
from tests.recordings.laws.crafted import B1, B2, channel, lookup, message, poll, printed, scene
from tests.recordings.laws.recorded import recorded

FOLLOWS = "lookup-follows-the-log"


def occasions(found: Evidence) -> dict[str, int]:
    return {row.law: row.exercised for row in found.rows} | dict(found.reports)


def row(found: Evidence, law: str) -> LawRow:
    (one,) = [row for row in found.rows if row.law == law]
    return one


def looked_up(*times: int) -> Scene:
    """B1 owns the unit from 10 ms on; it is looked up at some times."""
    owned = printed("Assigning", 1, B1), printed("Owned", 2, B1)
    records = channel(*(message(n, 5 + 5 * n, record, "t/n/0x00000000_0xffffffff") for n, record in enumerate(owned)))
    lookups = [lookup(number, time, time + 5, B2, B1) for number, time in enumerate(times, 1)]
    found = scene(channel=records, lookups=lookups, polls=[poll(1, 12, 14, B1)])
    found.start, found.end = 5, max(times) + 5
    return found


@pytest.mark.parametrize("run", [pytest.param("zombie", marks=pytest.mark.slow), "locks-kill-owner"])
def test_range_that_holds_all_changes_nothing(run: str) -> None:
    seen = recorded(run)
    whole = judge_scene(seen)
    assert narrowed(seen, whole, Scope(seen.start, seen.end)) == whole
    assert narrowed(seen, whole, Scope()) is whole


@pytest.mark.parametrize("run", [pytest.param("zombie", marks=pytest.mark.slow), "leader-hang"])
def test_occasions_of_two_halves_are_about_those_of_the_whole(run: str) -> None:
    """An answer is one occasion, and lies in one half; of two that are compared, one may be in the other."""
    seen = recorded(run)
    assert seen.start is not None
    assert seen.end is not None
    whole, middle = judge_scene(seen), (seen.start + seen.end) // 2
    first, second = (occasions(narrowed(seen, whole, scope)) for scope in (Scope(None, middle), Scope(middle + 1)))
    for law, number in occasions(whole).items():
        assert first[law] + second[law] == pytest.approx(number, rel=0.01, abs=1), law
        assert 0 <= first[law] <= number + 1
    assert 0 < second[FOLLOWS] < occasions(whole)[FOLLOWS]


def test_who_owned_before_the_range_is_known_in_it() -> None:
    seen = looked_up(100, 200, 300)
    found = narrowed(seen, judge_scene(seen), Scope(150, 250))
    assert (row(found, FOLLOWS).verdict, row(found, FOLLOWS).exercised) == (Verdict.VALID, 1)


def test_answer_that_spans_a_border_is_an_occasion_on_both_sides() -> None:
    seen = looked_up(100)
    for scope in (Scope(None, 102), Scope(102), Scope(102, 102)):
        assert row(narrowed(seen, judge_scene(seen), scope), FOLLOWS).exercised == 1, scope


def test_law_without_occasion_in_the_range_is_unknown() -> None:
    seen = looked_up(100, 300)
    whole = judge_scene(seen)
    assert row(whole, FOLLOWS).verdict == Verdict.VALID
    for scope in (Scope(150, 250), Scope(400), Scope(None, 50)):
        found = row(narrowed(seen, whole, scope), FOLLOWS)
        assert (found.verdict, found.exercised) == (Verdict.UNKNOWN, 0), scope


def test_doubt_about_what_comes_later_does_not_count_but_an_earlier_one_does() -> None:
    seen = recorded("zk-partition")
    whole = judge_scene(seen)
    (law,) = {doubt.split(": ")[1] for doubt in whole.doubts}
    assert seen.start is not None
    assert seen.end is not None
    early = seen.start + (seen.end - seen.start) // 4
    before, after = (narrowed(seen, whole, scope) for scope in (Scope(None, early), Scope(early)))
    assert (before.doubts, after.doubts) == ((), whole.doubts)
    assert row(whole, law).verdict == row(after, law).verdict == Verdict.UNKNOWN
    assert row(before, law).reason == ""


def test_damage_counts_whatever_the_range() -> None:
    seen = looked_up(100, 300)
    (source,) = [one for one in seen.present if one.name == "LOOKUPS"]
    seen.damage[source] = ("lookups.jsonl:9: torn",)
    found = narrowed(seen, judge_scene(seen), Scope(50, 150))
    assert (row(found, FOLLOWS).verdict, row(found, FOLLOWS).exercised) == (Verdict.UNKNOWN, 1)
    assert "lookups.jsonl:9: torn" in found.doubts


def test_law_is_broken_where_a_violation_touches_the_range_and_else_not() -> None:
    broken = LawRow("x", "holds", Verdict.VALID, Verdict.INVALID, 0)
    tally = Tally()
    assert _evidence_row(broken, tally).verdict == Verdict.UNKNOWN
    assert _evidence_row(replace(broken, exercised=3), tally).verdict == Verdict.VALID
    assert _evidence_row(replace(broken, exercised=3, reason="damaged"), tally).verdict == Verdict.UNKNOWN
    tally.violations["x"] = 1
    assert _evidence_row(broken, tally) == replace(broken, exercised=1)


def narrow(run: str, since: object, until: object) -> Judged:
    return audit(REAL / run, "--engine", "inline", "--time-range", f"{since}..{until}")


def test_run_is_invalid_within_what_is_broken_and_not_before_it() -> None:
    """The verdict, the exit code, and the findings: one outside is left out, one that spans the border is reported."""
    run, law = "leader-hang", "role-is-taken"
    (window,) = [one.window for one in judge_scene(recorded(run)).findings if one.law == law]
    assert window is not None
    since, until = window.possible_since, window.possible_until
    for found in (narrow(run, since + 1, ""), narrow(run, "", since), narrow(run, until, until)):
        assert (found.exit_code, found.verdict, found.law(law)["verdict"]) == (1, "invalid", "invalid")
    before = narrow(run, "", since - 1)
    assert law not in {one["law"] for one in before.json["findings"]}
    assert before.exit_code != 1
    assert before.law(law)["verdict"] != "invalid"
