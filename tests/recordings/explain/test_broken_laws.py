"""Laws of states and steps accuse a recorded run only if every run of the model that shows it breaks them."""

from typing import Final

import pytest

from oneowner.checkers import places
from oneowner.checkers.recordings.explain import state_set_search as search
from oneowner.checkers.recordings.explain.broken_laws import JudgedUnit, judge_laws
from oneowner.checkers.recordings.explain.explain_verdict import Acceptance, judge
from oneowner.checkers.recordings.explain.recording import read_recording
from oneowner.model.channel.state import State
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.law import LawKind, StepLaw
from oneowner.spec.channel.system import SYSTEM
from tests.recordings.explain.crafted import recording

ASSIGNED: Final = ("1: Assigning(2) v1", "2: Owned(2) v2")
FORCED: Final = (*ASSIGNED, "crash 2", "expire 2", "1: Owned(3, from 2) v3 forced")


def judged(*lines: str) -> JudgedUnit:
    whole = recording(*lines)
    (unit,) = judge(whole).units
    return judge_laws(whole, unit, whole.rules)


def broken(name: str) -> dict[str, list[str]]:
    """Return the laws that units of a recorded run break, with the places."""
    found: dict[str, list[str]] = {}
    whole = read_recording(places.RUNS / name)
    for unit in judge(whole).units:
        for breach in judge_laws(whole, unit, whole.rules).breaches:
            found.setdefault(breach.law.name, []).append(breach.place)
    return found


def test_override_of_a_dead_broker_breaks_no_law_and_exercises_many() -> None:
    unit = judged(*FORCED)
    assert not unit.breaches
    assert not unit.doubts
    assert unit.exercised["clean-only-by-leader"]
    assert unit.exercised["version-chain"]


def test_restart_inside_its_session_breaks_the_law_of_the_node() -> None:
    (breach,) = judged(*ASSIGNED, "crash 2", "restart 2").breaches
    assert (breach.law.name, breach.place, str(breach.step)) == ("registry-owner", "0:4", "restart(broker=2)  # 0:4")


def test_law_of_inferred_steps_accuses_nobody_if_another_run_keeps_it() -> None:
    """The run that is found in this recording has a leader that overrides before it has read everything."""
    whole = read_recording(places.RUNS / "metadata-store")
    behind = SYSTEM.laws_by_name["leader-caught-up"]
    judged = [judge_laws(whole, unit, whole.rules, [behind]) for unit in judge(whole).units]
    assert sum(unit.exercised[behind.name] for unit in judged)
    assert not [breach for unit in judged for breach in unit.breaches]


def test_law_that_no_run_keeps_is_broken_at_the_step_that_led_to_a_record() -> None:
    """The broker that led before overrides four bundles (``traces/real/README.md``)."""
    places_of = broken("late-clean-up")["clean-only-by-leader"]
    assert len(places_of) == 4
    assert all(place.startswith("19:") for place in places_of)


def test_search_for_a_run_that_keeps_a_law_may_be_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = recording(*FORCED)
    (unit,) = judge(whole).units
    never = StepLaw("never", "Nothing is overridden.", "here", _is_override, lambda *step: False, kind=LawKind.PURPOSE)
    assert [one.law for one in judge_laws(whole, unit, whole.rules, [never]).breaches] == [never]
    monkeypatch.setattr(search, "MOST", 1)
    cut = judge_laws(whole, unit, whole.rules, [never])
    assert not cut.breaches
    assert [(one.law, one.why) for one in cut.doubts] == [(never, "more than 1 states at one place")]


@pytest.mark.parametrize(("is_behind", "is_certain"), [(False, True), (True, False)])
def test_breach_is_certain_only_if_the_law_reads_what_was_observed(
    is_behind: bool, is_certain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A law may read the publish that a record shows; those behind it in the outbox are inferred."""
    whole = recording(*ASSIGNED)
    (unit,) = judge(whole).units

    def sends_nothing(before: State, action: Action, after: State) -> bool:
        sent = before.outbox[action.argument("broker")]
        return sent.length == 0 if is_behind else sent[1].record.version == 0

    def is_sent(before: object, action: object, after: object) -> bool:
        return str(action).startswith("append")

    law = StepLaw("never", "Nothing is sent.", "here", is_sent, sends_nothing, kind=LawKind.PURPOSE)
    monkeypatch.setattr(search, "MOST", 1)  # whatever is not certain is left open
    found = judge_laws(whole, unit, whole.rules, [law])
    assert (bool(found.breaches), bool(found.doubts)) == (is_certain, not is_certain)


def test_part_that_is_explained_is_judged() -> None:
    unit = judged(*ASSIGNED, "crash 2", "restart 2", "3: Owned(3, from 2) v9 forced")
    assert unit.unit.answer == Acceptance.REFUSED
    assert [one.law.name for one in unit.breaches] == ["registry-owner"]


def _is_override(before: object, action: object, after: object) -> bool:
    return str(action).startswith("override")
