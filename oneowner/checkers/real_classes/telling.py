"""
``telling_runs`` searches, for each switch of the rules, a short run on which the classes show its value.

Saved counterexamples are tried first, then families: the graph of one gives states of every kind, by shortest paths. In
each, every action is tried by rules that note the switches which the step reads. Only such a step can be the first to
depend on a switch: the run to it tells if both values part where real classes show it (``parting.py``).
"""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.engines.explore.building import digest_of
from oneowner.checkers.native_code import cache
from oneowner.checkers.real_classes.choice import chosen
from oneowner.checkers.real_classes.counterexamples import counterexamples
from oneowner.checkers.real_classes.edges import edges_within
from oneowner.checkers.real_classes.parting import UNSEEN, Parting, parting
from oneowner.checkers.real_classes.projection import shown
from oneowner.checkers.real_classes.steps import STEPS, why_not
from oneowner.checkers.real_classes.tours import Tours
from oneowner.checkers.scenarios.under_release import counterpart
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Rules
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.guards import BoundReached, Disabled
from oneowner.model.kernel.state import State
from oneowner.model.kernel.system import actions, initial_states, step

SWITCHES: Final = tuple(one.name for one in fields(Rules))
LARGEST: Final = 6_000
"""States of the largest family in which runs are searched."""
STATES: Final = 12_000
"""States of a graph in which runs are searched."""
ENDS: Final = 250
"""Edges of the graph, one of each kind in turn, at whose sources the actions are tried."""
TRIES: Final = 16
"""Runs of a family that are tried for a switch, at most so many of one action."""
OF_ONE_ACTION: Final = 4


class TellingRun(NamedTuple):
    """A run by one value of a switch; *parting* is the step at which the other value parts from it."""

    switch: str
    value: bool
    family: str
    """The family, or the saved run, in whose bounds it is."""
    run: tuple[Action, ...]
    states: tuple[State, ...]
    parting: Parting


