"""The state: its bounds, its cells, and the flat form that every engine works on."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.parts import Message, Node, Publish, Run
from oneowner.model.channel.record import OWNED, Record
from oneowner.model.channel.rules import Storage
from oneowner.model.channel.state import State
from oneowner.model.kernel.language import OutOfDomain, Sequence
from oneowner.model.kernel.state import end_cells
from oneowner.model.kernel.system import initial_states
from tests.model.channel.strategies import SMALL, states, steadily

any_state = st.sampled_from(SMALL).flatmap(states)
any_two = st.sampled_from(SMALL).flatmap(lambda bounds: st.tuples(states(bounds), states(bounds)))


def blank(**bounds: Any) -> State:
    return State(Bounds(**bounds))


@steadily
@given(any_state)
def test_flat_form_gives_the_state_back(state: State) -> None:
    codes, slots = state.codes(), state.slots()
    assert all(0 <= code < slot.size for code, slot in zip(codes, slots, strict=True))
    again = State(state.bounds).with_codes(codes)
    assert again == state
    assert again.codes() == codes
    assert again.key() == state.key()
    assert state.in_domain()


@steadily
@given(any_two)
def test_equal_states_and_only_they_have_equal_keys_and_codes(two: tuple[State, State]) -> None:
    one, other = two
    assert (one == other) == (one.key() == other.key()) == (one.codes() == other.codes())
    assert (one == other) == (one.differences(other) == [])
    assert one == one.copy()


@steadily
@given(any_two)
def test_differences_lead_from_one_state_to_the_other(two: tuple[State, State]) -> None:
    one, other = two
    mine, theirs = dict(one.cells()), dict(other.cells())
    assert mine.keys() == theirs.keys()
    listed = one.differences(other)
    assert listed == [(path, mine[path], theirs[path]) for path in mine if mine[path] != theirs[path]]


@pytest.mark.parametrize("bounds", SMALL)
def test_initial_state_fits_its_slots(bounds: Bounds) -> None:
    (state,) = initial_states(bounds)
    assert state.in_domain()
    assert state.with_codes(state.codes()) == state


def changes() -> list[tuple[str, Callable[[State], None], str]]:
    def cell(name: str, at: Any, value: Any) -> Callable[[State], None]:
        return lambda state: getattr(state, name).__setitem__(at, value)

    owned = Record(OWNED, 2, version=2)
    return [
        ("base[1]", cell("base", 1, owned), "base"),
        ("log", lambda state: setattr(state, "log", state.log.plus(Message(1, owned))), "log"),
        ("cursor[2]", cell("cursor", 2, 1), "cursor"),
        ("run[1]", cell("run", 1, Run.DOWN), "run"),
        ("view[2,1]", cell("view", (2, 1), owned), "view"),
        ("outbox[1]", cell("outbox", 1, Sequence([Publish(1, owned, owned)])), "outbox"),
        ("closing[2]", cell("closing", 2, Sequence([Message(1, owned)])), "closing"),
        ("asking[1,1]", cell("asking", (1, 1), True), "asking"),
        ("serving[2,1]", cell("serving", (2, 1), True), "serving"),
        ("node[2]", cell("node", 2, Node.ABSENT), "node"),
        ("known[1,2]", cell("known", (1, 2), False), "known"),
        ("leader", lambda state: setattr(state, "leader", 2), "leader"),
        ("crashes_left", lambda state: setattr(state, "crashes_left", 0), "crashes_left"),
        ("won[1,9]", cell("won", (1, 9), True), "won"),
        ("tainted[1]", cell("tainted", 1, True), "tainted"),
        ("poisoned", lambda state: setattr(state, "poisoned", True), "poisoned"),
    ]


@pytest.mark.parametrize(
    ("path", "change", "cell"), changes(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_copied_state_is_independent_and_differs_in_exactly_the_changed_cell(
    path: str, change: Callable[[State], None], cell: str
) -> None:
    state = blank(crashes=1)
    key, twin = state.key(), state.copy()
    change(twin)
    assert state.key() == key
    assert [(where, mine) for where, mine, _ in state.differences(twin)] == [(path, dict(state.cells())[path])]
    assert twin != state
    again = state.copy()
    assert again == state
    assert again.bounds is state.bounds
    assert cell in State.declared


def test_completed_draft_shares_nothing_with_its_original() -> None:
    state = blank(crashes=1)
    key, draft = state.key(), state.draft()
    draft.cursor[1] = 1
    draft.leader = 2
    assert state.key() == key
    twin = draft.completed()
    assert [path for path, *_ in state.differences(twin)] == ["cursor[1]", "leader"]
    state.run[2] = Run.DOWN
    assert twin.run[2] is Run.UP
    draft = state.draft()
    draft.leader = 2
    assert draft.copy() == draft.completed() != state


def test_states_that_steps_lead_to_share_what_is_equal_and_never_change() -> None:
    draft = blank(crashes=1).draft()
    draft.cursor[1] = 1
    one = draft.completed()
    draft = one.draft()
    draft.run[2], draft.cursor[1] = Run.DOWN, one.cursor[1]
    other = draft.completed()
    assert other.cursor is one.cursor
    assert other.run is not one.run
    with pytest.raises(TypeError, match="assignment refused"):
        other.cursor[1] = 0
    twin = other.copy()
    twin.cursor[1] = 0
    assert (one.cursor[1], other.cursor[1], other.run[2]) == (1, 1, Run.DOWN)


def test_state_has_the_cells_of_its_declaration_and_no_others() -> None:
    for state in (blank(), blank().draft()):
        with pytest.raises(AttributeError, match="State has no bucket"):
            state.bucket  # type: ignore[attr-defined]  # noqa: B018
        with pytest.raises(AttributeError, match="State has no bucket"):
            state.bucket = 1  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(blank(crashes=1))) == blank(crashes=1)


def test_values_in_a_state_never_change_under_it() -> None:
    """A record stands in the log, a view and an outbox at once: it must be a value."""
    owned = Record(OWNED, 1, version=2)
    with pytest.raises(AttributeError):
        owned.version = 3  # type: ignore[misc]
    log = Sequence([Message(1, owned)])
    with pytest.raises(TypeError):
        log[1] = Message(1, owned)  # type: ignore[index]


def test_state_with_a_value_outside_is_not_in_its_domain() -> None:
    state = blank()
    state.view[1, 1] = Record(OWNED, 3, version=2)
    assert not state.in_domain()
    with pytest.raises(OutOfDomain, match=r"^value refused: 3; the domain is 0 \.\. 2$"):
        state.codes()


def test_state_is_not_hashable_because_its_cells_change() -> None:
    with pytest.raises(TypeError):
        hash(blank())


def test_slots_have_the_sizes_of_their_domains() -> None:
    sizes = {slot.name: slot.size for slot in blank(brokers=3, units=2, versions=7, window=4, crashes=2).slots()}
    record = {"state": 8, "destination": 4, "source": 4, "force": 2, "version": 8}
    for prefix in ("base[1]", "base[2]", "view[3,2]", "log[4].record", "outbox[3][1].basis", "closing[1][1].record"):
        assert {name: sizes[f"{prefix}.{name}"] for name in record} == record
    assert sizes["log.length"] == sizes["cursor[3]"] == 5
    assert sizes["log[4].unit"] == 2
    assert sizes["outbox[1].length"] == sizes["closing[1].length"] == 2
    assert sizes["run[1]"] == 2
    assert sizes["node[3]"] == 3
    assert sizes["leader"] == 4
    assert sizes["crashes_left"] == 3
    assert sizes["assigns_left"] == 1
    assert sizes["known[3,3]"] == sizes["serving[3,2]"] == sizes["asking[3,2]"] == sizes["won[2,7]"] == 2
    assert "log[5].unit" not in sizes
    assert "won[2,8]" not in sizes


def test_storages_have_only_the_cells_that_they_need() -> None:
    on_topic = {slot.name: slot.size for slot in blank().slots()}
    in_store = {slot.name: slot.size for slot in blank(storage=Storage.METADATA_STORE).slots()}
    assert (on_topic["changed[1,1]"], in_store["changed[1,1]"]) == (1, 2)
    assert (on_topic["log.length"], in_store["log.length"]) == (4, 1)
    assert (on_topic["cursor[1]"], in_store["cursor[1]"]) == (4, 1)
    assert not [name for name in in_store if name.startswith("log[")]


def test_every_budget_has_a_cell_that_holds_all_of_it_at_the_start() -> None:
    state = blank(crashes=2, unloads=1)
    budgets = state.bounds.system.budgets
    assert {name for name in State.declared if name.endswith("_left")} == {f"{name}_left" for name in budgets}
    assert [getattr(state, f"{name}_left") for name in budgets] == [getattr(state.bounds, name) for name in budgets]


def test_cell_holds_at_the_start_and_when_its_process_ends_what_it_is_declared_to() -> None:
    state = blank(crashes=1, lookups=1, beliefs=0)
    assert (state.leader, list(state.known), list(state.believes)) == (1, [True] * 4, [False] * 2)
    state.serving[1, 1] = state.serving[2, 1] = True
    end_cells(state, 1)
    assert list(state.serving) == [False, True]  # as at the start
    assert list(state.known) == [False, False, True, True]  # as the cell says
    assert list(state.run) == [Run.DOWN, Run.UP]
    assert list(state.node) == [Node.PRESENT, Node.PRESENT]  # it outlives the process


def test_cell_that_the_bounds_do_not_need_has_one_value_whatever_it_starts_with_elsewhere() -> None:
    assert (blank().believes[1], blank(beliefs=1).believes[1]) == (False, True)
    assert {slot.name: slot.size for slot in blank().slots()}["believes[1]"] == 1
