"""``SYSTEM`` describes the closed loop of load balancing to the engines."""

from oneowner.model.closed_loop import cycle, state
from oneowner.model.closed_loop.bounds import Bounds
from oneowner.model.closed_loop.rules import READ, RELEASES, Rules
from oneowner.model.closed_loop.state import State
from oneowner.model.closed_loop.story import STORY
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.model.pulsar.classes import known_by
from oneowner.spec.closed_loop import laws

SYSTEM = System(
    name="closed_loop",
    title="The closed loop of load balancing: decide, hand over, report, decide again, under constant load",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    declared=declared_in((cycle,)),
    modules=(cycle, state, laws),
    story=STORY,
    laws=found_in((laws,), (StateLaw, StepLaw)),
    liveness=found_in((laws,), LivenessLaw),
    witnesses=found_in((laws,), Witness),
    rules=Rules,
    releases=RELEASES,
    known=known_by(READ),
    default_release="4.0.6",
    aliases=("closed-loop", "pulsar-closed-loop"),
)
