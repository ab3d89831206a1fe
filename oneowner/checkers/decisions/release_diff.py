"""The differences between the decisions of two releases for one snapshot, and the changes that cause them."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]
Decide = Callable[[Row, Any], Sequence[str]]
"""Return the decision for a snapshot by some rules, in words."""


class Difference(NamedTuple):
    """The decisions of one release that the other does not take."""

    gone: tuple[str, ...]
    """Decided by the first alone."""
    new: tuple[str, ...]
    """Decided by the second alone."""
    causes: tuple[str, ...]
    """The changes between the releases that alone alter the decision of the first, in words."""


def difference(row: Row, decide: Decide, before: Any, after: Any) -> Difference:
    """Return where two releases, given by their rules, decide otherwise for a snapshot."""
    first, second = decide(row, before), decide(row, after)
    causes = []
    if sorted(first) != sorted(second):
        words = words_of(before) if hasattr(before, "_fields") else {}
        causes = [words.get(name, name) for name, rules in changes(before, after) if decide(row, rules) != first]
    gone = tuple(line for line in first if line not in second)
    return Difference(gone, tuple(line for line in second if line not in first), tuple(causes))


def changes(before: Any, after: Any) -> Iterator[tuple[str, Any]]:
    """Yield every field in which two rules differ, and the first rules with it changed alone."""
    for name in getattr(before, "_fields", ()):
        mine, other = getattr(before, name), getattr(after, name)
        if is_rules(mine):
            yield from ((inner, before._replace(**{name: rules})) for inner, rules in changes(mine, other))
        elif mine != other:
            yield name, before._replace(**{name: other})


def is_rules(value: Any) -> bool:
    """Return whether a field of rules is rules itself, such as how load is reckoned."""
    return type(value).__name__.endswith("Rules")


def words_of(rules: Any) -> dict[str, str]:
    """
    Return the docstrings below the fields of rules, by field.

    >>> from oneowner.model.balancer.shedding.transfer_cycle import Rules
    >>> words_of(Rules())["idle_bundles_stay"]
    'A bundle without throughput is passed over (#23626).'
    """
    found: dict[str, str] = {}
    for name in rules._fields:
        if is_rules(getattr(rules, name)):
            found |= words_of(getattr(rules, name))
    return found | said_below(type(rules))


def said_below(declared: type[Any]) -> dict[str, str]:
    """
    Return the docstrings below the fields of a class, by field.

    >>> from oneowner.model.locks.rules import Rules
    >>> sorted(said_below(Rules)) == sorted(Rules.__dataclass_fields__)
    True
    """
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(declared))).body
    assert isinstance(node, ast.ClassDef)
    found: dict[str, str] = {}
    for field, said in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant):
            assert isinstance(field.target, ast.Name)
            found[field.target.id] = " ".join(str(said.value.value).split())
    return found
