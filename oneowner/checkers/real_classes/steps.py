"""
``STEPS`` declares the call or the delivery in Pulsar's classes that each action of the channel's model is.

``Steps.java`` takes them, by the same names. An action that is missing here has no counterpart yet, and a family that
has one of its instances is not walked.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Dialect
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.system import actions


class Kind(StrEnum):
    """The part of the script that takes a step."""

    CALL = "call"
    """A method of a real class is called."""
    DELIVERY = "delivery"
    """The end of something that a real class waits for, or a message for it."""
    JOB = "job"
    """A job of the leader runs, for one unit alone."""
    PROCESS = "process"
    """Objects are dropped, or made anew."""
    GIVEN = "given"
    """The answers of the script change; no real class acts."""


class Step(NamedTuple):
    """The counterpart of an action."""

    kind: Kind
    words: str


STEPS: Final = {
    "append": Step(Kind.DELIVERY, "the oldest publish reaches the log or the node, and its future completes"),
    "fail_publish": Step(Kind.DELIVERY, "the future of the oldest publish completes with an error"),
    "lose": Step(Kind.DELIVERY, "the oldest publish of a dead process is dropped"),
    "consume": Step(Kind.DELIVERY, "the table view takes the next record: resolver, then handleEvent"),
    "notify": Step(Kind.DELIVERY, "AbstractMetadataStore.receivedNotification of the unit's node"),
    "close": Step(Kind.DELIVERY, "the future of BrokerService.unloadServiceUnit completes"),
    "open": Step(Kind.CALL, "isOwner must confirm the broker, once older lookups have timed out"),
    "unload": Step(Kind.CALL, "publishUnloadEventAsync without a destination"),
    "transfer": Step(Kind.CALL, "publishUnloadEventAsync with a destination"),
    "remove": Step(Kind.CALL, "publishUnloadEventAsync, forced"),
    "look_up": Step(Kind.CALL, "ExtensibleLoadManagerImpl.assign; an older lookup has timed out"),
    "open_lookup": Step(Kind.CALL, "ExtensibleLoadManagerImpl.assign"),
    "assign": Step(Kind.DELIVERY, "the selection of a lookup ends: publishAssignEventAsync"),
    "select": Step(Kind.DELIVERY, "the selection of a lookup ends: publishAssignEventAsync"),
    "time_out": Step(Kind.DELIVERY, "the time-out of lookups that wait for an owner is over"),
    "notice": Step(Kind.DELIVERY, "receivedNotification of a registration: caches, registry, then the channel"),
    "elect": Step(Kind.DELIVERY, "the candidate's node of the election is there first; then the others'"),
    "read_leader": Step(Kind.DELIVERY, "receivedNotification of the election's node"),
    "play_leader": Step(Kind.CALL, "playLeader, which the election has scheduled, or else monitor"),
    "play_follower": Step(Kind.CALL, "playFollower, which the election has scheduled, or else monitor"),
    "expire": Step(Kind.DELIVERY, "a session ends with its nodes: receivedNotification of the election's"),
    "reestablish": Step(Kind.DELIVERY, "receivedSessionEvent: SessionLost, SessionReestablished"),
    "register": Step(Kind.CALL, "the registration that the registry has scheduled, or else monitor"),
    "override": Step(
        Kind.JOB, "monitorOwnerships, then the first scheduled clean-up that publishes; or waitForCleanups"
    ),
    "stop_zookeeper": Step(Kind.GIVEN, "no session is of use"),
    "start_zookeeper": Step(Kind.GIVEN, "sessions are of use again"),
    "lose_session": Step(Kind.DELIVERY, "receivedSessionEvent and handleMetadataSessionEvent: SessionLost"),
    "reconnect": Step(Kind.DELIVERY, "as lose_session: SessionReestablished"),
    "settle": Step(Kind.GIVEN, "the last session event is more than 180 s old"),
    "fill": Step(Kind.DELIVERY, "the read of the unit's node in the new session ends"),
    "fail": Step(Kind.DELIVERY, "the future of the oldest write fails: its session is lost"),
    "monitor": Step(Kind.JOB, "monitorOwnerships, which sees the entries that name the broker that is gone"),
    "call_off": Step(Kind.DELIVERY, "the health checks that a notice has asked for end"),
    "end_clean_up": Step(Kind.JOB, "a scheduled clean-up runs, publishes nothing, and ends"),
    "append_unacknowledged": Step(
        Kind.DELIVERY, "the oldest publish reaches the log, and its future does not complete"
    ),
    "overtake": Step(Kind.DELIVERY, "the second publish reaches the log, and its future completes"),
    "disable": Step(Kind.CALL, "ServiceUnitStateChannelImpl.disable, by which cleanOwnerships begins"),
    "drain": Step(Kind.JOB, "cleanOwnerships, which sees one unit alone"),
    "pass_over": Step(Kind.JOB, "as drain; it publishes nothing"),
    "free_own": Step(Kind.JOB, "as drain, with a selection that finds nobody"),
    "set_aside": Step(Kind.GIVEN, "the entry that drain sees of a system bundle later"),
    "hurry": Step(Kind.GIVEN, "drain runs although a publish is under way"),
    "unregister": Step(Kind.CALL, "BrokerRegistryImpl.unregister, LeaderElectionService.close"),
    "unload_leftover": Step(Kind.CALL, "getOwnerAsync, then publishUnloadEventAsync without a destination"),
    "stop": Step(Kind.PROCESS, "as crash"),
    "stop_registered": Step(Kind.PROCESS, "as crash"),
    "start_compaction": Step(Kind.CALL, "StrategicTwoPhaseCompactor.phaseOneLoop, over the real resolver"),
    "write_ledger": Step(Kind.GIVEN, "what phase one keeps is written"),
    "show_ledger": Step(Kind.GIVEN, "readers are shown it, with its horizon"),
    "save_cursor": Step(Kind.GIVEN, "the next host is shown it too"),
    "delete_ledger": Step(Kind.GIVEN, "the ledger before it is gone"),
    "jump": Step(Kind.DELIVERY, "the table view takes what was kept, and goes on after the horizon"),
    "pause": Step(Kind.GIVEN, "the broker hears of nothing"),
    "resume": Step(Kind.DELIVERY, "the broker hears of what has ended meanwhile"),
    "free_orphan": Step(Kind.JOB, "as override, with a selection that finds nobody"),
    "free_refused": Step(Kind.JOB, "as override, with a selection that finds nobody"),
    "end_flight": Step(Kind.JOB, "monitorOwnerships 31 s later"),
    "tombstone": Step(Kind.JOB, "monitorOwnerships 3,601 s later"),
    "crash": Step(Kind.PROCESS, "the objects of the broker are dropped; its publishes stay under way"),
    "restart": Step(Kind.PROCESS, "new objects of the broker, whose table view reads the channel"),
    "split": Step(Kind.CALL, "publishSplitEventAsync of the parent"),
    "split_child": Step(Kind.CALL, "publishSplitEventAsync of the first child"),
    "move_boundaries": Step(Kind.DELIVERY, "updateNamespaceBundles completes"),
    "retry_split": Step(Kind.DELIVERY, "updateNamespaceBundles is refused, but not the seventh time"),
    "give_up_split": Step(Kind.DELIVERY, "updateNamespaceBundles is refused the seventh time"),
    "delete_parent": Step(Kind.DELIVERY, "updateNamespaceBundlesForPolicies completes"),
    "reload_boundaries": Step(Kind.GIVEN, "the broker's bundle cache answers with the stored boundaries"),
    "split_elsewhere": Step(Kind.GIVEN, "another bundle is split: the stored boundaries have a new version"),
}


def command(action: Action) -> str:
    """Return the step of an action in the words of ``Steps.java``: its name and numbers, the acting broker first."""
    return " ".join([action.name, *(str(value) for _, value in action.arguments)])


def why_not(bounds: Bounds, run: Iterable[Action] | None = None) -> str:
    """Return the reason that a model within these bounds, or one run of it, cannot be walked, or an empty string."""
    if bounds.dialect != Dialect.RELEASED or bounds.upgraded:
        return "its brokers speak a protocol that no release speaks"
    if bounds.wraps:
        return "its versions wrap around at a number of the model's, not at the largest long"
    if bounds.reads_registry_at_once:
        return "its lookups do not wait for what a registry cache has yet to read (until #22899)"
    missing = sorted({action.name for action in (actions(bounds) if run is None else run)} - STEPS.keys())
    if missing:
        return f"no call or delivery stands for {', '.join(missing)}"
    return ""
