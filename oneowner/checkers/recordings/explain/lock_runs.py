"""
Locks of a recorded cluster as runs of the model of a lock, one bundle's node after another.

Observed, by ZooKeeper's history: the creator and the end of the node, and the sessions that end and begin. Inferred:
the steps of a client in between (asks, takes answers and notifications, revalidates, gives back). Only the client that
takes the next observed step moves: steps of the others meanwhile show in the store alone. A process of a broker is a
client.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.judged_release import JudgedRelease, recorded_release
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance
from oneowner.checkers.recordings.explain.recorded_run import read_run
from oneowner.checkers.recordings.fold.runs import Options, find_run
from oneowner.checkers.recordings.read.log_clock import Clock
from oneowner.checkers.recordings.read.observations import NodeWrite
from oneowner.checkers.recordings.read.zookeeper import BROKERS, CHANNEL_PATHS, CREATES, LOCK
from oneowner.checkers.recordings.scene.broker_processes import STARTING
from oneowner.checkers.recordings.scene.run_files import RunFiles
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.system import actions, step
from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.rules import RELEASES, Rules
from oneowner.model.locks.state import NOBODY, State

MOST: Final = 20_000
"""States that are visited between two observed steps; above that a node is unknown."""
INFERRED: Final = ("acquire", "release", "answer", "notify", "timer", "lose", "reconnect", "carry_out")


class Seen(NamedTuple):
    """One observed step of one node."""

    place: str
    """The zxid."""
    name: str
    client: int
    node: int
    """The owner of the node after it."""


class Process(NamedTuple):
    """One process of a broker, and its sessions in order."""

    broker: str
    number: int


@dataclass(frozen=True, slots=True)
class LockVerdict:
    """The verdict on one bundle's lock."""

    unit: str
    answer: Acceptance
    observed: int
    trail: tuple[str, ...]
    """The steps of the run that was found, as far as it goes; observed ones with their place."""
    place: str = ""
    why: str = ""

    @property
    def inferred(self) -> int:
        """The number of inferred steps."""
        return len(self.trail) - self.observed


def explain_locks(
    writes: Sequence[NodeWrite],
    starts: Callable[[str, int], int],
    rules: Rules,
    on_unit: Callable[[str], None] | None = None,
) -> list[LockVerdict]:
    """
    Explain every bundle's lock in a history; none if there are no locks.

    :param starts: how many processes of a broker had started by a time, by its log; 1 at least.
    """
    sessions = processes_of(writes, starts)
    units = {write.path: match[1] for write in writes if (match := LOCK.fullmatch(write.path))}
    found = []
    for path, unit in sorted(units.items()):
        if on_unit is not None:
            on_unit(unit)
        found.append(explain_node(unit, observed(path, writes, sessions), rules))
    return found


def processes_of(writes: Iterable[NodeWrite], starts: Callable[[str, int], int]) -> dict[str, Process]:
    """Return the process of each session: of the broker that registered in it, or of the node's owner that it wrote."""
    found: dict[str, Process] = {}
    for write in writes:
        if write.op in CREATES and write.path.startswith(BROKERS):
            broker = write.path.removeprefix(BROKERS)
            found.setdefault(write.session, Process(broker, starts(broker, write.time)))
    return found


class Node(NamedTuple):
    """The observations of one node."""

    steps: list[Seen]
    strangers: list[str]
    """Sessions that wrote it, but in which no broker had registered."""
    twins: bool
    """True if two processes of one broker wrote it: they write the same value."""


def observed(path: str, writes: Iterable[NodeWrite], sessions: dict[str, Process]) -> Node:
    """Return the observed steps of the node at *path*, by clients from 1 on."""
    touched = [write.session for write in writes if write.path == path and write.op in (*CREATES, "delete")]
    strangers = sorted({session for session in touched if session not in sessions})
    processes = list(dict.fromkeys(sessions[session] for session in touched if session in sessions))
    of_session = {s: processes.index(p) + 1 for s, p in sessions.items() if p in processes}
    steps: list[Seen] = []
    node, holder, living = NOBODY, "", set[int]()
    for write in writes:
        session = write.session
        client = of_session.get(session, 0)
        place = f"zxid:{write.zxid}"
        if not client:
            continue
        if write.op == "createSession" or (client not in living and write.op != "closeSession"):
            if any(one.client == client and one.name == "expire" for one in steps) and client not in living:
                steps.append(Seen(place, "reestablish", client, node))
            living.add(client)
        if write.path == path and write.op in (*CREATES, "delete"):
            node, holder = (client, session) if write.op in CREATES else (NOBODY, "")
            steps.append(Seen(place, "carry_out", client, node))
        elif write.op == "closeSession" and client in living:
            living.discard(client)
            node, holder = (NOBODY, "") if holder == session else (node, holder)
            steps.append(Seen(place, "expire", client, node))
    return Node(steps, strangers, len({process.broker for process in processes}) < len(processes))


