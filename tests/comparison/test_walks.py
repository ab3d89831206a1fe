"""Walks against R0 are as pinned; a pin of another model, or without an occasion, proves nothing."""

from pathlib import Path

import pytest

from oneowner.checkers.catalogue.families import families
from oneowner.checkers.comparison import walks
from oneowner.checkers.comparison.comparison import walked_families
from oneowner.checkers.comparison.walks import PINS, Walk, of_walks, pinned, walked
from oneowner.checkers.ledger import refinement_pins
from oneowner.model.kernel.system import initial_states, step
from oneowner.spec.handoff.hand_over import SENTENCES, with_failures
from oneowner.spec.systems import systems
from tools.hand_over import pins

QUICK = 1_000
"""States of a model that is walked in the tests that always run, and so is the smallest of each system."""
FAMILIES = families()
SIZES = {name: FAMILIES[name].states for name in walked_families()}
SMALLEST = {FAMILIES[name].system.name: name for name in sorted(SIZES, key=lambda name: -SIZES[name])}.values()
WALKED = [
    pytest.param(name, marks=[] if states <= QUICK or name in SMALLEST else [pytest.mark.slow])
    for name, states in SIZES.items()
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", WALKED)
def test_walk_is_as_pinned(name: str) -> None:
    assert list(walked(families()[name])) == [pinned()[name, sentence] for sentence in SENTENCES]


def test_every_walk_is_of_a_mapping_and_the_file_is_as_it_is_written() -> None:
    assert list(dict.fromkeys(family for family, _ in pinned())) == walked_families()
    assert PINS.read_text(encoding="utf-8") == pins(pinned().values())


@pytest.mark.parametrize("name", [one.family for one in pinned().values() if one.run])
def test_run_of_a_pin_breaks_its_sentence_at_its_last_step(name: str) -> None:
    from oneowner.checkers.scenarios.scenario import find_action
    from oneowner.model.handoff.sentences import broken_by

    bounds = families()[name].bounds
    observe = bounds.system.observe
    for one in (one for one in pinned().values() if one.family == name and one.run):
        state = initial_states(bounds)[0]
        seen, broken = observe(state), []
        for words in one.run:
            state = step(state, find_action(bounds, words))
            before, seen = seen, with_failures(seen, observe(state))
            broken.append(one.sentence in broken_by(before, seen))
        assert broken == [False] * (len(one.run) - 1) + [True]


def test_sentences_fail_first_where_the_refinement_of_r0_fails() -> None:
    """Two walks by two judges: R0 as a whole, and its sentences."""
    pins = {
        one.family: one for one in refinement_pins.pins() if one.refinement in ("channel", "node") and not one.faults
    }
    both = [name for name in walked_families() if name in pins]
    assert len(both) > 10
    for name in both:
        steps = [len(pinned()[name, sentence].run) for sentence in SENTENCES if pinned()[name, sentence].run]
        assert min(steps, default=None) == pins[name].steps, name


def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *pinned_now: Walk) -> str:
    path = tmp_path / "walks.yaml"
    path.write_text(pins(pinned_now) if pinned_now else "[]", encoding="utf-8")
    monkeypatch.setattr(walks, "PINS", path)
    monkeypatch.setattr(walks, "shown", str)
    monkeypatch.setattr(walks, "family_file", lambda family: "")
    return of_walks(systems()["locks"], "R0.2", ("holders",)).problem


def test_walk_says_nothing_without_a_pin_with_another_count_or_without_an_occasion(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    good = pinned()["locks/holders", "R0.2"]
    assert table(monkeypatch, tmp_path, good) == ""
    assert "was not walked as it is" in table(monkeypatch, tmp_path)
    assert "was not walked as it is" in table(monkeypatch, tmp_path, good._replace(states=good.states - 1))
    assert "no step that could break R0.2" in table(monkeypatch, tmp_path, good._replace(occasions=0))


def test_walk_of_no_family_and_of_a_system_that_shows_no_owner_says_nothing() -> None:
    assert "no family is walked" in of_walks(systems()["locks"], "R0.2", ()).problem
    assert "no such family: nowhere" in of_walks(systems()["locks"], "R0.2", ("nowhere",)).problem
    assert "no observation of owners" in of_walks(systems()["load_data"], "R0.2", ("gone",)).problem
