"""
What is owed: which steps a run may not put off for ever.

Without such assumptions nothing ever has to happen, and no law of liveness could hold. *Weak*: an action that stays
enabled from some time on is taken. *Strong*: an action that is enabled again and again is taken, even if it is
disabled in between. Healing is owed; what disturbs the cluster (crashes, lost sessions, lost acknowledgements,
commands) never is, and is budgeted besides (models.L1 to L14 hold "if perturbations are finite").

Fairness is demanded for each instance of an action (each broker, each unit) by itself, except that an argument which
the actor is free to choose (``choice``) may be any: some destination is taken, not each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from oneowner.model.channel.parts import Node, Run
from oneowner.model.channel.system import Action, State
from oneowner.model.kernel.law import OnStep


class Strength(StrEnum):
    """How an action is owed."""

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"


def every_step(before: State, action: Action, after: State) -> bool:
    return True


def ends_no_running_session(before: State, action: Action, after: State) -> bool:
    """Say whether the session that ends is that of a process which is gone, or stands still."""
    if action.name != "expire":
        return False
    broker = action.argument("broker")
    return before.node[broker] != Node.PRESENT or before.run[broker] == Run.PAUSED


def ends_unawares(before: State, action: Action, after: State) -> bool:
    """Say whether the broker's session has ended in ZooKeeper."""
    return action.name == "lose_session" and before.session_ended[action.argument("broker")]


@dataclass(frozen=True, slots=True)
class Fairness:
    """How an action is owed, and why."""

    action: str
    strength: Strength
    source: str
    choice: str = ""
    """The argument that the actor may choose freely."""
    owed: OnStep = every_step
    """Which steps of the action are owed: the others may be put off."""


