"""``Written`` gives an engine on columns what it needs of a traced model, as plain data that a file can keep."""

import marshal
from dataclasses import dataclass, fields, replace
from types import CodeType
from typing import NamedTuple

from oneowner.checkers.engines.compile.program import Program
from oneowner.checkers.engines.compile.python_columns import branches, emit, kind_of
from oneowner.checkers.engines.compile.trees import Beyond, Branch, Disabled, Tree

BRANCH, UPDATE, BEYOND, DISABLED = "branch", "update", "beyond", "disabled"


class Node(NamedTuple):
    """A node of a decision tree; a test has two nodes to go on with."""

    kind: str
    number: int = 0
    """Of the test, or of the update."""
    then: int = 0
    otherwise: int = 0
    bound: str = ""
    """The bound that a step needs more of than there is."""


@dataclass(frozen=True, slots=True)
class Written:
    """A traced model as functions on columns, and where they are asked."""

    code: CodeType
    """The module that ``python_columns.emit`` writes, compiled."""
    kind: str
    """The name of the integers that hold every value."""
    places: tuple[tuple[int, int], ...]
    """The least value of every slot, and how many it has."""
    initial: tuple[tuple[int, ...], ...]
    """The codes of every initial state."""
    nodes: tuple[Node, ...]
    """The nodes of all trees, each once; a branch comes after both of its sides."""
    trees: tuple[int, ...]
    """The start of each action's tree."""
    normalisation: int
    updates: tuple[tuple[tuple[int, int, int], ...], ...]
    """Of every update the slots that it changes, with the least and the highest value that each may get."""
    step_checks: tuple[tuple[str, ...], ...]
    """The names of the checks of every action's steps."""

    def as_bytes(self) -> bytes:
        """Return it as this version of Python writes its own compiled modules."""
        there = {field.name: getattr(self, field.name) for field in fields(self)}
        return marshal.dumps({**there, "nodes": tuple(map(tuple, self.nodes))})


def written(program: Program) -> Written:
    """Write a traced model."""
    tests, updates = branches(program)
    number_of_test = {test: number for number, test in enumerate(tests)}
    number_of_update = {id(update): number for number, update in enumerate(updates)}
    nodes: list[Node] = []
    known: dict[int, int] = {}

    def number(tree: Tree) -> int:
        if id(tree) not in known:
            if isinstance(tree, Branch):
                node = Node(BRANCH, number_of_test[tree.test], number(tree.then), number(tree.otherwise))
            elif isinstance(tree, Beyond):
                node = Node(BEYOND, bound=tree.bound)
            else:
                node = Node(DISABLED) if isinstance(tree, Disabled) else Node(UPDATE, number_of_update[id(tree)])
            nodes.append(node)
            known[id(tree)] = len(nodes) - 1
        return known[id(tree)]

    trees = tuple(number(tree) for tree in program.trees)
    normalisation = number(program.normalisation)
    return Written(
        code=compile(emit(program), "<generated model>", "exec"),
        kind=kind_of(program),
        places=tuple((place.low, place.size) for place in program.places),
        initial=program.initial,
        nodes=tuple(nodes),
        trees=trees,
        normalisation=normalisation,
        updates=tuple(tuple((slot, one.low, one.high) for slot, one in update.slots) for update in updates),
        step_checks=tuple(tuple(check.name for check in checks) for checks in program.step_checks),
    )


def without_steps(program: Program) -> Program:
    """Return a traced model in which no action is ever enabled: it is asked of the steps of another one."""
    never = Disabled()
    return replace(program, trees=tuple(never for _ in program.trees), normalisation=never)


def written_in(kept: bytes) -> Written:
    """Return what ``as_bytes`` wrote; anything else raises whichever error comes of reading it."""
    found = marshal.loads(kept)
    return Written(**{**found, "nodes": tuple(Node(*node) for node in found["nodes"])})
