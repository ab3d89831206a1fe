"""A run of the model as text, a line for each step and its changes; and the coverage of random walks."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from oneowner.checkers.engines.walks.plan import Broken, Walks
from oneowner.checkers.report.text import table
from oneowner.checkers.scenarios.replay import Replay, Step, broken_for_ever, end_in_words
from oneowner.checkers.scenarios.scenario import Scenario, briefly, switch_in_words
from oneowner.model.channel.bounds import Bounds
from oneowner.model.kernel.law import Law, LawKind, LivenessLaw
from oneowner.model.kernel.state import State


def print_replay(out: Console, replayed: Replay) -> None:
    """
    Print a replay: one line a step, the owner map where it changes, and the laws that fail.

    Bookkeeping is printed only for a step without other changes: read positions, used versions, remaining budgets, and
    the removal of records that every broker has read.
    """
    scenario, bounds = replayed.scenario, replayed.scenario.bounds
    faults = f", faults: {', '.join(scenario.faults)}" if scenario.faults else ""
    if scenario.note:
        out.print(scenario.note)
    out.print(Text(scenario.title or f"A run of {scenario.family}", style="bold"))
    if scenario.story:
        out.print(scenario.story)
    if scenario.rules:
        faults += f", rules: {', '.join(switch_in_words(*one) for one in scenario.rules.items())}"
    out.print(f"family {scenario.family}{faults}, {len(scenario.steps)} steps")
    words = briefly(bounds)
    width = max((len(words(step.action)) for step in replayed.steps), default=0)
    print_start(out, replayed)
    shown = 0
    for step in replayed.steps:
        if step.number == scenario.loop:
            out.print("then for ever:", style="bold")
        shown = step.number if print_step(out, replayed, step, width) else shown
    if replayed.steps and shown < len(replayed.steps):
        out.print("      in the end:")
        print_standing(out, replayed.states[-1])
    end = end_in_words(replayed)
    if end:
        out.print(Text(end, style="bold"))
    _print_broken(out, broken_for_ever(replayed), scenario)


def print_start(out: Console, replayed: Replay) -> None:
    """Print the initial state of a run, and the laws that it breaks."""
    out.print(f"   0  {replayed.system.story.start(replayed.scenario.bounds)}")
    print_standing(out, replayed.states[0])
    laws = replayed.system.laws_by_name
    at_start = [laws[name] for name, number in replayed.broken.items() if number == 0 and name in laws]
    _print_broken(out, at_start, replayed.scenario)


def print_step(out: Console, replayed: Replay, step: Step, width: int = 0) -> bool:
    """Print one step of a run with its action in *width* columns; return whether the owner map changed."""
    bounds, story = replayed.scenario.bounds, replayed.system.story
    before, after = replayed.states[step.number - 1 : step.number + 1]
    line = f"{step.number:4}  {briefly(bounds)(step.action):{width}}  "
    out.print(Text.assemble(line, ("; ".join(changes_in_words(bounds, step)), "dim")))
    stands = enumerate(zip(story.stands(before), story.stands(after), strict=True), 1)
    changed = [at for at, (old, new) in stands if old != new]
    _print_lines(out, after, changed)
    _print_broken(out, step.broken, replayed.scenario)
    return bool(changed)


def print_standing(out: Console, state: State) -> None:
    """Print how things stand in a state, such as the owner and the servers of every unit."""
    _print_lines(out, state, range(1, len(state.bounds.system.story.standing(state)) + 1))


def _print_broken(out: Console, laws: Iterable[Law | LivenessLaw], scenario: Scenario) -> None:
    for law in laws:
        if _is_old_behaviour(law, scenario):
            out.print(f"        no longer as the code does: {law.name}", style="dim")
        else:
            out.print(Text(f"        broken: {law.name}: {law.statement}", style="bold red"))


def _is_old_behaviour(law: Law | LivenessLaw, scenario: Scenario) -> bool:
    """Return whether a law restates code that the scenario changes, and is not the subject of the scenario."""
    is_changed = bool(scenario.rules or scenario.faults)
    is_subject = scenario.expect is not None and scenario.expect.law == law.name
    return is_changed and law.kind == LawKind.MIRROR and not is_subject


def print_counterexample(out: Console, replayed: Replay, law: str, is_shortest: bool = True) -> None:
    if replayed.system.statuses[law].is_violated and not replayed.scenario.rules:
        project = replayed.system.project
        out.print(f"{law} fails in {project}, as documented; {'the shortest' if is_shortest else 'a'} counterexample:")
    print_replay(out, replayed)


def _print_lines(out: Console, state: State, lines: Iterable[int]) -> None:
    story = state.bounds.system.story
    words, alarms = story.standing(state), story.alarms(state)
    for at in lines:
        out.print(Text(f"      = {words[at - 1]}", style="bold red" if at in alarms else "bold"))


def changes_in_words(bounds: Bounds, step: Step) -> list[str]:
    """Return the important changes of a step, or all changes if none is important."""
    important = [words for cell, *values in step.changes for words in _important(bounds, cell, *values)]
    return important or [words for cell, *values in step.changes for words in _change(bounds, cell, *values)]


def _important(bounds: Bounds, cell: str, before: Any, after: Any) -> Iterator[str]:
    name = cell.partition("[")[0]
    for words in _change(bounds, cell, before, after):
        if not (name.endswith("_left") or bounds.system.story.is_bookkeeping(bounds, name, words)):
            yield words


def _change(bounds: Bounds, cell: str, before: Any, after: Any) -> Iterator[str]:
    """Yield the removed and the added elements of a sequence, or the new value of any other cell."""
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
    Describe a value of a state: a sequence by its items, a record without a description by its fields.

    >>> from oneowner.spec.systems import systems
    >>> bounds = systems()["channel"].bounds()
    >>> in_words(bounds, False), in_words(bounds, ()), in_words(bounds, (1, 2))
    ('no', 'nothing', '1; 2')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return "; ".join(in_words(bounds, part) for part in value) or "nothing"
    words = str(bounds.system.story.value(bounds, value))
    if words == repr(value) and hasattr(value, "_fields"):
        return ", ".join(f"{name} {in_words(bounds, part)}" for name, part in value._asdict().items())
    return words


def print_walks(out: Console, walks: Walks) -> None:
    """Print the coverage of random walks: one row per action, then the actions that were never taken."""
    rows = table("action", "taken>", "in classes of states>")
    for name, times in walks.fired.items():
        rows.add_row(name, f"{times:,}", f"{walks.pairs[name]:,} of {walks.classes:,}")
    out.print()
    out.print(rows)
    rate = walks.steps / walks.seconds if walks.seconds else 0
    out.print(
        f"{walks.walks:,} walks from seed {walks.plan.seed}, {walks.steps:,} steps, the longest {walks.longest:,};"
        f" {walks.terminal:,} ended without an enabled step, in {walks.seconds:.1f} s ({rate:,.0f} steps/s)"
    )
    met = f"about {walks.distinct:,} (an estimate, to 1%)" if walks.is_estimate else f"{walks.distinct:,}"
    at_least = "at least " if walks.are_classes_full else ""
    pairs = sum(walks.pairs.values())
    out.print(f"distinct states: {met}; classes: {at_least}{walks.classes:,}; classes x actions: {at_least}{pairs:,}")
    never = [name for name, times in walks.fired.items() if not times]
    out.print(f"never taken: {', '.join(never)}" if never else "every action was taken")


def print_shrinking(out: Console, law: str, found: Broken, steps: int) -> None:
    """Print the length of the walk that broke a law, and of the counterexample after shrinking."""
    needless = "none of which can be dropped" if len(found.steps) == steps else f"of which {steps} are needed"
    out.print(f"walk {found.walk:,} broke {law} after {len(found.steps)} steps, {needless}:")
