"""A scenario as a schedule of faults: actions on brokers from outside, in the model's order."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from oneowner.checkers.lab.cluster.cluster import NAME
from oneowner.checkers.lab.cluster.named import ask
from oneowner.checkers.lab.drive.driver import Driver
from oneowner.checkers.lab.drive.outcome import Done
from oneowner.checkers.lab.drive.plan import Planned
from oneowner.checkers.lab.drive.real_event import Kind
from oneowner.model.channel.parts import Run

SETTINGS: Final[Mapping[str, object]] = {
    "loadBalancerInFlightServiceUnitStateWaitingTimeInMillis": 5_000,
    "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": 20,
    "namespaceBundleUnloadingTimeoutMs": 10_000,
}
"""Timers fire by themselves, and soon; a release refuses to delete free entries before hand-overs are too old."""
COMES: Final = 20.0
"""The timeout, in seconds, for the state before an event; after it the event follows anyway."""
ENDS: Final = 45.0
"""The timeout, in seconds, for the end."""
WRITES: Final = " is about to write"
"""Predictions about pending writes: without a gate they cannot be observed."""


class Free(Driver):
    """Brokers whose gates are open: they take the steps at gates by themselves, or take others."""

    def shut(self) -> None:
        """No gate is shut."""

    def predicted(self, state: Any) -> dict[str, str]:
        """Return the model's predictions that last long enough to be observed."""
        return {what: said for what, said in super().predicted(state).items() if not what.endswith(WRITES)}

    def run(self, steps: Sequence[Planned] | None = None) -> Iterator[Done]:
        """Cause the events that need no gate, each once the steps before it are taken; then look for the end."""
        began, by_itself = time.monotonic(), False
        for planned in self.plan.steps if steps is None else steps:
            if planned.event is None or planned.event.kind is Kind.GATE:
                by_itself = True
                continue
            if by_itself:  # simultaneous requests of two operators must overlap
                self.compare(planned.before, COMES)
            self.perform(planned)
            by_itself = False
        last = self.plan.steps[-1]
        model, cluster, apart = self.compare(last.after, ENDS)
        yield Done(last, model, cluster, apart, time.monotonic() - began)

    def perform(self, planned: Planned) -> None:
        """Cause an event, without waiting for a gate."""
        event = planned.event
        assert event is not None
        if event.kind is Kind.SIGNAL:
            ask(self.cluster, do="signal", broker=self.real[event.broker], signal=event.signal)
        elif planned.action.name == "open":
            self.operator.load(event.broker, event.unit, f"client-{planned.number}")
        elif event.kind is Kind.CALL:
            self.operator.call_load_manager(planned.action.name, event, self.gates[event.broker])
        elif event.kind in (Kind.ADMIN, Kind.LOOKUP):
            self.operator.ask(planned.action.name, event)
        else:
            super().perform(planned)

    def session_ends(self, planned: Planned, broker: int) -> None:
        """Wait until no other running broker lists *broker*."""
        gone, run = self.names.broker(broker), planned.before.run
        others = [self.names.broker(other) for other in self.gates if other != broker and run[other] == Run.UP]

        def forgotten() -> bool:
            lists = [self.admin.ask("GET", f"http://{one}/admin/v2/brokers/{NAME}", wait=5).data() for one in others]
            return all(found is not None and gone not in found for found in lists)

        self.until(forgotten, f"a broker still lists broker {broker}")
