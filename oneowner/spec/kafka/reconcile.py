"""``RECONCILE`` judges how the broker leads a member of a streams group to its target (KIP-1071)."""

from typing import Any

from oneowner.model.kafka.batch import streams_group
from oneowner.model.kafka.streams_group.reconciler import Heartbeat, Member, MemberState, TasksTuple, reconcile
from oneowner.model.kafka.streams_group.reconciler_inputs import HeartbeatSizes, some_heartbeat
from oneowner.model.kernel.decision import Decision, InputLaw, Thrown, throws
from oneowner.model.kernel.law import LawKind

KIP = "KIP-1071"
Found = Member | Thrown


def gained(asked: Heartbeat, found: Member) -> TasksTuple:
    return found.assigned - asked.member.assigned


def is_given_something(asked: Heartbeat, found: Found) -> bool:
    return isinstance(found, Member) and any(gained(asked, found))


def no_other_runs_it(asked: Heartbeat, found: Member) -> bool:
    return not gained(asked, found).active & {task for task, _ in asked.holders.active}


def its_process_has_it_in_no_role(asked: Heartbeat, found: Member) -> bool:
    here = {task for role in asked.holders for task, process in role if process == asked.member.process}
    return not any(tasks & here for tasks in gained(asked, found))


def is_led_on(asked: Heartbeat, found: Found) -> bool:
    return isinstance(found, Member) and found != asked.member


def has_only_what_it_is_to_have(asked: Heartbeat, found: Member) -> bool:
    return not any(found.assigned - asked.target)


def has_to_give_back(asked: Heartbeat, found: Found) -> bool:
    return is_led_on(asked, found) and isinstance(found, Member) and found.state == MemberState.UNREVOKED_TASKS


def is_given_nothing(asked: Heartbeat, found: Member) -> bool:
    return not any(gained(asked, found)) and found.epoch <= asked.member.epoch + 1


def gives_back_all_that_it_owns(asked: Heartbeat, found: Member) -> bool:
    taken = asked.member.assigned - found.assigned - found.pending_revocation
    return not any(taken) or (asked.owned is not None and not any(asked.owned & taken))


def is_led_on_and_loses(asked: Heartbeat, found: Found) -> bool:
    return isinstance(found, Member) and any(asked.member.assigned - found.assigned)


def becomes_stable(asked: Heartbeat, found: Found) -> bool:
    return is_led_on(asked, found) and isinstance(found, Member) and found.state == MemberState.STABLE


def is_at_its_target(asked: Heartbeat, found: Member) -> bool:
    return (found.assigned, found.epoch) == (asked.target, asked.target_epoch)


def owns_what_it_is_to_give_back(asked: Heartbeat, found: Found) -> bool:
    member, owned = asked.member, asked.owned
    waits = member.state == MemberState.UNREVOKED_TASKS
    return waits and (owned is None or any(owned & member.pending_revocation))


def stays(asked: Heartbeat, found: Found) -> bool:
    return found == asked.member


def is_unknown_with_tasks(asked: Heartbeat, found: Found) -> bool:
    is_empty = asked.owned is not None and not any(asked.owned)
    return asked.member.state == MemberState.UNKNOWN and not is_empty


def told(found: Found) -> dict[str, Any]:
    """Return an answer as a line of a batch has it."""
    return streams_group.member_told(found, as_lists=True)


RECONCILE = Decision(
    "kafka/reconcile",
    "What a member of a streams group has to give back, and what it is given (KIP-1071)",
    HeartbeatSizes,
    some_heartbeat,
    reconcile,
    (
        InputLaw("given-runs-nowhere", "The coordinator assigns an active task only if no process runs it.",
                                       KIP, is_given_something,
                 no_other_runs_it, kind=LawKind.PROTOCOL),
        InputLaw("given-has-no-other-role", "The coordinator assigns a task to a process only if that has it in "
                                            "no role.", KIP,
                 is_given_something, its_process_has_it_in_no_role, kind=LawKind.PROTOCOL),
        InputLaw("member-has-only-what-it-is-to-have", "A member that moves to the next epoch has only tasks that "
                                                       "are in its target.", KIP,
                 is_led_on, has_only_what_it_is_to_have, kind=LawKind.PROTOCOL),
        InputLaw("giving-back-comes-first", "A member that has tasks to give back gets none, and does not reach the "
                                            "target's epoch.",
                                            KIP, has_to_give_back, is_given_nothing, kind=LawKind.PROTOCOL),
        InputLaw("what-is-taken-is-asked-back", "The coordinator asks for a task back that it takes away, unless the "
                                                "member reports that it does not own the task.",
                                                KIP, is_led_on_and_loses, gives_back_all_that_it_owns,
                                                kind=LawKind.PROTOCOL),
        InputLaw("stable-is-at-the-target", "A member that becomes STABLE has its target, at the target's epoch.", KIP,
                 becomes_stable, is_at_its_target, kind=LawKind.PROTOCOL),
        InputLaw("owner-is-waited-for", "Nothing changes while a member owns tasks that it has to give back, or does "
                                        "not report its tasks.",
                                        KIP, owns_what_it_is_to_give_back, stays, kind=LawKind.PROTOCOL),
        InputLaw("unknown-state-is-fenced", "A member in a state that is unknown to the broker has to join again, "
                                            "unless it owns nothing.",
                                            KIP, is_unknown_with_tasks, throws, kind=LawKind.PROTOCOL),
    ),
    streams_group.heartbeat_of,
    told=told,
)  # fmt: skip
