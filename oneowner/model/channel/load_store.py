"""
A change of role closes the reader of the load data while the thread that reads the channel wants to write there.

All methods of ``TableViewLoadDataStoreImpl`` are ``synchronized``. ``playFollower`` and ``playLeader`` close its table
view with that lock held and wait, and what they wait for needs the client's thread that reads the channel. A listener
of Owned (``BrokerLoadDataReporter.handleEvent``), on that thread, waits for the lock to delete the broker's load data
(v4.0.6; #26243 closes without waiting). Neither ever ends: the broker reads no more, has no role, monitor, registration
or shedding any more, and selects no broker, for that too reads load data (run.G12).
"""

from oneowner.model.channel.broker import consume
from oneowner.model.channel.channel import takes
from oneowner.model.channel.parts import Wait
from oneowner.model.channel.record import OWNED
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.channel.threads import require_load_manager
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, before, since

ROLE_RACES = Budget(
    "role_races",
    "How many changes of role may meet a handler that writes load data",
    needs={"brokers_go": "without elections no role changes"},
    apart={
        "beliefs": "roles are played in steps of their own there",
        "in_store": "another thread reads the channel there",
    },
)

STORE_CLOSES_BLOCKING = Switch(
    "A broker that changes its role waits, with the load data's lock, until its reader is closed (until #26243).",
    turned=(before("3.0.3", "3.1.3", "3.2.0"), since("4.0.13", "4.2.4", "5.0.0")),
    source="apache/pulsar#26243: TableViewLoadDataStoreImpl.closeTableView calls closeAsync; before #21777: no lock",
)


@action(broker=BROKER, budget=ROLE_RACES, fairness=never("a race of two threads"))
def deadlock(state: State, broker: int) -> None:
    """
    *broker* reads that it owns a unit while it changes its role, and two of its threads wait for each other for ever.

    Enabled: as ``consume``, where the next record is an Owned of the broker that its view accepts; it has a role to
    play, and its load manager's thread waits for nothing. Never with #26243 (``store_closes_blocking`` off).
    Changes: as ``consume``; the broker reads no more, and its load manager does nothing any more.
    Mirrors: ``TableViewLoadDataStoreImpl.closeTableView``, ``removeAsync``; ``ExtensibleLoadManagerImpl.playFollower``.
    """
    require(state.role_races_left > 0, "the budget allows another change of role to meet a handler")
    require(state.bounds.rules.store_closes_blocking, "who closes the reader of the load data waits until it is closed")
    require(state.role_due[broker], "the broker has a role to play")
    require_load_manager(state, broker)
    require(state.cursor[broker] < state.log.length, "the log holds a record that the broker has not consumed")
    message = state.log[state.cursor[broker] + 1]
    held, dialect = state.view[broker, message.unit], state.bounds.dialect_of(broker)
    require(message.record.state == OWNED, "the record is Owned")
    require(message.record.destination == broker, "the record gives the unit to the broker")
    require(takes(state, dialect, held, message.record), "the broker's view accepts the record")
    state.role_races_left = state.role_races_left - 1
    consume(state, broker)
    state.held_up[broker] = True
    state.waits_for[broker] = Wait.READER
