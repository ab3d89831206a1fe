"""
Evidence against a mutant of a decision: a law of it, a fact, or an unmodified class's answer (``tests/vectors``).

All inputs of the sizes of its row are judged. A law of another decision of the same function does not count.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.mutation.mutants import ROOT

if TYPE_CHECKING:
    from oneowner.checkers.ledger.decision_pins import Row

VECTORS = ROOT / "tests" / "vectors"


def broken_laws(name: str) -> list[str]:
    """Return the laws of a decision that are broken now, and should hold."""
    from oneowner.checkers.ledger.decision_pins import judged

    row = row_of(name)
    known = {law.name for law in row.decision.laws if law.status.is_violated}
    return [law for law, tally in judged(row).laws.items() if tally.broken_by is not None and law not in known]


def unlike_originals(name: str) -> str:
    """Return the first answer that differs from the original: for a fact, else a vector; an empty string if none."""
    from oneowner.checkers.ledger.decision_pins import unlike_facts

    decision = row_of(name).decision
    words = unlike_facts(decision)
    return words[0] if words else next(unlike_vectors(decision.home), "")


def unlike_vectors(home: str) -> Iterator[str]:
    """Yield where a random input is answered otherwise than by the classes of a release."""
    for path in sorted(VECTORS.glob(f"{home}/*/*.jsonl.gz"), key=lambda path: (newness(path), path)):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            row = json.loads(line)
            if is_unlike(row["input"], row["answer"], path.parent.name):
                yield f"{path.parent.name}/{path.name.split('.')[0]}, input {row['input']['id']}"


def newness(path: Path) -> bool:
    """Return whether a file is of a release that is asked last: each algorithm has vectors of one of the others."""
    return path.parent.name not in ("4.0.6", "4.1.1")


def is_unlike(given: dict[str, Any], theirs: Any, release: str) -> bool:
    """Return whether our answer differs, where the class leaves nothing open."""
    from oneowner.checkers.cli.batch import plain
    from oneowner.model.balancer.batch.algorithms import ALGORITHMS as BALANCER
    from oneowner.model.balancer.batch.algorithms import answer
    from oneowner.model.kafka.batch.algorithms import ALGORITHMS as KAFKA
    from tools.oracle.admitted import admitted

    name = given["algorithm"]
    ours = answer(given, release) if name in BALANCER else KAFKA[name].answer(given, KAFKA[name].rules[release])
    is_same = json.loads(json.dumps(plain(ours))) == theirs
    return not is_same and not (name == "sticky" and admitted(given, theirs))


def answers(name: str) -> str:
    """Return a fingerprint of the answers of a decision to all inputs of its row."""
    from oneowner.checkers.engines.decide.judging import every_input

    row, found = row_of(name), hashlib.sha256()
    for given in every_input(row.decision, row.sizes):
        found.update(repr(row.decision.decide(given)).encode())
    return found.hexdigest()


def row_of(name: str) -> Row:
    """Return the row of a decision with the sizes by default."""
    from oneowner.checkers.ledger.decision_pins import decision_rows

    return decision_rows()[name]
