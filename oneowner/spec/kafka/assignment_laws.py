"""Laws of any assignment, and its distance from the target."""

from itertools import permutations
from math import inf

from oneowner.model.kafka.assignors.client_state import states_of
from oneowner.model.kafka.assignors.group import RUNNING, UNBOUNDED, UNKNOWN, Assigned, Assignment, Client, Group
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.assignors.series import caught_up
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.decision import InputLaw
from oneowner.model.kernel.law import LawKind


def has_tasks(group: Group, found: Assignment) -> bool:
    return bool(group.stateful or group.stateless)


def every_task_has_one_active(group: Group, found: Assignment) -> bool:
    given = sorted(task for one in found.clients for task in one.active)
    return given == sorted({*group.stateful, *group.stateless})


def asks_for_standbys(group: Group, found: Assignment) -> bool:
    return bool(group.stateful) and group.config.num_standby_replicas > 0


def no_client_has_two_copies(group: Group, found: Assignment) -> bool:
    return not any(set(one.active) & set(one.standby) for one in found.clients)


def copies(found: Assignment, task: TaskId) -> int:
    return sum(task in one.active or task in one.standby for one in found.clients)


def extra_copies(group: Group, found: Assignment) -> list[int]:
    """Of each stateful task: how many copies it has beyond those asked for; below 0, if it lacks some."""
    wanted = min(len(group.clients), 1 + group.config.num_standby_replicas)
    return [copies(found, task) - wanted for task in group.stateful]


def standbys_are_there(group: Group, found: Assignment) -> bool:
    return min(extra_copies(group, found)) >= 0


def has_stateful(group: Group, found: Assignment) -> bool:
    return bool(group.stateful)


def warm_ups_are_within_the_limit(group: Group, found: Assignment) -> bool:
    return sum(extra_copies(group, found)) <= group.config.max_warmup_replicas


def stateless_have_no_standby(group: Group, found: Assignment) -> bool:
    return not any(set(one.standby) - set(group.stateful) for one in found.clients)


def is_steady(group: Group, found: Assignment) -> bool:
    return not found.probing and bool(group.stateful)


def loads_are_even(group: Group, found: Assignment) -> bool:
    """No copy could go where loads would then be nearer: a standby, or if none is asked for, an active task."""
    threads = {client.number: client.capacity for client in group.clients}
    loads = {one.client: stateful_of(group, one) for one in found.clients}
    if loads.keys() != threads.keys():
        return False
    for source, destination in permutations(found.clients, 2):
        movable = set(source.standby if group.config.num_standby_replicas else source.active) & set(group.stateful)
        movable -= {*destination.active, *destination.standby}
        below = (loads[source.client] - 1) / threads[source.client]
        above = (loads[destination.client] + 1) / threads[destination.client]
        if movable and below >= above:
            return False
    return True


def stateful_of(group: Group, one: Assigned) -> int:
    return len({*one.active, *one.standby} & set(group.stateful))


COMMON = (
    InputLaw("every-task-has-one-active", "Every task is active on one client.", "KIP-441", has_tasks,
             every_task_has_one_active, kind=LawKind.PURPOSE),
    InputLaw("no-client-has-two-copies", "No client has a task both active and as a standby.", "KIP-441",
             asks_for_standbys, no_client_has_two_copies, kind=LawKind.PROTOCOL),
    InputLaw("standbys-are-there", "A stateful task has the configured number of copies, or one on each client.",
             "KIP-441", has_stateful, standbys_are_there, kind=LawKind.PURPOSE),
    InputLaw("stateless-have-no-standby", "A stateless task has no standby.", "KIP-441", has_tasks,
             stateless_have_no_standby, kind=LawKind.PROTOCOL),
)  # fmt: skip
"""Of each assignor."""

# ---- lags ----


def lags_of(group: Group, task: TaskId) -> dict[int, int]:
    return {client.number: dict(client.lags)[task] for client in group.clients}


def owner(found: Assignment, task: TaskId) -> int:
    """Return who runs a task; nobody, 0, if it is lost."""
    return next((one.client for one in found.clients if task in one.active), 0)


def are_known(group: Group) -> bool:
    return all(lag != UNKNOWN for client in group.clients for _, lag in client.lags)


def has_caught_up(group: Group, lag: int) -> bool:
    return lag == RUNNING or 0 <= lag <= group.config.acceptable_recovery_lag


def ready(group: Group, task: TaskId) -> set[int]:
    """The clients that have caught up with a task."""
    return {client for client, lag in lags_of(group, task).items() if has_caught_up(group, lag)}


def someone_is_ready(group: Group, found: Assignment) -> bool:
    return any(ready(group, task) for task in group.stateful)


def the_ready_run(group: Group, found: Assignment) -> bool:
    return all(owner(found, task) in ready(group, task) for task in group.stateful if ready(group, task))


def the_least_behind_run(group: Group, found: Assignment) -> bool:
    behind = [task for task in group.stateful if not ready(group, task)]
    lags = [(lags_of(group, task), owner(found, task)) for task in behind]
    return all(of_task.get(client) == min(of_task.values()) for of_task, client in lags)


def the_least_behind_have_copies(group: Group, found: Assignment) -> bool:
    """Of each task there are as many copies as are asked for on clients than which no other is less behind."""
    wanted = 1 + group.config.num_standby_replicas
    for task in group.stateful:
        ranks = {client: rank(group, lag) for client, lag in lags_of(group, task).items()}
        given = sorted(ranks.get(one.client, inf) for one in found.clients if task in one.active or task in one.standby)
        if given[:wanted] != sorted(ranks.values())[:wanted]:
            return False
    return True


def rank(group: Group, lag: int) -> int:
    """The lag of a client, as the KIP defines it: zero if it has caught up."""
    return 0 if has_caught_up(group, lag) else lag


# ---- change ----


def next_assignment(group: Group, found: Assignment) -> Assignment:
    """The assignment after this one, when each copy has caught up."""
    following = assign_highly_available(caught_up(group, found, end=9))
    assert isinstance(following, Assignment)
    return following


def stateless_stay(group: Group, found: Assignment) -> bool:
    """Return whether the next rebalance, once each copy has caught up, leaves stateless tasks in place."""
    following = next_assignment(group, found)
    return all(owner(following, task) == owner(found, task) for task in group.stateless)


def runs_evenly(group: Group) -> bool:
    """Return whether each task runs on one client, and no client runs two more than another; each has one thread."""
    running = [sum(lag == RUNNING for _, lag in client.lags) for client in group.clients]
    return (
        all(sum(lag == RUNNING for lag in lags_of(group, task).values()) == 1 for task in group.stateful)
        and max(running) - min(running) <= 1
        and all(client.capacity == 1 for client in group.clients)
    )


def nothing_moves(group: Group, found: Assignment) -> bool:
    stay = all(lags_of(group, task).get(owner(found, task)) == RUNNING for task in group.stateful)
    return stay and not found.probing


def reversed_clients(group: Group) -> Group:
    clients: tuple[Client, ...] = group.clients[::-1]
    return group._replace(clients=clients, stateful=group.stateful[::-1])


def misplaced(group: Group) -> int:
    """The number of copies assigned to clients that are not ready for them: no more movements are needed."""
    meant = assign_highly_available(
        group._replace(config=group.config._replace(acceptable_recovery_lag=UNBOUNDED), stateless=())
    )
    assert isinstance(meant, Assignment)
    assert list(states_of(group.clients)) == [one.client for one in meant.clients]
    return sum(one.client not in ready(group, task) for one in meant.clients for task in {*one.active, *one.standby})
