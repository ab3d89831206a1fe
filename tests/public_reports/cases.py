"""The cases, and their right answers by verb."""

from pathlib import Path
from typing import Any, NamedTuple

from oneowner.checkers.yaml_text import data_of

HERE = Path(__file__).parent


class Case(NamedTuple):
    """One public report."""

    name: str
    input: Path
    release: str
    right: dict[str, Any]
    """The right answer, by verb."""


def cases(verb: str) -> list[Case]:
    """Return the cases that have a right answer of a verb."""
    rows = data_of((HERE / "right.yaml").read_text(encoding="utf-8"))
    return [Case(name, HERE / "inputs" / name, row["release"], row) for name, row in rows.items() if verb in row]