FAIRNESS = (
    Fairness("look_up", Strength.NONE, "a client asks when it likes"),
    Fairness("assign", Strength.WEAK, "selectAsync completes; then the record is published", choice="destination"),
    Fairness("unload", Strength.NONE, "a command"),
    Fairness("transfer", Strength.NONE, "a command"),
    Fairness("remove", Strength.NONE, "a command"),
    Fairness(
        "append",
        Strength.STRONG,
        "ProducerImpl sends again until it is acknowledged, however often the channel's host changes",
    ),
    Fairness("tombstone", Strength.NONE, "deletes what is of no use; nothing waits for it"),
    Fairness("free_orphan", Strength.NONE, "an override that finds no broker is a perturbation"),
    Fairness("free_refused", Strength.STRONG, "as override, where the policies refuse every broker"),
    Fairness("append_unacknowledged", Strength.NONE, "a lost acknowledgement is a perturbation"),
    Fairness("overtake", Strength.NONE, "which of two threads is faster is nobody's duty"),
    Fairness("consume", Strength.STRONG, "the reader is pushed what it has not seen, across reconnects"),
    Fairness("notify", Strength.WEAK, "ZooKeeper delivers every watch of a living session"),
    Fairness("open", Strength.NONE, "a client connects when it likes; topics may stay closed for ever"),
    Fairness("close", Strength.WEAK, "closing is bounded: namespaceBundleUnloadingTimeoutMs, 60 s"),
    Fairness("open_lookup", Strength.NONE, "a client asks when it likes"),
    Fairness("select", Strength.WEAK, "selectAsync completes; then the record is published", choice="destination"),
    Fairness("time_out", Strength.WEAK, "deferGetOwner: orTimeout(inFlightStateWaitingTimeInMillis), 30 s"),
    Fairness("begin_wait", Strength.WEAK, "follows at once"),
    Fairness("disable", Strength.NONE, "an operator's command"),
    Fairness("drain", Strength.STRONG, "doCleanup flushes, then takes one unit after another", choice="destination"),
    Fairness("pass_over", Strength.STRONG, "doCleanup flushes, then takes one unit after another"),
    Fairness("hurry", Strength.NONE, "a perturbation"),
    Fairness("set_aside", Strength.STRONG, "doCleanup flushes, then takes one unit after another"),
    Fairness("retry", Strength.STRONG, "waitForCleanups looks every 100 ms", choice="destination"),
    Fairness("unregister", Strength.WEAK, "every wait of disableBroker is bounded (5 s, 30 s)"),
    Fairness("unload_leftover", Strength.NONE, "a command of the broker's own; it may fail"),
    Fairness("cut_off", Strength.NONE, "a connection may last"),
    Fairness("stop", Strength.WEAK, "PulsarService.closeAsync ends, by brokerShutdownTimeoutMs at the latest"),
    Fairness("split", Strength.NONE, "a command"),
    Fairness("split_child", Strength.NONE, "a command"),
    Fairness("move_boundaries", Strength.WEAK, "ZooKeeper answers; a stale write is tried again, up to 7 times"),
    Fairness("delete_parent", Strength.WEAK, "follows at once"),
    Fairness("delete_namespace", Strength.NONE, "a command"),
    Fairness("create_namespace", Strength.NONE, "a command"),
    Fairness("reload_boundaries", Strength.WEAK, "ZooKeeper delivers every watch of a living session"),
    Fairness("split_elsewhere", Strength.NONE, "a command"),
    Fairness("crash", Strength.NONE, "a perturbation"),
    Fairness(
        "lose", Strength.NONE, "a dead broker's publish arrives or is lost: append is owed, unless this comes first"
    ),
    Fairness("restart", Strength.NONE, "an operator's step; the cluster must heal without the broker"),
    Fairness("fail_start", Strength.NONE, "a perturbation"),
    Fairness(
        "expire",
        Strength.WEAK,
        "ZooKeeper ends the session of a process that is gone or stands still (sessionTimeout); others: a perturbation",
        owed=ends_no_running_session,
    ),
    Fairness("register", Strength.WEAK, "BrokerRegistryImpl registers again (#23359)"),
    Fairness("notice", Strength.WEAK, "ZooKeeper delivers every watch of a living session"),
    Fairness("elect", Strength.WEAK, "LeaderElectionImpl runs again when the leader's node vanishes"),
    Fairness("start_compaction", Strength.NONE, "a size of the log, or an operator, asks for it"),
    Fairness("write_ledger", Strength.WEAK, "a compaction goes on while its host lives"),
    Fairness("show_ledger", Strength.WEAK, "a compaction goes on while its host lives"),
    Fairness("save_cursor", Strength.WEAK, "a compaction goes on while its host lives"),
    Fairness("delete_ledger", Strength.WEAK, "a compaction goes on while its host lives"),
    Fairness("fail_to_write", Strength.NONE, "a disturbance"),
    Fairness("trim", Strength.NONE, "retention may keep the log"),
    Fairness("skip", Strength.NONE, "a reader may find the records themselves in its queue"),
    Fairness("jump", Strength.NONE, "a reader may find the records themselves in its queue"),
    Fairness(
        "override",
        Strength.STRONG,
        "monitorOwnerships runs every 60 s: what is orphaned again and again is met by a run",
        choice="destination",
    ),
    Fairness(
        "play_leader", Strength.WEAK, "the role is taken in a loop, and monitor repairs a role that is not the one"
    ),
    Fairness("play_follower", Strength.WEAK, "the role is given up in the same loop"),
    Fairness("stop_zookeeper", Strength.NONE, "a perturbation"),
    Fairness("start_zookeeper", Strength.WEAK, "an outage ends: what models.L9 and L14 presume"),
    Fairness(
        "lose_session",
        Strength.WEAK,
        "ZooKeeper tells a client that its session has ended; a client that only has no contact need not give it up",
        owed=ends_unawares,
    ),
    Fairness("reconnect", Strength.WEAK, "the client of ZooKeeper connects again until it has a session"),
    Fairness("put", Strength.STRONG, "as append"),
    Fairness("look", Strength.WEAK, "ZooKeeper delivers every watch of a living session"),
    Fairness("copy_to_store", Strength.STRONG, "the syncer's reader is pushed what it has not seen"),
    Fairness("copy_to_topic", Strength.STRONG, "the syncer's watch, and its producer, which sends again"),
    Fairness("start_syncer", Strength.NONE, "the leader changes, or an operator asks for it"),
    Fairness("copy_existing", Strength.WEAK, "a syncer that starts goes on"),
    Fairness("fill", Strength.WEAK, "fillAsync walks all nodes; if it fails the broker shuts down"),
    Fairness("fail", Strength.NONE, "a publish that is under way may arrive in the next session instead"),
    Fairness("settle", Strength.WEAK, "a timer of 180 s"),
    Fairness(
        "monitor",
        Strength.STRONG,
        "monitorOwnerships runs every 60 s, and does something only while Stable, which may come and go",
    ),
    Fairness("pause", Strength.NONE, "a perturbation"),
    Fairness("resume", Strength.NONE, "a process may stand still for ever; the cluster must heal without it"),
    Fairness("time_out_close", Strength.NONE, "a perturbation"),
    Fairness("end_close", Strength.WEAK, "a topic that is being closed comes to be closed"),
    Fairness("move_channel", Strength.WEAK, "the keep-alive closes connections, and clients look the topic up again"),
    Fairness(
        "end_flight",
        Strength.STRONG,
        "monitorOwnerships runs every 60 s, and a hand-over grows old",
        choice="destination",
    ),
    Fairness("begin_shedding", Strength.NONE, "a timer of minutes; nothing waits for it"),
    Fairness("shed", Strength.NONE, "what the strategy finds; nothing waits for it"),
    Fairness("end_shedding", Strength.NONE, "nothing waits for it"),
    Fairness("read_leader", Strength.NONE, "a cache is filled by the next read"),
    Fairness("elect_unheard", Strength.NONE, "a lost contact is a perturbation"),
    Fairness("depose", Strength.NONE, "an election that runs again is a perturbation"),
    Fairness("keep_old_entry", Strength.NONE, "a race that is lost is a perturbation"),
    Fairness("report", Strength.WEAK, "a producer connects again until it is connected", choice="destination"),
    Fairness("lose_channel", Strength.NONE, "a perturbation"),
    Fairness("serve_channel", Strength.WEAK, "a monitor that runs every 120 s"),
    Fairness("start_migration", Strength.NONE, "an operator's command"),
    Fairness("prepare", Strength.NONE, "a broker may not answer; the migration then fails"),
    Fairness("cut_over", Strength.NONE, "an operator's command goes on or fails"),
    Fairness("acquire", Strength.NONE, "a client asks when it likes"),
    Fairness("end_clean_up", Strength.NONE, "a clean-up that has nothing to do does no harm"),
)
"""Every action of the model, with its strength."""
