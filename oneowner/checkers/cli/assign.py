"""The verb ``assign``: assignments of Kafka Streams tasks, for each line of a batch."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from oneowner.checkers.cli.assignment_table import known_of, table
from oneowner.checkers.cli.batch import Batch, print_answers
from oneowner.checkers.cli.handing_over import look_at
from oneowner.checkers.cli.verbs import Section, verb
from oneowner.checkers.inputs.content import DASH, is_pasted
from oneowner.checkers.inputs.kinds import ASSIGN
from oneowner.checkers.judged_release import judged_release
from oneowner.checkers.verdict import Misuse
from oneowner.model.kafka.batch.algorithms import ALGORITHMS, DEFAULT_RELEASE, RELEASES, name_of
from oneowner.model.kafka.batch.keys import check
from oneowner.model.kernel.batch import Row

BATCH = Batch(ALGORITHMS, name_of, "id, and stateful tasks or kind", check, known_of)


@verb(Section.CLUSTER)
@click.option(
    "--batch",
    required=True,
    type=click.Path(path_type=Path),
    help="Answer each line of this file; - is standard input.",
)
@click.option("--release", default=DEFAULT_RELEASE, show_default=True, help="The release of Kafka whose rules apply.")
@click.option(
    "--table/--no-table", "shows", default=None, help="Print a table of each answer (default: on a terminal)."
)
@click.option("--html", "html_to", metavar="FILE", help="Write the answers as a page.")
def assign(batch: Path, release: str, shows: bool | None, html_to: str | None) -> None:
    """Compute the assignment of Kafka Streams tasks for each line of a batch.

    A line is an input for the assignors of KIP-441 and before (clients with capacity and lags, stateful and stateless
    tasks, config), for a series of rebalances if its kind is series, or for a streams group (KIP-1071) if its kind is
    sticky or reconcile. docs/assign.md has an example of each. Answers go to standard output. Known defects that they
    resemble go to standard error, and so do tables: the partitions that each client runs, with standbys in brackets.

    \b
      oneowner assign --batch inputs.jsonl --release 3.9.1 > answers.jsonl
      oneowner assign --batch inputs.jsonl --html assignments.html > answers.jsonl
    """
    judged_release(release, RELEASES)  # before any line is answered
    if html_to == DASH:
        raise Misuse("assign refused: --html -; standard output has the answers")
    batch = Path(DASH) if is_pasted(batch) else batch
    look_at(str(batch), ASSIGN)
    is_shown = sys.stdout.isatty() if shows is None else shows
    kept: list[tuple[Row, Row]] = []

    def keep(row: Row, answer: Row) -> Iterable[str]:
        if html_to is not None:
            kept.append((row, answer))
        return table(row, answer) if is_shown else ()

    code = print_answers(str(batch), release, BATCH._replace(table=keep))
    if html_to is not None:
        from oneowner.checkers.cli.assign_page import page  # templates take a while to load
        from oneowner.checkers.report.html import write_html

        write_html(page(kept, release), html_to)
    click.get_current_context().exit(code)
