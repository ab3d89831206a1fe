"""Scenarios as schedules of faults, on paper: the faults, the expected findings, and how often they showed."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.lab.drive import brokers, free, session
from oneowner.checkers.lab.drive import driver as driving
from oneowner.checkers.lab.drive.free import Free
from oneowner.checkers.lab.drive.outcome import Driven
from oneowner.checkers.lab.drive.plan import Plan, plan_of
from oneowner.checkers.lab.drive.real_event import Kind
from oneowner.checkers.scenarios.scenario import read_scenario
from oneowner.checkers.verdict import Verdict
from tests.command_line import COUNTEREXAMPLES, Outcome, oneowner, refused
from tests.lab.test_driver import GIVEN_BACK, LISTED, on_paper

LOST_SPLIT = "lost_split_waits/refusal-is-told"
ONE = COUNTEREXAMPLES / f"{GIVEN_BACK}.yaml"


class Counted:
    """A function, and how often it was called."""

    def __init__(self, of: Callable[..., Any]) -> None:
        self.of, self.times = of, 0

    def __call__(self, *given: Any) -> Any:
        self.times += 1
        return self.of(*given)


def freely(name: str, monkeypatch: pytest.MonkeyPatch, to: int | None = None) -> tuple[Any, list[str]]:
    """Return a driver of a paper cluster, which takes steps at gates by itself up to step *to*, and its questions."""
    monkeypatch.setattr(free, "COMES", 0.0)
    monkeypatch.setattr(free, "ENDS", 0.0)
    asked: list[str] = []
    driver = on_paper(name, monkeypatch, kind=Free)
    paper = driver.admin.paper  # type: ignore[attr-defined]
    monkeypatch.setattr(free, "ask", lambda _, **what: asked.append(f"{what['signal']} {what['broker']}"))
    monkeypatch.setattr(driving, "ask", lambda _, **what: asked.append(f"{what['passage']} {what['broker']}"))
    compare = driver.compare

    def compared(*given: Any) -> Any:
        steps = paper.plan.steps
        while paper.at < len(steps if to is None else steps[:to]) and steps[paper.at].event.kind is Kind.GATE:
            paper.event()
        return compare(*given)

    monkeypatch.setattr(driver, "compare", compared)
    monkeypatch.setattr(driver, "prepare", lambda: driver.shut())
    return driver, asked


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        (GIVEN_BACK, []),
        ("multi-phase/connections-end", ["SIGKILL 2"]),
        ("pause/one-claimant", ["SIGSTOP 2", "SIGCONT 2"]),
        (LISTED, ["cut 1"]),
        (LOST_SPLIT, []),
    ],
)
def test_events_come_in_the_models_order_and_the_end_is_seen(
    name: str, asks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, asked = freely(name, monkeypatch)
    assert session._look(driver, driver.plan, [], lambda _: None) == (Verdict.VALID, "")
    assert asked == asks


def test_end_that_does_not_come_is_unknown_with_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, _ = freely(GIVEN_BACK, monkeypatch, to=4)
    verdict, why = session._look(driver, driver.plan, [], lambda _: None)
    assert verdict is Verdict.UNKNOWN
    assert why.startswith("not seen: broker 1 holds of bundle 1: Owned(1) v4 forced by the model, Releasing(2, from 1)")


def test_what_two_operators_ask_is_not_waited_for_between(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, times in (("transfer_told_done/done-as-asked", 1), ("pause/one-claimant", 2)):
        driver, _ = freely(name, monkeypatch)
        looked = Counted(driver.compare)
        monkeypatch.setattr(driver, "compare", looked)
        assert len(list(driver.run())) == 1
        assert looked.times == times, name


def test_what_is_about_to_be_written_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, _ = freely(GIVEN_BACK, monkeypatch)
    after = driver.plan.steps[0].after
    assert sorted(driver.predicted(after)) == [
        f"broker {broker} {what}" for broker in (1, 2) for what in ("holds of bundle 1", "serves")
    ]


def test_broker_that_others_still_list_has_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, _ = freely("multi-phase/connections-end", monkeypatch)
    monkeypatch.setattr(brokers, "PATIENCE", 0.0)
    monkeypatch.setattr(driver.admin, "listed", ["b:1", "b:2", "b:3"])
    verdict, why = session._look(driver, driver.plan, [], lambda _: None)
    assert (verdict, why) == (Verdict.UNKNOWN, "not seen: a broker still lists broker 2")


def test_plan_that_cannot_be_brought_about_is_not_begun(tmp_path: Path) -> None:
    plan = plan_of(read_scenario(COUNTEREXAMPLES / "shutdown" / "no-waiter-leak.yaml"), "4.0.6")
    (row,) = session.driven([plan], tmp_path, tmp_path, None, 1.0, lambda _: None, gated=False)
    assert (row.verdict, row.why) == (Verdict.UNKNOWN, plan.words)


def counted(monkeypatch: pytest.MonkeyPatch, verdicts: list[Verdict], *options: object) -> Outcome:
    """Return the verb's output for runs with open gates that end so."""

    def driven(plans: list[Plan], *given: Any) -> Iterator[Driven]:
        assert given[-1] is False
        assert len(plans) == len(verdicts)
        for plan, verdict in zip(plans, verdicts, strict=True):
            yield Driven(replace(plan), verdict, "" if verdict is Verdict.VALID else "not seen: it is not there")

    monkeypatch.setattr(session, "driven", driven)
    return oneowner("drive", ONE, "--no-gates", "--repeat", len(verdicts), *options)


def test_end_that_was_seen_once_is_valid_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = counted(monkeypatch, [Verdict.UNKNOWN, Verdict.VALID, Verdict.UNKNOWN])
    assert (outcome.code, outcome.out.strip()) == (0, f"{GIVEN_BACK}: seen in 1 of 3 runs")
    found = counted(monkeypatch, [Verdict.UNKNOWN, Verdict.VALID], "--json", "-").json
    assert [row["verdict"] for row in found["driven"]] == ["unknown", "valid"]


def test_end_that_was_never_seen_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = counted(monkeypatch, [Verdict.UNKNOWN, Verdict.UNKNOWN])
    assert (outcome.code, outcome.out.strip()) == (3, f"{GIVEN_BACK}: seen in 0 of 2 runs")


def test_ledger_takes_no_runs_with_open_gates() -> None:
    refused(
        oneowner("drive", ONE, "--no-gates", "--keep"),
        "--keep refused: the ledger holds runs driven step by step; omit --no-gates",
    )
