"""``oneowner replay FILE...``: scenarios and traces through the model, and recorded runs explained by it."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from oneowner.checkers.catalogue.findings import defects
from oneowner.checkers.catalogue.upstream import number_in, rows_named
from oneowner.checkers.cli.handing_over import refuse_another
from oneowner.checkers.cli.replay_result import combined, joined, page_of
from oneowner.checkers.inputs.kinds import REPLAY
from oneowner.checkers.report import text
from oneowner.checkers.report.control_characters import visible
from oneowner.checkers.report.json import write_text
from oneowner.checkers.report.run_text import print_replay
from oneowner.checkers.results import Result
from oneowner.checkers.scenarios.itf import scenario_in, write_itf
from oneowner.checkers.scenarios.replay import replay as run_replay
from oneowner.checkers.verdict import Misuse


def replay_files(
    out: Console,
    on_progress: Callable[[str], None] | None,
    files: Sequence[Path],
    itf_to: Path | None,
    rules: Mapping[str, str],
    release: str | None,
) -> Result | None:
    """
    Replay files and folders; set the *rules* of scenarios, or judge them by another *release*.

    Print each replay and return one result for all, or None if no file was readable.
    """
    files = [file for given in files for file in saved_runs(given)]
    if itf_to is not None and (len(files) != 1 or files[0].is_dir()):
        raise Misuse("--itf requires a single FILE")
    replays, misuses, recorded = [], [], []
    for file in files:
        try:
            if file.is_dir() and (rules or release is not None):
                option = "--rule" if rules else "--release"
                raise Misuse(f"{option} refused: {file}; it applies to scenarios, not to recorded runs")
            if file.is_dir():
                from oneowner.checkers.cli.replay_recording import replay_recording

                recorded.append(replay_recording(out, on_progress, file))
                continue
            refuse_another(file, "replay", REPLAY, "a scenario, an ITF trace or the folder of a recorded run")
            replayed = run_replay(scenario_in(file, rules, release))
        except Misuse as error:  # the other files are replayed all the same
            sys.stderr.write(f"error: {visible(str(error))}\n")
            misuses.append(str(error))
            continue
        print_replay(out, replayed)
        replays.append(replayed)
    if itf_to is not None and replays:
        write_text(itf_to, write_itf(replays[0]))
    if not replays and not recorded:
        return None
    result = joined([*([combined(replays, misuses)] if replays or misuses else []), *recorded])
    result.page = page_of(str(files[0]) if len(files) == 1 else f"{len(files)} files", replays)
    text.verdict_line(out, f"{len(files)} replayed" if len(files) > 1 else str(files[0]), result)
    return result


def saved_runs(given: Path) -> list[Path]:
    """Return the saved counterexamples of the faults that an upstream number or a name means, or else *given*."""
    name = str(given)
    if given.exists() or (not number_in(name) and name not in defects()):
        return [given]
    return [row.scenario for row in rows_named(name, defects(), "fault")]
