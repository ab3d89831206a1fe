"""``SYSTEM`` describes the load data of the extensible load manager to the engines."""

from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.model.load_data import leaving, reports, state
from oneowner.model.load_data.bounds import Bounds
from oneowner.model.load_data.rules import READ, RELEASES, Rules
from oneowner.model.load_data.state import State
from oneowner.model.load_data.story import STORY
from oneowner.model.pulsar.classes import known_by
from oneowner.spec.load_data import laws, step_laws

SYSTEM = System(
    name="load_data",
    title="Load data of PIP-192: reports of brokers on a topic that keeps nothing, and what becomes of old ones",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    declared=declared_in((reports, leaving)),
    modules=(reports, leaving, state, laws, step_laws),
    story=STORY,
    laws=found_in((laws, step_laws), (StateLaw, StepLaw)),
    liveness=found_in((laws,), LivenessLaw),
    witnesses=found_in((laws,), Witness),
    rules=Rules,
    releases=RELEASES,
    known=known_by(READ),
    default_release="4.0.6",
    aliases=("load-data", "pulsar-load-data"),
)
