"""``HIGH_AVAILABILITY`` judges the assignments of KIP-441's assignor."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.kafka.assignors.group import RUNNING, Assignment, Group, Rules
from oneowner.model.kafka.assignors.group_inputs import GroupSizes, some_lags
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.batch import assignors
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.kafka.assignment_laws import (
    COMMON,
    are_known,
    asks_for_standbys,
    extra_copies,
    has_stateful,
    is_steady,
    lags_of,
    loads_are_even,
    next_assignment,
    nothing_moves,
    owner,
    ready,
    reversed_clients,
    runs_evenly,
    someone_is_ready,
    stateless_stay,
    the_least_behind_have_copies,
    the_least_behind_run,
    the_ready_run,
    warm_ups_are_within_the_limit,
)

KIP = "KIP-441"


def knows_who_is_ready(group: Group, found: Assignment) -> bool:
    return are_known(group) and someone_is_ready(group, found)


def knows_that_none_is_ready(group: Group, found: Assignment) -> bool:
    return are_known(group) and any(not ready(group, task) for task in group.stateful)


def asks_and_knows(group: Group, found: Assignment) -> bool:
    return asks_for_standbys(group, found) and are_known(group)


def has_stateless(group: Group, found: Assignment) -> bool:
    return bool(group.stateless)


def some_task_runs(group: Group, found: Assignment) -> bool:
    return any(RUNNING in lags_of(group, task).values() for task in group.stateful)


def the_running_are_ready_to_run(group: Group, found: Assignment) -> bool:
    lags = [(lags_of(group, task), owner(found, task)) for task in group.stateful]
    return all(of_task.get(client) == RUNNING for of_task, client in lags if RUNNING in of_task.values())


def stays_as_it_is(group: Group, found: Assignment) -> bool:
    return next_assignment(group, found) == found


def is_even_already(group: Group, found: Assignment) -> bool:
    return bool(group.stateful) and not group.config.num_standby_replicas and runs_evenly(group)


def has_two(group: Group, found: Assignment) -> bool:
    return len(group.clients) > 1 and bool(group.stateful)


def decides_the_same_in_any_order(group: Group, found: Assignment) -> bool:
    return assign_highly_available(reversed_clients(group)) == found


def is_probing(group: Group, found: Assignment) -> bool:
    return found.probing


def someone_warms_up(group: Group, found: Assignment) -> bool:
    return sum(extra_copies(group, found)) > 0


def read(row: Mapping[str, Any]) -> Group:
    """Return the input that a fact gives as a line of a batch."""
    return assignors.group_of(row, Rules())


def told(found: Assignment) -> dict[str, Any]:
    """
    Return the facts that upstream's tests compare: active and standby tasks of each client, and whether it probes.
    """
    by_client = {str(one.client): [list(map(str, one.active)), list(map(str, one.standby))] for one in found.clients}
    return {"probing": found.probing, **by_client}


HIGH_AVAILABILITY = Decision(
    "kafka/high-availability",
    "Who runs which task, and who warms up (KIP-441)",
    GroupSizes,
    some_lags,
    assign_highly_available,
    (
        *COMMON,
        InputLaw("the-ready-run", "If all lags are known, a task with which some client has caught up is active "
                                  "on such a client.", KIP, knows_who_is_ready, the_ready_run, kind=LawKind.PROTOCOL),
        InputLaw("the-least-behind-run", "A task with which no client has caught up is active on one that is least"
                 " behind, if all lags are known.", "KAFKA-13600", knows_that_none_is_ready, the_least_behind_run,
                 kind=LawKind.PROTOCOL),
        InputLaw("the-running-run-on", "A task that some client runs is active on a client that runs it. (This fails "
                                       "where another client's lag is unknown: it counts as less than any, and since "
                                       "3.2 that keeps the task away from the client that runs it.)",
                                       "KIP-441; apache/kafka#11760", some_task_runs,
                 the_running_are_ready_to_run, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("the-least-behind-have-copies", "If all lags are known, the configured copies are on the clients "
                                                 "that are least behind.",
                                                 KIP, asks_and_knows, the_least_behind_have_copies,
                                                 kind=LawKind.PROTOCOL),
        InputLaw("warm-ups-are-within-the-limit", "There are at most max.warmup.replicas copies beyond the configured "
                                                  "ones.",
                                                  KIP, has_stateful, warm_ups_are_within_the_limit,
                                                  kind=LawKind.PROTOCOL),
        InputLaw("steady-loads-are-even", "If the assignment requests no rebalance, moving a standby, or an "
                                          "active task if no standbys are configured, would not make stateful "
                                          "tasks per thread more even.", KIP, is_steady,
                 loads_are_even, kind=LawKind.PROTOCOL),
        InputLaw("steady-stays", "If the assignment requests no rebalance, the next one, after each copy has "
                                 "caught up, changes nothing.", KIP, is_steady, stays_as_it_is, kind=LawKind.PROTOCOL),
        InputLaw("even-stays", "Where each task runs on one client, and none runs two more than another, nothing "
                               "moves. (This fails: the assignor deals the tasks anew, whichever clients run "
                               "them.)", KIP, is_even_already, nothing_moves,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("stateless-stay", "The next rebalance, after each copy has caught up, moves no stateless task. "
                                   "(This fails: the assignor deals them by the load of active tasks, which then "
                                   "move.)", KIP, has_stateless,
                 stateless_stay, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("probing-means-warming-up", "The assignment requests a rebalance only if some client warms up. "
                                             "(This fails: a swap of a standby and an active task requests one, "
                                             "too.)", KIP, is_probing, someone_warms_up,
                 Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("order-decides-nothing", "The order of clients and tasks in the input changes nothing.", KIP,
                 has_two, decides_the_same_in_any_order, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
