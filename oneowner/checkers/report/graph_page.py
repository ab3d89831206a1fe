"""``graph_lines`` gives the page the states of a small model, so that a reader takes the steps himself."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from oneowner.checkers.engines.explore.exploration import Progress
from oneowner.checkers.engines.explore.state_graph import Edge, StateGraph, state_graph
from oneowner.checkers.report.run_text import changes_in_words
from oneowner.checkers.report.step_page import actor, head_json, start_json
from oneowner.checkers.scenarios.replay import Replay, Step
from oneowner.checkers.scenarios.scenario import briefly, write_scenario
from oneowner.checkers.verdict import Misuse
from oneowner.model.kernel.system import actions

MOST = 3_000
"""States of a page by default: about a megabyte, and a few seconds."""
BLOCK = 500
"""States, or steps, of one line of JSON."""


class Steppable(NamedTuple):
    """A graph of states around a run, with which a page begins."""

    replayed: Replay
    graph: StateGraph
    depth: int | None
    """The number of steps from that run up to which the page holds every state; None: it holds all there are."""
    command: str
    """The command that goes on where the page ends, without the file of the scenario."""

    @property
    def states(self) -> int:
        """The number of states on the page."""
        return sum(self.depth is None or node.depth <= self.depth for node in self.graph.nodes)


def steppable(
    replayed: Replay, most: int, command: str, on_progress: Callable[[Progress], None] | None = None
) -> Steppable:
    """Return the states around a run, at most so many; raise Misuse if not even all next states are among them."""
    bounds = replayed.scenario.bounds
    start = list({state.key(): state for state in replayed.states}.values())
    graph = state_graph(bounds, bounds.system.laws, most, on_progress, start)
    depth = graph.nodes[-1].depth - 1 if graph.is_cut_short else None
    if depth is not None and depth < 1:
        raise Misuse(
            f"--max-states refused: {most:,}; {replayed.scenario.family} has more states one step from the start"
        )
    return Steppable(replayed, graph, depth, command)


def graph_lines(shown: Steppable) -> Iterator[dict[str, Any]]:
    """Yield the data of the page: a head, states in the order of their numbers, and the steps between them."""
    scenario, graph, deepest = shown.replayed.scenario, shown.graph, shown.depth
    bounds, story = scenario.bounds, scenario.bounds.system.story
    words = briefly(bounds)
    numbers = {action: number for number, action in enumerate(actions(bounds))}
    bare = replace(scenario, title="", story="", steps=(), expect=None, loop=None)
    yield {
        "graph": {
            **head_json(scenario),
            "start": start_json(scenario, shown.replayed.states[0]),
            "actions": [[words(action), actor(action, story.actors)] for action in numbers],
            "path": [numbers[taken.action] for taken in shown.replayed.steps],
            "depth": deepest,
            "command": shown.command,
            "scenario": write_scenario(bare).partition("steps:\n")[0],
            "known": [name for name, status in bounds.system.statuses.items() if status.is_violated],
        }
    }
    nodes = graph.nodes[: shown.states]
    for at in range(0, len(nodes), BLOCK):
        rows = nodes[at : at + BLOCK]
        yield {"states": [[story.lane(one.state), one.broken, one.beyond, one.depth == deepest] for one in rows]}
    edges = [edge for edge in graph.edges if deepest is None or graph.nodes[edge.before].depth < deepest]
    for at in range(0, len(edges), BLOCK):
        yield {"edges": [_edge(graph, edge, numbers[edge.action]) for edge in edges[at : at + BLOCK]]}


def _edge(graph: StateGraph, edge: Edge, action: int) -> list[Any]:
    before, after = graph.nodes[edge.before].state, graph.nodes[edge.after].state
    taken = Step(0, edge.action, tuple(before.differences(after)), ())
    moved = before.bounds.system.story.traffic(before, edge.action, after)
    changes = changes_in_words(before.bounds, taken)
    return [edge.before, edge.after, action, edge.broken, changes, {name: some for name, some in moved.items() if some}]
