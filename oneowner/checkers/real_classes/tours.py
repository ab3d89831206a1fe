"""
``Tours`` plans runs that take every wanted edge: a shortest way to one, then wanted edges as long as any are near.

A run that met a difference is over there: the real objects are in a state of their own. The edges after it are wanted
again, and no later run goes through the edge that differs.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

from oneowner.checkers.real_classes.edges import Edges

LONGEST: Final = 400
"""Steps of a run."""
NEAR: Final = 4
"""Steps that a run takes to the next wanted edge, rather than to end there."""


class Tours:
    """The runs of a walk."""

    def __init__(self, edges: Edges, wanted: Iterable[int]) -> None:
        self._sources, self._targets = edges.sources.tolist(), edges.targets.tolist()
        self._from: list[list[int]] = [[] for _ in edges.codes]
        for number, source in enumerate(self._sources):
            self._from[source].append(number)
        self._order = list(wanted)
        self._next = 0
        self._is_wanted = bytearray(len(self._sources))
        self._wanted_from = [0] * len(edges.codes)
        self._differs = bytearray(len(self._sources))
        self._want(self._order)
        self._lead = self._leads()

    def runs(self, most: int) -> Iterator[list[int]]:
        """Yield at most so many runs, as the numbers of their edges; none if nothing wanted can be reached."""
        for _ in range(most):
            if (first := self._first()) is None:
                return
            run = [*self.way(self._sources[first]), first]
            self._take(run)
            while len(run) < LONGEST and (more := self._onward(self._targets[run[-1]])):
                self._take(more)
                run += more
            yield run

    def broken(self, run: list[int], at: int) -> None:
        """Note that a run differed at its step *at*, counted from 0: its later edges have not been walked."""
        self._differs[run[at]] = True
        self._want(run[at + 1 :])
        self._order += run[at + 1 :]

    def renew(self) -> None:
        """Find the shortest ways again, which avoid the edges that differ."""
        self._lead = self._leads()

    def reaches(self, state: int) -> bool:
        """Return whether some way to a state has no edge that differs."""
        return self._lead[state] != -2

    def way(self, state: int) -> list[int]:
        """Return the edges of a shortest way to a state."""
        found = []
        while self._lead[state] >= 0:
            found.append(self._lead[state])
            state = self._sources[self._lead[state]]
        return found[::-1]

    def _leads(self) -> list[int]:
        """Return the last edge of a shortest way to each state: -1 for the initial one, -2 if there is no way."""
        lead = [-2] * len(self._from)
        lead[0] = -1
        todo = deque([0])
        while todo:
            for edge in self._from[todo.popleft()]:
                if lead[self._targets[edge]] == -2 and not self._differs[edge]:
                    lead[self._targets[edge]] = edge
                    todo.append(self._targets[edge])
        return lead

    def _want(self, edges: Iterable[int]) -> None:
        for edge in edges:
            if not self._is_wanted[edge] and not self._differs[edge]:
                self._is_wanted[edge] = True
                self._wanted_from[self._sources[edge]] += 1

    def _take(self, edges: Iterable[int]) -> None:
        for edge in edges:
            if self._is_wanted[edge]:
                self._is_wanted[edge] = False
                self._wanted_from[self._sources[edge]] -= 1

    def _first(self) -> int | None:
        while self._next < len(self._order):
            edge = self._order[self._next]
            if self._is_wanted[edge] and self._lead[self._sources[edge]] != -2:
                return edge
            self._next += 1
        return None

    def _onward(self, state: int) -> list[int]:
        """Return a shortest way from *state* that ends with a wanted edge, if there is one nearby."""
        leads: dict[int, int] = {state: -1}
        level = [state]
        for _ in range(NEAR):
            for at in level:
                if self._wanted_from[at]:
                    return [*self._back(leads, at), next(e for e in self._from[at] if self._is_wanted[e])]
            found = []
            for at in level:
                for edge in self._from[at]:
                    if self._targets[edge] not in leads and not self._differs[edge]:
                        leads[self._targets[edge]] = edge
                        found.append(self._targets[edge])
            level = found
        return []

    def _back(self, leads: dict[int, int], state: int) -> list[int]:
        found = []
        while leads[state] >= 0:
            found.append(leads[state])
            state = self._sources[leads[state]]
        return found[::-1]
