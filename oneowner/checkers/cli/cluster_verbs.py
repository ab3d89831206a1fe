"""
The verbs ``audit`` and ``timeline``, which judge recorded runs.

A verb imports its own dependencies late: other verbs do not wait for NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from oneowner.checkers.cli.options import audit_options, common, engine_options, output_options, wants_page
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.results import Result
from oneowner.checkers.times import moment_ms

if TYPE_CHECKING:
    from oneowner.checkers.recordings.scene.scene import Scene


@verb(Section.CLUSTER)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@engine_options
@audit_options
@output_options
@click.option("--verbose", is_flag=True, help="Print all incidents, findings, laws and unmatched lines.")
@click.option("--laws", "with_laws", is_flag=True, help="Print the table of laws.")
@common
def audit(
    out: Console,
    on_progress: Callable[[str], None] | None,
    paths: tuple[str, ...],
    engine: str,
    master: str | None,
    verbose: bool,
    with_laws: bool,
    **given: Any,
) -> Result:
    """Judge recorded runs of real clusters: channel dumps, or the ZooKeeper history of a metadata-store channel.

    A PATH is a folder with channel*.jsonl[.gz] and perhaps manifest.yaml, or such a file. Broker logs (*.log[.gz]),
    timed lookups and the ZooKeeper history in the folder are judged too; .zst and .lz4 are read like .gz. docs/audit.md
    describes how to record a run.

    \b
      oneowner audit traces/real/zombie
      oneowner audit dump/ --broker-log broker-1:8080=/var/log/pulsar.log
      oneowner audit traces/real/zombie --why --unit rig/c/0x00000000_0x40000000
    """
    from oneowner.checkers.cli.audit_options import needs_intervals, options_of, story_asked, write_files
    from oneowner.checkers.cli.recorded_input import recordings_in
    from oneowner.checkers.cli.resemblance import resemblances
    from oneowner.checkers.cli.unit_story import print_story
    from oneowner.checkers.recordings.judge.audit import audit as run_audit
    from oneowner.checkers.report.audit_text import print_audit

    paths = click.get_current_context().with_resource(recordings_in(paths))
    options = options_of(given, intervals=wants_page() or needs_intervals(given))
    unit = story_asked(given, paths)
    scenes: list[Scene] = []
    keep = None if unit is None else lambda scene, _: scenes.append(scene)
    result, judgement, line = run_audit(paths, options, engine, master, on_progress, keep)
    write_files(given, judgement)
    if unit is not None:
        return print_story(out, result, judgement, unit, scenes[0], given["save"])
    resembled = list(resemblances(judgement))
    print_audit(out, result, judgement, line, resembled, verbose, with_laws)
    result.reasons += filter(None, resembled)
    return result


@verb(Section.CLUSTER)
@click.argument("path")
@click.option("--unit", metavar="KEY", help="Only this bundle: tenant/namespace/0xLOW_0xHIGH.")
@click.option(
    "--at", metavar="TIME", help="Print the owners at this time: epoch milliseconds or ISO 8601 (UTC without a zone)."
)
@engine_options
@output_options
@common
def timeline(
    out: Console,
    on_progress: Callable[[str], None] | None,
    path: str,
    unit: str | None,
    at: str | None,
    engine: str,
    master: str | None,
    **given: Any,
) -> Result:
    """List the owners of every bundle of a recorded run over time, with the record of each change."""
    from oneowner.checkers.cli.audit_options import options_of, write_files
    from oneowner.checkers.cli.recorded_input import recordings_in
    from oneowner.checkers.recordings.judge.audit import timeline as run_timeline
    from oneowner.checkers.report.timeline_text import print_timeline

    (path,) = click.get_current_context().with_resource(recordings_in([path]))
    moment = None if at is None else moment_ms(at)
    options = options_of(given, intervals=True, unit=unit, at=moment)
    result, judgement, line = run_timeline(path, unit, moment, options, engine, master, on_progress)
    print_timeline(out, result, judgement, line)
    write_files(given, judgement)
    return result
