"""Runs the steps of a plan on real brokers, one real event each, and compares the cluster with the model after each."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from oneowner.checkers.lab.cluster.named import ask
from oneowner.checkers.lab.drive.brokers import Brokers, Parted
from oneowner.checkers.lab.drive.look import about
from oneowner.checkers.lab.drive.operator import PATIENCE
from oneowner.checkers.lab.drive.outcome import Done
from oneowner.checkers.lab.drive.plan import Planned
from oneowner.checkers.lab.drive.real_event import Event, Kind, Point
from oneowner.checkers.lab.gates.client import Gates, Held
from oneowner.checkers.verdict import EngineError
from oneowner.model.channel.parts import Request, Run
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.session import has_session

WHOLE: Final = (Point.BOUNDARIES, Point.DIVIDED, Point.UNREGISTER, Point.SESSION, Point.LEAD, Point.FOLLOW)
"""Points whose released call belongs to no bundle."""
REGISTERS: Final = 150.0
"""The time, in seconds, in which a broker notices that it is not registered: its load manager checks every 120 s."""
AGES: Final = {"end_flight": "inFlightStateWaitingTimeInMillis", "tombstone": "stateTombstoneDelayTimeInMillis"}
"""The field of ``ServiceUnitStateChannelImpl`` with the age limit of its monitor, by action."""


class Driver(Brokers):
    """Runs the steps of a plan."""

    def run(self, steps: Sequence[Planned] | None = None) -> Iterator[Done]:
        """Run *steps*, or all, one after another; stop after the first with a difference from the model."""
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
        """Yield the topics of each running broker, each with its fencing and its number of producers."""
        for at, gate in self.gates.items():
            if self.plan.steps[-1].after.run[at] == Run.UP:
                for name, clients, standing in gate.topics(f"persistent://{self.names.namespace}/"):
                    yield f"broker {at} has {name}: {standing}, {clients} producers"

    def perform(self, planned: Planned) -> None:
        """
        Cause the real event of a step.

        :raises Parted: no call waits for it.
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
        elif event.kind is Kind.RELAY and event.point is Point.SESSION:
            self.reach(planned, event)
        elif event.kind is Kind.RELAY:
            self.turn_relays(planned, event)
        elif planned.action.name == "expire":
            self.session_ends(planned, event.broker)
        elif planned.action.name == "stop":
            part = f"broker-{self.real[event.broker]}"
            self.until(lambda: part not in self.cluster.running(), f"the process of broker {event.broker} does not end")
        elif planned.action.name == "elect":
            self.elect(event)
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
        """Release a clean-up; if it overrides several bundles, release it once, and each override by itself."""
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

    def elect(self, event: Event) -> None:
        """Release one broker's attempt to become the leader; once it leads, release those of the others, in vain."""
        if event.point is not Point.ELECT:
            return
        self.gates[event.broker].ask("go", self.waiting(event, "").number, "")
        self.until(lambda: self.leads(event.broker), f"broker {event.broker} does not lead")
        for at, gate in self.gates.items():
            if at != event.broker and f"broker-{self.real[at]}" in self.cluster.running():
                while held := gate.waits(Point.ELECT, "", 0):
                    gate.ask("go", held.number, "")

    def reach(self, planned: Planned, event: Event) -> None:
        """Reconnect a broker to ZooKeeper, notify it of its session, and wait for its registration if that follows."""
        ask(self.cluster, do="relay", broker=self.real[event.broker], passage="open")
        gate = self.gates[event.broker]
        gate.ask("go", self.waiting(event, "^SessionReestablished$").number, "")
        registers = planned.before.node[event.broker] != planned.after.node[event.broker]
        if registers and Point.REGISTER in self.held_too:
            gate.let_go(self.waiting(replace(event, point=Point.REGISTER), ""), "", PATIENCE)

    def turn_relays(self, planned: Planned, event: Event) -> None:
        """Cut a broker off until its session has ended; or hold the traffic of all with a session, or release it."""
        if event.broker:
            ask(self.cluster, do="relay", broker=self.real[event.broker], passage="cut")
            self.session_ends(planned, event.broker)
            return
        down = planned.after.zookeeper_down
        for at, number in self.real.items():
            if has_session(planned.before if down else planned.after, at):
                ask(self.cluster, do="relay", broker=number, passage="held" if down else "open")

    def let_go(self, event: Event) -> None:
        """Release one call, and wait until it has ended."""
        if event.point is Point.NOTICE:
            held = self.waiting(event, f"^{re.escape(self.names.broker(event.about))} ")
        elif event.point is Point.REGISTER:
            held = self.waiting(event, "", REGISTERS)
        elif event.point in WHOLE:
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
        Release the read of a node by the broker that wrote it, a part of its write
        (``MetadataStoreTableViewImpl.put``).

        The notifications of this write and of earlier ones wait at the same gate; each reads the current node.
        """
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if told := gate.waits(Point.NOTIFY, re.escape(self.names.unit(event.unit)) + "$", 0.5):
                gate.let_go(told, "", PATIENCE)
            with suppress(EngineError):
                gate.ask("done", written.number, 100)
                return

    def end_other_closes(self, state: Any) -> None:
        """End the closes that the model lacks: if nothing is open, the model proceeds at once."""
        for broker, gate in self.gates.items():
            if state.run[broker] == Run.UP:
                modelled = {message.unit for message in state.closing[broker]}
                for unit in set(range(1, len(self.names.parts) + 1)) - modelled:
                    while held := gate.waits(Point.CLOSE, f"^{re.escape(self.names.unit(unit))} ", 0):
                        gate.let_go(held, "", PATIENCE)

    def answered(self, event: Event, act: Callable[[Gates], object]) -> None:
        """
        Run *act* with the model's answer to selections of the unit at that broker, until its record waits at a gate.
        """
        gate, unit = self.gates[event.broker], self.names.unit(event.unit)
        chosen = self.names.broker(event.destination) if event.destination else "nobody"
        gate.answer(Point.SELECT, unit, chosen)
        act(gate)
        gate.waits(Point.APPEND, f"^{re.escape(unit)} ", PATIENCE)
        gate.answer(Point.SELECT, unit, "")

    def let_monitor_run(self, action: str, event: Event) -> None:
        """Release one run of the monitor, for which hand-overs or free entries are too old."""
        self.answered(event, lambda gate: gate.monitor(AGES[action]))

    def command(self, planned: Planned, event: Event) -> None:
        """Send a request to a broker, and wait until its selection waits at a gate."""
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
        """Wait until every other running broker is notified that *broker* is gone."""
        for other, gate in self.gates.items():
            if other != broker and planned.before.run[other] == Run.UP and has_session(planned.before, other):
                if gate.waits(Point.NOTICE, f"^{re.escape(self.names.broker(broker))} Deleted", PATIENCE) is None:
                    raise Parted(f"broker {other} is not told that broker {broker} is gone")
