"""``SYSTEM`` describes a shard of Elasticsearch and its copies to the engines."""

from oneowner.model.elasticsearch import allocation, membership, nodes, recovery, replication, routing, state
from oneowner.model.elasticsearch.bounds import Bounds
from oneowner.model.elasticsearch.rules import RELEASES, Rules
from oneowner.model.elasticsearch.state import State
from oneowner.model.elasticsearch.story import STORY
from oneowner.model.kernel.action import declared_in
from oneowner.model.kernel.law import LivenessLaw, StateLaw, StepLaw, Witness
from oneowner.model.kernel.system import System, found_in
from oneowner.spec.elasticsearch import copy_laws, primary_laws, step_laws, write_laws
from oneowner.spec.elasticsearch.hand_over import observed_ownership

LAWS = (primary_laws, write_laws, copy_laws, step_laws)

SYSTEM = System(
    name="elasticsearch",
    title="Elasticsearch: primary terms, copies in sync, relocation, fail-over and delayed allocation of a shard",
    project="Elasticsearch",
    bounds=Bounds,
    state=State,
    initial_states=lambda bounds: [State(bounds)],
    declared=declared_in((allocation, membership, nodes, recovery, replication)),
    modules=(allocation, membership, nodes, recovery, replication, routing, state, *LAWS),
    story=STORY,
    laws=found_in(LAWS, (StateLaw, StepLaw)),
    liveness=found_in(LAWS, LivenessLaw),
    witnesses=found_in(LAWS, Witness),
    rules=Rules,
    releases=RELEASES,
    default_release="8.0.0",
    observe=observed_ownership,
)
