"""A broker that owns a bundle reads the policies of its namespace at whoever can open ``__change_events``."""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.broker import open as open_topics
from oneowner.model.channel.parts import Run
from oneowner.model.channel.policies import POLICIES, owns_some_unit
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Choice
from oneowner.model.kernel.fairness import strong
from oneowner.model.kernel.guards import require

READ_POLICIES = Choice(
    "policies",
    "1: a broker opens topics once it has read the namespace's policies, which lie in unit 1; 0: it knows them",
    apart={"splits in_store speaks_dialect synced": "not modelled"},
)


@action(
    broker=BROKER,
    other=BROKER,
    when=lambda bounds: bounds.policies,
    fairness=strong("who cannot create the reader tries again at the next lookup: cleanCacheAndCloseReader"),
)
def read_policies(state: State, broker: int, other: int) -> None:
    """
    *broker* reads the topic policies of the namespace at *other*, which opens ``__change_events`` for its reader.

    Enabled: both are up; *broker* owns a unit by its view and has not read the policies; *other* serves unit 1, or may
    ``open`` it.
    Changes: *other* serves unit 1, and *broker* has read the policies.
    Mirrors: ``SystemTopicBasedTopicPoliciesService.addOwnedNamespaceBundleAsync``, ``prepareInitPoliciesCacheAsync``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(not state.initialized[broker], "the broker has yet to read the policies of the namespace")
    require(owns_some_unit(state, broker), "the broker owns a unit of the namespace")
    if state.serving[other, POLICIES]:
        require(state.run[other] == Run.UP, UP)
    else:
        open_topics(state, other, POLICIES)
    state.initialized[broker] = True
