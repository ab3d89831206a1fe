"""The time after the last step: a rest is watched with its gates open, a loop is repeated; both for a given time."""

import time
from collections.abc import Iterator
from typing import Any, Final

from oneowner.checkers.lab.drive.brokers import Parted
from oneowner.checkers.lab.drive.driver import AGES, Driver
from oneowner.checkers.lab.drive.outcome import Watched
from oneowner.checkers.lab.drive.plan import Plan
from oneowner.checkers.lab.drive.real_event import Point
from oneowner.model.channel.parts import Run

SECONDS: Final = 30.0
"""The default duration of the observation."""
LASTS: Final = 2.0
"""The time for which the cluster must differ from the model to have left it: its state is read piece by piece."""
PAUSE: Final = 0.5
"""Between two looks, in seconds."""


def watch(driver: Driver, plan: Plan, seconds: float) -> Watched:
    """
    Watch the ending of *plan*: its rest, or the steps of its loop, which are repeated at least once.

    :raises EngineError: a broker does not answer.
    """
    assert plan.loop is not None
    looks, rounds, left, began = 0, 0, list[str](), time.monotonic()
    if not plan.loop:
        _let_be(driver, plan.steps[-1].after)
    while not left and (time.monotonic() - began < seconds or not looks):
        try:
            for apart in _round(driver, plan) if plan.loop else _look(driver, plan.steps[-1].after, looks):
                looks += 1
                left = apart
        except Parted as parted:
            left = [str(parted)]
        rounds += bool(plan.loop) and not left
    return Watched(time.monotonic() - began, looks, rounds, tuple(left), plan.goes_on)


def _round(driver: Driver, plan: Plan) -> Iterator[list[str]]:
    """Drive the steps of the loop once; yield the differences of the cluster from each."""
    for done in driver.run(plan.loop):
        yield done.differences


def _look(driver: Driver, state: Any, number: int) -> Iterator[list[str]]:
    """Run each broker's monitor once, with all entries too old for it; yield the differences of the cluster."""
    age = list(AGES.values())[number % len(AGES)]
    for at, gate in driver.gates.items():
        if state.run[at] == Run.UP:
            gate.monitor(age)
    time.sleep(PAUSE)
    yield driver.compare(state, LASTS)[2]


def _let_be(driver: Driver, state: Any) -> None:
    """
    Open the gates of the running brokers, except the monitor's: spontaneous events may happen now.

    The monitor's own times are an hour here, so its runs are triggered.
    """
    for at, gate in driver.gates.items():
        if state.run[at] == Run.UP:
            gate.answer(Point.SELECT, driver.names.namespace, "")
            for point in Point:
                if point is not Point.MONITOR:
                    gate.open(point)
