"""The pins of ``decisions.yaml``, computed again by judging all inputs of the sizes of a row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from oneowner.checkers.documents import Document, parse_document
from oneowner.checkers.engines.decide.judging import Judgement
from oneowner.checkers.ledger.decision_rows import (
    Row,
    decision_rows,
    file_of,
    found,
    judged,
    row_name,
    rows_in,
    unlike_facts,
    unlike_pins,
)
from oneowner.checkers.ledger.pin_edit import with_values
from oneowner.checkers.ledger.pinned import Claim, Outcome, Pins, as_pinned, verdicts_in
from oneowner.checkers.yaml_text import At


def compare(row: Row, judgement: Judgement) -> Outcome:
    """Report the deviations of a row from its pin, and the answers that are not those of the original."""
    return as_pinned([*unlike_pins(row, judgement), *unlike_facts(row.decision)])


def written(path: Path, text: str, row: Row, judgement: Judgement) -> str:
    """Return the text with the number of inputs, and the result of each law on them."""
    names = [row_name(one["decision"], one.get("sizes", {})) for one in parse_document(path, text).data]
    at = names.index(row.name)
    values: dict[At, object] = {} if judgement.inputs == row.inputs else {(at, "inputs"): judgement.inputs}
    for law, pin in row.laws.items():
        if (now := found(judgement, law)) != pin:
            least = {"least": now.least} if now.least else {}
            values[at, "laws", law] = {"verdict": now.verdict.value, "exercised": now.exercised, **least}
    return with_values(text, values)


def claims(document: Document) -> Iterator[Claim]:
    """Yield the expected verdict of every law on the inputs of a row."""
    for number, row in enumerate(document.data):
        verdicts = {law: pin["verdict"] for law, pin in row["laws"].items()}
        yield from verdicts_in((number,), row_name(row["decision"], row.get("sizes", {})), verdicts)


DECISIONS = Pins(
    files=lambda: {name: file_of(row.decision.home) for name, row in decision_rows().items()},
    rows_in=rows_in,
    find=lambda row, effort: judged(row),
    compare=compare,
    written=written,
    claims=claims,
    doubts=lambda row, found: unlike_facts(row.decision),
    changes=unlike_pins,
)
