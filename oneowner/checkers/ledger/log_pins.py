"""The pins of ``spec/channel/logs.yaml`` for whole logs, computed again by the laws of compaction."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from oneowner.checkers.compaction_logs import log_rows
from oneowner.checkers.compaction_logs.alphabets import DISTRIBUTION
from oneowner.checkers.compaction_logs.log_judging import LAWS, Judgement
from oneowner.checkers.compaction_logs.log_rows import Logs, differences, found, judged
from oneowner.checkers.compaction_logs.log_story import tell
from oneowner.checkers.documents import Document, parse_document
from oneowner.checkers.ledger.pin_edit import with_values
from oneowner.checkers.ledger.pinned import Claim, Outcome, Pins, as_pinned, verdicts_in
from oneowner.checkers.report import text
from oneowner.checkers.yaml_text import At

PREDICTED = {"keep-last-transparent": 33, "old-horizon-quiet-always": 17, "lagging-reader-current-always": 5}
"""Percent of random logs that break a law by models.S8, over a distribution of its own (one unit, up to 9 records)."""


def compare(row: Logs, judgement: Judgement) -> Outcome:
    return as_pinned(differences(row, judgement))


def written(path: Path, before: str, row: Logs, judgement: Judgement) -> str:
    """Return the text of the file with the number of judged logs, and the result of each law on them."""
    names = [one["logs"] for one in parse_document(path, before).data]
    at = names.index(row.name)
    values: dict[At, object] = {} if judgement.logs == row.count else {(at, "count"): judgement.logs}
    for law, pin in row.laws.items():
        if (now := found(judgement, law)) != pin:
            numbers = {name: value for name, value in asdict(now).items() if value and name != "verdict"}
            values[at, "laws", law] = {"verdict": now.verdict.value, **numbers}
    return with_values(before, values)


def claims(document: Document) -> Iterator[Claim]:
    """Yield the expected verdict of every law on the logs of a row."""
    for number, row in enumerate(document.data):
        yield from verdicts_in((number,), row["logs"], {law: pin["verdict"] for law, pin in row["laws"].items()})


def show(out: Console, rows: Sequence[tuple[Logs, Judgement]]) -> None:
    """Print for each row the result of every law, and each shortest counterexample."""
    for row, judgement in rows:
        out.print(f"{row.name}: {row.title}", style="bold")
        is_random = row.way == "random"
        how = f"seed {row.seed}; {DISTRIBUTION}" if is_random else f"every log of up to {row.longest} records"
        out.print(f"{judgement.logs:,} logs, {how}")
        table = text.table("law", "verdict", "exercised>", "broken>", "%>", "predicted>")
        for name in LAWS:
            pin = found(judgement, name)
            share = f"{100 * pin.broken / pin.exercised:.1f}" if pin.exercised else ""
            predicted = f"{PREDICTED[name]} %" if is_random and name in PREDICTED else ""
            table.add_row(name, pin.verdict.value, f"{pin.exercised:,}", f"{pin.broken:,}", share, predicted)
        out.print(table)
        for name, law in LAWS.items():
            shortest = judgement.laws[name].shortest
            if shortest is not None and not is_random:
                out.print(f"{name} [{law.status.value}] fails:", style="bold")
                for line in tell(law, shortest):
                    out.print(f"  {line}", markup=False, highlight=False)


LOGS = Pins(
    files=lambda: dict.fromkeys(log_rows.ledger(), log_rows.LEDGER),
    rows_in=log_rows.rows_in,
    find=lambda row, effort: judged(row),
    compare=compare,
    written=written,
    claims=claims,
    show=show,
)
