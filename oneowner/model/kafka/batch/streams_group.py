"""Lines that ask what the broker decides for a streams group (KIP-1071)."""

from typing import Any, Final

from oneowner.model.kafka.streams_group import reconciler
from oneowner.model.kafka.streams_group.reconciler import (
    Heartbeat,
    Holders,
    Member,
    MemberState,
    Task,
    Tasks,
    TasksTuple,
)
from oneowner.model.kafka.streams_group.sticky import GroupMember, StreamsGroup, Target, assign_to_members
from oneowner.model.kafka.variants import VARIANTS
from oneowner.model.kernel.batch import Algorithm, InvalidInput, Row
from oneowner.model.kernel.decision import Thrown

ROLES: Final = TasksTuple._fields


def reconcile(row: Row, rules: None) -> dict[str, Any]:
    """Return the next assignment of a member, with tasks in the form in which the line has its target."""
    as_lists = any(isinstance(row["target"].get(role), list) for role in ROLES)
    return member_told(reconciler.reconcile(heartbeat_of(row)), as_lists)


def member_told(found: Member | Thrown, as_lists: bool) -> dict[str, Any]:
    """Return an answer as a file gives it."""
    if isinstance(found, Thrown):
        return {"error": f"{found.exception}: {found.why}"}
    return {
        "state": found.state.value,
        "epoch": found.epoch,
        "assigned": tuple_told(found.assigned, as_lists),
        "pending": tuple_told(found.pending_revocation, as_lists),
    }


def heartbeat_of(row: Row) -> Heartbeat:
    """Return the input of a line."""
    told, target, holders = row["member"], row["target"], row.get("holders") or {}
    epoch = int(told["epoch"])
    member = Member(
        str(told.get("process", "")),
        state_of(told.get("state", "STABLE")),
        epoch,
        tuple_of(told.get("assigned") or {}),
        tuple_of(told.get("pending") or {}),
    )
    owned = None if row.get("owned") is None else tuple_of(row["owned"])
    held = Holders(*(holders_of(holders.get(role) or {}) for role in ROLES))
    return Heartbeat(member, tuple_of(target), int(target.get("epoch", row.get("target_epoch", epoch))), owned, held)


def state_of(told: Any) -> MemberState:
    """Return the state that is named so; raise InvalidInput for another name."""
    if told not in [one.value for one in MemberState]:
        raise InvalidInput(f"state refused: {told}; it is one of {', '.join(one.value for one in MemberState)}")
    return MemberState(told)


def tuple_of(told: Row) -> TasksTuple:
    """Return tasks by role as a line gives them."""
    return TasksTuple(*(tasks_of(told.get(role) or ()) for role in ROLES))


def tasks_of(told: Any) -> Tasks:
    """Return tasks as a line gives them: partitions by subtopology, or texts as ``s_0``."""
    if isinstance(told, dict):
        return frozenset((subtopology, int(one)) for subtopology, partitions in told.items() for one in partitions)
    return frozenset(map(task_of, told))


def task_of(text: str) -> Task:
    """
    Return the task that is written so.

    >>> task_of("s_1_0")
    ('s_1', 0)
    """
    subtopology, _, partition = text.rpartition("_")
    if not (subtopology and partition.isdecimal()):
        raise InvalidInput(f"task refused: {text}; it is a subtopology and a partition, such as s_0")
    return subtopology, int(partition)


def holders_of(told: Row) -> tuple[tuple[Task, str], ...]:
    """Return the owners of tasks of one role: by task a process, or several."""
    return tuple(
        (task_of(task), str(process))
        for task, processes in told.items()
        for process in (processes if isinstance(processes, list) else [processes])
        if process is not None
    )


def tuple_told(tasks: TasksTuple, as_lists: bool) -> dict[str, Any]:
    """Return tasks by role as a file gives them: partitions by subtopology, or as lists of texts."""
    if as_lists:
        return {role: [f"{name}_{number}" for name, number in sorted(one)] for role, one in tasks._asdict().items()}
    return {role: by_subtopology(one) for role, one in tasks._asdict().items()}


def by_subtopology(tasks: Tasks) -> dict[str, list[int]]:
    """Return partitions by subtopology."""
    found: dict[str, list[int]] = {}
    for subtopology, partition in sorted(tasks):
        found.setdefault(subtopology, []).append(partition)
    return found


def sticky(row: Row, rules: None) -> dict[str, Any]:
    """Return each member's target; of processes of equal load, the first in the order of Java's hash table."""
    return targets_told(assign_to_members(group_of(row)))


def group_of(row: Row) -> StreamsGroup:
    """Return a group as a line gives it."""
    members = tuple(
        GroupMember(
            str(one["id"]),
            str(one["process"]),
            tuple(sorted(tasks_of(one.get("active") or ()))),
            tuple(sorted(tasks_of(one.get("standby") or ()))),
        )
        for one in row["members"]
    )
    if len({one.name for one in members}) < len(members):
        raise InvalidInput("two members have one id")
    subtopologies = tuple(
        (name, int(one["partitions"]), bool(one["stateful"])) for name, one in row["subtopologies"].items()
    )
    config = row.get("config") or row
    return StreamsGroup(members, subtopologies, int(config.get("num.standby.replicas", 0)))


def targets_told(found: tuple[Target, ...] | Thrown) -> dict[str, Any]:
    """Return an answer as a file gives it."""
    if isinstance(found, Thrown):
        return {"error": f"{found.exception}: {found.why}"}
    return {
        "members": {
            one.member: {
                "active": by_subtopology(frozenset(one.active)),
                "standby": by_subtopology(frozenset(one.standby)),
            }
            for one in found
        }
    }


RECONCILE: Final = Algorithm(reconcile, VARIANTS.extended({"4.1.1": None}, "CurrentAssignmentBuilder"))
STICKY: Final = Algorithm(sticky, VARIANTS.extended({"4.1.1": None}, "StickyTaskAssignor of a streams group"))
