"""Plans driven on paper: a cluster that follows the model, and clusters that deviate."""

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.collect.admin import Answer
from oneowner.checkers.lab.cluster.named import Broker, Named
from oneowner.checkers.lab.drive import brokers, session
from oneowner.checkers.lab.drive import driver as driving
from oneowner.checkers.lab.drive.brokers import OF_SOME, Parted
from oneowner.checkers.lab.drive.driver import Driver
from oneowner.checkers.lab.drive.namespace import Names
from oneowner.checkers.lab.drive.outcome import Done
from oneowner.checkers.lab.drive.plan import Plan, plan_of
from oneowner.checkers.lab.drive.real_event import Event, Kind, Point
from oneowner.checkers.lab.drive.report import done_in_words
from oneowner.checkers.lab.gates.client import Held, Read
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import EngineError, Verdict
from oneowner.model.channel.operators import is_asked
from oneowner.model.channel.parts import Message
from oneowner.model.channel.record import OWNED, RELEASING, Record
from oneowner.model.kernel.system import initial_states
from tests.command_line import COUNTEREXAMPLES, oneowner

GIVEN_BACK = "transfer-given-back/owner-can-serve"
CHILD = "../driven/split-crash/child-written-first"
LISTED = "lists_what_it_knew/listed-is-owned"
EMPTIED = "outage_stops_service/outage-no-interrupt"
BELIEVERS = "leader/two-believers"
LATE = "late-clean-up/clean-only-by-leader"
AGAIN = "nobody_re_elects/leader-acts"
DRIVEN = [
    GIVEN_BACK, "multi-phase/connections-end", "pause/one-claimant", "lost_split_waits/refusal-is-told",
    "shutdown/active-at-some-instant", "lookup/no-redirect-cycle", "multi-phase-metadata-store/connections-end",
    "tombstone/dual-serving-explained", "transfer_told_done/done-as-asked", LISTED, EMPTIED,
    "safe-mode/grace-after-outage", CHILD, BELIEVERS, LATE, "no_reregister/registered-again", AGAIN,
    "../driven/leader/unregistered-wins", "old_leader_keeps_topics/load-data-reaches-leader",
]  # fmt: skip


class Paper:
    """A cluster on paper: each event of the plan, in its order, turns the model's state into *change* of it."""

    def __init__(self, plan: Plan, change: Callable[[int, Any], Any]) -> None:
        self.plan, self.at, self.change = plan, 0, change
        self.state = initial_states(plan.scenario.bounds)[0]
        self.names: Names
        self.has_read_back = False
        """True once a broker has just written to the metadata store: the same step reads it back."""
        self.other: list[Any] = []
        """Closes that the model does not have."""
        brokers = [Broker(f"b:{at}", 0, 0, at) for at in range(1, plan.scenario.bounds.brokers + 1)]
        self.named = Named("drive", "4.0.6", "", "", 0, 0, "", "", 0, brokers=brokers)

    def lists(self, broker: int, unit: int) -> bool:
        """Return whether a broker lists a unit as its own."""
        return bool(
            self.state.listed[broker, unit] or self.state.view[broker, unit] == Record(OWNED, broker, version=2)
        )

    def event(self) -> None:
        """The next event happens."""
        self.state = self.change(self.at + 1, self.plan.steps[self.at].after)
        self.at += 1

    def printed(self, unit: int, record: Record) -> str:
        """Return a record under its key as a broker prints it."""
        if not record.version:
            return f"{self.names.unit(unit)} null"
        destination, source = (self.names.broker(at) if at else "null" for at in (record.destination, record.source))
        return (
            f"{self.names.unit(unit)} ServiceUnitStateData[state={record.state.value}, dstBroker={destination}, "
            f"sourceBroker={source}, splitServiceUnitToDestBroker=null, force={str(record.force).lower()}, "
            f"timestamp=1, versionId={record.version}]"
        )


