"""
The search finds a run of the model that shows the observations, carrying a set of states from step to step.

Between two observed steps only the broker that takes the next one moves, by unobserved steps (``inferring``).
The first pass keeps the states that need the fewest of these. Where it finds none, a wide one follows: it keeps all,
lets a broker publish before others' records that come earlier in the log, and lets one whose session is to end be
notified of others first, since without a session it gets no notification. Steps that the wide pass does not explain are
refused; a set that grows beyond ``MOST`` leaves them open.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial

from oneowner.checkers.recordings.explain.ages import is_ripe
from oneowner.checkers.recordings.explain.inferring import leaving_steps, next_steps, told
from oneowner.checkers.recordings.explain.model_steps import action, comes_by, is_enabled, ways, would_be_seen
from oneowner.checkers.recordings.explain.recording import RegistryStep
from oneowner.checkers.recordings.explain.records_ahead import RecordsAhead
from oneowner.checkers.recordings.explain.search_result import (
    Capped,
    Explained,
    SearchNode,
    cleans_up,
    given,
    is_first,
    is_past,
    is_settled,
)
from oneowner.checkers.recordings.explain.sizing import may_overtake
from oneowner.checkers.recordings.explain.unit_groups import Append, Observed, Opening, UnitGroup
from oneowner.model.channel import broker, overtaking, resending
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.orphans import takes_part
from oneowner.model.channel.parts import Run
from oneowner.model.channel.record import NOBODY
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled, Full
from oneowner.model.kernel.system import initial_states, step

MOST = 3_000
"""The number of states kept at one place; more leave a unit undecided."""

PROCESS_ENDS = ("crash", "unregister")

LOOK_AHEAD = 6
"""The number of records that a publish may have been under way for, where that matters."""

Keeps = Callable[[State, Action, State], bool]
"""Returns whether a step is allowed in an explanation: False leaves it out, and all runs with it."""


def _keeps_all(before: State, one: Action, after: State) -> bool:
    return True


def explain(group: UnitGroup, bounds: Bounds, wide: bool, keeps: Keeps = _keeps_all) -> Explained:
    """
    Carry the set of states along the timeline, as far as it goes.

    With *keeps* only steps that it allows are taken. Where none is left, all brokers may move before the observation:
    what they have not read yet is no matter for records, but it may be one for laws.
    """
    return _Search(group, bounds, wide, keeps).run()


class _Search:
    def __init__(self, group: UnitGroup, bounds: Bounds, wide: bool, keeps: Keeps) -> None:
        self.keeps, self.all_move = keeps, False
        self.group, self.timeline, self.bounds, self.wide = group, group.timeline, bounds, wide
        self.ahead = RecordsAhead(group.timeline, bounds)
        self.widest = 1
        self.tried: list[State] = []
        self.full = ""

    def run(self) -> Explained:
        nodes = [SearchNode(initial_states(self.bounds)[0], 0, None)]
        place = 0
        try:
            for place, seen in enumerate(self.timeline):
                self.tried = []
                ahead = self.ahead.copy()
                after = self.after(nodes, seen, place)
                if not after and self.keeps is not _keeps_all:
                    self.ahead, self.all_move = ahead, True
                    after = self.after(nodes, seen, place)
                    self.all_move = False
                if not after:
                    return Explained(nodes, place, self.widest, self.tried, self.full)
                nodes = after
                self.widest = max(self.widest, len(nodes))
        except Capped as capped:
            return Explained(nodes, place, self.widest, self.tried, str(capped))
        return Explained(nodes, len(self.timeline), self.widest, owing=tuple(self.owing(nodes)))

    def owing(self, nodes: list[SearchNode]) -> Iterator[int]:
        """Yield the brokers that owe a record at the end; one that shuts down owes none."""
        self.ahead.is_over = True
        if self.group.is_cut:
            return
        for actor in self.ahead.process:
            try:
                settled = self.goals(nodes, actor, partial(is_settled, actor))
            except Capped:
                settled = []
            if settled:
                nodes = settled
            else:
                yield actor

    def after(self, nodes: list[SearchNode], seen: Observed, place: int) -> list[SearchNode]:
        if isinstance(seen, RegistryStep):
            return self.after_step(nodes, seen)
        if isinstance(seen, Opening):
            return self.opened(nodes, seen)
        if seen.is_given:
            return [given(node, seen) for node in nodes]
        written = seen.written
        if written.broker == NOBODY:
            raise Capped(f"the run does not say who published {written.record}: a broker's log is missing")
        nodes = self.passed_over(nodes, seen, place)
        if self.wide:
            nodes = self.publish_early(nodes, place)
        queue = self.ahead.queue(written.broker)
        if not queue or queue[0] != seen:
            self.tried = [node.state for node in nodes]
            return []  # it is of a process that does not run yet, or no more
        found = self.goals(nodes, written.broker, lambda state: is_first(state, seen))
        if not found and self.wide and may_overtake(queue):
            return self.overtaken(nodes, queue)
        queue.pop(0)
        last = resending.append_unacknowledged if written.resent else broker.append
        return self.merged(self.taken(found, action(last, broker=written.broker), written.place))

    def opened(self, nodes: list[SearchNode], seen: Opening) -> list[SearchNode]:
        """Take a logged opening of topics in the states that allow it; the broker may have done so already."""
        goal = action(broker.open, broker=seen.broker, unit=seen.unit)

        def serves(state: State) -> bool:
            return bool(state.serving[seen.broker, seen.unit])

        found = self.goals(nodes, seen.broker, lambda state: serves(state) or is_enabled(state, goal))
        opening = [node for node in found if not serves(node.state)]
        there = [node for node in found if serves(node.state)]
        return self.merged([*there, *self.taken(opening, goal, seen.place)]) or nodes

    def overtaken(self, nodes: list[SearchNode], queue: list[Append]) -> list[SearchNode]:
        """Take the publisher's next two records in the other order, so that the second overtakes the first."""
        seen = queue[0]
        queue[:2] = queue[1], seen
        actor = seen.written.broker
        found = self.goals(nodes, actor, lambda state: state.outbox[actor].length > 1)
        queue.pop(1)
        return self.merged(self.taken(found, action(overtaking.overtake, broker=actor), seen.written.place))

    def after_step(self, nodes: list[SearchNode], seen: RegistryStep) -> list[SearchNode]:
        for actor in self.ahead.process:
            is_due = seen.action == "crash" and actor == seen.broker
            if count := self.ahead.made_by(seen, actor):
                nodes = self.published(nodes, actor, count, is_due)
        if seen.action == "expire" and self.bounds.safe_mode:  # it may have scheduled a clean-up, which fires later
            nodes = self.merged([*nodes, *self.goals(nodes, seen.broker, partial(cleans_up, seen.broker))])
        for other in self.ahead.process if self.wide and seen.action == "expire" else ():  # it hears now, or never
            heard = [(node, one) for node in nodes for one in told(node.state, seen.broker, other)]
            then = [node.then(one, after) for node, one in heard if (after := self.step(node.state, one)) is not None]
            nodes = self.merged([*nodes, *then])
        is_over = seen.action == "stop"  # the session of a start that failed is closed after its process has ended
        shown = [node for node in nodes if is_over and node.state.run[seen.broker] == Run.DOWN]
        for one in ways(seen.action, seen.broker):
            shows = partial(comes_by, one=one, seen=seen.action, number=seen.broker)
            found = self.goals(nodes, seen.broker, shows, leaves=seen.action == "unregister")
            shown += self.taken(found, one, seen.place)
        if seen.action == "restart":
            self.ahead.process[seen.broker] += 1
        return self.merged(shown)

    def passed_over(self, nodes: list[SearchNode], seen: Append, place: int) -> list[SearchNode]:
        """Add the states in which brokers that are to unregister have passed the unit before *seen* names them."""
        ends = [one for one in self.timeline[place:] if isinstance(one, RegistryStep) and one.action in PROCESS_ENDS]
        following = {one.broker: one.action for one in reversed(ends)}
        for actor, end in following.items():
            if end == "unregister" and takes_part(seen.written.record, actor):
                scanned = self.goals(nodes, actor, partial(is_past, actor, seen.unit), leaves=True)
                nodes = self.merged([*nodes, *scanned])
        return nodes

    def published(self, nodes: list[SearchNode], actor: int, count: int, is_due: bool) -> list[SearchNode]:
        """Return the states in which *actor* publishes its next *count* records now, or may still do so later."""
        kept: list[SearchNode] = []
        for node in nodes:
            early = self.goals([node], actor, lambda state: state.outbox[actor].length >= count)
            kept += early
            if not is_due and (self.wide or not early):
                kept.append(node)
        return self.merged(kept)

    def publish_early(self, nodes: list[SearchNode], place: int) -> list[SearchNode]:
        """Add the states in which forced records, which depend on more than the broker's view, are published early."""
        for seen in self.timeline[place + 1 : place + 1 + LOOK_AHEAD]:
            if isinstance(seen, RegistryStep):
                break
            if isinstance(seen, Opening):
                continue
            if seen.written.record.force and not seen.is_given and seen.written.broker != NOBODY:
                queue = self.ahead.queue(seen.written.broker)
                if seen in queue:  # else it is of another process of that broker
                    nodes = self.published(nodes, seen.written.broker, queue.index(seen) + 1, is_due=False)
        return nodes

    def goals(
        self, nodes: Iterable[SearchNode], actor: int, is_goal: Callable[[State], bool], leaves: bool = False
    ) -> list[SearchNode]:
        """Return the states that steps of *actor* lead to in which the goal holds; unless wide, the nearest ones."""
        found: list[SearchNode] = []
        for node in nodes:
            found += self.nearest(node, actor, is_goal, leaves)
        return self.merged(found)

    def nearest(
        self, start: SearchNode, actor: int, is_goal: Callable[[State], bool], leaves: bool
    ) -> list[SearchNode]:
        level, seen, found = [start], {start.state.key()}, list[SearchNode]()
        last = start
        while level:
            following: list[SearchNode] = []
            for node in level:
                if is_goal(node.state):
                    found.append(node)
                    continue
                last = node
                for one in self.steps(node.state, actor, leaves):
                    after = self.step(node.state, one)
                    if after is None or not all(self.ahead.fits(after, mover) for mover in self.movers(actor)):
                        continue
                    key = after.key()
                    if key not in seen:
                        seen.add(key)
                        following.append(node.then(one, after))
            if found and not self.wide:
                break
            level = following
            self.check(len(seen))
        if not found:
            self.tried.append(last.state)
        return found

    def steps(self, state: State, actor: int, leaves: bool) -> Iterator[Action]:
        for mover in self.movers(actor):
            queue = self.ahead.queue(mover)
            yield from (one for one in next_steps(state, mover, queue) if is_ripe(one, self.group, state, queue))
        if leaves:
            yield from leaving_steps(state, actor)
        if self.ahead.in_store and state.outbox[actor].length and not self.ahead.is_due(state, actor, 1):
            yield action(broker.append, broker=actor)  # refused, so unobserved

    def movers(self, actor: int) -> Iterable[int]:
        """Return the brokers that may move before *actor* takes its next observed step."""
        return self.ahead.process if self.all_move else (actor,)

    def step(self, state: State, one: Action) -> State | None:
        """Return the state after *one*, or None; a write that would have been seen is no unobserved step."""
        try:
            after = step(state, one)
        except Full as full:
            self.full = full.guard
            return None
        except BoundReached as reached:
            self.full = str(reached)
            return None
        except Disabled:
            return None
        return None if would_be_seen(state, one, after) or not self.keeps(state, one, after) else after

    def taken(self, nodes: Iterable[SearchNode], one: Action, place: str) -> Iterator[SearchNode]:
        for node in nodes:
            try:
                after = step(node.state, one)
            except Full as full:
                raise Capped(full.guard) from None
            except BoundReached as reached:
                raise Capped(str(reached)) from None
            except Disabled:
                self.tried.append(node.state)
                continue
            if self.keeps(node.state, one, after):
                yield node.observed(one, place, after)

    def merged(self, nodes: Iterable[SearchNode]) -> list[SearchNode]:
        """Return one of equal states, with the fewest inferred steps."""
        kept: dict[Hashable, SearchNode] = {}
        for node in nodes:
            key = node.state.key()
            if key not in kept or node.inferred < kept[key].inferred:
                kept[key] = node
        self.check(len(kept))
        return list(kept.values())

    def check(self, count: int) -> None:
        if count > MOST:
            raise Capped(f"more than {MOST:,} states at one place")
