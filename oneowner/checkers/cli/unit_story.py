"""``oneowner audit --why``: the story of one unit, on the terminal, in the JSON, and as a scenario for ``replay``."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from rich.console import Console
from rich.text import Text

from oneowner.checkers.cli.save_scenario import loaded_in, scenario_of
from oneowner.checkers.recordings.judge.judgement import Judgement
from oneowner.checkers.recordings.judge.named_units import no_such_unit
from oneowner.checkers.recordings.laws.unit_story import StoryLine, around, story
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.report import text
from oneowner.checkers.report.broker_names import BrokerNames, brokers_of
from oneowner.checkers.report.json import write_text
from oneowner.checkers.results import Result
from oneowner.checkers.scenarios.scenario import Scenario, write_scenario
from oneowner.checkers.times import clock

MOST = 120
"""Lines of a story on the terminal; the JSON has all."""

QUOTED = ("log", "taken")
"""Kinds of lines that quote a log."""
STYLES = {
    "record": "bold",
    "finding": "bold red",
    "taken": "dim",
    "log": "",
    "lookup": "cyan",
    "claim": "magenta",
    "broker": "yellow",
}


def print_story(
    out: Console, result: Result, judgement: Judgement, unit: str, scene: Scene, save: Path | None
) -> Result:
    """Print the story of *unit*; the verdict stays that of the whole run."""
    if unit not in scene.channel.units:
        raise no_such_unit(scene.name, unit, scene.channel.units)
    lines = story(scene, unit, [finding for _, finding in judgement.all_found() if finding.unit == unit])
    shown, left_out = around(lines, MOST)
    brokers, before = brokers_of(judgement, 0), None
    for line in shown:
        out.print(_line(line, brokers, clock(line.time, before)))
        before = line.time
    if legend := brokers.legend([_words(line, brokers) for line in shown]):
        out.print(legend, style="dim")
    if left_out:
        out.print(f"... {left_out:,} lines farther from the findings are omitted; --json has them all", style="dim")
    if save is not None:
        scenario = scenario_of(Path(scene.name), unit, loaded_in(scene))
        write_text(save, write_scenario(_with_findings(scenario, lines)))
        out.print(f"written: {save}; oneowner replay {save} steps through it")
    if result.page is not None:
        result.page = replace(result.page, look=urlencode({"q": unit, "unit": unit}, safe="/"))
    result.more["story"] = [_json(line) for line in lines]
    text.verdict_line(out, f"{scene.name} (the whole run)", result)
    return result


def _with_findings(scenario: Scenario, lines: Sequence[StoryLine]) -> Scenario:
    """Add the findings of the unit to a scenario, which has the channel's run but no answers of lookups."""
    found = [line.text for line in lines if line.kind == "finding"]
    return replace(
        scenario, story=" ".join([scenario.story, *(["Findings of the real run:", *found] if found else [])])
    )


def _line(line: StoryLine, brokers: BrokerNames, when: str) -> Text:
    return Text.assemble((f"{when}  {line.kind:8}", "dim"), (_words(line, brokers), STYLES.get(line.kind, "")))


def _words(line: StoryLine, brokers: BrokerNames) -> str:
    """Return the words of a line with short names of brokers; a line of a log is quoted."""
    words = line.text if line.kind in QUOTED else brokers.shortened(line.text)
    return f"{brokers.shortened(line.who)}: {words}" if line.who else words


def _json(line: StoryLine) -> dict[str, Any]:
    return {"time": line.time, "kind": line.kind, "broker": line.who or None, "text": line.text}
