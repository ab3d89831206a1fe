"""The story of a unit contains all observations of it, in order, and can be replayed in the model."""

from pathlib import Path

import pytest

from oneowner.checkers.cli.save_scenario import TopicLoad, loaded_in, scenario_of
from oneowner.checkers.recordings.explain.broken_laws import judge_laws
from oneowner.checkers.recordings.explain.explain_verdict import judge
from oneowner.checkers.recordings.explain.recording import RegistryStep, read_recording
from oneowner.checkers.recordings.explain.unit_groups import Append, Opening, UnitGroup, with_openings
from oneowner.checkers.recordings.laws.scene_law import finding
from oneowner.checkers.recordings.laws.unit_story import around, story, what_is_due
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import Expectation, read_scenario, write_scenario
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.model.kernel.law import Severity
from tests.command_line import REAL, oneowner
from tests.recordings.laws.crafted import (
    B1,
    B2,
    B3,
    OTHER,
    UNIT,
    call,
    channel,
    logs,
    lookup,
    message,
    poll,
    printed,
    said,
    scene,
    write,
)
from tests.recordings.laws.recorded import recorded

FOLD = channel(
    message(0, 1_000, printed("Assigning", 1, B1)),
    message(1, 2_000, printed("Owned", 2, B1)),
    message(2, 1_900, printed("Owned", 2, B2)),
    message(3, 3_000, printed("Owned", 1, B2), unit=OTHER),
)
ZOMBIE = REAL / "zombie"
MOVED = "rig/c/0x00000000_0x40000000"


def test_story_tells_records_in_topic_order_with_what_became_of_them_and_what_is_due() -> None:
    lines = story(scene(channel=FOLD), UNIT)
    assert [line.kind for line in lines] == ["record"] * 3
    assert f"accepted; {B1} is to open it and publish Owned" in lines[0].text
    assert f"accepted; {B1} serves it" in lines[1].text
    assert "refused by all views" in lines[2].text
    assert "; expected: " in lines[2].text
    assert lines[2].time == 2_000  # its publish time goes back; the topic's order does not


def test_story_puts_log_lines_calls_and_claims_where_their_clocks_put_them() -> None:
    drawn = scene(
        channel=FOLD,
        said=logs(
            said(1, 2_100, "handle-request", UNIT),
            said(2, 2_500, "bundle-unloaded", UNIT),
            said(3, 2_600, "other", OTHER),
        ),
        polls=[poll(1, 2_200, 2_210, B1, UNIT), poll(2, 2_300, 2_310, B1, UNIT), poll(3, 2_700, 2_710, B1)],
        calls=[call(1, 2_400, 2_450, "unload")],
    )
    lines = story(drawn, UNIT)
    assert [line.kind for line in lines[3:]] == ["taken", "claim", "call", "log", "claim"]
    assert "does not name the unit any more" in lines[-1].text


def test_story_tells_when_the_brokers_of_its_records_were_registered_elected_and_silent() -> None:
    node, leader = f"/loadbalance/brokers/{B1}", "/loadbalance/extension/leader"
    writes = [
        write(1, 500, "create", node, "0x1", ephemeral=True),
        write(2, 600, "create", leader, "0x1", f'{{"brokerId": "{B1}"}}', ephemeral=True),
        write(3, 700, "create", f"/loadbalance/brokers/{B3}", "0x3", ephemeral=True),
        write(4, 41_000, "closeSession", session="0x1"),
        write(5, 42_000, "create", node, "0x2", ephemeral=True),
        write(6, 43_000, "delete", node, "0x2"),
    ]
    asked = [lookup(1, 2_500, 2_600, B1, B1), lookup(2, 3_000, 39_000, B1, B1)]
    run = scene(channel=FOLD, lookups=asked, writes=writes)
    assert [(line.time, line.who, line.text) for line in story(run, UNIT) if line.kind == "broker"] == [
        (500, B1, "is registered (session 0x1)"),
        (600, B1, "is elected leader"),
        (2_600, B1, "is silent for 5.4 s, then goes on"),
        (41_000, B1, "its session ends (session 0x1)"),
        (42_000, B1, "is registered (session 0x2)"),
        (43_000, B1, "unregisters"),
    ]


def test_story_tells_equal_answers_once_but_not_over_a_gap() -> None:
    topic = "persistent://t/n/topic"
    asked = [lookup(n, 10_000 + 1_000 * n, 10_010 + 1_000 * n, B1, B1, topic) for n in range(5)]
    late = lookup(9, 30_000, 42_000, B1, B1, topic)
    whole = channel(message(0, 0, printed("Owned", 1, B1), unit="t/n/0x00000000_0xffffffff"))
    lines = list(story(scene(channel=whole, lookups=[*asked, late]), "t/n/0x00000000_0xffffffff"))
    assert [line.text for line in lines if line.kind == "lookup"] == [
        "answers: I serve it (5 times in 4.000 s)",
        "answers: I serve it (after 12.0 s)",
    ]


def test_story_around_findings_keeps_what_is_nearest() -> None:
    step = FOLD.units[UNIT].steps[1]
    found = finding("law", Severity.WARNING, "why", [step], unit=UNIT, step=step)
    lines = story(scene(channel=FOLD), UNIT, [found])
    kept, left_out = around(lines, 2)
    assert left_out == 2
    assert "finding" in [line.kind for line in kept]
    assert around(lines, 10) == (lines, 0)


