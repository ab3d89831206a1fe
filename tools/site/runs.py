"""The page of a scenario, as ``oneowner replay FILE --html`` draws it, and the moves of entries in its run."""

import io
import re
from pathlib import Path
from typing import Final, NamedTuple

from oneowner.checkers.cli.replay_result import combined, page_of
from oneowner.checkers.report.html import write_to
from oneowner.checkers.scenarios.replay import Replay, replay
from oneowner.checkers.scenarios.scenario import briefly, read_scenario
from oneowner.model.channel.channel import entry
from oneowner.model.channel.ranges import brokers, units
from oneowner.model.channel.record import Record
from oneowner.model.channel.resolver import state_of
from oneowner.model.channel.rules import Dialect
from tools.site.addresses import ROOT

HOME: Final = "<header>\n"
"""Where a page begins that knows nothing of the site."""


class Move(NamedTuple):
    """An entry of the channel that changed its state in a run without faults."""

    before: str
    after: str
    forced: bool
    cause: str
    """The action that made the record; empty if it was under way at the start."""
    scenario: str
    step: int


class RunPage(NamedTuple):
    """The page of a scenario, with its words for the search."""

    title: str
    text: str
    html: str
    moves: tuple[Move, ...]


def run_page(path: str) -> RunPage:
    """Return the page of a scenario, by its path in the repository."""
    replayed = replay(read_scenario(ROOT / path))
    scenario = replayed.scenario
    result = combined([replayed])
    result.page = page_of(path, [replayed])
    stream = io.StringIO()
    write_to(stream, result)
    steps = " ".join(dict.fromkeys(map(briefly(scenario.bounds), scenario.steps)))
    laws = " ".join(replayed.broken)
    title = scenario.title or f"A run of {scenario.family}"
    words = (scenario.family, *scenario.faults, laws, scenario.story or "", path, steps)
    home = "../" * path.count("/") + "index.html"
    html = stream.getvalue().replace(HOME, f'{HOME}  <a href="{home}">all pages</a>\n', 1)
    return RunPage(title, " ".join(words), html, tuple(moves_of(path, replayed)))


def moves_of(path: str, replayed: Replay) -> list[Move]:
    """Return the moves of entries in a run of the channel by the rules of a release."""
    scenario = replayed.scenario
    if replayed.system.name != "channel" or scenario.faults or scenario.rules:
        return []
    if scenario.bounds.dialect != Dialect.RELEASED or scenario.bounds.synced:
        return []
    found, causes = [], dict[tuple[int, Record], str]()
    for step, before, after in zip(replayed.steps, replayed.states, replayed.states[1:], strict=False):
        name = step.action.name
        for unit in units(after):
            held, new = entry(before, unit), entry(after, unit)
            if held != new:
                states = state_of(held).value, state_of(new).value
                found.append(Move(*states, new.force, causes.get((unit, new), ""), path, step.number))
        for broker in brokers(after):
            causes |= {(one.unit, one.record): name for one in after.outbox[broker] if one not in before.outbox[broker]}
    return found


def scenarios() -> list[str]:
    """Return the paths of all saved scenarios."""
    folders = ("counterexamples", "driven", "repaired")
    files = (file for folder in folders for file in sorted((ROOT / "traces" / folder).rglob("*.yaml")))
    return [Path(file).relative_to(ROOT).as_posix() for file in files if re.search(r"^steps:", file.read_text(), re.M)]
