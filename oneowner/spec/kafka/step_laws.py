"""
Laws of steps: when a member continues, how it applies its assignment, and which tasks the leader withholds.

The laws of ``runner_laws.py`` and ``leader_laws.py`` judge which member runs each task. These restate the model's
behaviour from another side, and call none of its steps.
"""

from oneowner.model.kafka.rebalance.bounds import Bounds
from oneowner.model.kafka.rebalance.placement import Role
from oneowner.model.kafka.rebalance.state import NOBODY, FollowUp, State, Store, members, tasks
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.enabled import Rule, enabled_law, exactly
from oneowner.model.kernel.law import LawKind, step_law

# ---- when a member goes on ----


def is_in(state: State, member: int) -> bool:
    return state.up[member] and state.listed[member]


def has_a_task(state: State, member: int) -> bool:
    return any(state.role[member, task] != Role.NONE for task in tasks(state))


def may_start(state: State, member: int) -> bool:
    return not state.up[member] and not state.listed[member] and state.starts_left > 0


def may_leave(state: State, member: int) -> bool:
    return is_in(state, member) and state.leaves_left > 0


def may_crash(state: State, member: int) -> bool:
    return state.up[member] and state.crashes_left > 0


def expires(state: State, member: int) -> bool:
    return state.listed[member] and not state.up[member]


def may_be_missed(state: State, member: int) -> bool:
    return is_in(state, member) and state.timeouts_left > 0


def is_forgotten(state: State, member: int) -> bool:
    return state.up[member] and not state.listed[member] and has_a_task(state, member)


def commits_in_vain(state: State, member: int, task: int) -> bool:
    return state.up[member] and not state.listed[member] and state.role[member, task] == Role.ACTIVE


def joins(state: State, member: int) -> bool:
    return may_join(state, member) and (state.listed[member] or not has_a_task(state, member))


def may_join(state: State, member: int) -> bool:
    is_asked = state.preparing and not state.joined[member]
    return state.up[member] and (is_asked or not state.listed[member])


def has_its_part(state: State, member: int) -> bool:
    return state.up[member] and state.due[member] and state.listed[member] and not state.preparing


def is_at_rest(state: State, member: int) -> bool:
    return is_in(state, member) and not state.due[member] and not state.preparing


def asks_at_once(state: State, member: int) -> bool:
    return is_at_rest(state, member) and state.follow_up[member] == FollowUp.NOW


def probes(state: State, member: int) -> bool:
    return is_at_rest(state, member) and state.follow_up[member] == FollowUp.PROBING


def may_refresh(state: State, member: int) -> bool:
    return is_at_rest(state, member) and state.refreshes_left > 0


def restores(state: State, member: int, task: int) -> bool:
    is_used = state.up[member] and state.role[member, task] != Role.NONE
    return is_used and state.store[member, task] != Store.CAUGHT_UP


def is_cleaned(state: State, member: int, task: int) -> bool:
    return may_be_cleaned(state, member, task) and not state.joined[member] and not state.due[member]


def may_be_cleaned(state: State, member: int, task: int) -> bool:
    is_unused = state.role[member, task] == Role.NONE and state.store[member, task] != Store.NONE
    return state.up[member] and is_unused and state.cleanings_left > 0


def in_any_bounds(bounds: Bounds) -> bool:
    return True


MEMBERS_GO_ON = enabled_law(
    "members-go-on",
    "A living client joins the rebalance that is being prepared, or joins the group anew after it has dropped its "
    "tasks. It takes its assignment, and requests the next rebalance, while none is being prepared. A dead client "
    "that is in the group expires. A client restores the state of tasks that it has a role in; it cleans the "
    "state of other tasks, but not between a join and its assignment.",
    "ConsumerCoordinator.onJoinPrepare, onJoinComplete; StreamThread.runLoop; StateDirectory.cleanRemovedTasks",
    exactly("start", may_start),
    exactly("leave", may_leave),
    exactly("crash", may_crash),
    exactly("expire", expires),
    exactly("time_out", may_be_missed),
    exactly("hear", is_forgotten),
    exactly("commit", commits_in_vain),
    Rule("join", joins, may_join),
    exactly("sync", has_its_part),
    exactly("follow_up", asks_at_once),
    exactly("probe", probes),
    exactly("refresh", may_refresh),
    exactly("restore", restores),
    Rule("clean", is_cleaned, may_be_cleaned),
    where=in_any_bounds,
)