def test_nothing_is_due_after_a_tombstone() -> None:
    assert what_is_due(FOLD.units[UNIT].steps[0].held) == ""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("run", "unit"), [("zombie", MOVED), ("metadata-store", MOVED), ("split", "rig/a/0x00000000_0x40000000")]
)
def test_saved_story_is_a_run_of_the_model(run: str, unit: str, tmp_path: Path) -> None:
    file = tmp_path / "story.yaml"
    file.write_text(write_scenario(scenario_of(REAL / run, unit)), encoding="utf-8")
    replayed = replay(read_scenario(file))
    assert replayed.verdict == Verdict.VALID
    assert not replayed.reasons
    assert len(replayed.steps) > 10


def test_saved_story_opens_topics_where_a_log_says_that_they_were_loaded() -> None:
    """Each owner of the bundle loaded its topics; two loads in a row are one object that is open already."""
    unit = "rig/a/0x80000000_0xc0000000"
    topics = [one for one in loaded_in(recorded("zombie")) if one.unit == unit]
    assert len(topics) == 6
    scenario = scenario_of(ZOMBIE, unit, topics)
    opened = [step for step in map(str, scenario.steps) if step.startswith("open(")]
    assert opened == [f"open(broker={broker}, unit=1)" for broker in (3, 2, 1)]
    assert "Topics are opened 3 times" in scenario.story
    shown = replay(scenario)
    assert shown.verdict == Verdict.VALID
    assert "Which topics were open is no step" in scenario_of(ZOMBIE, unit).story


def test_topics_that_the_model_cannot_open_are_left_out_of_a_saved_story() -> None:
    """At its very beginning nobody owns the bundle; and a broker that is not in the run opens nothing."""
    unit = "rig/a/0x80000000_0xc0000000"
    plain = scenario_of(ZOMBIE, unit)
    first = TopicLoad("127.0.0.1:18082", unit, 0, "log")
    for topics in ([first], [first._replace(broker="stranger:1")], [first._replace(unit="rig/a/0x0_0x1")]):
        assert scenario_of(ZOMBIE, unit, topics) == plain


def test_topics_are_opened_before_what_was_seen_later() -> None:
    step = [RegistryStep(str(time), time, "elect", 1) for time in (10, 5, 20)]
    openings = [Opening("late", 30, 1, 1), Opening("same", 20, 1, 1), Opening("between", 15, 1, 1)]
    group = with_openings(UnitGroup((UNIT,), tuple(step)), openings)
    order = [seen.place for seen in group.timeline if not isinstance(seen, Append)]
    assert order == ["10", "5", "between", "20", "same", "late"]


def test_story_that_no_scenario_can_hold_is_refused_where_it_would_be_saved() -> None:
    with pytest.raises(Misuse, match=r"its story is too long for a scenario: bound refused: window=107"):
        scenario_of(REAL / "transfer", "rig/a/0x00000000_0x40000000")


def test_story_that_begins_in_a_parents_split_is_not_saved_alone() -> None:
    with pytest.raises(Misuse, match="no such unit"):
        scenario_of(ZOMBIE, "rig/x/0x00000000_0x40000000")


def test_why_prints_the_story_and_keeps_the_verdict_of_the_run(tmp_path: Path) -> None:
    plain = oneowner("audit", str(ZOMBIE), "--quiet")
    more = ("--save", str(tmp_path / "s.yaml"), "--perfetto", str(tmp_path / "p.json"))
    outcome = oneowner("audit", str(ZOMBIE), "--why", "--unit", MOVED, *more)
    assert outcome.code == plain.code
    assert "0:27 Owned(:18081, from :18083) v3 forced: accepted" in outcome.out
    assert "answers: I serve it (after 29.2 s)" in outcome.out
    assert ":18081: is silent for 30.1 s, then goes on" in outcome.out
    assert ":18081: its session ends (session 0x100001c96ed0006)" in outcome.out
    saved = (tmp_path / "s.yaml").read_text(encoding="utf-8")
    assert (tmp_path / "p.json").exists()
    assert "Findings of the real run: " in saved
    assert "dual-serving" in saved


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--why",), "it requires --unit, and --save requires both; add --unit KEY"),
        (
            ("--unit", MOVED),
            "--why prints the story of one bundle: it requires --unit, and --save requires both; add --why",
        ),
        (("--why", "--unit", "rig/c/0x0"), "no such unit"),
    ],
)
def test_why_without_a_unit_is_refused(arguments: tuple[str, ...], words: str) -> None:
    answer = oneowner("audit", str(ZOMBIE), *arguments)
    assert answer.code == 2
    assert words in answer.err


@pytest.mark.parametrize(
    ("run", "law"),
    [("forced-free", "tombstone-safe"), ("shutdown-together", "unregistered-owns-nothing")],
)
def test_saved_story_of_a_broken_law_of_states_breaks_it_at_the_step_of_the_finding(
    run: str, law: str, tmp_path: Path
) -> None:
    whole = read_recording(REAL / run)
    judged = (judge_laws(whole, unit, whole.rules) for unit in judge(whole).units)
    breaches = ((one.unit.group.keys[0], breach) for one in judged for breach in one.breaches)
    unit, step = next((unit, breach.number) for unit, breach in breaches if breach.law.name == law)
    saved = tmp_path / "story.yaml"
    saved.write_text(write_scenario(scenario_of(REAL / run, unit)), encoding="utf-8")
    scenario = read_scenario(saved)
    assert scenario.expect == Expectation(law, Verdict.INVALID, step)
    replayed = replay(scenario)
    assert replayed.verdict == Verdict.INVALID
    assert replayed.broken[law] == step
