"""Does the steps of a plan to real brokers, one real event each, and compares the cluster with the model after each."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from oneowner.checkers.collect.admin import Admin
from oneowner.checkers.lab.cluster.named import Named, ask
from oneowner.checkers.lab.drive.events import Event, Kind, Point
from oneowner.checkers.lab.drive.look import about, differences, predicted, seen
from oneowner.checkers.lab.drive.namespace import TENANT, Names, ranges
from oneowner.checkers.lab.drive.operator import PATIENCE, Operator
from oneowner.checkers.lab.drive.outcome import Done
from oneowner.checkers.lab.drive.plan import Plan, Planned
from oneowner.checkers.lab.gates.client import Gates, Held
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.lookup_parts import Request
from oneowner.model.channel.parts import Run
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.session import has_session

SETTLES: Final = 15.0
"""How long the cluster may take to be as the model says after a step, in seconds."""
OF_UNITS: Final = (Point.APPEND, Point.CONSUME, Point.CLOSE, Point.SELECT)
OF_ALL: Final = tuple(point for point in Point if point not in (*OF_UNITS, Point.NOTIFY, Point.SESSION, Point.OVERRIDE))
AGES: Final = {"end_flight": "inFlightStateWaitingTimeInMillis", "tombstone": "stateTombstoneDelayTimeInMillis"}
"""Which field of ``ServiceUnitStateChannelImpl`` says how old is too old for its monitor, by action."""


class Parted(Exception):
    """The cluster does not do what the model says; the message says what it does instead."""


class Driver:
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
        points = {one.event.point for one in plan.steps if one.event is not None}
        self.one_by_one = Point.OVERRIDE in points
        """Whether some clean-up overrides several bundles."""

    def leader(self) -> str:
        """Return the id of the broker that leads."""
        for broker in self.cluster.brokers:
            found = self.admin.ask("GET", f"http://{broker.id}/admin/v2/brokers/leaderBroker", wait=5).data()
            if found:
                return str(found["serviceUrl"]).removeprefix("http://")
        raise EngineError("drive: no broker says who leads")

    def leads(self, broker: int) -> bool:
        """Say whether *broker* leads; while nobody is elected yet, it does not."""
        with suppress(EngineError):
            return self.leader() == self.names.broker(broker)
        return False

    def prepare(self) -> None:
        """Make the start state: a namespace whose bundles the model's owner owns and serves; then shut the gates."""
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
        """Shut the gates."""
        for gate in self.gates.values():
            for point in OF_UNITS:
                gate.hold(point, f"^{re.escape(self.names.namespace)}/")
            gate.hold(Point.NOTIFY, re.escape(f"/{self.names.namespace}/"))
            for point in OF_ALL:
                gate.hold(point, "")
            if self.one_by_one:
                gate.hold(Point.OVERRIDE, f"^{re.escape(self.names.namespace)}/")
            if self.plan.scenario.bounds.safe_mode:
                gate.hold(Point.SESSION, "^SessionLost$")

    def open(self, ended: Collection[int]) -> None:
        """Open all gates of brokers whose processes have not *ended*; what waits goes, and they may be driven again."""
        for at, gate in self.gates.items():
            if self.real[at] not in ended:
                gate.answer(Point.SELECT, self.names.namespace, "")
                for point in Point:
                    gate.open(point)

    def start(self) -> list[str]:
        """Return where the start state is not the model's."""
        return self.compare(self.plan.steps[0].before)[2]

    def run(self, steps: Sequence[Planned] | None = None) -> Iterator[Done]:
        """Do *steps*, or all, one after another; one after which the cluster is not as the model says is the last."""
        for planned in self.plan.steps if steps is None else steps:
            if planned.event is None:
                return
            began = time.monotonic()
            self.perform(planned)
            self.end_other_closes(planned.after)
            model, cluster, apart = self.compare(planned.after)
            yield Done(planned, model, cluster, apart, time.monotonic() - began)
            if apart:
                return

    def topics(self) -> Iterator[str]:
        """Yield the topics that each running broker has: whether they are fenced, and how many producers they have."""
        for at, gate in self.gates.items():
            if self.plan.steps[-1].after.run[at] == Run.UP:
                for name, clients, standing in gate.topics(f"persistent://{self.names.namespace}/"):
                    yield f"broker {at} has {name}: {standing}, {clients} producers"

    def perform(self, planned: Planned) -> None:
        """
        Bring the real event of a step about.

        :raises Parted: what must wait for it does not.
        """
        event = planned.event
        assert event is not None
        if event.kind in (Kind.ADMIN, Kind.LOOKUP, Kind.CALL):
            self.command(planned, event)
        elif event.kind is Kind.SIGNAL:
            ask(self.cluster, do="signal", broker=self.real[event.broker], signal=event.signal)
            if event.point is Point.DISABLE:
                self.gates[event.broker].ask("go", self.waiting(event, "").number, "")
                own = f"^{re.escape(self.names.broker(event.broker))} "
                self.waiting(replace(event, point=Point.CLEAN_UP), own, 3 * PATIENCE)
        elif event.kind is Kind.RELAY:
            self.turn_relays(planned, event)
        elif planned.action.name == "expire":
            self.session_ends(planned, event.broker)
        elif planned.action.name == "stop":
            part = f"broker-{self.real[event.broker]}"
            self.until(lambda: part not in self.cluster.running(), f"the process of broker {event.broker} does not end")
        elif planned.action.name == "elect":
            self.until(lambda: self.leads(event.broker), f"broker {event.broker} does not lead")
        elif event.point is Point.MONITOR:
            self.let_monitor_run(planned.action.name, event)
        elif event.point in (Point.CLEAN_UP, Point.OVERRIDE):
            self.clean_up(planned.action.name, event)
        elif event.kind is Kind.GATE:
            self.let_go(event)
        else:
            raise EngineError(f"drive: nobody knows how to bring {planned.action.name} about: {event.words}")

    def clean_up(self, action: str, event: Event) -> None:
        """Let a clean-up go; where it overrides several bundles, let it go once, and each override for itself."""
        gate, unit = self.gates[event.broker], f"^{re.escape(self.names.unit(event.unit))} "
        whole, gone = replace(event, point=Point.CLEAN_UP), f"^{re.escape(self.names.broker(event.about))} "
        if not self.one_by_one:
            held = self.waiting(whole, gone)
        else:
            if gate.waits(Point.OVERRIDE, unit, 0) is None:
                gate.ask("go", self.waiting(whole, gone).number, "")
            held = self.waiting(replace(event, point=Point.OVERRIDE), unit)
        if action == "pass_over":
            gate.ask("go", held.number, "")
        else:
            self.answered(event, lambda gate: gate.ask("go", held.number, ""))

    def turn_relays(self, planned: Planned, event: Event) -> None:
        """Cut a broker off until its session has ended; or hold what all that have one send, or let that pass again."""
        if event.broker:
            ask(self.cluster, do="relay", broker=self.real[event.broker], passage="cut")
            self.session_ends(planned, event.broker)
            return
        down = planned.after.zookeeper_down
        for at, number in self.real.items():
            if has_session(planned.before if down else planned.after, at):
                ask(self.cluster, do="relay", broker=number, passage="held" if down else "open")

    def let_go(self, event: Event) -> None:
        """Let one call go, and wait until it has ended."""
        if event.point is Point.NOTICE:
            held = self.waiting(event, f"^{re.escape(self.names.broker(event.about))} ")
        elif event.point in (Point.BOUNDARIES, Point.DIVIDED, Point.UNREGISTER, Point.SESSION):
            held = self.waiting(event, "")
        else:
            held = self.waiting(event, re.escape(self.names.unit(event.unit)) + r"(\s|$)")
        said = about(self.names, held.text)
        if event.point in (Point.APPEND, Point.CONSUME) and f"let {said} go" not in event.words:
            raise Parted(f"at {event.point} of broker {event.broker} waits {said}; the model: {event.words}")
        gate = self.gates[event.broker]
        if event.point is Point.APPEND and self.plan.scenario.bounds.storage == Storage.METADATA_STORE:
            gate.ask("go", held.number, "")
            self.read_back(gate, event, held)
            return
        value = self.names.broker(event.destination) if event.destination else ""
        error = gate.let_go(held, value, PATIENCE)
        if error:
            raise Parted(f"{event.point} of broker {event.broker} ends with {error}")

    def read_back(self, gate: Gates, event: Event, written: Held) -> None:
        """
        Let the broker that wrote a node read it back, a part of its write (``MetadataStoreTableViewImpl.put``).

        What its watch tells of this write and of those before waits at the same gate; each reads the node as it is.
        """
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if told := gate.waits(Point.NOTIFY, re.escape(self.names.unit(event.unit)) + "$", 0.5):
                gate.let_go(told, "", PATIENCE)
            with suppress(EngineError):
                gate.ask("done", written.number, 100)
                return

    def end_other_closes(self, state: Any) -> None:
        """Let the closes end that the model does not have: where nothing is open it goes on at once."""
        for broker, gate in self.gates.items():
            if state.run[broker] == Run.UP:
                modelled = {message.unit for message in state.closing[broker]}
                for unit in set(range(1, len(self.names.parts) + 1)) - modelled:
                    while held := gate.waits(Point.CLOSE, f"^{re.escape(self.names.unit(unit))} ", 0):
                        gate.let_go(held, "", PATIENCE)

    def waiting(self, event: Event, text: str, seconds: float = PATIENCE) -> Held:
        """Return the call that waits where *event* lets one go; raise Parted if none comes."""
        assert event.point is not None
        held = self.gates[event.broker].waits(event.point, text, seconds)
        if held is None:
            instead = "; ".join(" ".join(one) for one in self.gates[event.broker].held()) or "nothing"
            raise Parted(f"nothing waits at {event.point} of broker {event.broker}; waiting instead: {instead}")
        return held

    def answered(self, event: Event, act: Callable[[Gates], object]) -> None:
        """Act while selections of the unit at that broker end as the model says, until its record is under way."""
        gate, unit = self.gates[event.broker], self.names.unit(event.unit)
        chosen = self.names.broker(event.destination) if event.destination else "nobody"
        gate.answer(Point.SELECT, unit, chosen)
        act(gate)
        gate.waits(Point.APPEND, f"^{re.escape(unit)} ", PATIENCE)
        gate.answer(Point.SELECT, unit, "")

    def let_monitor_run(self, action: str, event: Event) -> None:
        """Let one run of the monitor go, for which hand-overs or free entries are too old."""
        self.answered(event, lambda gate: gate.monitor(AGES[action]))

    def command(self, planned: Planned, event: Event) -> None:
        """Ask a broker for something, and wait until a selection that it leads to is there."""
        if planned.action.name == "open":
            self.operator.load(event.broker, event.unit, f"client-{planned.number}")
            return
        if event.kind is Kind.CALL:
            self.operator.call_load_manager(planned.action.name, event, self.gates[event.broker])
        else:
            self.operator.ask(planned.action.name, event)
        if planned.action.name == "look_up" or planned.after.request[event.broker, event.unit] == Request.SELECTING:
            self.waiting(Event(Kind.GATE, "", event.broker, event.unit, Point.SELECT), self.names.unit(event.unit))

    def session_ends(self, planned: Planned, broker: int) -> None:
        """Wait until every other broker that runs is told that *broker* is gone."""
        for other, gate in self.gates.items():
            if other != broker and planned.before.run[other] == Run.UP and has_session(planned.before, other):
                if gate.waits(Point.NOTICE, f"^{re.escape(self.names.broker(broker))} Deleted", PATIENCE) is None:
                    raise Parted(f"broker {other} is not told that broker {broker} is gone")

    def until(self, is_so: Callable[[], bool], else_: str) -> None:
        """Wait until something is so; raise Parted with *else_* if it does not come."""
        until = time.monotonic() + PATIENCE
        while not is_so():
            if time.monotonic() > until:
                raise Parted(else_)
            time.sleep(0.3)

    def predicted(self, state: Any) -> dict[str, str]:
        """Return what the model says that the cluster is compared with."""
        return predicted(state)

    def compare(self, state: Any, seconds: float | None = None) -> tuple[dict[str, str], dict[str, str], list[str]]:
        """Return what the model says, what the cluster shows, and where they part once that has had time to come."""
        until, model = time.monotonic() + (SETTLES if seconds is None else seconds), self.predicted(state)
        while True:
            cluster = seen(state, self.names, self.gates, self.operator.is_waiting, self.operator.listed)
            apart = differences(model, cluster)
            if not apart or time.monotonic() > until:
                return model, cluster, apart
            time.sleep(0.1)
