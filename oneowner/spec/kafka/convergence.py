"""``CONVERGENCE`` judges how many rebalances a group takes until it asks for no other (KIP-441)."""

from collections.abc import Mapping
from typing import Any

from oneowner.model.kafka.assignors.convergence import Settled, settle
from oneowner.model.kafka.assignors.group import Group, Rules
from oneowner.model.kafka.assignors.group_inputs import HistorySizes, some_history
from oneowner.model.kafka.batch import assignors
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status
from oneowner.spec.kafka.assignment_laws import has_stateful, loads_are_even, misplaced, standbys_are_there

KIP = "KIP-441"


def has_tasks(group: Group, found: Settled) -> bool:
    return has_stateful(group, found.last)


def has_to_move(group: Group, found: Settled) -> bool:
    return found.rebalances > 1


def is_steady_in_the_end(group: Group, found: Settled) -> bool:
    return found.steady


def is_even_in_the_end(group: Group, found: Settled) -> bool:
    return loads_are_even(group, found.last) and standbys_are_there(group, found.last)


def most(group: Group) -> int:
    """One rebalance for as many copies as may warm up, and one that finds all in place."""
    return -(-misplaced(group) // group.config.max_warmup_replicas) + 1


def takes_no_more_than_its_warm_ups_need(group: Group, found: Settled) -> bool:
    return found.rebalances <= most(group)


def takes_fewer(group: Group, found: Settled) -> bool:
    return found.rebalances < most(group)


def takes_no_more_than_kafka_allows(group: Group, found: Settled) -> bool:
    tasks = len(group.stateful)
    return found.rebalances - 1 <= 2 * (tasks + tasks * group.config.num_standby_replicas)


def read(row: Mapping[str, Any]) -> Group:
    """Return the input that a fact gives as a line of a batch."""
    return assignors.group_of(row, Rules())


def told(found: Settled) -> dict[str, Any]:
    """Return how many rebalances there were, and who runs what in the end."""
    active = {str(one.client): list(map(str, one.active)) for one in found.last.clients}
    return {"rebalances": found.rebalances, "active": active}


CONVERGENCE = Decision(
    "kafka/convergence",
    "How many rebalances a group takes that starts with what ran where (KIP-441)",
    HistorySizes,
    some_history,
    settle,
    (
        InputLaw("group-comes-to-rest", "Eventually the assignment requests no rebalance.",
                                        KIP, has_tasks, is_steady_in_the_end,
                 kind=LawKind.PURPOSE),
        InputLaw("group-rests-evenly", "Then stateful tasks are as even as they can be, and standbys are there.", KIP,
                 has_tasks, is_even_in_the_end, kind=LawKind.PURPOSE),
        InputLaw("rebalances-are-those-of-the-warm-ups", "There are at most as many rebalances as it takes to "
                                                         "warm up all copies for clients without data, "
                                                         "max.warmup.replicas at a time, plus one.", KIP,
                 has_tasks, takes_no_more_than_its_warm_ups_need, kind=LawKind.PROTOCOL),
        InputLaw("one-rebalance-less-is-enough", "One rebalance less is enough. (This fails: some inputs need as "
                                                 "many as the bound.)", KIP,
                 has_to_move, takes_fewer, Status.DOCUMENTED, kind=LawKind.PROTOCOL),
        InputLaw("rebalances-are-within-kafkas-bound", "There are no more rebalances than the convergence test of Kafka"
                 " allows: twice the stateful tasks and their standbys.", KIP, has_tasks,
                 takes_no_more_than_kafka_allows, kind=LawKind.PROTOCOL),
    ),
    read,
    told=told,
)  # fmt: skip
