"""``STICKY`` and ``FALLBACK`` judge the assignors before KIP-441, which ignore lag."""

from oneowner.model.kafka.assignors.group import Assignment, Group
from oneowner.model.kafka.assignors.group_inputs import HistorySizes, some_history
from oneowner.model.kafka.assignors.series import caught_up
from oneowner.model.kafka.assignors.sticky import assign_as_before, assign_sticky
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.kafka.assignment_laws import (
    COMMON,
    has_stateful,
    has_tasks,
    owner,
)
from oneowner.spec.kafka.high_availability import read, told

CODE = "the code of Kafka 4.1.1"


def loads(found: Assignment) -> list[int]:
    return [len(one.active) for one in found.clients]


def active_are_even(group: Group, found: Assignment) -> bool:
    return max(loads(found), default=0) - min(loads(found), default=0) <= 1


def someone_ran_something(group: Group, found: Assignment) -> bool:
    return any(client.previous_active for client in group.clients)


def ran_evenly(group: Group, found: Assignment) -> bool:
    ran = [len(client.previous_active) for client in group.clients]
    return bool(group.stateful) and sum(ran) == len(group.stateful) and max(ran) - min(ran) <= 1


def all_stay(group: Group, found: Assignment) -> bool:
    return all(owner(found, task) == client.number for client in group.clients for task in client.previous_active)


def as_many_stay_as_can(group: Group, found: Assignment) -> bool:
    """A client keeps what it ran, up to the whole part of its share."""
    share = len(group.stateful) // len(group.clients)
    kept = [sum(owner(found, task) == one.number for task in one.previous_active) for one in group.clients]
    return all(
        number >= min(share, len(client.previous_active)) for number, client in zip(kept, group.clients, strict=True)
    )


def stays_as_it_is(group: Group, found: Assignment) -> bool:
    following = assign_sticky(caught_up(group, found, end=9))
    assert isinstance(following, Assignment)
    return [one.active for one in following.clients] == [one.active for one in found.clients]


def asks_for_no_other(group: Group, found: Assignment) -> bool:
    return not found.probing


def asks_for_another(group: Group, found: Assignment) -> bool:
    return found.probing


STICKY = Decision(
    "kafka/sticky",
    "Who runs which task, by who ran it (the assignor of before KIP-441)",
    HistorySizes,
    some_history,
    assign_sticky,
    (
        *COMMON,
        InputLaw("active-tasks-are-even", "No client has two active tasks more than another, if each has one thread.",
                 CODE, has_stateful, active_are_even, kind=LawKind.PURPOSE),
        InputLaw("share-stays", "A client keeps the tasks that it ran, up to its share.", CODE, someone_ran_something,
                 as_many_stay_as_can, kind=LawKind.PROTOCOL),
        InputLaw("what-ran-evenly-stays", "Where no client ran two tasks more than another, each keeps its tasks.",
                                          CODE,
                 ran_evenly, all_stay, kind=LawKind.PROTOCOL),
        InputLaw("assignment-stays", "The next assignment has the same active tasks.", CODE, has_stateful,
                 stays_as_it_is, kind=LawKind.PROTOCOL),
        InputLaw("no-rebalance-is-asked-for", "The assignment requests no probing rebalance.", CODE, has_tasks,
                 asks_for_no_other, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
FALLBACK = Decision(
    "kafka/fallback",
    "Who runs which task, where the leader cannot find out lags",
    HistorySizes,
    some_history,
    assign_as_before,
    (
        *COMMON,
        InputLaw("what-ran-stays", "A task stays with the client that ran it.", CODE, someone_ran_something,
                 all_stay, kind=LawKind.PROTOCOL),
        InputLaw("fallback-is-even", "No client has two active tasks more than another. (This fails for a client "
                                     "that ran them.)",
                 CODE, has_stateful, active_are_even, Status.DOCUMENTED, kind=LawKind.PURPOSE),
        InputLaw("a-rebalance-is-asked-for", "The assignment requests a probing rebalance, so that clients report "
                                             "their lags again.",
                 CODE, has_tasks, asks_for_another, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
