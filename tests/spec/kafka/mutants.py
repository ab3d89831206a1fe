"""Of each law of Kafka's decisions, a decide function of which it must fail."""

from collections.abc import Callable
from typing import Any

from oneowner.model.kafka.assignors.convergence import Settled
from oneowner.model.kafka.assignors.group import Assigned, Assignment, Group
from oneowner.model.kafka.learners.group import LearnerGroup, Share
from oneowner.model.kafka.streams_group.reconciler import Heartbeat, MemberState
from oneowner.model.kafka.streams_group.sticky import StreamsGroup, Target
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.decision import Thrown
from oneowner.spec.systems import decisions

DECISIONS = decisions()
Decide = Callable[[Any], Any]
ASSIGNORS = ("high-availability", "sticky", "fallback")


def original(name: str) -> Decide:
    return DECISIONS[f"kafka/{name}"].decide


def instead(name: str, change: Callable[[Any, Any], Any]) -> Decide:
    """A decide function that changes the answer of the original."""
    return lambda given: change(given, original(name)(given))


def each_client(name: str, change: Callable[[Group, Assigned], Assigned]) -> Decide:
    """An assignor that gives each client something else."""
    return instead(
        name, lambda group, found: found._replace(clients=tuple(change(group, one) for one in found.clients))
    )


def all_active_too(group: Group, one: Assigned) -> Assigned:
    return one._replace(active=tuple(sorted({*one.active, *one.standby})))


def no_standbys(group: Group, one: Assigned) -> Assigned:
    return one._replace(standby=())


def a_stateless_standby(group: Group, one: Assigned) -> Assigned:
    return one._replace(standby=(*one.standby, TaskId(9, 9)))


def a_copy_of_each(group: Group, one: Assigned) -> Assigned:
    return one._replace(standby=tuple(task for task in group.stateful if task not in one.active))


def all_to_the_first(group: Group) -> Assignment:
    """The first client runs everything, and the others are standbys of it."""
    tasks = tuple(sorted({*group.stateful, *group.stateless}))
    first, *others = (client.number for client in group.clients)
    standbys = tuple(sorted(group.stateful))
    replicas = group.config.num_standby_replicas
    given = (Assigned(number, standby=standbys if place < replicas else ()) for place, number in enumerate(others))
    return Assignment((Assigned(first, tasks), *given))


def all_to_the_most_behind(group: Group) -> Assignment:
    lags = {client.number: dict(client.lags) for client in group.clients}
    worst = {task: max(lags, key=lambda client: lags[client][task]) for task in group.stateful}
    return Assignment(
        tuple(Assigned(one, tuple(task for task in group.stateful if worst[task] == one)) for one in sorted(lags))
    )


def all_active(group: Group, one: Assigned) -> Assigned:
    return one._replace(active=group.stateful)


def standbys_of_the_next(group: Group, found: Assignment) -> Assignment:
    """Each client has the standbys of the next one."""
    following = (*found.clients[1:], found.clients[0])
    pairs = zip(found.clients, following, strict=True)
    return found._replace(clients=tuple(one._replace(standby=other.standby) for one, other in pairs))


def as_before(group: Group) -> Assignment:
    """Each client has what it had."""
    return Assignment(tuple(Assigned(one.number, one.previous_active, one.previous_standby) for one in group.clients))


def settled(**changed: Any) -> Decide:
    return instead("convergence", lambda group, found: found._replace(**changed))


def rests_at_once(group: Group, found: Settled) -> Settled:
    return found._replace(last=all_to_the_first(group))


def standby_where_active(group: StreamsGroup) -> tuple[Target, ...]:
    return tuple(one._replace(standby=one.active) for one in original("streams-sticky")(group))


def no_replicas(group: StreamsGroup) -> Any:
    return original("streams-sticky")(group._replace(replicas=0))


def all_to_the_last(group: StreamsGroup) -> tuple[Target, ...]:
    tasks = tuple((name, number) for name, count, _ in group.subtopologies for number in range(count))
    *others, last = (Target(one.name, (), ()) for one in group.members)
    return (*others, last._replace(active=tasks))


def member(change: Callable[[Heartbeat, Any], Any]) -> Decide:
    return instead("reconcile", lambda asked, found: found if isinstance(found, Thrown) else change(asked, found))


def all_at_once(asked: Heartbeat, found: Any) -> Any:
    """The member is given its target, whatever its present owner."""
    return found._replace(assigned=asked.target, state=MemberState.STABLE, epoch=asked.target_epoch)


def gives_while_it_takes(asked: Heartbeat, found: Any) -> Any:
    return found._replace(assigned=asked.target | found.assigned)


def keeps_all(asked: Heartbeat, found: Any) -> Any:
    return found._replace(assigned=found.assigned | asked.member.assigned, epoch=found.epoch + 7)


def forgets_what_is_pending(asked: Heartbeat, found: Any) -> Any:
    return found._replace(pending_revocation=asked.target - asked.target)


def each_share(change: Callable[[LearnerGroup, Share], Share]) -> Decide:
    """The draft, but each member is given something else."""
    return instead("learners", lambda group, found: tuple(change(group, one) for one in found))


