"""Families through their refinements: counts, the first failing run, pins, the command line, the gate's row."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from oneowner.checkers.catalogue import families
from oneowner.checkers.engines.liveness.graph import Incomplete
from oneowner.checkers.engines.refine.refinement_walk import Walked, refinements_of, walk_all
from oneowner.checkers.ledger import refinement_pins as pinning
from oneowner.checkers.ledger.gate import Task, check
from oneowner.checkers.ledger.refinement_pins import Pin, pins
from oneowner.checkers.ledger.refinement_rows import failure_in_words, is_small, outcome, rows_of
from oneowner.checkers.verdict import Misuse, Verdict
from oneowner.checkers.yaml_text import data_of
from oneowner.model.channel import broker, channel, compactor, resolver, starts
from oneowner.model.channel import compacted_read as carried
from oneowner.model.channel.bounds import Bounds
from oneowner.model.channel.rules import Rules, Storage
from oneowner.model.handoff import requirement
from oneowner.model.kernel.guards import Disabled
from oneowner.model.kernel.system import actions, initial_states, step
from oneowner.spec.channel.registry import REFINEMENTS
from tests.command_line import oneowner, refused
from tests.spec.channel.changing import changed

pytestmark = pytest.mark.slow

SMALL = families.families()["transfer-metadata-store"]
CRASH = Bounds(owner=2, crashes=1)
LOOKUP = Bounds(owner=1, assigns=1, unloads=1)
COMPACTS = Bounds(owner=2, unloads=1, compactions=1, window=3)
STORE = Bounds(owner=1, unloads=1, transfers=1, storage=Storage.METADATA_STORE)


def walked(bounds: Bounds, name: str) -> Walked:
    return next(found for found in walk_all(bounds) if found.refinement.name == name)


def brute_force(bounds: Bounds, name: str) -> tuple[int, int]:
    """Count the pairs of states and abstract states, and the steps from them, by the definition."""
    refinement = next(one for one in REFINEMENTS if one.name == name)
    start = initial_states(bounds)[0]
    queue = [(start, refinement.start(refinement.observe(start)))]
    seen, edges = {(start.key(), queue[0][1])}, 0
    for state, abstract in queue:
        for action in actions(bounds):
            try:
                after = step(state, action)
            except Disabled:
                continue
            edges += 1
            further = refinement.follow(abstract, refinement.observe(after))
            assert refinement.explain(abstract, further) is not None
            if (after.key(), further) not in seen:
                seen.add((after.key(), further))
                queue.append((after, further))
    return len(seen), edges


@pytest.mark.parametrize(
    ("bounds", "name"), [(CRASH, "channel"), (CRASH, "views"), (STORE, "node"), (STORE, "notifications")]
)
def test_walk_visits_every_pair_and_step(bounds: Bounds, name: str) -> None:
    found = walked(bounds, name)
    assert found.failure is None
    assert (found.pairs, found.edges) == brute_force(bounds, name)
    assert found.edges >= len(found.taken)


@pytest.mark.parametrize(
    ("name", "bounds", "function", "was", "now", "steps"),
    [
        ("channel", LOOKUP, resolver.refusal, "proposed.force and rules", "rules", 6),
        ("views", CRASH, starts.start_channel, "state.view[broker, unit] = entry(state, unit)", "pass", 2),
        ("views", Bounds(owner=1, unloads=2), broker.consume, "and takes(", "and not takes(", 3),
        ("notifications", STORE, channel.is_told, "state.run[broker] != Run.DOWN or ", "", 2),
        ("notifications", STORE, broker.is_news, "found != held", "found == held", 2),
        ("compacted", COMPACTS, carried.take_kept, "accepts(state, state.view[broker, unit], record)", "False", 6),
        ("compacted", COMPACTS, compactor.show_ledger, "state.ledger[unit] = state.result[unit]", "pass", 5),
        ("compactor", COMPACTS, compactor.save, "state.saved_ledger[unit] = state.result[unit]", "pass", 6),
        ("compactor-as-shown", COMPACTS, compactor.start_compaction, "state.log.length\n    for", "1\n    for", 8),
    ],
)
def test_small_change_of_the_model_breaks_a_refinement(
    name: str, bounds: Bounds, function: Callable[..., Any], was: str, now: str, steps: int
) -> None:
    with changed(function, was, now):
        failure = walked(bounds, name).failure
    assert failure is not None
    assert len(failure.steps) == steps
    assert walked(bounds, name).failure is None


def test_tombstone_that_was_compacted_away_is_never_read() -> None:
    """models.S8 (E4): a reader that lags keeps the dead entry, so a compacted channel is not the uncompacted one."""
    bounds = Bounds(owner=2, unloads=1, tombstones=1, compactions=1, window=3)
    failure = walked(bounds, "compacted").failure
    assert failure is not None
    assert [str(action) for action in failure.steps][-1] == "jump(broker=1)"
    assert len(failure.steps) == 13
    assert walked(bounds, "compactor").failure is None


@pytest.mark.slow
def test_host_that_changes_before_a_compaction_is_saved_gives_readers_the_older_one() -> None:
    bounds = replace(COMPACTS, crashes=1)
    failure = walked(bounds, "compactor-as-shown").failure
    assert failure is not None
    assert str(failure.steps[-1]) == "crash(broker=1)"
    assert walked(bounds, "compactor").failure is None
    assert walked(COMPACTS, "compactor-as-shown").failure is None


def test_family_without_compactions_has_no_refinement_of_them() -> None:
    assert not [one.refinement.name for one in walk_all(LOOKUP) if one.refinement.name.startswith("compact")]


@pytest.mark.parametrize(
    ("action", "bounds"),
    [
        ("Assign", LOOKUP),
        ("Own", LOOKUP),
        ("Release", LOOKUP),
        ("Free", LOOKUP),
        ("Transfer", Bounds(owner=1, transfers=1)),
        ("Lose", CRASH),
    ],
)
def test_r0_without_one_of_its_actions_is_too_strict(
    action: str, bounds: Bounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tuple(one for one in requirement.ACTIONS if one.name != action)
    monkeypatch.setattr(requirement, "ACTIONS", others)
    assert walked(bounds, "channel").failure is not None
    monkeypatch.undo()
    assert walked(bounds, "channel").taken[action]


def test_failing_run_is_the_shortest_and_is_told() -> None:
    bounds = replace(LOOKUP, rules=Rules(broker_check=False))
    failure = walked(bounds, "channel").failure
    assert failure is not None
    lines = list(failure_in_words(failure))
    assert len(lines) == len(failure.steps) + 5
    assert "in the model: unit 1: no owner (the channel holds Releasing(from 1) v3)" in lines[-5]
    assert "unit 1 owned by nobody, in flight from 1 to nobody" in lines[-4]
    state, refinement = initial_states(bounds)[0], REFINEMENTS[0]
    abstract = refinement.start(refinement.observe(state))
    for number, action in enumerate(failure.steps, 1):
        state = step(state, action)
        before, abstract = abstract, refinement.follow(abstract, refinement.observe(state))
        assert (refinement.explain(before, abstract) is None) == (number == len(failure.steps))


def test_walk_that_differs_from_its_pin_is_told() -> None:
    good = Walked(REFINEMENTS[0], edges=7)
    assert Pin("a", (), "channel", edges=7).difference(good) == ""
    assert Pin("a", (), "channel").difference(good) == ""
    assert Pin("a", (), "channel", edges=7).doubt(good) == ""
    assert "7 steps where 8" in Pin("a", (), "channel", edges=8).difference(good)
    assert "valid where invalid" in Pin("a", (), "channel", Verdict.INVALID, steps=3).difference(good)
    with changed(resolver.refusal, "proposed.force and rules", "rules"):
        fails = walked(LOOKUP, "channel")
    assert "invalid where valid" in Pin("a", (), "channel").difference(fails)
    assert "where 99 is pinned" in Pin("a", (), "channel", Verdict.INVALID, steps=99).difference(fails)


def test_family_of_another_size_or_too_big_is_not_as_expected() -> None:
    rows = list(rows_of(replace(SMALL, states=7), (), ()))
    assert "the graph has 5,032 states, the ledger 7" in rows[0].words
    big = list(rows_of(replace(SMALL, states=10**9), (), ()))
    assert outcome(big) == Verdict.UNKNOWN
    with pytest.raises(Incomplete):
        list(walk_all(SMALL.bounds, most=10))


def of_file() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = data_of((families.SPEC / "channel" / "refinements.yaml").read_text())
    return rows


def write_pins(place: Path, monkeypatch: pytest.MonkeyPatch, *rows: dict[str, Any]) -> None:
    (place / "refinements.yaml").write_text(yaml.safe_dump(list(rows)))
    monkeypatch.setattr(pinning, "PINS", place / "refinements.yaml")


def test_every_refinement_of_every_small_family_is_pinned() -> None:
    there = {(pin.family, pin.refinement) for pin in pins() if not pin.faults}
    small = [family for family in families.families().values() if is_small(family)]
    assert {(family.name, one.name) for family in small for one in refinements_of(family.bounds)} == there


def test_every_abstract_action_is_to_be_seen_in_a_family_or_out_of_reach_for_a_reason() -> None:
    shown = {(pin.refinement, name) for pin in pins() for name in (*pin.shows, *pin.out_of_reach)}
    assert shown == {(one.name, name) for one in REFINEMENTS for name in one.actions}


def test_action_that_its_family_never_takes_makes_the_refinement_unknown() -> None:
    here = [pin for pin in pins() if pin.family == SMALL.name and not pin.faults]
    assert outcome(list(rows_of(SMALL, (), here))) == Verdict.VALID
    unseen = [replace(pin, shows=("Own", "Fail")) if pin.refinement == "node" else pin for pin in here]
    rows = list(rows_of(SMALL, (), unseen))
    assert [row.words for row in rows if row.words] == ["Fail never taken, which is to be seen here"]
    assert outcome(rows) == Verdict.UNKNOWN


def test_action_out_of_reach_that_is_taken_is_not_as_pinned() -> None:
    good = Walked(REFINEMENTS[0], edges=7, taken=Counter({"Own": 1}))
    assert "Own taken, where" in Pin("a", (), "channel", edges=7, out_of_reach=("Own", "Lose")).difference(good)
    assert Pin("a", (), "channel", edges=7, out_of_reach=("Lose",)).difference(good) == ""


def test_refinement_without_a_pin_is_unknown() -> None:
    rows = list(rows_of(SMALL, (), ()))
    assert rows[0].words == "refinements.yaml has no row of it; 15,077 steps were walked"
    assert outcome(rows) == Verdict.UNKNOWN


def test_occasions_that_do_not_fit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = [row for row in of_file() if row["refinement"] == "node" and "taken" in row]
    others = [one for one in of_file() if one != row]
    (action, family), *_ = row["taken"].items()
    rest = {name: where for name, where in row["taken"].items() if name != action}
    both = {**row.get("out_of_reach", {}), action: "a reason"}
    for rows, words in (
        ([], "no row says where the abstract actions of node are taken"),
        ([row | {"taken": rest}], f"{action} refused: it is taken in a family, or out of reach"),
        ([row | {"out_of_reach": both}], f"{action} refused: it is taken in a family, or out of reach"),
        ([row | {"taken": {**rest, action: "transfer"}}], "no such family in which node is pinned as valid: transfer"),
        ([row | {"taken": {**row["taken"], "Owns": family}}], "no such key: Owns"),
    ):
        write_pins(tmp_path, monkeypatch, *others, *rows)
        with pytest.raises(Misuse, match=words):
            pins()


PIN = {"family": SMALL.name, "refinement": "node", "verdict": "valid", "edges": 1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"family": "transfr"}, "no such family: transfr"),
        ({"refinement": "views"}, "no such refinement: views; there are: node"),
        ({"verdict": "invalid"}, "a row that is invalid has steps alone"),
        ({"steps": 1}, "a row that is valid has edges alone"),
        ({"faults": ["nofault"]}, "no such fault: nofault"),
        ({"edge": 1}, "no such key: edge"),
    ],
)
def test_pin_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], words: str
) -> None:
    write_pins(tmp_path, monkeypatch, PIN | changes)
    with pytest.raises(Misuse, match=words):
        pins()


def test_wrong_pin_fails_the_row_of_the_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [row for row in of_file() if (row.get("family"), row["refinement"]) != (SMALL.name, "node")]
    write_pins(tmp_path, monkeypatch, *others, PIN)
    row = check(Task("refinement", SMALL.name, 1))
    assert (row.ok, row.verdict) == (False, "invalid")
    assert row.reasons == (f"{SMALL.name}, node: 15,077 steps where 1 are pinned",)


def test_command_prints_a_table_of_what_is_as_pinned() -> None:
    found = oneowner("refine", SMALL.name)
    assert found.code == 0
    output = found.out
    assert "Own 124, Release 507" in output
    assert "node: never taken in any of these: Assign, SplitAt, Inherit, Retire, Lose, Fail" in output
    assert output.endswith("refinements, 1 in all: valid\n")


def test_command_tells_misuse_and_what_is_too_big() -> None:
    refused(oneowner("refine", "transfr"), "did you mean")
    refused(oneowner("refine", "--fault", "no_broker_check"), "--fault requires a family")
    refused(oneowner("refine", SMALL.name, "--fault", "nofault"), "no such fault: nofault")
    assert oneowner("refine", "two-crashes").code == 3
