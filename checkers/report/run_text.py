"""
A run of the model as text: one line a step with what it changes, and who owns and serves every unit before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from oneowner.checkers.ledger.families import STATUSES
from oneowner.checkers.scenarios.replay import Replay, Step, broken_for_ever, end_in_words
from oneowner.checkers.scenarios.scenario import briefly
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.channel import entry
from oneowner.model.channel.record import owner
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State

BOOKKEEPING = ("cursor", "won")
"""Cells that a reader can do without, as the budgets that are left: they follow from the steps."""


def print_replay(out: Console, replayed: Replay) -> None:
    """
    Print a replay: one line a step, the owner map where it changes, and the laws that fail.

    Bookkeeping is shown only where a step changes nothing else: how far a broker has read, which versions were used,
    what is left of a budget, and that a record which every broker has read leaves the log.
    """
    scenario, bounds = replayed.scenario, replayed.scenario.bounds
    faults = f", faults: {', '.join(scenario.faults)}" if scenario.faults else ""
    out.print(Text(scenario.title or f"A run of {scenario.family}", style="bold"))
    if scenario.story:
        out.print(scenario.story)
    out.print(f"family {scenario.family}{faults}, {len(scenario.steps)} steps")
    actions = [briefly(bounds)(step.action) for step in replayed.steps]
    width = max(map(len, actions), default=0)
    out.print(f"   0  {start_in_words(bounds)}")
    _print_owners(out, replayed.states[0], range(1, bounds.units + 1))
    shown = 0
    for step, action, before, after in zip(replayed.steps, actions, replayed.states, replayed.states[1:], strict=False):
        if step.number == scenario.loop:
            out.print("then for ever:", style="bold")
        line = f"{step.number:4}  {action:{width}}  "
        out.print(Text.assemble(line, ("; ".join(changes_in_words(bounds, step)), "dim")))
        changed = [unit for unit in range(1, bounds.units + 1) if owners(before, unit) != owners(after, unit)]
        shown = step.number if changed else shown
        _print_owners(out, after, changed)
        for law in step.broken:
            out.print(Text(f"        broken: {law.name}: {law.statement}", style="bold red"))
    if replayed.steps and shown < len(replayed.steps):
        out.print("      in the end:")
        _print_owners(out, replayed.states[-1], range(1, bounds.units + 1))
    end = end_in_words(replayed)
    if end:
        out.print(Text(end, style="bold"))
    for endless in broken_for_ever(replayed):
        out.print(Text(f"        broken: {endless.name}: {endless.statement}", style="bold red"))


def print_counterexample(out: Console, replayed: Replay, law: str, is_shortest: bool = True) -> None:
    """Print a counterexample, and say so if it is one that Pulsar is known to have."""
    if STATUSES[law].is_violated:
        out.print(f"{law} is known to fail in Pulsar; {'the shortest' if is_shortest else 'a'} way there:")
    print_replay(out, replayed)


def start_in_words(bounds: Bounds) -> str:
    """Return the initial state on one line."""
    every = "unit 1, the parent of units 2 and 3" if bounds.splits else "every unit"
    owned = "nothing is written"
    if bounds.owner:
        owned = f"broker {bounds.owner} owns and serves {every} (version {bounds.owned_version})"
    return f"start: {bounds.brokers} brokers live, all registered; broker 1 leads; {owned}"


def _print_owners(out: Console, state: State, units: Iterable[int]) -> None:
    for unit in units:
        several = len(owners(state, unit)[1]) > 1
        out.print(Text(f"      = {owners_in_words(state, unit)}", style="bold red" if several else "bold"))


def owners(state: State, unit: int) -> tuple[int, tuple[int, ...]]:
    """Return who owns *unit* by the channel (0: nobody), and all who serve it."""
    servers = tuple(broker for broker in range(1, state.bounds.brokers + 1) if state.serving[broker, unit])
    return owner(entry(state, unit)), servers


def owners_in_words(state: State, unit: int) -> str:
    """
    Return who owns and who serves *unit*.

    >>> from model.system import initial_states
    >>> print(owners_in_words(initial_states(Bounds(owner=2))[0], 1))
    unit 1: owner 2 (the channel holds Owned(2) v2), served by 2
    """
    owned, servers = owners(state, unit)
    served = " and ".join(map(str, servers)) or "nobody"
    named = f"owner {owned}" if owned else "no owner"
    return f"unit {unit}: {named} (the channel holds {entry(state, unit)}), served by {served}"


def changes_in_words(bounds: Bounds, step: Step) -> list[str]:
    """Return what a step changes that a reader wants to know; all that it changes if there is no such thing."""
    telling = [words for cell, *values in step.changes for words in _telling(bounds, cell, *values)]
    return telling or [words for cell, *values in step.changes for words in _change(bounds, cell, *values)]


def _telling(bounds: Bounds, cell: str, before: Any, after: Any) -> Iterator[str]:
    name = cell.partition("[")[0]
    on_topic = bounds.storage == Storage.SYSTEM_TOPIC
    if name in BOOKKEEPING or name.endswith("_left") or (name == "base" and on_topic):
        return
    for words in _change(bounds, cell, before, after):
        if not words.startswith("log -"):
            yield words


def _change(bounds: Bounds, cell: str, before: Any, after: Any) -> Iterator[str]:
    """Yield what leaves a sequence and what comes into it; of any other cell its new value."""
    if not isinstance(after, tuple) or hasattr(after, "_fields"):
        yield f"{cell} = {in_words(bounds, after)}"
        return
    for sign, these, those in (("-", before, after), ("+", after, before)):
        left = list(those)
        for value in these:
            if value in left:
                left.remove(value)
            else:
                yield f"{cell} {sign} {in_words(bounds, value)}"


def in_words(bounds: Bounds, value: Any) -> str:
    """
    Return a value of a state in words; the unit of a record only if there are several.

    >>> in_words(Bounds(), False)
    'no'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "record"):
        return f"unit {value.unit} {value.record}" if bounds.units > 1 else str(value.record)
    return str(value)