def all_learned_runs(group: LearnerGroup) -> tuple[Share, ...]:
    """A member that learns a task runs it, too."""
    return tuple(one._replace(active=one.active + one.learning) for one in original("learners")(group))


def all_to_the_first_member(group: LearnerGroup) -> tuple[Share, ...]:
    first, *others = (Share(one.number) for one in group.members)
    return (first._replace(active=group.tasks), *others)


def learned_by_the_last(group: LearnerGroup) -> tuple[Share, ...]:
    """The last member learns all that it does not run."""
    *others, last = (one._replace(learning=()) for one in original("learners")(group))
    return (*others, last._replace(learning=tuple(task for task in group.tasks if task not in last.active)))


MUTANTS: dict[tuple[str, str], Decide] = {
    **{(name, "every-task-has-one-active"): each_client(name, all_active_too) for name in ASSIGNORS},
    **{(name, "no-client-has-two-copies"): each_client(name, lambda group, one: one._replace(standby=one.active))
       for name in ASSIGNORS},
    **{(name, "standbys-are-there"): each_client(name, no_standbys) for name in ASSIGNORS},
    **{(name, "stateless-have-no-standby"): each_client(name, a_stateless_standby) for name in ASSIGNORS},
    ("high-availability", "the-ready-run"): all_to_the_first,
    ("high-availability", "the-least-behind-run"): all_to_the_most_behind,
    ("high-availability", "the-least-behind-have-copies"): all_to_the_most_behind,
    ("high-availability", "warm-ups-are-within-the-limit"): each_client("high-availability", a_copy_of_each),
    ("high-availability", "steady-loads-are-even"): all_to_the_first,
    ("high-availability", "steady-stays"): all_to_the_first,
    ("high-availability", "order-decides-nothing"): all_to_the_first,
    ("convergence", "group-comes-to-rest"): settled(steady=False),
    ("convergence", "group-rests-evenly"): instead("convergence", rests_at_once),
    ("convergence", "rebalances-are-those-of-the-warm-ups"): settled(rebalances=9),
    ("convergence", "rebalances-are-within-kafkas-bound"): settled(rebalances=19),
    ("sticky", "active-tasks-are-even"): all_to_the_first,
    ("sticky", "share-stays"): all_to_the_first,
    ("sticky", "what-ran-evenly-stays"): all_to_the_first,
    ("sticky", "assignment-stays"): all_to_the_first,
    ("sticky", "no-rebalance-is-asked-for"): instead("sticky", lambda group, found: found._replace(probing=True)),
    ("fallback", "what-ran-stays"): all_to_the_first,
    ("fallback", "a-rebalance-is-asked-for"): all_to_the_first,
    ("learners", "every-task-runs-once"): all_learned_runs,
    ("learners", "a-task-is-learned-once"): each_share(lambda group, one: one._replace(learning=one.active)),
    ("learners", "the-running-give-to-the-ready"): all_to_the_first_member,
    ("learners", "the-ready-run"): all_to_the_first_member,
    ("learners", "learners-go-on"): each_share(lambda group, one: one._replace(learning=())),
    ("learners", "leaving-are-relieved"): each_share(lambda group, one: one._replace(learning=())),
    ("learners", "the-new-begin"): learned_by_the_last,
    ("learners", "rest-stays"): all_to_the_first_member,
    ("racks", "every-task-has-one-active"): each_client("racks", all_active),
    ("racks", "no-client-has-two-copies"): each_client("racks", lambda group, one: one._replace(standby=one.active)),
    ("racks", "numbers-stay"): all_to_the_first,
    ("racks", "costs-are-least"): as_before,
    ("racks", "free-traffic-moves-nothing"): all_to_the_first,
    ("racks", "standbys-are-no-farther"): instead("racks", standbys_of_the_next),
    ("racks", "subtopologies-are-even"): as_before,
    ("streams-sticky", "every-task-has-one-active-member"): lambda group: (),
    ("streams-sticky", "no-process-has-two-copies"): standby_where_active,
    ("streams-sticky", "processes-have-the-standbys"): no_replicas,
    ("streams-sticky", "members-are-even"): all_to_the_last,
    ("reconcile", "given-runs-nowhere"): member(all_at_once),
    ("reconcile", "given-has-no-other-role"): member(all_at_once),
    ("reconcile", "member-has-only-what-it-is-to-have"): member(keeps_all),
    ("reconcile", "giving-back-comes-first"): member(gives_while_it_takes),
    ("reconcile", "what-is-taken-is-asked-back"): member(forgets_what_is_pending),
    ("reconcile", "stable-is-at-the-target"): member(keeps_all),
    ("reconcile", "owner-is-waited-for"): member(all_at_once),
    ("reconcile", "unknown-state-is-fenced"): lambda asked: asked.member,
    **{
        (name.removeprefix("kafka/"), law.name): one.decide
        for name, one in DECISIONS.items()
        if one.home == "kafka"
        for law in one.laws
        if law.status.is_violated
    },
}  # fmt: skip
"""By decision and law; of a documented law, the original itself."""
