"""
Walks of models against R0, a sentence at a time, and their pins in ``spec/handoff/walks.yaml``.

A pin belongs to a counted family; it is void when the family has other states.
"""

from collections.abc import Iterator
from typing import NamedTuple

from oneowner.checkers.catalogue.families import SPEC, families
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.comparison.claims import Breach, Claim, Within, family_file, missing
from oneowner.checkers.documents import Part, read_document
from oneowner.checkers.engines.liveness.graph import build
from oneowner.checkers.engines.refine.refinement_walk import Walked, walk
from oneowner.checkers.places import shown
from oneowner.model.kernel.law import Status
from oneowner.model.kernel.system import System
from oneowner.spec.handoff.hand_over import OCCASIONS, SENTENCES, hand_over

PINS = SPEC / "handoff" / "walks.yaml"
AGAIN = "python -m tools.hand_over walks it"


class Walk(NamedTuple):
    """The result of walking one family against one sentence of R0."""

    family: str
    sentence: str
    states: int
    occasions: int
    """Steps that could have broken it, up to the one that did."""
    run: tuple[str, ...] = ()
    """The shortest run whose last step breaks it."""

    @property
    def name(self) -> tuple[str, str]:
        return self.family, self.sentence


def pinned() -> dict[tuple[str, str], Walk]:
    """Read the pins; raise Misuse for an invalid file."""
    document = read_document(PINS)
    return {walked.name: walked for walked in map(_pin, Part(document, document.data).items())}


def _pin(part: Part) -> Walk:
    row = part.mapping(("family", "sentence", "states", "occasions"), ("run",))
    sentence = row["sentence"].one_of({one: one for one in SENTENCES}, "sentence")
    run = tuple(step.text() for step in row["run"].items()) if "run" in row else ()
    return Walk(row["family"].text(), sentence, row["states"].number(1), row["occasions"].number(), run)


def walked(family: Family) -> Iterator[Walk]:
    """Walk a family's whole graph against each sentence; raise Incomplete if it is too large."""
    graph = build(family.bounds, (), keeps_codes=True)

    def against(*sentences: str) -> Walked:
        return walk(family.bounds, graph, hand_over(family.system, *sentences))

    whole = against(*SENTENCES)
    for sentence in SENTENCES:
        found = whole if whole.failure is None else against(sentence)
        run = () if found.failure is None else tuple(map(str, found.failure.steps))
        yield Walk(family.full_name, sentence, found.states, found.taken[OCCASIONS[sentence]], run)


def of_walks(system: System, sentence: str, names: tuple[str, ...]) -> Claim:
    """Return the pins of these families of a system, by names without the system."""
    statement = "Each step is held against R0."
    there = {one.name: one for one in families().values() if one.system is system}
    holds, fails, problems = [], [], []
    for name in names:
        if name not in there:
            return missing("walk", name, there, "family")
        family = there[name]
        pin = pinned().get((family.full_name, sentence))
        if pin is None or pin.states != family.states:
            problems.append(f"{family.full_name} was not walked as it is; {AGAIN}")
        elif pin.run:
            fails.append(Breach(family.full_name, len(pin.run), shown(PINS), "; ".join(pin.run)))
        elif pin.occasions:
            holds.append(Within(family.full_name, family.states, family_file(family)))
        else:
            problems.append(f"{family.full_name} has no step that could break {sentence}")
    if not names:
        problems.append(f"no family is walked against {sentence}")
    if system.observe is None:
        problems.append(f"no observation of owners in {system.name}")
    status = Status.DOCUMENTED if fails else Status.HOLDS
    return Claim("walk", sentence, status.value, statement, tuple(holds), tuple(fails), "; ".join(problems))
