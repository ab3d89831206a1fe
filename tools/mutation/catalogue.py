"""
``catalogue`` reads the mutants of the protocol: a broker's fault, in words and as a change of the model's text.

They lie in ``protocol/*.yaml``, a file for each theme. Each states the place where it should show, and the law that
should see it: in families, or, if it lies in ``protocol/decisions``, in the answers of a decision.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from oneowner.checkers.catalogue.families import ledger_rows
from oneowner.checkers.catalogue.family import Family, pick
from oneowner.checkers.documents import Part, read_document
from oneowner.spec.systems import decisions
from tools.mutation.mutants import path_of

FOLDER = Path(__file__).with_name("protocol")


@dataclass(frozen=True, slots=True)
class Wrong:
    """One mutant of the protocol."""

    name: str
    says: str
    """The broker's fault, in a sentence."""
    file: str
    """Of ``model/channel``, or with its folder in ``model``."""
    old: str
    """A text that the file holds exactly once."""
    new: str
    families: tuple[str, ...]
    """The rows of the ledger of families in which it should show, the first first; none of a decision."""
    law: str
    """The law, of steps, states, runs or a decision, or the witness, that should see it; ``vectors``: none."""
    decision: str = ""
    """The decision whose answers it changes; empty for a mutant of steps."""
    equivalent: str = ""
    """The reason that nothing can distinguish it from the model; its graphs, or answers, are compared, too."""

    def applied(self, source: bytes) -> bytes:
        """Return the file with this change; raise ValueError unless it fits at one place."""
        times = source.count(self.old.encode())
        if times != 1 or self.old == self.new:
            raise ValueError(f"{self.name}: {self.file} holds its old text {times} times; it must hold it once")
        return source.replace(self.old.encode(), self.new.encode())

    def function(self) -> str:
        """Return the function that is changed, or an empty string for a table or a class."""
        source = path_of(self.file).read_text(encoding="utf-8")
        line = source[: source.index(self.old) + len(self.old) - len(self.old.lstrip())].count("\n") + 1
        functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
        return next((one.name for one in functions if one.lineno <= line <= (one.end_lineno or line)), "")


def catalogue(folder: Path = FOLDER) -> list[Wrong]:
    """Return every mutant of the protocol, in the order of the files; raise Misuse for a malformed one."""
    found, known = dict[str, Wrong](), ledger_rows()
    for path in (*sorted(folder.glob("*.yaml")), *sorted(folder.glob("decisions/*.yaml"))):
        for part in Part(document := read_document(path), document.data).items():
            one = _mutant(part, known)
            if one.name in found:
                raise part.complaint(f"two mutants are named {one.name}; a name says which one is meant")
            found[one.name] = one
    return list(found.values())


def _mutant(part: Part, known: Mapping[str, Family]) -> Wrong:
    place = "decision" if part.document.path.parent.name == "decisions" else "families"
    keys = part.mapping([*"name says file old new law".split(), place], ["equivalent"])
    rows = keys["families"].text().split() if place == "families" else []
    for row in rows:
        keys["families"].give(pick, known, row, "family")
    if place == "decision":
        keys["decision"].one_of(decisions(), "decision")
    said = {key: keys[key].text() for key in ("name", "says", "file", "law")}
    texts = {key: str(keys[key].data) for key in ("old", "new")}
    optional = {key: keys[key].text() for key in ("decision", "equivalent") if key in keys}
    return Wrong(**said, **texts, families=tuple(rows), **optional)


def named(names: Sequence[str]) -> list[Wrong]:
    """Return the mutants of these names, or all; raise Misuse for a name that there is not."""
    every = {one.name: one for one in catalogue()}
    return [pick(every, name, "mutant of the protocol") for name in names] or list(every.values())
