"""The words of the model that may stand in each other's place: a mutant's replacements for a name."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

STATES = ("INIT", "FREE", "OWNED", "ASSIGNING", "RELEASING", "SPLITTING", "DELETED")
UNITS = ("PARENT", "FIRST_CHILD")
NUMBERS = {
    "NOBODY": "1",
    "NO_VERSION": "1",
    "FIRST_VERSION": "(FIRST_VERSION + 1)",
    "MAX_VERSION": "(MAX_VERSION - 1)",
}
"""Names of numbers, and another number."""

ARE_RECORDS = frozenset(
    "held proposed record orphan found deleted owned parent read kept TOMBSTONE Record released answer overriding"
    " naming tombstone_of entry".split()
)
ARE_NUMBERS = frozenset(
    "broker unit destination source former leader gone observer child number place first last at horizon longer resumes"
    " after NOBODY owner former_owner told".split()
)
"""The last word of an argument that is a record, or that numbers a broker, a unit or a place."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one file and their replacements."""

    instead: Mapping[str, str]
    """For each name in the file, another one of its kind."""
    members: Mapping[str, Mapping[str, str]]
    """Of each class of named values, and each of its values, the next one."""


def words_of(tree: ast.Module, members: Mapping[str, Mapping[str, str]]) -> Words:
    """Return the words of one file of the model."""
    known = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    instead = {name: text for name, text in NUMBERS.items() if name in known}
    for ring in (STATES, UNITS, tuple(guards_of(tree))):
        instead |= following([name for name in ring if name in known or ring not in (STATES, UNITS)])
    return Words(instead, members)


def guards_of(tree: ast.Module) -> list[str]:
    """Return the functions that the rows of tables of a file end with, in the order of their names."""
    rows = [row for table in tables_of(tree) for row in table.elts if isinstance(row, ast.Tuple)]
    return sorted({row.elts[-1].id for row in rows if row.elts and isinstance(row.elts[-1], ast.Name)} - {*STATES})


def tables_of(tree: ast.Module) -> list[ast.Tuple]:
    """Return the tuples of tuples that a file declares."""
    declared = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None]
    found = [part for node in declared for part in ast.walk(node) if isinstance(part, ast.Tuple)]
    return [table for table in found if any(isinstance(row, ast.Tuple) for row in table.elts)]


def members_in(folder: Path) -> dict[str, dict[str, str]]:
    """Return the classes of named values that the files of *folder* declare, each value with the next one."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") == "StrEnum" for base in node.bases):
                declared = [part for part in node.body if isinstance(part, ast.Assign)]
                found[node.name] = following([ast.unparse(part.targets[0]) for part in declared])
    return found


def following(ring: Sequence[str]) -> dict[str, str]:
    """
    Return each name with the next one, the last one with the first.

    >>> following(["up", "down", "paused"]), following(["alone"])
    ({'up': 'down', 'down': 'paused', 'paused': 'up'}, {})
    """
    if len(ring) < 2:
        return {}
    return dict(zip(ring, [*ring[1:], ring[0]], strict=True))


def kind_of(argument: ast.expr) -> str:
    """Return the kind of an argument by its last word: a record, a number, or (an empty word) neither."""
    word = ""
    if isinstance(argument, ast.Call):
        argument = argument.func
    if isinstance(argument, ast.Name):
        word = argument.id
    elif isinstance(argument, ast.Attribute):
        word = argument.attr
    return "record" if word in ARE_RECORDS else "number" if word in ARE_NUMBERS else ""