class PaperGates:
    """The gates of one of its brokers."""

    def __init__(self, paper: Paper, broker: int) -> None:
        self.paper, self.broker = paper, broker

    def answer(self, *_: object) -> None:
        """Selections follow the plan."""

    hold = answer
    open = answer

    def monitor(self, *_: str) -> None:
        self.paper.event()

    def command(self, *_: str) -> int:
        self.paper.event()
        return 1

    def has_ended(self, _: int) -> bool:
        return not any(is_asked(self.paper.state.unloading[self.broker, unit]) for unit in (1,))

    def ask(self, what: str, *_: object) -> None:
        if what == "go":
            self.paper.event()
            self.paper.has_read_back = True

    def waits(self, point: str, text: str, seconds: float) -> Held | None:
        state, names = self.paper.state, self.paper.names
        if point == Point.NOTIFY and self.paper.has_read_back:
            self.paper.has_read_back = False
            return None
        texts = {
            Point.APPEND: [self.paper.printed(one.unit, one.record) for one in state.outbox[self.broker]],
            Point.CONSUME: [self.paper.printed(one.unit, one.record) for one in state.log][state.cursor[self.broker] :],
            Point.CLOSE: [f"{names.unit(one.unit)} true" for one in (*state.closing[self.broker], *self.paper.other)],
            Point.NOTICE: [f"{broker} Deleted" for broker in names.brokers],
            Point.CLEAN_UP: [f"{broker} false" for broker in names.brokers],
            Point.SESSION: ["SessionLost", "SessionReestablished"],
            Point.ELECT: [] if state.leader else ["/loadbalance/extension/leader"],
            Point.OVERRIDE: [f"{names.unit(unit)} null" for unit in range(1, state.bounds.units + 1)],
        }.get(Point(point), [names.unit(unit) for unit in range(1, state.bounds.units + 1)])
        return next((Held(1, one) for one in texts if re.search(text, one)), None)

    def let_go(self, *_: object) -> str:
        if not self.paper.other:
            self.paper.event()
        self.paper.other.clear()
        return ""

    def held(self) -> list[tuple[str, str]]:
        outbox = self.paper.state.outbox[self.broker]
        return [("append", self.paper.printed(one.unit, one.record)) for one in outbox]

    def view(self, key: str) -> Read:
        names = self.paper.names
        unit = next(at for at in range(1, len(names.parts) + 1) if names.unit(at) == key)
        record = self.paper.state.view[self.broker, unit]
        destination, source = (names.broker(at) if at else "" for at in (record.destination, record.source))
        return Read(record.state.value, destination, source, record.force, record.version)

    def plays_leader(self) -> bool:
        return bool(self.paper.state.believes[self.broker])

    def topics(self, _: str) -> list[tuple[str, int, str]]:
        names, serving = self.paper.names, self.paper.state.serving
        return [(names.topic(unit), 0, "open") for unit in range(1, len(names.parts) + 1) if serving[self.broker, unit]]


class PaperAdmin:
    """The admin interface of its brokers."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.listed: list[str] = []
        """The brokers that every one lists, where that is asked."""

    def ask(self, method: str, url: str, *_: object, **__: object) -> Answer:
        if url.endswith("leaderBroker"):
            leads = self.paper.state.leader or self.paper.plan.steps[self.paper.at].after.leader
            if self.paper.state.leader != leads:
                self.paper.event()
            return Answer(200, f'{{"serviceUrl": "http://b:{leads}"}}', None)
        if re.search("unload|split|lookup/v2|persistent/", url):
            self.paper.event()
        if url.endswith("/admin/v2/brokers/lab"):
            return Answer(200, json.dumps(self.listed), None)
        if listing := re.search("//b:(.)/.*ownedNamespaces", url):
            names, at = self.paper.names, int(listing[1])
            units = range(1, len(names.parts) + 1)
            return Answer(200, json.dumps({names.unit(unit): {} for unit in units if self.paper.lists(at, unit)}), None)
        return Answer(204, "", None)


def as_it_is(number: int, state: Any) -> Any:
    return state


def on_paper(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[int, Any], Any] = as_it_is,
    kind: type[Driver] = Driver,
) -> Driver:
    plan = plan_of(read_scenario(COUNTEREXAMPLES / f"{name}.yaml"), "4.0.6")
    paper = Paper(plan, change)

    class Now:
        """A thread that does at once what it is for."""

        def __init__(self, target: Any, args: Any, kwargs: Any) -> None:
            target(*args, **kwargs)

        def start(self) -> None:
            """It has been done."""

        def is_alive(self) -> bool:
            """A caller waits as long as in the model."""
            state = paper.state
            return any(is_asked(cells[1, 1]) for cells in (state.unloading, state.dividing))

    def expired() -> None:
        """An event that comes by itself, a session's end or a record that follows, happens before it is looked for."""
        if paper.plan.steps[paper.at].event.kind in (Kind.WAIT, Kind.SIGNAL, Kind.RELAY):  # type: ignore[union-attr]
            paper.event()

    monkeypatch.setattr(brokers, "Admin", lambda: PaperAdmin(paper))
    monkeypatch.setattr(driving, "ask", lambda *_, **__: None)
    monkeypatch.setattr(brokers, "SETTLES", 0.0)
    monkeypatch.setattr(threading, "Thread", Now)
    made = kind(paper.named, plan)
    paper.names = made.names
    made.gates = {at: PaperGates(paper, at) for at in made.gates}  # type: ignore[misc]
    perform = made.perform

    def performed(planned: Any) -> None:
        before = paper.at
        perform(planned)
        if paper.at == before:
            expired()

    monkeypatch.setattr(made, "perform", performed)
    return made


