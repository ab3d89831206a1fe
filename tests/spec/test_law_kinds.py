"""Every law has a kind, declared beside it; the kinds are told apart where a change of the protocol is judged."""

import pytest

from oneowner.checkers.catalogue.harm import harms
from oneowner.model.kernel.enabled import EnabledLaw
from oneowner.model.kernel.law import LawKind
from oneowner.spec.channel.registry import LOG_LAWS
from oneowner.spec.systems import decisions, systems

OF_SYSTEMS = {f"{name}/{law.name}": law for name, one in systems().items() for law in (*one.laws, *one.liveness)}
OF_DECISIONS = {f"{name}: {law.name}": law for name, one in decisions().items() for law in one.laws}


def test_every_law_has_a_kind() -> None:
    laws = {**OF_SYSTEMS, **OF_DECISIONS, **{law.name: law for law in LOG_LAWS}}
    assert [name for name, law in laws.items() if law.kind not in LawKind] == []


def test_law_of_when_actions_are_enabled_is_a_mirror() -> None:
    stated_again = [law for law in OF_SYSTEMS.values() if isinstance(law, EnabledLaw)]
    assert stated_again
    assert {law.kind for law in stated_again} == {LawKind.MIRROR}


def test_guarded_law_and_its_twin_are_of_one_kind() -> None:
    twins = [name for name in OF_SYSTEMS if f"{name}-always" in OF_SYSTEMS]
    assert twins
    assert [name for name in twins if OF_SYSTEMS[name].kind != OF_SYSTEMS[f"{name}-always"].kind] == []


@pytest.mark.parametrize("system", systems())
def test_system_has_laws_of_purpose(system: str) -> None:
    """A system that only restates its code, or its design, says nothing of what a user is owed."""
    assert LawKind.PURPOSE in systems()[system].kinds.values()


def test_no_mirror_states_that_there_is_one_owner() -> None:
    """A violation of a mirror means that the behaviour is another one, and not that somebody is harmed."""
    worst = [law for law, harm in harms().items() if harm.rank == 0 and law in OF_SYSTEMS]
    assert worst
    assert [law for law in worst if OF_SYSTEMS[law].kind == LawKind.MIRROR] == []
