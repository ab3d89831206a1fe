"""Laws of the model in the state of real objects that differ from it."""

from oneowner.checkers.catalogue.families import family_named
from oneowner.checkers.catalogue.family import bounds_with
from oneowner.checkers.real_classes.judged import laws_there
from oneowner.checkers.real_classes.projection import shown
from oneowner.model.kernel.action import Action
from oneowner.model.kernel.system import actions, initial_states, step

BOUNDS = bounds_with(family_named("transfer").bounds, {"brokers": "2"})
PATH = ("transfer(broker=1, unit=1, destination=2)", "append(broker=1)", "consume(broker=1)")


def run(*words: str) -> tuple[Action, ...]:
    there = {str(action): action for action in actions(BOUNDS)}
    return tuple(there[one] for one in words)


def words_of(*path: str) -> dict[str, str]:
    state = initial_states(BOUNDS)[0]
    for action in run(*path):
        state = step(state, action)
    return dict(shown(BOUNDS).of(bytes(state.codes())))


def test_parts_of_the_model_itself_break_nothing() -> None:
    parts = [(name, words) for name, words in words_of(*PATH).items() if "entry" in name or "publishes" in name]
    assert parts
    assert laws_there(BOUNDS, run(*PATH), parts) == []


def test_second_server_breaks_the_law_of_one_server() -> None:
    assert words_of(*PATH[:1])["broker 1, topics of unit 1"] == "open"
    found = laws_there(BOUNDS, run(*PATH[:1]), [("broker 2, topics of unit 1", "open")])
    assert found is not None
    assert "single-server" in found


def test_part_without_a_value_leaves_nothing_to_judge() -> None:
    path = run(*PATH[:1])
    assert laws_there(BOUNDS, path, [("the harness", "threw an error")]) is None
    assert laws_there(BOUNDS, path, [("broker 1, entry of unit 1", "Owned(9) v99")]) is None
    assert laws_there(BOUNDS, path, [("broker 1, publishes under way", "")]) is None
    assert laws_there(BOUNDS, run(PATH[1]), []) is None