@pytest.mark.parametrize("name", DRIVEN)
def test_cluster_that_does_what_the_model_says_is_driven_to_the_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(name, monkeypatch)
    assert driver.start() == []
    done = list(driver.run())
    assert [one.planned.number for one in done] == list(range(1, len(driver.plan.steps) + 1))
    assert not any(one.differences for one in done)
    lines = [line for one in done for line in done_in_words(one, {})]
    assert lines
    assert all(line.endswith((", in both", " s)")) for line in lines)


def test_close_that_the_model_does_not_have_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(GIVEN_BACK, monkeypatch)
    paper = driver.admin.paper  # type: ignore[attr-defined]
    paper.other.append(Message(1, Record(RELEASING)))
    driver.end_other_closes(paper.state)
    assert (paper.other, paper.at) == ([], 0)


def test_broker_that_does_not_list_what_it_knew_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(LISTED, monkeypatch)
    monkeypatch.setattr(driver.operator, "listed", lambda broker: {1} if broker == 2 else set())
    assert [one.differences for one in driver.run()] == [
        [],
        ["broker 1 lists as its own: bundle 1 by the model, nothing in the cluster"],
    ]


def test_clean_up_of_several_bundles_goes_once_and_each_override_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(CHILD, monkeypatch)
    event = driver.plan.steps[9].event
    assert event is not None
    held, gone = {"clean-up": Held(1, "b:2 false")}, list[int]()

    class OnceCleanUpGoes:
        """Gates of broker 1: once the clean-up goes, an override of each bundle waits."""

        answer = PaperGates.answer

        def waits(self, point: str, *_: object) -> Held | None:
            return held.get(point)

        def ask(self, _: str, number: int, *__: object) -> None:
            gone.append(number)
            held[Point.OVERRIDE] = Held(2, "of the bundle")

    driver.gates[1] = OnceCleanUpGoes()  # type: ignore[assignment]
    driver.clean_up("override", event)
    assert gone == [1, 2]
    driver.clean_up("override", event)
    assert gone == [1, 2, 2]


def test_outage_holds_the_relays_of_brokers_that_have_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper("safe-mode/grace-after-outage", monkeypatch)
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(driving, "ask", lambda *_, **what: asked.append(what))
    assert not any(one.differences for one in driver.run())
    assert [(one["broker"], one["passage"]) for one in asked] == [(2, "cut"), (1, "held"), (1, "open")]


def test_cluster_that_serves_on_parts_after_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(read_scenario(COUNTEREXAMPLES / f"{GIVEN_BACK}.yaml"), "4.0.6")
    driver = on_paper(GIVEN_BACK, monkeypatch, lambda number, state: plan.steps[0].after if number == 3 else state)
    done = list(driver.run())
    assert [one.planned.number for one in done] == [1, 2, 3]
    assert "broker 1 serves: nothing by the model, bundle 1 in the cluster" in done[-1].differences


def test_call_that_does_not_come_parts_and_says_what_waits_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(GIVEN_BACK, monkeypatch)
    first = driver.plan.steps[0]
    driver.perform(first)
    with pytest.raises(Parted, match=r"nothing waits at consume of broker 1; waiting instead: append lab/drive-1/"):
        driver.perform(driver.plan.steps[2])


def test_call_that_carries_another_record_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(GIVEN_BACK, monkeypatch)
    driver.perform(driver.plan.steps[0])
    with pytest.raises(Parted, match=r"at append of broker 1 waits bundle 1 Releasing.*; the model: .*Owned"):
        driver.perform(driver.plan.steps[5])


def test_record_that_lacks_the_force_of_the_models_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(GIVEN_BACK, monkeypatch)
    unforced = driver.admin.paper.printed(1, Record(OWNED, 1, version=4))  # type: ignore[attr-defined]
    monkeypatch.setattr(driver.gates[1], "waits", lambda *_: Held(1, unforced))
    with pytest.raises(Parted, match=r"waits bundle 1 Owned\(1\) v4; the model: .* Owned\(1\) v4 forced go"):
        driver.perform(driver.plan.steps[5])


