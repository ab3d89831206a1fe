"""
A namespace is deleted, and created anew under its name: its bundles are those of the start again.

The channel knows bundles by their names, so what a bundle was before, Deleted by a split or Free since the namespace
was deleted, it is still, until its entry is deleted (apache/pulsar#22743, bugs.R9). Sources: ``NamespacesBase``
(v4.0.6).
"""

from oneowner.model.channel.channel import entry, publish
from oneowner.model.channel.parts import Ring, Run
from oneowner.model.channel.record import NOBODY, RELEASING, Record, is_active, next_version, owner
from oneowner.model.channel.ring import FIRST_CHILD, LAST_CHILD, PARENT, close_topics
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.split import UP
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require

RECREATIONS = Budget(
    "recreations",
    "How often the namespace may be deleted, once its parent is split, and created anew with its first boundaries",
    needs={"splits": "the namespace is deleted once its parent is split"},
    apart={"nested_splits crashes": "not modelled"},
)


@action(broker=BROKER, budget=RECREATIONS, fairness=never("a command"))
def delete_namespace(state: State, broker: int) -> None:
    """
    *broker* deletes the namespace: its topics, the ownership of its bundles, and its boundaries.

    What meets amid a split is left out. The Free that follows is not forced, so nobody deletes it at once.

    Enabled: the broker is up, and its copy of the boundaries is ``ring``, which cuts the parent; its view of the parent
    is not active, and names an owner of each child.
    Changes: nothing is open any more anywhere; for each child a forced Releasing(source = owner), next version, is
    under way (P3); ``ring`` and its copy say *deleted*: no unit is in the ring.
    Mirrors: ``NamespacesBase.internalDeleteNamespaceAsync``, ``internalDeleteNamespaceBundleAsync``,
    ``NamespaceService.removeOwnedServiceUnitAsync``.
    """
    require(state.recreations_left > 0, "the budget allows the namespace to be deleted")
    require(state.run[broker] == Run.UP, UP)
    require(state.boundaries[broker] == state.ring, "the broker knows the current boundaries")
    require(state.ring.split and not state.ring.deleted, "the namespace is there, and its parent is cut")
    require(not is_active(state.view[broker, PARENT]), "the split is over by the broker's view")
    for child in range(FIRST_CHILD, LAST_CHILD + 1):
        require(owner(state.view[broker, child]) != NOBODY, "the broker's view names an owner of both children")
    state.recreations_left = state.recreations_left - 1
    state.ring = Ring(True, state.ring.others, False, True)
    state.boundaries[broker] = state.ring
    for other in range(1, state.bounds.brokers + 1):
        close_topics(state, other, FIRST_CHILD)
    for child in range(FIRST_CHILD, LAST_CHILD + 1):
        held = state.view[broker, child]
        publish(state, broker, child, Record(RELEASING, NOBODY, owner(held), True, next_version(held)), held)


@action(broker=BROKER, budget=RECREATIONS, fairness=never("a command"))
def create_namespace(state: State, broker: int) -> None:
    """
    *broker* creates the namespace anew, with the boundaries that it had at first.

    Enabled: the broker is up, the namespace is deleted, and neither child's entry is active: its deletion waits for
    their unloads.
    Changes: ``ring`` and the broker's copy are those of the start, but for ``others``.
    Mirrors: ``NamespacesBase.internalCreateNamespace``.
    """
    require(state.run[broker] == Run.UP, UP)
    require(state.ring.deleted, "the namespace is deleted")
    for child in range(FIRST_CHILD, LAST_CHILD + 1):
        require(not is_active(entry(state, child)), "the unloads of the deleted bundles are over")
    state.ring = Ring(False, state.ring.others, False, False)
    state.boundaries[broker] = state.ring
