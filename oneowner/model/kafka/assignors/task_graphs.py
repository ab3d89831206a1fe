"""Graphs in which a flow is an assignment: each task to one client, each client as many tasks as before (KIP-925)."""

from collections.abc import Callable, Sequence
from itertools import groupby
from math import ceil
from typing import Final, NamedTuple

from oneowner.model.kafka.assignors.flow_graph import FlowGraph
from oneowner.model.kafka.task import TaskId

SOURCE: Final = -1
Cost = Callable[[TaskId, int, bool], int]
"""By task, client, and whether the client has it already."""


class Dealt(NamedTuple):
    """Tasks in order, and clients in order with those of the tasks that each has."""

    tasks: Sequence[TaskId]
    clients: dict[int, set[TaskId]]


def least_traffic(dealt: Dealt, cost: Cost) -> dict[TaskId, int]:
    """Return by task the client that has it where the sum of costs is least (``MinTrafficGraphConstructor``)."""
    count = len(dealt.tasks)
    graph = FlowGraph(SOURCE, count + len(dealt.clients))
    for node, task in enumerate(dealt.tasks):
        for place, (client, has) in enumerate(dealt.clients.items()):
            graph.add(node, count + place, 1, cost(task, client, task in has), int(task in has))
        graph.add(SOURCE, node, 1, flow=1)
    for place, has in enumerate(dealt.clients.values()):
        graph.add(count + place, graph.sink, len(has), flow=len(has))
    graph.cheapen()
    numbers = list(dealt.clients)
    return {task: numbers[graph.reached(node)[0] - count] for node, task in enumerate(dealt.tasks)}


def even_subtopologies(dealt: Dealt, cost: Cost) -> dict[TaskId, int]:
    """
    Return the same, but each client has its share of each subtopology (``BalanceSubtopologyGraphConstructor``).

    It does not begin with the clients' tasks, but with the first flow that is found.
    """
    count, numbers = len(dealt.tasks), list(dealt.clients)
    groups = [list(tasks) for _, tasks in groupby(dealt.tasks, lambda task: task.subtopology)]
    graph = FlowGraph(SOURCE, count + len(numbers) * (len(groups) + 1))
    node = 0
    for place, tasks in enumerate(groups):
        first = count + len(numbers) * place
        for at, (client, has) in enumerate(dealt.clients.items()):
            for further, task in enumerate(tasks):
                graph.add(node + further, first + at, 1, cost(task, client, task in has))
            graph.add(first + at, count + len(numbers) * len(groups) + at, ceil(len(has) * 1.0 / count * len(tasks)))
        node += len(tasks)
    for node in range(count):
        graph.add(SOURCE, node, 1)
    for at, has in enumerate(dealt.clients.values()):
        graph.add(count + len(numbers) * len(groups) + at, graph.sink, len(has))
    graph.fill()
    graph.cheapen()
    return {task: numbers[(graph.reached(node)[0] - count) % len(numbers)] for node, task in enumerate(dealt.tasks)}
