"""The conditions and costs of racks; flow is as much and as cheap as it can be."""

from itertools import product
from typing import Any

import pytest

from oneowner.model.kafka.assignors.flow_graph import FlowGraph
from oneowner.model.kafka.assignors.group import Assignment, Client, Config, Group, Rules
from oneowner.model.kafka.assignors.high_availability import assign_highly_available
from oneowner.model.kafka.assignors.sticky import assign_as_before, assign_sticky
from oneowner.model.kafka.batch.assignors import RULES
from oneowner.model.kafka.task import TaskId
from oneowner.model.kernel.decision import Thrown

T00, T01 = TaskId(0, 0), TaskId(0, 1)
APART = ((T00, (("b",),)), (T01, (("a",),)))
"""Replicas of task 0_0 are in rack b, those of 0_1 in rack a."""


def group(racks: tuple[str | None, str | None] = ("a", "b"), rules: Rules = RULES["4.1.1"], **changed: Any) -> Group:
    clients = tuple(
        Client(number, lags=((T00, 0), (T01, 0)), previous_active=(task,), rack=rack)
        for number, task, rack in zip((1, 2), (T00, T01), racks, strict=True)
    )
    config = Config(rack_aware_assignment_strategy="min_traffic")
    return Group(clients, (T00, T01), config=config, rules=rules, racks=APART, changelog_racks=APART)._replace(
        **changed
    )


def active(found: Assignment | Thrown) -> list[tuple[TaskId, ...]]:
    assert isinstance(found, Assignment)
    return [one.active for one in found.clients]


def test_tasks_are_where_their_replicas_are() -> None:
    assert active(assign_highly_available(group())) == [(T01,), (T00,)]


def test_sticky_assignor_moves_a_task_for_ten_partitions_only() -> None:
    assert active(assign_sticky(group())) == [(T00,), (T01,)]
    many = tuple((task, partitions * 11) for task, partitions in APART)
    assert active(assign_sticky(group(racks=("a", "b"))._replace(racks=many))) == [(T01,), (T00,)]
    assert active(assign_as_before(group()._replace(racks=many))) == [(T00,), (T01,)]


@pytest.mark.parametrize(
    "unknown",
    [
        group((None, "b")),
        group(rules=RULES["3.4.1"]),
        group()._replace(racks=((T00, (("b", None),)), (T01, (("a",),)))),
        group()._replace(racks=((T00, ((),)), (T01, (("a",),)))),
        group()._replace(config=Config()),
    ],
)
def test_racks_do_not_count_where_one_is_not_known(unknown: Group) -> None:
    assert active(assign_highly_available(unknown)) == [(T00,), (T01,)]


def test_racks_of_changelogs_matter_only_with_standbys() -> None:
    unknown = group()._replace(changelog_racks=((T00, ((None,),)),))
    assert active(assign_highly_available(unknown)) == [(T01,), (T00,)]
    config = unknown.config._replace(num_standby_replicas=1)
    assert active(assign_highly_available(unknown._replace(config=config))) == [(T00,), (T01,)]


def test_task_without_partitions_is_thrown() -> None:
    lost = Thrown("java.lang.IllegalStateException", "Task 0_1 has no TopicPartitions")
    assert assign_highly_available(group()._replace(racks=APART[:1])) == lost
    assert assign_sticky(group()._replace(racks=APART[:1])) == lost


def test_standby_keeps_to_its_tags() -> None:
    """Swaps of standbys may not gain in traffic and lose in tags: KIP-708 before KIP-925."""
    tasks = (T00, T01, TaskId(0, 2), TaskId(0, 3))
    zones = {1: "z1", 2: "z1", 3: "z2", 4: "z2"}
    lags = tuple((task, 0) for task in tasks)

    def standbys(tags: tuple[str, ...]) -> list[set[tuple[TaskId, int]]]:
        found = []
        for racks in product("ab", repeat=4):
            clients = tuple(
                Client(number, lags=lags, tags=(("zone", zone),), rack=rack)
                for (number, zone), rack in zip(zones.items(), racks, strict=True)
            )
            config = Config(
                num_standby_replicas=1, rack_aware_assignment_tags=tags, rack_aware_assignment_strategy="min_traffic"
            )
            replicas = tuple((task, (("ab"[task.partition % 2],),)) for task in tasks)
            given = assign_highly_available(Group(clients, tasks, (), config, Rules(), replicas, replicas))
            assert isinstance(given, Assignment)
            owner = {task: one.client for one in given.clients for task in one.active}
            found.append({(task, one.client) for one in given.clients for task in one.standby})
            if tags:
                assert all(zones[owner[task]] != zones[client] for task, client in found[-1])
        return found

    assert standbys(("zone",)) != standbys(())


# ---- flow ----


def test_flow_is_as_much_as_can_be() -> None:
    graph = FlowGraph(-1, 3)
    for start, end, capacity in ((-1, 0, 2), (-1, 1, 2), (0, 2, 1), (1, 2, 3), (2, 3, 3), (0, 3, 1)):
        graph.add(start, end, capacity)
    graph.fill()
    assert sum(graph.room[edge + 1] for edge in range(0, len(graph.start), 2) if graph.start[edge] == -1) == 4
    assert graph.reached(2) == [3]


def test_flow_turns_round_a_cycle_that_lessens_its_cost() -> None:
    """Two tasks, two clients: each task costs nothing where the other is."""
    graph = FlowGraph(-1, 4)
    for task, client, cost, flow in ((0, 2, 5, 1), (0, 3, 0, 0), (1, 2, 0, 0), (1, 3, 5, 1)):
        graph.add(task, client, 1, cost, flow)
    for node in (0, 1):
        graph.add(-1, node, 1, flow=1)
        graph.add(2 + node, 4, 1, flow=1)
    graph.cheapen()
    assert (graph.reached(0), graph.reached(1)) == ([3], [2])
