"""
A broker gets the bundle that belongs to it: its heartbeat, or the one that monitors its service level (SLA).

Both are namespaces with the name of one broker in theirs, by which ``NamespaceService`` chooses; the leader has no say,
and the shedding of load leaves them alone (``LoadData.getBundleDataForLoadShedding``).
"""

from oneowner.model.kernel.action import action
from oneowner.model.kernel.fairness import weak
from oneowner.model.kernel.guards import require
from oneowner.model.lock_manager.bounds import BROKER
from oneowner.model.lock_manager.ownership import load_entry
from oneowner.model.lock_manager.state import FIRST, NOBODY, Entry, State
from oneowner.model.lock_manager.topics import disable


@action(
    broker=BROKER,
    when=lambda bounds: bounds.monitored and bounds.restarts,
    fairness=weak("It is tried at each start, and after a failure again every minute."),
)
def claim(state: State, broker: int) -> None:
    """
    *broker*, which has started, acquires the bundle that belongs to it, or has its owner unload it.

    Enabled: it is registered, has not done so yet, and acquires it not already; another owner's entry is active.
    Changes: the entry is loading, if there is no node or one of its own; or the owner's is inactive: the next lookup
    brings the bundle here.
    Mirrors: ``PulsarService.acquireSLANamespace``, ``NamespaceService.registerBootstrapNamespaces``.
    """
    require(state.to_claim[broker], "it is still to get the bundle")
    require(state.registered[broker] and not state.to_register[broker], "the broker is registered")
    if state.entry[broker, FIRST] == Entry.ACTIVE:
        state.to_claim[broker] = False
    elif state.node[FIRST] == NOBODY or state.node[FIRST] == broker:
        require(state.entry[broker, FIRST] == Entry.NONE, "it acquires the bundle not already")
        load_entry(state, broker, FIRST)
    else:
        disable(state, state.node[FIRST], FIRST)
        state.to_claim[broker] = False