def test_who_leads_is_waited_for_while_nobody_is_elected(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper("hung_leader_keeps_channel/elected-can-publish", monkeypatch)
    asked = iter([Answer(0, "", None), Answer(0, "", None), Answer(200, '{"serviceUrl": "http://b:2"}', None)])
    monkeypatch.setattr(driver.admin, "ask", lambda *_, **__: next(asked))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    driver.perform(driver.plan.steps[2])
    assert next(asked, None) is None


def test_attempt_of_one_broker_goes_first_and_then_those_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(LATE, monkeypatch)
    event, gone = driver.plan.steps[5].event, list[str]()
    assert event is not None
    assert (event.point, event.broker) == (Point.ELECT, 3)
    waiting = {1: [Held(11, "of 1"), Held(12, "again of 1")], 2: [Held(21, "of 2")], 3: [Held(31, "of 3")]}

    class Attempts:
        def __init__(self, at: int) -> None:
            self.at = at

        def waits(self, point: str, *_: object) -> Held | None:
            assert point == Point.ELECT
            return waiting[self.at].pop(0) if waiting[self.at] else None

        def ask(self, _: str, number: int, *__: object) -> None:
            gone.append(f"{number}")

    driver.gates = {at: Attempts(at) for at in driver.gates}  # type: ignore[misc]

    def leads(broker: int) -> bool:
        gone.append(f"{broker} leads")
        return True

    monkeypatch.setattr(driver, "leads", leads)
    monkeypatch.setattr(Named, "running", lambda _: ["broker-1", "broker-3"])  # 2 has ended
    driver.elect(event)
    assert gone == ["31", "3 leads", "11", "12"]


def test_gates_of_roles_elections_and_sessions_are_shut_where_a_step_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(name: str) -> dict[str, str]:
        driver, held = on_paper(name, monkeypatch), dict[str, str]()
        driver.gates = {1: PaperGates(driver.admin.paper, 1)}  # type: ignore[attr-defined,dict-item]
        monkeypatch.setattr(driver.gates[1], "hold", lambda point, text: held.update({point: text}))
        driver.shut()
        return {point: text for point, text in held.items() if point in OF_SOME}

    assert shut(BELIEVERS) == {"notify": r"/lab/drive\-1/", "elect": "", "lead": ""}
    assert shut(LATE) == {"notify": r"/lab/drive\-1/", "elect": "", "session": "^Session(Lost|Reestablished)$"}
    assert shut(AGAIN) == {"notify": r"/lab/drive\-1/", "register": "", "session": "^Session(Reestablished)$"}
    assert shut("safe-mode/grace-after-outage") == {"notify": r"/lab/drive\-1/", "session": "^Session(Lost)$"}


def test_broker_that_registers_with_its_session_is_let(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(AGAIN, monkeypatch)
    reach, register = driver.plan.steps[1], driver.plan.steps[2]
    assert reach.event is not None
    asked: list[str] = []

    class OfOne:
        def waits(self, point: str, text: str, _: float) -> Held:
            asked.append(f"{point} {text}".strip())
            return Held(1, "")

        def ask(self, what: str, *_: object) -> None:
            asked.append(what)

        def let_go(self, *_: object) -> str:
            asked.append("let go")
            return ""

    driver.gates[1] = OfOne()  # type: ignore[assignment]
    driver.reach(reach, reach.event)
    assert asked == ["session ^SessionReestablished$", "go"]
    asked.clear()
    driver.reach(replace(reach, after=register.after), reach.event)
    assert asked == ["session ^SessionReestablished$", "go", "register", "let go"]


def test_role_that_is_another_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(BELIEVERS, monkeypatch)
    monkeypatch.setattr(PaperGates, "plays_leader", lambda gates: gates.broker == 1)
    assert [one.differences for one in driver.run()][-1] == [
        "broker 2 plays the leader: yes by the model, no in the cluster"
    ]


def test_step_that_nobody_can_bring_about_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(GIVEN_BACK, monkeypatch)
    waits = replace(driver.plan.steps[0], event=Event(Kind.WAIT, "wait for it"))
    with pytest.raises(EngineError, match="nobody knows how to bring transfer about"):
        driver.perform(waits)


def test_end_with_nothing_to_compare_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = on_paper(GIVEN_BACK, monkeypatch)
    none = Done(driver.plan.steps[-1], {}, {}, [], 0.0)
    monkeypatch.setattr(driver, "prepare", lambda: None)
    monkeypatch.setattr(driver, "run", lambda: iter([none]))
    found = session._drive(driver, driver.plan, [], lambda _: None)
    assert found == (Verdict.UNKNOWN, "no broker runs after the last step: there was nothing to compare with the model")


@pytest.mark.slow
def test_real_brokers_do_what_the_model_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    outcome = oneowner("drive", COUNTEREXAMPLES / f"{GIVEN_BACK}.yaml", "--out", tmp_path / "out", "--wait", 900)
    assert outcome.code == 0, outcome.said
    assert "all 12 steps: the cluster is as the model says after each" in outcome.out
    assert len(list((tmp_path / "out").rglob("gates-*.jsonl"))) == 2
    assert oneowner("lab", "status").out == "no cluster is up\n"
