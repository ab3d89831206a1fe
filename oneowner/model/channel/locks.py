"""
Brokers with an older load manager take units by locks, while a cluster is upgraded to the channel or back.

The last ``Bounds.old_managers`` brokers own units by locks in ZooKeeper (``OwnershipCache``) and know of no channel;
the others know of no locks. So that one store decides, whoever does not run the load manager of the broker that was
started last sends lookups to one that does, and brokers are selected among those. Only what the older side does when a
client asks is modelled. Sources: ``RedirectManager``, ``BrokerLoadManagerClassFilter`` (#20058), bugs.R35.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.sorts import OLD_MANAGER, UNIT
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Limit
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch

NO_LOCKS = "newcomers crashes expiries outages tombstones splits shutdowns lookups pauses unloads transfers synced"
"""The bounds with which older load managers are not modelled."""

OLD_MANAGERS = Limit(
    "old_managers",
    "How many brokers, the last ones, run an older load manager, which takes units by locks and no channel",
    apart={NO_LOCKS: "they go with assigns alone"},
)

MANAGERS_REDIRECT = Switch("A broker with an older load manager sends lookups to one with the current (#20058).")


@action(
    broker=OLD_MANAGER,
    unit=UNIT,
    when=lambda bounds: bounds.old_managers and not bounds.rules.managers_redirect,
    fairness=never("a client asks when it likes"),
)
def acquire(state: State, broker: int, unit: int) -> None:
    """
    A client asks *broker*, which has an older load manager, for a topic of *unit*; it takes the unit's lock.

    Enabled: the broker is up, and nobody holds the unit's lock; the budget is that of assignments.
    Changes: it holds the lock and serves the unit.
    Mirrors: ``NamespaceService.searchForCandidateBroker``, ``OwnershipCache``.
    """
    require(not state.bounds.rules.managers_redirect, "lookups are sent to brokers with the current load manager")
    require(state.assigns_left > 0, "the budget allows another assignment")
    require(state.run[broker] == Run.UP, UP)
    require(state.locks[unit] == NOBODY, "nobody holds the unit's lock")
    state.assigns_left = state.assigns_left - 1
    state.locks[unit] = broker
    state.serving[broker, unit] = True
