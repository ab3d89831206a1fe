"""
``FlowGraph``: flow from a source to a sink as cheap as it gets (``Graph`` of KIP-925).

Of several cheapest flows the class finds one by the order in which it looks at edges: by their start, then by their
end. So it is done here edge by edge.
"""

from collections import deque


class FlowGraph:
    """
    Nodes are numbers from -1 on, and no two nodes have edges both ways.

    An edge and the one back, over which flow is taken away again, lie side by side.
    """

    def __init__(self, source: int, sink: int) -> None:
        self.source, self.sink = source, sink
        self.start: list[int] = []
        self.end: list[int] = []
        self.cost: list[int] = []
        self.room: list[int] = []
        """``residualFlow``: the flow that is still possible; for an edge back, the flow over its counterpart."""

    def add(self, start: int, end: int, capacity: int, cost: int = 0, flow: int = 0) -> None:
        """Add an edge over which something flows already."""
        self.start += (start, end)
        self.end += (end, start)
        self.cost += (cost, -cost)
        self.room += (capacity - flow, flow)

    def reached(self, start: int) -> list[int]:
        """Return the nodes to which something flows directly from one, in order."""
        return sorted(
            self.end[edge] for edge in range(0, len(self.start), 2) if self.start[edge] == start and self.room[edge + 1]
        )

    def in_order(self) -> list[int]:
        """Return all edges, by start and end."""
        return sorted(range(len(self.start)), key=lambda edge: (self.start[edge], self.end[edge]))

    # ---- as much as can be ----

    def fill(self) -> None:
        """Maximise the flow (``fordFulkson``)."""
        leaving: dict[int, list[int]] = {}
        for edge in self.in_order():
            leaving.setdefault(self.start[edge], []).append(edge)
        while way := self.way_to_the_sink(leaving):
            self.push(way)

    def way_to_the_sink(self, leaving: dict[int, list[int]]) -> list[int]:
        """Return the edges of a shortest way on which there is room; none if there is no way."""
        came: dict[int, int] = {self.source: -1}
        queue = deque([self.source])
        while queue:
            for edge in leaving[queue.popleft()]:
                end = self.end[edge]
                if end not in came and self.room[edge] > 0:
                    came[end] = edge
                    if end == self.sink:
                        return self.back_to(self.source, end, came)
                    queue.append(end)
        return []

    def back_to(self, first: int, last: int, came: dict[int, int]) -> list[int]:
        """Return the edges over which one came to *last* from *first*; from a node to itself, round the cycle."""
        found, node = [came[last]], self.start[came[last]]
        while node != first:
            found.append(came[node])
            node = self.start[came[node]]
        return found

    def push(self, edges: list[int]) -> None:
        """Add as much flow over all of these edges as there is room on each."""
        amount = min(self.room[edge] for edge in edges)
        for edge in edges:
            self.room[edge] -= amount
            self.room[edge ^ 1] += amount

    # ---- as cheap as can be ----

    def cheapen(self) -> None:
        """Minimise the cost of the same flow: turn round every cycle that lessens it."""
        ordered = [(edge, self.start[edge], self.end[edge], self.cost[edge]) for edge in self.in_order()]
        nodes = {*self.start}
        while cycle := self.cheaper_cycle(ordered, nodes):
            self.push(cycle)

    def cheaper_cycle(self, ordered: list[tuple[int, int, int, int]], nodes: set[int]) -> list[int]:
        """
        Return the edges of a cycle of negative cost, as Bellman and Ford find it; none if there is none.

        All nodes are reached at first, from one more node that has an edge to each.
        """
        distance = dict.fromkeys(nodes, 0)
        came: dict[int, int] = {}
        room = self.room
        for turn in range(len(nodes) + 1):
            is_done = True
            for edge, start, end, cost in ordered:
                if room[edge] and distance[end] > distance[start] + cost:
                    distance[end] = distance[start] + cost
                    came[end] = edge
                    is_done = False
                    if turn == len(nodes):
                        node = self.on_the_cycle(end, came)
                        return self.back_to(node, node, came)
            if is_done:
                return []
        return []

    def on_the_cycle(self, node: int, came: dict[int, int]) -> int:
        """Return the first node that one meets twice on the way back."""
        visited = set[int]()
        while node not in visited:
            visited.add(node)
            node = self.start[came[node]]
        return node