class _NotingRules:
    """Rules that note the switches that are read; every switch is read through them, so that they pass for rules."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.seen: set[str] = set()

    def __getattr__(self, switch: str) -> Any:
        self.seen.add(switch)
        return getattr(self._rules, switch)


def _noted(bounds: Bounds, noting: Any) -> Bounds:
    return replace(bounds, rules=noting)


def telling_runs(
    rules: Rules,
    switches: Iterable[str],
    families: Iterable[tuple[str, Bounds]],
    on_progress: Callable[[str], None] | None = None,
) -> dict[str, TellingRun]:
    """Return, for each of the *switches* that has one, a short run that tells its value beside the other *rules*."""
    found = dict[str, TellingRun]()
    open_ = set(switches) - UNSEEN.keys()
    for one in _in_saved_runs(rules, open_):
        found[one.switch] = one
    for name, bounds in families:
        if on_progress is not None:
            on_progress(f"{len(open_)} switches left, in {name}")
        with suppress(ValueError):  # a release cannot have such bounds
            found |= {one.switch: one for one in _in_family(name, replace(bounds, rules=rules), open_)}
    return found


def _in_saved_runs(rules: Rules, open_: set[str]) -> Iterator[TellingRun]:
    """Yield for each of the switches the shortest saved run that tells it, and take the switch away."""
    for name, scenario in sorted(counterexamples(), key=lambda one: (len(one[1].steps), one[0])):
        try:
            bounds = replace(scenario.bounds, rules=rules)
        except ValueError:
            continue
        if why_not(bounds, scenario.steps):
            continue
        noting = _NotingRules(rules)
        state, run = initial_states(_noted(bounds, noting))[0], list[Action]()
        with suppress(Disabled, BoundReached):
            for original in scenario.steps:
                run.append(counterpart(original, bounds))
                state = step(state, run[-1])
        for switch in sorted(noting.seen & open_):
            if (found := telling_run(name, bounds, switch, run)) is not None:
                open_.discard(switch)
                yield found


def _in_family(name: str, bounds: Bounds, open_: set[str]) -> Iterator[TellingRun]:
    tries: Counter[str] = Counter()
    of_action: Counter[tuple[str, str]] = Counter()
    for path, action, read in _steps(bounds):
        for switch in sorted(read & open_):
            of_action[switch, action.name] += 1
            if tries[switch] < TRIES and of_action[switch, action.name] <= OF_ONE_ACTION:
                tries[switch] += 1
                found = telling_run(name, bounds, switch, (*path, action))
                if found is not None:
                    open_.discard(switch)
                    yield found


def _steps(bounds: Bounds) -> Iterator[tuple[tuple[Action, ...], Action, set[str]]]:
    """Yield the shortest path to a state, an action, and the switches that it reads there, also if it is refused."""
    edges = edges_within(bounds, STATES)
    noting = _NotingRules(bounds.rules)
    first = initial_states(_noted(bounds, noting))[0]
    everything = [action for action in actions(first.bounds) if action.name in STEPS]
    tours, known = Tours(edges, ()), {0: first}
    sources = dict.fromkeys(edges.sources[edge] for edge in sorted(chosen(edges, shown(bounds), ENDS)))
    for source in sources:
        way = tours.way(int(source))
        state = first
        for edge in way:
            target = int(edges.targets[edge])
            if target not in known:
                known[target] = step(state, edges.actions[edges.labels[edge]])
            state = known[target]
        path = tuple(edges.actions[edges.labels[edge]] for edge in way)
        for action in everything:
            noting.seen.clear()
            with suppress(Disabled, BoundReached):
                step(state, action)
            if noting.seen:
                yield path, action, set(noting.seen)


def telling_run(family: str, bounds: Bounds, switch: str, run: Sequence[Action]) -> TellingRun | None:
    """Return a run, by the one or the other value of a switch, if the classes show that value on it; cut at the end."""
    for value in (getattr(bounds.rules, switch), not getattr(bounds.rules, switch)):
        try:
            by, other = (replace(bounds, rules=replace(bounds.rules, **{switch: one})) for one in (value, not value))
        except ValueError:  # bounds that these rules do not have
            continue
        steps = tuple(counterpart(action, by) for action in run)
        if why_not(by, steps) or why_not(other, steps) or (states := _states(by, steps)) is None:
            continue
        found = parting(steps, states, other)
        if found.at:
            return TellingRun(switch, value, family, steps[: found.at], states[: found.at + 1], found)
    return None


def _states(bounds: Bounds, run: Sequence[Action]) -> tuple[State, ...] | None:
    """Return the states of a run, the initial one first, or None if the model refuses a step."""
    states = [initial_states(bounds)[0]]
    try:
        for action in run:
            states.append(step(states[-1], action))
    except (Disabled, BoundReached):
        return None
    return tuple(states)


def known_runs(on_progress: Callable[[str], None] | None = None) -> dict[str, TellingRun]:
    """Return the telling runs beside the default rules: kept in the user's cache until our source changes."""
    walkable = {name: one for name, one in families().items() if _is_searched(one)}
    named = {name: one.bounds for name, one in walkable.items()} | {
        name: replace(scenario.bounds, rules=Rules()) for name, scenario in counterexamples()
    }
    room = tuple(one.read_text(encoding="utf-8") for one in sorted(Path(__file__).parent.glob("*.py")))
    source = digest_of(Bounds(), (), (*room, *(f"{name} {bounds}" for name, bounds in named.items())))
    path = cache() / "real-classes" / f"telling-{source[:32]}.json"
    if (kept := _kept(path, named)) is not None:
        return kept
    searched = sorted(walkable, key=lambda name: walkable[name].states)
    runs = telling_runs(Rules(), SWITCHES, [(name, named[name]) for name in searched], on_progress)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = {one.switch: (one.family, [str(action) for action in one.run]) for one in runs.values()}
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:  # another process reads all of it or nothing
        whole = Path(folder, path.name)
        whole.write_text(json.dumps(written), encoding="utf-8")
        whole.replace(path)
    return runs


def _kept(path: Path, named: Mapping[str, Bounds]) -> dict[str, TellingRun] | None:
    """Return the runs in a file, each judged anew; a file that cannot be read is not there."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8")).items()
        runs = [(switch, name, named[name], [*map(_action, run)]) for switch, (name, run) in rows]
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return None
    found = (telling_run(name, bounds, switch, run) for switch, name, bounds, run in runs)
    return {one.switch: one for one in found if one is not None}


def _is_searched(family: Family) -> bool:
    return family.bounds.system.name == "channel" and family.states <= LARGEST and not why_not(family.bounds)


def _action(words: str) -> Action:
    name, _, arguments = words.removesuffix(")").partition("(")
    pairs = (one.split("=") for one in arguments.split(", ") if one)
    return Action(name, tuple((key, int(value)) for key, value in pairs), _never)


def _never(state: State) -> None:
    raise AssertionError("the counterpart of this action is taken in its place")
