"""A counterexample in a folder (``--save``): as a scenario, and as an ITF trace."""

from pathlib import Path

from rich.console import Console

from oneowner.checkers.report.json import write_text
from oneowner.checkers.scenarios.itf import write_itf
from oneowner.checkers.scenarios.replay import replay
from oneowner.checkers.scenarios.scenario import Scenario, write_scenario
from oneowner.checkers.verdict import Misuse


def make_folder(directory: Path) -> None:
    """Make the folder, before any search; raise Misuse if that is impossible."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"{directory}: cannot be written: {error.strerror}") from None


def save_counterexample(out: Console, directory: Path, scenario: Scenario) -> Path:
    """Write both files; print and return the place of the scenario."""
    path = directory / scenario.path.name
    write_text(path, write_scenario(scenario))
    write_text(directory / f"{scenario.path.stem}.itf.json", write_itf(replay(scenario)))
    out.print(f"saved: {path}; replay it with: oneowner replay {path}")
    return path
