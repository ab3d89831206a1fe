"""After the last step, on paper: a rest that stays, one that is left, a loop that is driven round."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oneowner.checkers.lab.drive import session, watch
from oneowner.checkers.lab.drive.brokers import Parted
from oneowner.checkers.lab.drive.driver import AGES, Driver
from oneowner.checkers.lab.drive.outcome import Done, Driven, Watched
from oneowner.checkers.lab.drive.plan import Plan, plan_of
from oneowner.checkers.lab.drive.real_event import Point
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.parts import Run
from tests.command_line import COUNTEREXAMPLES, oneowner
from tests.lab.test_driver import on_paper

REST = "multi-phase/connections-end"
OF_OTHERS = "stale_session_event/flight-ends"


@pytest.fixture(autouse=True)
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "PAUSE", 0.0)
    monkeypatch.setattr(watch, "LASTS", 0.0)


def driven_to_its_end(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Driver, list[str]]:
    """Return a driver whose cluster on paper has done all steps, and the list where it is noted what its gates do."""
    driver, notes = on_paper(name, monkeypatch), list[str]()
    assert not any(one.differences for one in driver.run())
    for at, gate in driver.gates.items():
        monkeypatch.setattr(gate, "open", lambda point, at=at: notes.append(f"{at} open {point}"))
        monkeypatch.setattr(gate, "monitor", lambda age, at=at: notes.append(f"{at} monitor {age}"))
    return driver, notes


def test_rest_that_stays_is_looked_at_with_gates_open_and_monitors_running(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, notes = driven_to_its_end(REST, monkeypatch)
    watched = watch.watch(driver, driver.plan, 0.3)
    running = [at for at in driver.gates if driver.plan.steps[-1].after.run[at] == Run.UP]
    assert {f"{at} open {point}" for at in running for point in Point if point is not Point.MONITOR} <= {*notes}
    assert not [note for note in notes if note.endswith(f"open {Point.MONITOR}")]
    assert {f"{at} monitor {age}" for at in running for age in AGES.values()} <= {*notes}
    assert {int(note.split()[0]) for note in notes} == {*running}
    assert (watched.left, watched.rounds, watched.parted, watched.goes_on) == ((), 0, False, "")
    assert watched.looks > 1
    assert watched.seconds >= 0.3
    assert watched.words.endswith("looks: the cluster stays as the model says")


def test_rest_that_is_left_is_a_parting(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, _ = driven_to_its_end(REST, monkeypatch)
    paper, end = driver.admin.paper, driver.plan.steps[-1].after  # type: ignore[attr-defined]
    assert not end.serving[1, 1]
    looks = iter(range(5))

    def comes_back(_: str) -> None:
        if next(looks) == 2:
            paper.state = driver.plan.steps[0].before

    monkeypatch.setattr(driver.gates[1], "monitor", comes_back)
    watched = watch.watch(driver, driver.plan, 60)
    assert watched.parted
    assert watched.looks == 3
    assert "broker 1 serves: nothing by the model, bundle 1 in the cluster" in watched.left


def test_plan_says_what_is_still_to_come_by_the_rules_of_the_release() -> None:
    plans = {name: plan_of(read_scenario(COUNTEREXAMPLES / f"{name}.yaml"), "4.0.6") for name in (REST, OF_OTHERS)}
    assert {name: plan.loop for name, plan in plans.items()} == {REST: (), OF_OTHERS: ()}
    assert plans[REST].goes_on == ""
    assert plans[OF_OTHERS].goes_on == "override(broker=1, unit=1, destination=1)"
    no_loop = plan_of(read_scenario(COUNTEREXAMPLES / "lost_split_waits/refusal-is-told.yaml"), "4.0.6")
    assert (no_loop.loop, no_loop.goes_on) == (None, "")


def test_what_is_to_come_in_a_loop_excuses_nobody_who_leaves_it() -> None:
    scenario = read_scenario(COUNTEREXAMPLES / f"{OF_OTHERS}.yaml")
    loop = plan_of(replace(scenario, loop=len(scenario.steps)), "4.0.6")
    assert loop.loop
    assert len(loop.loop) == 1
    assert loop.goes_on == ""


def test_rest_that_the_rules_of_the_release_end_is_no_parting(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, _ = driven_to_its_end(REST, monkeypatch)
    driver.admin.paper.state = driver.plan.steps[0].before  # type: ignore[attr-defined]
    watched = watch.watch(driver, replace(driver.plan, goes_on="override()"), 60)
    assert watched.left
    assert not watched.parted
    assert watched.words.endswith("(by the rules of the release override() is still to come)")


class Round:
    """A driver of a loop: each round is done, until one is another, or a call does not come."""

    def __init__(self, apart: Sequence[list[str]], parts: bool = False) -> None:
        self.apart, self.parts, self.driven = list(apart), parts, list[Any]()

    def run(self, steps: Any) -> Iterator[Done]:
        self.driven.append(steps)
        if self.parts and len(self.driven) == 2:
            raise Parted("nothing waits at consume of broker 1")
        yield Done(steps[0], {}, {}, self.apart.pop(0) if self.apart else [], 0.0)


LOOP: Any = SimpleNamespace(loop=("a step",), steps=("lead-in", "a step"), goes_on="")


def test_loop_is_driven_round_for_the_given_time_and_at_least_once() -> None:
    driver: Any = Round([])
    watched = watch.watch(driver, LOOP, 0.05)
    assert watched.rounds == watched.looks == len(driver.driven) > 1
    assert {*driver.driven} == {("a step",)}
    assert watched.words.endswith(f"driven round {watched.rounds} times: the cluster stays as the model says")
    assert watch.watch(driver, LOOP, 0.0).rounds == 1


def test_loop_that_the_cluster_leaves_is_a_parting() -> None:
    other: Any = Round([[], [], ["broker 1 serves: nothing by the model, bundle 1 in the cluster"]])
    watched = watch.watch(other, LOOP, 60)
    assert (watched.rounds, watched.parted) == (2, True)
    none: Any = Round([], parts=True)
    watched = watch.watch(none, LOOP, 60)
    assert (watched.rounds, watched.left) == (1, ("nothing waits at consume of broker 1",))


@pytest.mark.parametrize(("left", "verdict"), [((), Verdict.VALID), (("broker 1 serves",), Verdict.INVALID)])
def test_outcome_of_a_scenario_says_what_was_watched(
    left: tuple[str, ...], verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, progress = on_paper(REST, monkeypatch), list[str]()
    monkeypatch.setattr(driver, "prepare", lambda: None)
    monkeypatch.setattr(session, "Driver", lambda *_: driver)
    monkeypatch.setattr(session, "watch", lambda _, plan, seconds: Watched(seconds, 60, 0, left, plan.goes_on))

    def use(plan: Plan, watch_for: float) -> Driven:
        (row,) = session._use(Path(), driver.cluster, [plan], 1, progress.append, True, watch_for)
        return row

    row = use(driver.plan, 30)
    assert (row.verdict, row.why != "") == (verdict, bool(left))
    assert row.as_json()["watched"] == {"seconds": 30, "looks": 60, "rounds": 0, "left": list(left), "goes_on": ""}
    assert any(line.strip().startswith("watched for 30 s, gates open, 60 looks: ") for line in progress)
    assert row.followed == len(driver.plan.steps)


def test_what_does_not_say_what_follows_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper("lost_split_waits/refusal-is-told", monkeypatch)
    monkeypatch.setattr(driver, "prepare", lambda: None)
    monkeypatch.setattr(session, "Driver", lambda *_: driver)
    (row,) = session._use(Path(), driver.cluster, [driver.plan], 1, lambda _: None, True, 30)
    assert (row.verdict, row.watched, row.as_json()["watched"]) == (Verdict.VALID, None, None)


def test_time_that_is_none_is_refused() -> None:
    outcome = oneowner("drive", COUNTEREXAMPLES / f"{REST}.yaml", "--watch", 0)
    assert (outcome.code, "--watch refused: 0; a positive number of seconds is required" in outcome.err) == (2, True)
