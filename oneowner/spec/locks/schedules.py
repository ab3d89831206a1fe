"""
``follow_schedule`` replays the recorded steps of a ``ResourceLockImpl`` on the model.

A schedule is ``{"steps": [{"step", "node", "clients"}]}``. Of node, session, state and version it is taken at its word.
Names of sessions are free, each means one session; clients may count from 0 or 1, or have names; a count may be a list;
a field that is left out is not compared. What the form leaves open is tried: whether the clients write one value, what
the store makes of a deletion that expects version -1, whether creations are notified, which requests are counted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, NamedTuple

from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.language import Sequence as Queue
from oneowner.model.kernel.schedule import Difference, Taken, Unreadable, follow
from oneowner.model.kernel.system import actions, step
from oneowner.model.locks.bounds import Bounds
from oneowner.model.locks.rules import RELEASES
from oneowner.model.locks.state import NOBODY, Acquire, State

ROOM: Final = 12
AMPLE: Final = 99
NAMES: Final = "acquire release carry_out answer lose notify expire reestablish reconnect timer".split()
START: Final = ("", "none", "start", "init", "initial")
DONE: Final = (True, "done", "yes", "true", "acquired")


class Reading(NamedTuple):
    """A reading of a schedule, tried where its form leaves something open."""

    twins: int
    strict: int
    creations: int
    counts_answers: bool
    """True if a request counts until its answer is taken, False if only until it is carried out."""


def follow_schedule(schedule: Mapping[str, Any], release: str) -> Difference | None:
    """Return where *schedule* differs first under the rules of *release*, by the reading that leads farthest."""
    lines: Sequence[Mapping[str, Any]] = schedule["steps"]
    asked = steps_of(lines)
    sessions = Sessions(lines, asked)
    farthest: Difference | None = None
    for counts_answers, creations, strict, twins in product((True, False), (0, 1), (0, 1), twins_of(lines)):
        reading = Reading(twins, strict, creations, counts_answers)
        bounds = ample(len(sessions.live[0]), release, reading)
        known = {(one.name, one.argument("client")): one for one in actions(bounds)}
        steps = [Taken(known.get(words), line) for words, line in zip(asked, lines, strict=True)]
        difference = follow([State(bounds)], steps, outcomes, Compared(sessions, reading))
        if difference is None:
            return None
        if farthest is None or difference.step > farthest.step:
            farthest = difference
    return farthest


def ample(clients: int, release: str, reading: Reading) -> Bounds:
    """Return bounds that no recorded schedule uses up."""
    budgets = dict.fromkeys(("again", "releases", "expiries", "survivals", "reconnects", "losses"), AMPLE)
    room = dict.fromkeys(("requests", "waiting", "notices", "timers"), ROOM)
    open_ = {"twins": reading.twins, "strict": reading.strict, "creations": reading.creations}
    return Bounds(clients=clients, rules=RELEASES[release], late_answers=1, repeats=1, **open_, **budgets, **room)


def steps_of(lines: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """Return the name and the client, from 1 on, of every step; raise Unreadable for an invalid one."""
    words = [in_words(number, line) for number, line in enumerate(lines, 1)]
    if len({len(line["clients"]) for line in lines}) != 1:
        raise Unreadable("steps refused: there are none, or the number of clients changes")
    clients = len(lines[0]["clients"])
    whose = {name for _, name in words if name}
    if all(name.isdigit() for name in whose):
        first = 0 if "0" in whose else 1
        numbers = {name: int(name) - first + 1 for name in whose}
    else:
        numbers = {name: number for number, name in enumerate(sorted(whose), 1)}
    for at, (name, client) in enumerate(words, 1):
        if name and not 1 <= numbers.get(client, 0) <= clients:
            raise Unreadable(f"step {at} refused: {name} of client {client or 'nobody'}; there are {clients} clients")
    return [(name, numbers[client] if name else 0) for name, client in words]


def in_words(number: int, line: Mapping[str, Any]) -> tuple[str, str]:
    """
    Return the name of a step and whose it is; an empty name for a look at the start.

    >>> in_words(1, {"step": ["lose", 2], "clients": [{}]}), in_words(2, {"step": "timer(client=1)", "clients": [{}]})
    (('lose', '2'), ('timer', '1'))
    """
    clients = line.get("clients")
    if not isinstance(clients, list) or not clients or not all(isinstance(client, dict) for client in clients):
        raise Unreadable(f"step {number} refused: it needs clients, a list of objects")
    if "step" not in line:
        raise Unreadable(f"step {number} refused: it does not say which step it is")
    told = line["step"]
    whole = told if isinstance(told, str) else list(told.values()) if isinstance(told, dict) else told
    parts = re.findall(r"[A-Za-z_]+[0-9]*|[0-9]+", f"{whole if whole is not None else ''} {line.get('client', '')}")
    words = [part for part in parts if part not in ("client", "step", "name", "None")]
    if number == 1 and " ".join(words).lower() in START:
        return "", ""
    name = next((word for word in words if word in NAMES), None)
    if name is None:
        raise Unreadable(f"step {number} refused: {told!r}; there are {', '.join(NAMES)}")
    others = [word for word in words if word != name]
    digits = [re.sub(r"\D", "", word) or word for word in others]
    return name, digits[0] if digits else ""


def twins_of(lines: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """Return whether the clients write the same value, as 0 or 1: both if only one has ever been seen to write."""
    wrote: dict[int, Any] = {}
    for line in lines:
        node = line.get("node")
        for number, client in enumerate(line["clients"]):
            if isinstance(node, dict) and client.get("session") == node.get("session", ""):
                wrote[number] = str(node.get("value"))
    return (int(len(set(wrote.values())) == 1),) if len(wrote) > 1 else (0, 1)


class Sessions:
    """The sessions of every client in turn, and their names: a name appears with its first record."""

    def __init__(self, lines: Sequence[Mapping[str, Any]], asked: Sequence[tuple[str, int]]) -> None:
        clients = len(lines[0]["clients"])
        number, alive = [1] * clients, [True] * clients
        self.live: list[list[bool]] = []
        self.numbers: list[list[int]] = []
        self._names: dict[tuple[int, int], Any] = {}
        for (name, client), line in zip(asked, lines, strict=True):
            if name == "reestablish" and not alive[client - 1]:
                number[client - 1] += 1
            if name in ("expire", "reestablish"):
                alive[client - 1] = name == "reestablish"
            self.live.append([*alive])
            self.numbers.append([*number])
            for at, told in enumerate(line["clients"]):
                if alive[at] and told.get("session") is not None:
                    self._names.setdefault((at, number[at]), told["session"])

    def name(self, step: int, client: int) -> Any:
        """Return the name of the present session of *client* after a step; two of one name have none."""
        key = client - 1, self.numbers[step - 1][client - 1]
        name = self._names.get(key)
        same = [one for one, other in self._names.items() if other == name]
        return name if same == [key] else f"a session of its own, number {key[1]} of client {client}"


@dataclass(frozen=True)
class Compared:
    """A state of the model beside what was recorded, field by field."""

    sessions: Sessions
    reading: Reading

    def __call__(self, step: int, state: State, told: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
        for client, recorded in enumerate(told["clients"], 1):
            here = self.seen(state, client)
            if recorded.get("session") is not None and state.live[client]:
                here["session"] = self.sessions.name(step, client)
            for field in here:
                if field in recorded:
                    yield f"clients[{client}].{field}", here[field], plain(field, recorded[field])
        if "node" in told:
            node, owner = told["node"], state.node
            yield "node", "absent" if owner == NOBODY else "there", "absent" if node is None else "there"
            if isinstance(node, dict) and owner != NOBODY:
                yield "node.session", self.sessions.name(step, owner), node.get("session")
                yield "node.version", 0, node.get("version", 0)

    def seen(self, state: State, client: int) -> dict[str, Any]:
        """Return the fields of a schedule about a client, without the session; about a lock only if there is one."""
        answered = state.answers[client].length if self.reading.counts_answers else 0
        told = {
            "live": state.live[client],
            "acquired": state.acquired[client] == Acquire.DONE,
            "registered": state.registered[client],
            "expired": state.expired[client],
            "notifications": state.notices[client].length,
            "timers": state.timers[client],
            "requests": state.sent[client].length + answered,
        }
        if state.acquired[client] == Acquire.NONE:
            return told
        return {**told, "state": state.stage[client].value, "version": state.version[client]}


def plain(field: str, recorded: Any) -> Any:
    """Return a recorded value as the model has it: a list as its length, an acquire that is not done as false."""
    if field == "acquired":
        return recorded in DONE
    if field == "state":
        return str(recorded).capitalize()
    if field in ("registered", "expired"):
        return bool(recorded)
    return len(recorded) if isinstance(recorded, list) else recorded


def outcomes(before: State, action: Action) -> Iterator[State | str]:
    """Yield the states that *action* leads to, whichever request it is about, oldest first; or why not."""
    for changed, put_back in arrangements(before, action):
        try:
            after = step(changed, action).copy()
        except (Disabled, BoundReached) as refused:
            yield str(refused)
        else:
            client = action.argument("client")
            after.answers[client] = Queue((*put_back, *after.answers[client]))
            yield after


def arrangements(before: State, action: Action) -> Iterator[tuple[State, tuple[Any, ...]]]:
    """Yield *before* with each request in turn where the step takes it, and the answers to be put back after it."""
    client = action.argument("client")
    sent, answers = before.sent[client], before.answers[client]
    yield before, ()
    if action.name in ("answer", "lose"):
        for at in range(2, answers.length + 1):
            changed = before.copy()
            changed.answers[client] = Queue((answers[at], *answers.without(at)))
            yield changed, ()
    loses_unsent = action.name == "lose" and answers.length > 0
    if action.name == "carry_out" or loses_unsent:
        for at in range(1 if loses_unsent else 2, sent.length + 1):
            changed = before.copy()
            changed.sent[client] = Queue((sent[at], *sent.without(at)))
            if loses_unsent:
                changed.answers[client] = Queue()
            yield changed, tuple(answers) if loses_unsent else ()