def explain_node(unit: str, node: Node, rules: Rules) -> LockVerdict:
    """
    Find a run of the model that shows the observed steps, with the fewest inferred steps before each.

    After an observed step the client takes its answer at once, or later: both runs are carried on, the first preferred.
    """
    if node.strangers:
        why = f"session {node.strangers[0]} wrote the node, and no broker registered in it"
        return LockVerdict(unit, Acceptance.UNKNOWN, 0, (), why=why)
    bounds = room_for(node, rules)
    known = {(action.name, action.argument("client")): action for action in actions(bounds)}
    runs: list[Run] = [Run(State(bounds), ())]
    for number, seen in enumerate(node.steps):
        tried = [(run, reach(run.state, seen, known)) for run in runs]
        reached = [(run, found) for run, found in tried if not isinstance(found, str)]
        if not reached:
            refused = next(found for _, found in tried if isinstance(found, str))
            answer = Acceptance.UNKNOWN if refused == TOO_MANY else Acceptance.REFUSED
            why = f"{seen.name} of client {seen.client}: {refused}"
            return LockVerdict(unit, answer, number, runs[0].trail, seen.place, why)
        runs = []
        for run, (state, inferred) in reached:
            trail = (*run.trail, *map(str, inferred), f"{known[seen.name, seen.client]} ({seen.place})")
            runs += [*answered(Run(state, trail), known[ANSWER, seen.client]), Run(state, trail)]
        runs = runs[:MOST_RUNS]
    return LockVerdict(unit, Acceptance.ACCEPTED, len(node.steps), runs[0].trail)


class Run(NamedTuple):
    """A run of the model so far."""

    state: State
    trail: tuple[str, ...]


ANSWER: Final = "answer"
MOST_RUNS: Final = 8
TOO_MANY: Final = f"more than {MOST:,} states were tried"


def answered(run: Run, answer: Action) -> Iterator[Run]:
    """Yield the run in which the client takes the answer, if there is one."""
    for after in after_step(run.state, answer):
        if not isinstance(after, str):
            yield Run(after, (*run.trail, str(answer)))


def reach(start: State, seen: Seen, known: dict[tuple[str, int], Action]) -> tuple[State, list[Action]] | str:
    """Return the state after an observed step and the inferred steps before it, the fewest; else why there is none."""
    mine = [known[name, seen.client] for name in INFERRED if (name, seen.client) in known]
    level: list[tuple[State, list[Action]]] = [(start, [])]
    visited = {start.key()}
    refused = ""
    while level:
        following: list[tuple[State, list[Action]]] = []
        for state, before in level:
            for after in after_step(state, known[seen.name, seen.client]):
                if isinstance(after, str):
                    refused = refused or after
                elif after.node == seen.node and (after.node != state.node or seen.name != "carry_out"):
                    return after, before
            for action in mine:
                for after in after_step(state, action):
                    if isinstance(after, str) or after.node != state.node or after.key() in visited:
                        continue
                    visited.add(after.key())
                    following.append((after, [*before, action]))
        if len(visited) > MOST:
            return TOO_MANY
        level = following
    return refused or f"the node would not be {'there' if seen.node else 'gone'} after it"


def after_step(state: State, action: Action) -> Iterator[State | str]:
    """Yield the state after an action, or the reason of its refusal."""
    try:
        yield step(state, action)
    except (Disabled, BoundReached) as error:
        yield str(error)


def room_for(node: Node, rules: Rules) -> Bounds:
    """Return bounds with room for every observed step, and one loss and reconnection between them."""
    clients = max([seen.client for seen in node.steps], default=1)
    made, ended = len(node.steps), sum(seen.name == "expire" for seen in node.steps)
    return Bounds(
        clients=clients, rules=rules, again=made, releases=made, expiries=ended, losses=1, reconnects=1,
        requests=3, waiting=2, notices=min(2 * made + 2, 60), timers=2, twins=int(node.twins),
    )  # fmt: skip


class LockRun(NamedTuple):
    """The verdict on all locks of one recorded run."""

    name: str
    judged_by: JudgedRelease
    """The release by whose rules it is explained."""
    doubts: tuple[str, ...]
    """The reasons why it cannot be accepted, whatever is explained."""
    locks: tuple[LockVerdict, ...]

    @property
    def answer(self) -> Acceptance:
        answers = {one.answer for one in self.locks}
        if Acceptance.REFUSED in answers:
            return Acceptance.REFUSED
        return Acceptance.UNKNOWN if answers != {Acceptance.ACCEPTED} or self.doubts else Acceptance.ACCEPTED


def is_of_locks(path: Path) -> bool:
    """Return whether a recorded run never had a channel, and its ZooKeeper history has locks of bundles."""
    run = find_run(str(path), Options())
    if run.source is not None:
        return False
    paths = {write.path for write in RunFiles(run).writes()}
    return any(map(LOCK.fullmatch, paths)) and not any(path.startswith(CHANNEL_PATHS) for path in paths)


def explain_lock_run(path: Path, on_unit: Callable[[str], None] | None = None, clock: Clock | None = None) -> LockRun:
    """Explain every bundle's lock of the run in the folder *path* by the rules of its release, or the last before."""
    run = find_run(str(path), Options(clock=clock or Clock()))
    judged_by = recorded_release(run.manifest.release, RELEASES, LATEST)
    doubts = list(run.doubts)
    if judged_by.note:
        doubts.append(f"{path.name}: {judged_by.note}")
    scene = read_run(run).scene
    started: dict[str, list[int]] = {}
    for line in scene.lines(STARTING):
        started.setdefault(line.broker, []).append(line.time)
    found = explain_locks(
        scene.writes,
        lambda broker, time: max(1, sum(at <= time for at in started.get(broker, []))),
        RELEASES[judged_by.name],
        on_unit,
    )
    return LockRun(path.name, judged_by, tuple(doubts), tuple(found))


LATEST: Final = [*RELEASES][-1]
