"""The brokers that a plan is driven on: brought to its start state, gates shut and opened, compared with the model."""

import re
import time
from collections.abc import Callable, Collection
from typing import Any, Final

from oneowner.checkers.collect.admin import Admin
from oneowner.checkers.lab.cluster.named import Named
from oneowner.checkers.lab.drive.look import differences, predicted, seen
from oneowner.checkers.lab.drive.namespace import TENANT, Names, ranges
from oneowner.checkers.lab.drive.operator import PATIENCE, Operator
from oneowner.checkers.lab.drive.plan import Plan
from oneowner.checkers.lab.drive.real_event import Event, Point
from oneowner.checkers.lab.gates.client import Gates, Held
from oneowner.checkers.verdict import EngineError

SETTLES: Final = 15.0
"""The timeout, in seconds, until the cluster agrees with the model after a step."""
HEARS_ANEW: Final = ("reestablish", "reconnect")
OF_UNITS: Final = (Point.APPEND, Point.CONSUME, Point.CLOSE, Point.SELECT)
FOR_A_STEP: Final = (Point.ELECT, Point.LEAD, Point.FOLLOW, Point.REGISTER)
OF_SOME: Final = (Point.NOTIFY, Point.SESSION, Point.OVERRIDE, *FOR_A_STEP)
OF_ALL: Final = tuple(point for point in Point if point not in (*OF_UNITS, *OF_SOME))


class Parted(Exception):
    """The cluster departs from the model; the message describes its behaviour."""


class Brokers:
    """Brokers of a cluster, numbered as in the model: the leader is the first."""

    def __init__(self, cluster: Named, plan: Plan, number: int = 1) -> None:
        """:param number: of the scenario on this cluster; each has a namespace of its own."""
        self.cluster, self.plan, self.admin = cluster, plan, Admin()
        bounds = plan.scenario.bounds
        leader = self.leader()
        order = sorted(cluster.brokers, key=lambda broker: broker.id != leader)
        self.names = Names(f"{TENANT}/drive-{number}", tuple(broker.id for broker in order), tuple(ranges(bounds)))
        self.gates = {at: Gates(broker.gates or 0) for at, broker in enumerate(order, 1)}
        self.real = {at: cluster.brokers.index(broker) + 1 for at, broker in enumerate(order, 1)}
        self.operator = Operator(self.names, self.admin)
        points = {one.event.point for one in plan.steps if one.event is not None and one.event.point is not None}
        self.one_by_one = Point.OVERRIDE in points
        """True if some clean-up overrides several bundles."""
        self.held_too = points.intersection(FOR_A_STEP)
        """The gates that are shut only if a step releases a call there."""
        self.hears_anew = any(one.action.name in HEARS_ANEW for one in plan.steps)
        """True if a step determines the time of some broker's notification of its new session."""

    def leader(self) -> str:
        for broker in self.cluster.brokers:
            found = self.admin.ask("GET", f"http://{broker.id}/admin/v2/brokers/leaderBroker", wait=5).data()
            if found:
                return str(found["serviceUrl"]).removeprefix("http://")
        raise EngineError("drive: no broker says who leads")

    def leads(self, broker: int) -> bool:
        """Return whether *broker* reports itself as the leader; false before the election."""
        name = self.names.broker(broker)
        found = self.admin.ask("GET", f"http://{name}/admin/v2/brokers/leaderBroker", wait=5).data()
        return bool(found) and str(found["serviceUrl"]) == f"http://{name}"

    def prepare(self) -> None:
        """Create the start state: a namespace whose bundles the model's owner owns and serves; then shut the gates."""
        bounds = self.plan.scenario.bounds
        self.operator.make_namespace(1 if bounds.splits else bounds.units)
        if bounds.owner:
            for gate in self.gates.values():
                gate.answer(Point.SELECT, self.names.namespace, self.names.broker(bounds.owner))
            for unit in range(1, 2 if bounds.splits else bounds.units + 1):
                self.operator.load(bounds.owner, unit)
            for gate in self.gates.values():
                gate.answer(Point.SELECT, self.names.namespace, "")
        self.shut()

    def shut(self) -> None:
        for gate in self.gates.values():
            for point in OF_UNITS:
                gate.hold(point, f"^{re.escape(self.names.namespace)}/")
            gate.hold(Point.NOTIFY, re.escape(f"/{self.names.namespace}/"))
            for point in OF_ALL:
                gate.hold(point, "")
            if self.one_by_one:
                gate.hold(Point.OVERRIDE, f"^{re.escape(self.names.namespace)}/")
            heard = ["Lost"] * bool(self.plan.scenario.bounds.safe_mode) + ["Reestablished"] * self.hears_anew
            if heard:
                gate.hold(Point.SESSION, f"^Session({'|'.join(heard)})$")
            for point in self.held_too:
                gate.hold(point, "")

    def open(self, ended: Collection[int]) -> None:
        """
        Open all gates of brokers whose processes have not *ended*, and release their calls, so that they may be driven
        again.
        """
        for at, gate in self.gates.items():
            if self.real[at] not in ended:
                gate.answer(Point.SELECT, self.names.namespace, "")
                for point in Point:
                    gate.open(point)

    def start(self) -> list[str]:
        """Return the differences of the start state from the model's."""
        return self.compare(self.plan.steps[0].before)[2]

    def waiting(self, event: Event, text: str, seconds: float = PATIENCE) -> Held:
        """Return the waiting call that *event* releases; raise Parted if none comes."""
        assert event.point is not None
        held = self.gates[event.broker].waits(event.point, text, seconds)
        if held is None:
            instead = "; ".join(" ".join(one) for one in self.gates[event.broker].held()) or "nothing"
            raise Parted(f"nothing waits at {event.point} of broker {event.broker}; waiting instead: {instead}")
        return held

    def until(self, is_so: Callable[[], bool], else_: str) -> None:
        """Wait until a condition holds; raise Parted with *else_* after the timeout."""
        until = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > until:
                raise Parted(else_)
            time.sleep(0.3)

    def predicted(self, state: Any) -> dict[str, str]:
        """Return the model's predictions that are compared with the cluster."""
        return predicted(state)

    def compare(self, state: Any, seconds: float | None = None) -> tuple[dict[str, str], dict[str, str], list[str]]:
        """Return the model's view, the cluster's view, and their differences after the timeout."""
        until, model = time.monotonic() + (SETTLES if seconds is None else seconds), self.predicted(state)
        while True:
            cluster = seen(state, self.names, self.gates, self.operator.is_waiting, self.operator.listed)
            apart = differences(model, cluster)
            if not apart or time.monotonic() > until:
                return model, cluster, apart
            time.sleep(0.1)
