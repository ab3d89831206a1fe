"""``LEARNERS`` judges active and learning members in the draft of KIP-441 that Kafka did not build."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.kafka.learners.assignor import assign_learners
from oneowner.model.kafka.learners.group import Draft, Learner, LearnerGroup, Share, is_balanced
from oneowner.model.kafka.learners.learner_inputs import LearnerSizes, some_learners
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status

DRAFT = "KIP-441, the draft with learner tasks"
Shares = tuple[Share, ...]


# ---- who had a task, and who has it ----


def running(group: LearnerGroup) -> dict[int, int]:
    """By task who runs it as the group joins."""
    return {task: one.number for one in group.members for task in one.runs}


def ready(group: LearnerGroup) -> dict[int, int]:
    """By task who stays and is ready for it."""
    return {task: one.number for one in group.staying if one.is_ready for task in one.learns}


def active(found: Shares) -> dict[int, int]:
    return {task: one.member for one in found for task in one.active}


def learning(found: Shares) -> dict[int, int]:
    return {task: one.member for one in found for task in one.learning}


def begun(group: LearnerGroup, found: Shares) -> dict[int, int]:
    """By task who begins to learn it."""
    before = {(one.number, task) for one in group.members for task in one.learns}
    return {task: member for task, member in learning(found).items() if (member, task) not in before}


# ---- occasions ----


def some_runs(group: LearnerGroup, found: Shares) -> bool:
    return bool(running(group))


def some_is_ready(group: LearnerGroup, found: Shares) -> bool:
    return bool(ready(group))


def some_learn(group: LearnerGroup, found: Shares) -> bool:
    return any(one.learns for one in group.staying)


def some_begin(group: LearnerGroup, found: Shares) -> bool:
    return bool(begun(group, found))


def leaves_with_tasks(group: LearnerGroup, found: Shares) -> bool:
    return bool(group.staying) and any(one.is_leaving and one.runs for one in group.members)


def rests(group: LearnerGroup, found: Shares) -> bool:
    return not group.orphans and not any(one.is_new or one.is_leaving or one.learns for one in group.members)


def nobody_learns(group: LearnerGroup, found: Shares) -> bool:
    return bool(group.staying and group.tasks) and not learning(found)


# ---- what must be true ----


def every_task_runs_once(group: LearnerGroup, found: Shares) -> bool:
    return sorted(task for one in found for task in one.active) == list(group.tasks)


def a_task_is_learned_once(group: LearnerGroup, found: Shares) -> bool:
    learned = [task for one in found for task in one.learning]
    return len(set(learned)) == len(learned) and not any(set(one.active) & set(one.learning) for one in found)


def the_running_give_to_the_ready(group: LearnerGroup, found: Shares) -> bool:
    owners, heirs = active(found), ready(group)
    return all(owners.get(task) in (member, heirs.get(task)) for task, member in running(group).items())


def the_ready_run(group: LearnerGroup, found: Shares) -> bool:
    owners = active(found)
    return all(owners.get(task) == member for task, member in ready(group).items())


def learners_go_on(group: LearnerGroup, found: Shares) -> bool:
    shares = {one.member: {*one.active, *one.learning} for one in found}
    return all(set(one.learns) <= shares.get(one.number, set()) for one in group.staying)


def leaving_are_relieved(group: LearnerGroup, found: Shares) -> bool:
    leaving, learners = {one.number for one in group.members if one.is_leaving}, learning(found)
    runs = [task for task, member in active(found).items() if member in leaving]
    return all(learners.get(task, 0) not in {0, *leaving} for task in runs)


def the_new_begin(group: LearnerGroup, found: Shares) -> bool:
    new = {one.number for one in group.members if one.is_new}
    leaving, owners = {one.number for one in group.members if one.is_leaving}, active(found)
    return all(member in new or owners.get(task) in leaving for task, member in begun(group, found).items())


def nothing_changes(group: LearnerGroup, found: Shares) -> bool:
    return found == tuple(Share(one.number, one.runs) for one in group.members)


def loads_are_even(group: LearnerGroup, found: Shares) -> bool:
    """Within the slack, or such that no task could move and make them more even; all can bear the same."""
    staying = {one.number for one in group.staying}
    loads = dict.fromkeys(staying, 0) | {one.member: len(one.active) for one in found if one.member in staying}
    return is_balanced(group, loads) or max(loads.values()) - min(loads.values()) <= 1


def who_runs_is_ready(group: LearnerGroup, found: Shares) -> bool:
    had, heirs = running(group), ready(group)
    return all(member in (had.get(task), heirs.get(task)) for task, member in active(found).items())


# ---- facts ----


def read(row: Mapping[str, Any]) -> LearnerGroup:
    """Return the input of a fact: members by number, with the tasks that they run and learn."""
    members = tuple(
        Learner(
            number,
            told.get("capacity", 1),
            tuple(told.get("runs", ())),
            tuple(told.get("learns", ())),
            is_ready=told.get("ready", False),
            is_new=told.get("new", False),
            is_leaving=told.get("leaving", False),
        )
        for number, told in row["members"].items()
    )
    return LearnerGroup(members, tuple(row["tasks"]), Draft())


def told(found: Shares) -> dict[int, list[list[int]]]:
    """Return the tasks that each member runs and learns."""
    return {one.member: [list(one.active), list(one.learning)] for one in found}


LEARNERS = Decision(
    "kafka/learners",
    "Who runs and who learns which task (the draft of KIP-441)",
    LearnerSizes,
    some_learners,
    assign_learners,
    (
        InputLaw("every-task-runs-once", "Every task is active on one member.", DRAFT, always, every_task_runs_once,
                 kind=LawKind.PURPOSE),
        InputLaw("a-task-is-learned-once", "At most one member learns a task, and not the member that runs it.", DRAFT,
                 always, a_task_is_learned_once, kind=LawKind.PROTOCOL),
        InputLaw("the-running-give-to-the-ready", "A task that runs stays, or goes to a member that is ready for it.",
                 DRAFT, some_runs, the_running_give_to_the_ready, kind=LawKind.PROTOCOL),
        InputLaw("the-ready-run", "A task for which a member is ready that stays runs on it.", DRAFT, some_is_ready,
                 the_ready_run, kind=LawKind.PROTOCOL),
        InputLaw("learners-go-on", "A member that stays goes on to learn the tasks that it learns, or runs them.",
                                   DRAFT, some_learn,
                 learners_go_on, kind=LawKind.PROTOCOL),
        InputLaw("leaving-are-relieved", "A member that stays learns every task of a member that leaves.", DRAFT,
                 leaves_with_tasks, leaving_are_relieved, kind=LawKind.PROTOCOL),
        InputLaw("the-new-begin", "Only new members begin to learn, unless the task is that of a member that leaves.",
                 DRAFT, some_begin, the_new_begin, kind=LawKind.PROTOCOL),
        InputLaw("rest-stays", "If no member is new, leaves or learns, and every task runs, nothing changes.", DRAFT,
                 rests, nothing_changes, kind=LawKind.PROTOCOL),
        InputLaw("loads-are-even-or-learned", "If no member learns, the numbers of tasks of members that stay differ "
                                              "by at most one. (This fails: a task that nobody runs goes to its "
                                              "learner, and only members that are recorded as new learn.)",
                                              DRAFT, nobody_learns, loads_are_even, Status.DOCUMENTED,
                                              kind=LawKind.PURPOSE),
        InputLaw("who-runs-is-ready", "A task runs where it ran, or on a member that is ready. (This fails: a "
                                      "task that nobody runs goes to a learner that is not ready, or to any "
                                      "member.)", DRAFT, always, who_runs_is_ready,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
