"""
``named_module`` extends an exported TLA+ module by its state in named fields, for people who read a counterexample.

TLC prints the tuple ``s`` of all slots. With ``ALIAS Named`` in its configuration (TLC 2.16 or later) it prints the
fields of ``Named`` in its place: the cells that change in this model, arrays and sequences as tuples, records by their
fields, values in words. The module that TLC judges as a referee is left as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from oneowner.checkers.engines.compile.program import Program
from oneowner.checkers.engines.compile.trees import written
from oneowner.checkers.engines.compile.writing import identifier
from oneowner.model.kernel.language import Array, Domain, Fields, Finite, SequenceOf

OPERATOR = "Named"
NEXT = ",\n  "
"""Between parts: TLC's parser takes long for long lines."""


def named_name(module: str) -> str:
    """Return the name of the module that extends *module*."""
    return f"{module}_named"


def named_module(program: Program, domains: Mapping[str, Domain], module: str, title: str) -> str:
    """Return the module that names the fields of the states of *module*: the cells that some action changes."""
    slots = set[int]().union(*(written(tree) for tree in (*program.trees, program.normalisation)))
    changed = {program.places[slot].path[0] for slot in slots}
    fields = ["broken |-> broken"]
    for cell, domain in domains.items():
        if cell in changed:
            names = (identifier(slot.name) for slot in domain.slots(cell))
            fields.append(f"{cell} |-> {_value(domain, names)}")
    return (
        f"---- MODULE {named_name(module)} ----\n"
        f"(* {title}: the states of {module} in named fields. Written by oneowner export; do not edit. *)\n"
        f"EXTENDS {module}, Sequences\n\n{OPERATOR} == [\n{NEXT.join(fields)}\n]\n====\n"
    )


def named_configuration(configuration: str) -> str:
    """Return the configuration of *named_module* by that of the module which it extends."""
    return f"{configuration}ALIAS {OPERATOR}\n"


def _value(domain: Domain, slots: Iterator[str]) -> str:
    """Return a value of a domain as TLA+, which takes its slots from *slots*."""
    if isinstance(domain, Finite):
        return _leaf(domain, f"s[{next(slots)}]")
    if isinstance(domain, Fields):
        return f"[{NEXT.join(f'{name} |-> {_value(part, slots)}' for name, part in domain.fields.items())}]"
    if isinstance(domain, SequenceOf):
        length = f"s[{next(slots)}]"
        every = [_value(domain.element, slots) for _ in range(domain.capacity)]
        return f"SubSeq({_tuple(every)}, 1, {length})"
    assert isinstance(domain, Array), domain
    flat = [_value(domain.element, slots) for _ in range(prod(domain.shape))]
    for width in reversed(domain.shape[1:]):
        flat = [_tuple(flat[at : at + width]) for at in range(0, len(flat), width)]
    return _tuple(flat)


def _tuple(values: Sequence[str]) -> str:
    return f"<<{NEXT.join(values)}>>"


def _leaf(domain: Finite, slot: str) -> str:
    """Return a value that one slot holds: a number, a truth, or a word."""
    values = domain.values
    if all(isinstance(value, bool) for value in values):
        return f"({slot} = 1)"
    if type(values[0]) is int:
        return slot
    words = ", ".join(f'"{value}"' for value in values)
    return f"<<{words}>>[{slot} + 1]"
