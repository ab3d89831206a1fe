"""Every law is broken by a crafted state or step, and lets others pass; no law reads a switch."""

import ast
import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from oneowner import spec
from oneowner.checkers.catalogue.family import Family
from oneowner.checkers.verdict import Verdict
from oneowner.model.channel.rules import Dialect, Rules
from oneowner.model.kernel.enabled import EnabledLaw
from oneowner.model.kernel.law import Law, StateLaw, Status, StepLaw
from oneowner.spec.channel.registry import LEMMAS, LIVENESS, LOG_LAWS, PROPERTIES, WITNESSES
from oneowner.spec.channel.system import SYSTEM
from tests.channel import channel_families
from tests.spec.channel.crafted import BROKEN, KEPT, SILENT, Crafted, Make, every

for path in sorted(Path(__file__).parent.glob("crafted_*.py")):
    import_module(f"{__package__}.{path.stem}")

NO_LAWS = ("ownership_needs.py", "system.py")
"""Lemmas that fail with a bug name its switch; the description of the system includes its switches."""
SOURCES = sorted(path for path in Path(spec.__file__).parent.glob("channel/*.py") if path.name not in NO_LAWS)


def law_named(name: str) -> Law:
    return next(law for law in PROPERTIES if law.name == name)


def is_exercised(law: Law, made: Crafted) -> bool:
    if isinstance(law, StateLaw):
        return law.when(made.after)
    return law.when(made.before, made.action, made.after)


def judged(law: Law, made: Crafted) -> tuple[bool, bool]:
    """Return whether the law is exercised, and whether it holds."""
    if isinstance(law, StateLaw):
        return is_exercised(law, made), law.holds(made.after)
    return is_exercised(law, made), law.holds(made.before, made.action, made.after)


@pytest.mark.parametrize(("law", "make"), every(BROKEN))
def test_law_fails_where_it_is_broken(law: str, make: Make) -> None:
    assert judged(law_named(law), make()) == (True, False)


@pytest.mark.parametrize(("law", "make"), every(KEPT))
def test_law_is_exercised_and_holds_where_it_is_kept(law: str, make: Make) -> None:
    assert judged(law_named(law), make()) == (True, True)


@pytest.mark.parametrize(("law", "make"), every(SILENT))
def test_law_is_not_exercised_where_it_has_no_occasion(law: str, make: Make) -> None:
    """The contract: ``exercised`` counts the occasions on which the law could have failed."""
    assert not is_exercised(law_named(law), make())


def pinned(verdict: Verdict) -> set[str]:
    return {law for family in channel_families().values() for law, pin in family.laws.items() if pin == verdict}


def test_every_law_has_a_crafted_violation_an_occasion_and_steps_that_are_none() -> None:
    """A crafted one, or the steps of a family: it pins that the law holds there, or that it never has an occasion."""
    names = {law.name for law in PROPERTIES}
    assert set(BROKEN) == names
    assert names <= set(KEPT) | pinned(Verdict.VALID)
    everywhere = {"type-ok", "roles-change-by-their-steps"}  # these have an occasion everywhere
    assert names - everywhere <= set(SILENT) | pinned(Verdict.UNKNOWN)


def test_no_law_reads_a_rules_switch() -> None:
    switches = {field.name for field in fields(Rules)}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "arg", None)
            assert name not in {"rules", "Rules", "RELEASE_4_0_6", *switches}, f"{path.name}:{node.lineno}"  # type: ignore[attr-defined]
            if isinstance(node, ast.ImportFrom):
                imported = {alias.name for alias in node.names}
                assert not imported & {"Rules", "RELEASE_4_0_6"}, f"{path.name}:{node.lineno}"


def test_laws_and_witnesses_are_named_in_kebab_case_stated_and_sourced() -> None:
    everything = [*PROPERTIES, *WITNESSES, *LIVENESS]
    assert len({one.name for one in everything}) == len(everything)
    for one in everything:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", one.name)
        assert one.statement.rstrip(")").endswith(".")
        assert one.source


def test_what_is_printed_names_sources_that_anybody_can_look_up() -> None:
    label = re.compile(r"\b((channel|models|bugs|policies)\.[A-Z]?[0-9]|run\.G[0-9])")
    for one in (*PROPERTIES, *LIVENESS, *WITNESSES, *LEMMAS, *LOG_LAWS):
        assert not label.search(f"{one.statement} {one.source}"), one.name
    for lemma in LEMMAS:
        assert lemma.mutant is None or not label.search(lemma.mutant.says), lemma.name


def pins_of(law: str) -> list[tuple[Family, Verdict]]:
    """Return the families that pin a law, of states, steps or runs, and how."""
    pins = ((family, {**family.laws, **family.liveness}.get(law)) for family in channel_families().values())
    return [(family, verdict) for family, verdict in pins if verdict is not None]


def test_every_law_is_exercised_in_some_family() -> None:
    for law in (*PROPERTIES, *LIVENESS):
        assert any(verdict != Verdict.UNKNOWN for _, verdict in pins_of(law.name)), law.name


def test_every_witness_is_demanded_by_some_family() -> None:
    demanded = {name for family in channel_families().values() for name in family.witnesses}
    assert {witness.name for witness in WITNESSES} == demanded


def test_known_violation_is_reached_in_some_family_and_a_law_that_holds_is_violated_in_none() -> None:
    """Laws that hold are judged by the released protocol: an older one may break them."""
    for law in (*PROPERTIES, *LIVENESS):
        of_law = [family for family, verdict in pins_of(law.name) if verdict == Verdict.INVALID]
        released = [family for family in of_law if family.bounds.dialect == Dialect.RELEASED]
        assert of_law or not law.status.is_violated, law.name
        assert not released or law.status != Status.HOLDS, law.name


def test_law_that_is_violated_outside_its_guard_names_it() -> None:
    for law in PROPERTIES:
        if law.status == Status.GUARDED:
            assert "unless" in law.statement, law.name


def test_law_that_names_its_guard_says_so_in_its_status() -> None:
    """spec/README.md: ``guarded`` (holds under the stated guard, such as "the unit is untainted")."""
    law = SYSTEM.laws_by_name["single-server"]
    assert "unless the unit is tainted" in law.statement
    assert law.status == Status.GUARDED


def test_laws_are_of_states_or_of_steps() -> None:
    kinds = {law.name: type(law) for law in PROPERTIES}
    assert set(kinds.values()) == {StateLaw, StepLaw, EnabledLaw}