# ---- what a member does ----


def a_member_goes_on(before: State, action: Action, after: State) -> bool:
    of_group = action.name == "leave" or action.name == "expire" or action.name == "time_out"
    takes_part = action.name == "join" or action.name == "follow_up" or action.name == "probe"
    return of_group or takes_part or action.name == "sync" or action.name == "hear" or action.name == "refresh"


def takes_its_part(before: State, after: State, member: int) -> bool:
    for task in tasks(before):
        is_given_back = before.role[member, task] == Role.ACTIVE and before.given[member, task] != Role.ACTIVE
        if after.role[member, task] != before.given[member, task] or after.given[member, task] != Role.NONE:
            return False
        if is_given_back and after.follow_up[member] != FollowUp.NOW:
            return False
    return not after.due[member]


@step_law(
    "group-knows",
    "GroupCoordinator.removeMemberAndUpdateGroup; ConsumerCoordinator.onJoinComplete (KIP-429)",
    when=a_member_goes_on,
    kind=LawKind.MIRROR,
)
def the_group_knows(before: State, action: Action, after: State) -> bool:
    """
    A client that joins is in the group and has no assignment any more; a client that leaves or expires is not in the
    group, and the remaining members prepare a rebalance. A member carries out its assignment, and requests a rebalance
    at once if it gave a task back.
    """
    member = action.argument("member")
    if action.name == "hear":
        return not has_a_task(after, member)
    if action.name == "sync":
        return takes_its_part(before, after, member)
    if after.due[member] or after.follow_up[member] != FollowUp.NONE:
        return False
    if any(after.given[member, task] != Role.NONE for task in tasks(after)):
        return False
    if action.name != "leave" and action.name != "expire" and action.name != "time_out":
        return after.listed[member] and after.joined[member] and after.preparing
    if after.listed[member] or after.joined[member] or (action.name != "time_out" and has_a_task(after, member)):
        return False
    return after.preparing == any(after.listed[other] for other in members(after))


# ---- what the leader does ----


def the_leader_assigns(before: State, action: Action, after: State) -> bool:
    return action.name == "assign"


def runner_of(before: State, action: Action, task: int) -> int:
    if task == 1:
        return action.argument("first")
    return action.argument("second")


def is_given_or_waited_for(before: State, after: State, task: int, runner: int) -> bool:
    is_owned = before.role[runner, task] != Role.ACTIVE and any(
        other != runner and before.listed[other] and before.role[other, task] == Role.ACTIVE
        for other in members(before)
    )
    if is_owned:
        return after.given[runner, task] != Role.ACTIVE and after.follow_up[runner] == FollowUp.NOW
    return after.given[runner, task] == Role.ACTIVE


@step_law(
    "owned-is-withheld",
    "StreamsPartitionAssignor.populateActiveTaskAndPartitionsLists, addClientAssignments (KIP-429, KAFKA-9821)",
    when=the_leader_assigns,
    kind=LawKind.MIRROR,
)
def it_withholds_what_is_owned(before: State, action: Action, after: State) -> bool:
    """
    The leader lives, and assigns when all members of the group have joined; each of them then has an assignment to
    fetch. The leader withholds a task that another member owns from its new runner, and has a rebalance requested at
    once; otherwise the new runner gets it.
    """
    leads = NOBODY
    for member in members(before):
        if before.listed[member] and leads == NOBODY:
            leads = member
        if before.listed[member] and not before.joined[member]:
            return False
        if after.due[member] != before.listed[member] or after.joined[member]:
            return False
    if leads == NOBODY or after.preparing or not before.up[leads]:
        return False
    return all(is_given_or_waited_for(before, after, task, runner_of(before, action, task)) for task in tasks(before))
