"""
``framed`` finds what a step leaves alone, so that a law of steps need not look at it twice.

All states that a search expands are normalised. So an action that changes nothing by which the normalisation is
enabled is not followed by it; and the slots that neither of them changes are in the state after the step what they
were before.
"""

from collections.abc import Iterator
from dataclasses import replace

from oneowner.checkers.engines.compile.program import Check, Program
from oneowner.checkers.engines.compile.trees import Tree, enabled, written
from oneowner.checkers.trace.expressions import FALSE, Expression, constant, replaced, variable


def changed(tree: Tree) -> int:
    """Return the slots that an action can change, as bits."""
    return sum(1 << slot for slot in written(tree))


def normalises(program: Program) -> list[bool]:
    """Return of every action whether the normalisation may be needed after it, in a normalised state."""
    needed = enabled(program.normalisation)
    if any(_value(needed, program, codes) is not FALSE for codes in program.initial):
        return [True] * len(program.trees)
    return [bool(changed(tree) & needed.mask) for tree in program.trees]


def framed(program: Program) -> Program:
    """Return the program with checks of steps that ask of the state itself what a step from it leaves alone."""
    after = changed(program.normalisation)
    frames = [
        changed(tree) | (after if is_normalised else 0)
        for tree, is_normalised in zip(program.trees, normalises(program), strict=True)
    ]
    known: dict[int, dict[Expression, Expression]] = {frame: dict(_left_alone(program, frame)) for frame in {*frames}}
    checks = [
        tuple(_simplified(checks, known[frame], len(program.places)))
        for checks, frame in zip(program.step_checks, frames, strict=True)
    ]
    return replace(program, step_checks=tuple(checks))


def _left_alone(program: Program, frame: int) -> Iterator[tuple[Expression, Expression]]:
    """Yield the variable of every slot outside *frame* after a step, and before it."""
    for slot, place in enumerate(program.places):
        if not frame >> slot & 1:
            low, high = place.low, place.low + place.size - 1
            yield variable(len(program.places) + slot, low, high), variable(slot, low, high)


def _simplified(checks: tuple[Check, ...], known: dict[Expression, Expression], slots: int) -> Iterator[Check]:
    for check in checks:
        answer = replaced(check.answer, known, 1 << slots)
        if not answer.is_constant or answer.value != check.idle:
            yield replace(check, answer=answer)


def _value(expression: Expression, program: Program, codes: tuple[int, ...]) -> Expression:
    """Return the value in the state of these codes, as a constant."""
    values = {
        variable(slot, place.low, place.low + place.size - 1): constant(place.low + code)
        for slot, (place, code) in enumerate(zip(program.places, codes, strict=True))
    }
    return replaced(expression, values, 1)
