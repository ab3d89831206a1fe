"""``STREAMS_STICKY`` judges the target of a streams group (KIP-1071)."""

from oneowner.model.kafka.batch import streams_group
from oneowner.model.kafka.streams_group.reconciler import Task
from oneowner.model.kafka.streams_group.reconciler_inputs import StreamsGroupSizes, some_streams_group
from oneowner.model.kafka.streams_group.sticky import StreamsGroup, Target, assign_to_members
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status

KIP = "KIP-1071"
Found = tuple[Target, ...]


def tasks_of(group: StreamsGroup) -> list[Task]:
    return [(name, number) for name, count, _ in group.subtopologies for number in range(count)]


def has_tasks(group: StreamsGroup, found: Found) -> bool:
    return bool(tasks_of(group))


def every_task_has_one_active(group: StreamsGroup, found: Found) -> bool:
    return sorted(task for one in found for task in one.active) == sorted(tasks_of(group))


def asks_for_standbys(group: StreamsGroup, found: Found) -> bool:
    return has_tasks(group, found) and group.replicas > 0


def holders(group: StreamsGroup, found: Found, task: Task) -> list[str]:
    processes = {one.name: one.process for one in group.members}
    return [processes.get(one.member, "") for one in found for held in (*one.active, *one.standby) if held == task]


def no_process_has_two_copies(group: StreamsGroup, found: Found) -> bool:
    copies = [holders(group, found, task) for task in tasks_of(group)]
    return all(len(set(one)) == len(one) for one in copies)


def standbys_are_there(group: StreamsGroup, found: Found) -> bool:
    wanted = min(1 + group.replicas, len({one.process for one in group.members}))
    return all(len(holders(group, found, task)) == wanted for task in tasks_of(group))


def active_are_even(group: StreamsGroup, found: Found) -> bool:
    loads = [len(one.active) for one in found]
    return max(loads, default=0) - min(loads, default=0) <= 1


def ran_evenly(group: StreamsGroup, found: Found) -> bool:
    ran = [len(one.active) for one in group.members]
    return has_tasks(group, found) and sum(ran) == len(tasks_of(group)) and max(ran) - min(ran) <= 1


def all_stay(group: StreamsGroup, found: Found) -> bool:
    return [had.active for had in group.members] == [one.active for one in found]


def the_next_is_the_same(group: StreamsGroup, found: Found) -> bool:
    if len(found) != len(group.members):
        return False
    members = (
        had._replace(active=one.active, standby=one.standby) for had, one in zip(group.members, found, strict=True)
    )
    return assign_to_members(group._replace(members=tuple(members))) == found


STREAMS_STICKY = Decision(
    "kafka/streams-sticky",
    "What each member of a streams group is to have (KIP-1071)",
    StreamsGroupSizes,
    some_streams_group,
    assign_to_members,
    (
        InputLaw("every-task-has-one-active-member", "Every task is active on one member.", KIP, has_tasks,
                 every_task_has_one_active, kind=LawKind.PURPOSE),
        InputLaw("no-process-has-two-copies", "No process has two copies of a task.", KIP, asks_for_standbys,
                 no_process_has_two_copies, kind=LawKind.PROTOCOL),
        InputLaw("processes-have-the-standbys", "A task has the configured number of copies, or one in each "
                                                "process.",
                 KIP, asks_for_standbys, standbys_are_there, kind=LawKind.PURPOSE),
        InputLaw("members-are-even", "No member has two active tasks more than another.", KIP, has_tasks,
                 active_are_even, kind=LawKind.PURPOSE),
        InputLaw("members-that-ran-evenly-keep-all", "Where no member ran two tasks more than another, each keeps "
                                                     "its tasks. (This can fail for members that share a process: "
                                                     "the assignor leaves a process with as many tasks as one "
                                                     "member should have out of the shares as if it were one "
                                                     "member.)", KIP, ran_evenly, all_stay, Status.DOCUMENTED,
                 kind=LawKind.PROTOCOL),
        InputLaw("target-stays", "Once members have their target, the next target is the same. (This can fail, for "
                                 "the same reason.)",
                                 KIP, has_tasks, the_next_is_the_same, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    streams_group.group_of,
    told=streams_group.targets_told,
)  # fmt: skip
