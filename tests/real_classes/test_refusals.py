"""The steps that the model refuses: those to try, and the reasons of the others."""

from pathlib import Path

import oneowner.model.channel as model
from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.real_classes.edges import edges_within
from oneowner.checkers.real_classes.refusals import GUARDS, Reason, refusals
from oneowner.checkers.real_classes.steps import STEPS, Kind

BOUNDS = bounds_with(family_named("removal").bounds, {"unloads": "0"})
EDGES = edges_within(BOUNDS, 10_000)


def test_every_declared_guard_is_one_of_the_model() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in Path(*model.__path__).glob("*.py"))
    assert [guard for guard in GUARDS if f'"{guard}"' not in text] == []


def test_every_refused_step_is_tried_or_has_a_reason() -> None:
    found = refusals(EDGES, BOUNDS, 10_000)
    offered = [action for action in EDGES.actions if STEPS[action.name].kind != Kind.GIVEN]
    assert len(EDGES.codes) * len(offered) == len(EDGES.sources) + found.possible + found.left_out.total()
    assert len(found.chosen) == found.possible
    assert not {one.guard for one in found.chosen} & GUARDS.keys()


def test_used_up_budget_hides_no_other_guard() -> None:
    """A deletion of a unit that is not owned is its caller's matter also where no deletion is left."""
    left_out = refusals(EDGES, BOUNDS, 10_000).left_out
    assert left_out[Reason.CALLER] > 0
    assert left_out[Reason.BUDGET] > 0


def test_budget_has_every_action_and_guard() -> None:
    found, few = refusals(EDGES, BOUNDS, 10_000), refusals(EDGES, BOUNDS, 40)
    kinds = {(EDGES.actions[one.label].name, one.guard) for one in found.chosen}
    assert {(EDGES.actions[one.label].name, one.guard) for one in few.chosen} == kinds
    assert len(few.chosen) == 40
