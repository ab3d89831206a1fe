"""The verb ``assign``: who is given which task of Kafka Streams, for each line of a batch."""

from __future__ import annotations

import json
from pathlib import Path

import click

from oneowner.checkers.cli.batch import Asked, answers
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.verdict import EXIT_HELP
from oneowner.model.kafka.batch.algorithms import ALGORITHMS, RELEASES, name_of

ASKED = Asked(ALGORITHMS, name_of, "id, and stateful tasks or kind")


@click.command(epilog=EXIT_HELP)
@click.option("--batch", required=True, type=click.Path(path_type=Path), help="Answer each line; - is standard input.")
@click.option("--release", default=RELEASES[-1], show_default=True, help="The release of Kafka whose rules apply.")
def assign(batch: Path, release: str) -> None:
    """Tell who is given which task of a Kafka Streams application, for each line of a batch.

    A line asks the assignors of KIP-441 and before (clients with capacity and lags, stateful and stateless tasks,
    config), through a series of rebalances if its kind is series; or those of a streams group (KIP-1071; kind sticky,
    or reconcile). docs/assign.md has an example of each.

    \b
      oneowner assign --batch inputs.jsonl --release 3.9.1 > answers.jsonl
    """
    judged_release(release, RELEASES)  # before any line is answered
    for row in answers(str(batch), release, ASKED):
        click.echo(json.dumps(row))
