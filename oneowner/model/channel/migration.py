"""
ZooKeeper's data moves to another metadata store while brokers run (PIP-454).

Each broker is told, and prepares: it will make its ephemeral nodes anew in the other store. Then what is persistent is
copied, and everybody reads and writes there. An ephemeral node of a broker that was not prepared is not there, and no
session has ended, so nobody tells that broker. Sources: ``MigrationCoordinator``, ``DualMetadataStore`` (4.2.4);
#25989; bugs.R62. No release up to 4.0.6 has it.
"""

from oneowner.model.channel.broker import UP
from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.ranges import brokers
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.sorts import BROKER
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import action
from oneowner.model.kernel.bounds import Budget
from oneowner.model.kernel.fairness import never
from oneowner.model.kernel.guards import require
from oneowner.model.kernel.releases import Switch, since

MIGRATIONS = Budget(
    "migrations",
    "How often ZooKeeper's data may be moved to another metadata store (PIP-454)",
    apart={"beliefs outages safe_mode shutdowns crashes": "not modelled"},
)

MIGRATION_AWAITS_ALL = Switch(
    "A migration of the metadata store waits until every living broker is prepared (#25989); else for 60 s.",
    turned=(since("4.2.0", until="5.0.0"),),
    source="apache/pulsar#25989: MigrationCoordinator.waitForPreparation; PIP-454 came with 4.2.0",
)


@action(budget=MIGRATIONS, fairness=never("an operator's command"))
def start_migration(state: State) -> None:
    """
    An operator starts the migration.

    Enabled: no migration runs.
    Changes: one runs, and nobody is prepared.
    Mirrors: ``MigrationCoordinator.startMigration`` of 4.2.4.
    """
    require(state.migrations_left > 0, "the budget allows another migration")
    require(not state.migrating, "no migration runs")
    state.migrations_left = state.migrations_left - 1
    state.migrating = True


@action(
    broker=BROKER,
    budget=MIGRATIONS,
    fairness=never("a broker may not answer; the migration then fails"),
)
def prepare(state: State, broker: int) -> None:
    """
    *broker* is prepared.

    Enabled: a migration runs; the broker is up and not prepared.
    Changes: it is prepared.
    Mirrors: ``DualMetadataStore.recreateEphemeralNodesInTarget`` of 4.2.4.
    """
    require(state.migrating, "a migration runs")
    require(state.run[broker] == Run.UP, UP)
    require(not state.acknowledged[broker], "the broker is not prepared")
    state.acknowledged[broker] = True


@action(budget=MIGRATIONS, fairness=never("an operator's command goes on or fails"))
def cut_over(state: State) -> None:
    """
    The data is copied, and everybody uses the other store from now on.

    Enabled: a migration runs, and every broker that is up is prepared; without ``migration_awaits_all`` the wait for
    them may have timed out.
    Changes: no migration runs, and nobody is prepared; who was up and not prepared has no node and does not lead, and
    is not told.
    Mirrors: ``MigrationCoordinator.waitForPreparation`` of 4.2.4, ``copyPersistentData`` of 4.2.4.
    """
    require(state.migrating, "a migration runs")
    if state.bounds.rules.migration_awaits_all:
        require(all_are_prepared(state), "every living broker is prepared")
    state.migrating = False
    for broker in range(1, state.bounds.brokers + 1):
        if not state.acknowledged[broker] and state.run[broker] == Run.UP:
            state.node[broker] = Node.ABSENT
            if state.leader == broker:
                state.leader = NOBODY
        state.acknowledged[broker] = False


def all_are_prepared(state: State) -> bool:
    return all(state.acknowledged[broker] for broker in brokers(state) if state.run[broker] == Run.UP)
