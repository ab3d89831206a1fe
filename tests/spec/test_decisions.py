"""
Laws of decisions: each is broken by an answer that is not the right one, and none raises, whatever is answered.

A wrong model answers what fits another input: it names a broker that is not there, loses a task, or throws. The laws of
``channel`` even admit one answer alone (``channel/test_decisions.py``).
"""

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

import pytest

from oneowner.checkers.engines.decide.judging import every_input, random_inputs
from oneowner.checkers.ledger.decision_pins import facts
from oneowner.model.balancer.shedding.avg_shedder import Memory
from oneowner.model.balancer.shedding.transfer_cycle import Cycle, Outcome
from oneowner.model.balancer.splitting.triggers import Decided
from oneowner.model.kafka.assignors.group import Assigned, Assignment, Group
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.pulsar.bundles import Range
from oneowner.spec.systems import decisions
from tests.spec.small_inputs import decisions_of, small_inputs

OTHERS = {**decisions_of("balancer"), **decisions_of("kafka"), **decisions_of("allocation")}
SPLITTERS = ("range-equally", "topic-count-equally", "specified-positions", "flow-or-qps-equally")
SHEDDERS = ("overload-shedder", "threshold-shedder", "uniform-load-shedder", "avg-shedder")
ASSIGNORS = ("high-availability", "sticky", "fallback", "racks")


def accepts(law: InputLaw, given: Any, answer: Any) -> bool:
    return not law.when(given, answer) or law.holds(given, answer)


def answered(decision: Decision, number: int) -> list[tuple[Any, Any]]:
    """Return inputs with their answers: all of a decision that has fewer than so many small ones, or random ones."""
    inputs = list(islice(every_input(decision, decision.sizes()), number))
    if len(inputs) == number:
        inputs = list(random_inputs(decision, decision.sizes(), number, seed=1))
    return [(given, decision.decide(given)) for given in inputs]


answers_of = cache(answered)


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", decisions())
def test_no_law_raises_of_an_answer_to_another_input(name: str) -> None:
    decision = decisions()[name]
    pairs = answered(decision, 120)
    answers = [answer for _, answer in pairs]
    told = {
        accepts(law, given, other)
        for law in decision.laws
        for distance in (1, 7, 31)
        for (given, _), other in zip(pairs, answers[distance:] + answers[:distance], strict=False)
    }
    assert told <= {True, False}


@pytest.mark.sample(22)
@pytest.mark.parametrize("name", OTHERS)
def test_every_law_that_has_no_mutant_is_broken_by_the_answer_to_another_input(name: str) -> None:
    pairs = answers_of(OTHERS[name], 400)
    others = list({repr(answer): answer for _, answer in pairs}.values())[:200]
    assert [
        law.name
        for law in OTHERS[name].laws
        if (name, law.name) not in MUTANTS and law.name != "accepted-boundaries-tile"
        if all(accepts(law, given, other) for given, answer in pairs for other in others if other != answer)
    ] == []


def split_in_the_same_two_parts(given: Any, found: Decided) -> Decided:
    return found._replace(splits=tuple(one._replace(children=(Range(0, 1), Range(1, 8))) for one in found.splits))


def twice(given: Any, found: Any) -> Any:
    return found._replace(unload=tuple((broker, bundles * 2) for broker, bundles in found.unload))


def planned_for_itself(given: Any, found: Any) -> Any:
    source = found.unload[0][0] if found.unload else ""
    return found._replace(memory=Memory(plan=tuple((bundle, source) for bundle, _ in found.memory.plan)))


def moves_to_the_source(cycle: Cycle, found: Outcome) -> Outcome:
    return found._replace(moves=tuple(move._replace(destination=move.source) for move in found.moves))


def each_has_what_it_runs_twice(group: Group, found: Assignment) -> Assignment:
    return found._replace(clients=tuple(one._replace(standby=one.active) for one in found.clients))


def all_to_the_first(group: Group, found: Assignment) -> Assignment:
    first, *others = (client.number for client in group.clients)
    tasks = tuple(sorted({*group.stateful, *group.stateless}))
    return Assignment((Assigned(first, tasks), *map(Assigned, others)))


def replaced(**changed: Any) -> Callable[[Any, Any], Any]:
    return lambda given, found: found._replace(**changed)


MUTANTS: dict[tuple[str, str], Callable[[Any, Any], Any]] = {
    ("balancer/split-bundles", "every-hash-in-one-bundle-after-a-split"): lambda split, found: (
        found[1:] if isinstance(found, tuple) else found
    ),
    ("balancer/split-trigger-extensible", "split-parts-tile"): split_in_the_same_two_parts,
    ("balancer/top-bundles", "bundles-with-policies-stay-out"): lambda held, found: tuple(
        bundle.name for bundle in held.bundles if bundle.throughput
    )[: held.most],
    **{(f"balancer/{name}", "bundle-is-unloaded-once"): twice for name in SHEDDERS},
    ("balancer/avg-shedder", "plan-is-for-another"): planned_for_itself,
    ("balancer/transfer-shedder", "bundle-goes-elsewhere"): moves_to_the_source,
    ("balancer/transfer-shedder", "bundle-moves-once"): lambda _, found: found._replace(moves=found.moves * 2),
    ("balancer/transfer-shedder", "moves-begin-the-count-anew"): replaced(hits=1),
    ("balancer/load-shedding-task", "unloaded-bundle-is-remembered"): replaced(remembered=()),
    ("balancer/anti-affinity", "some-broker-is-kept"): replaced(modular=()),
    **{(f"kafka/{name}", "no-client-has-two-copies"): each_has_what_it_runs_twice for name in ASSIGNORS},
    ("kafka/convergence", "group-comes-to-rest"): replaced(steady=False),
    ("kafka/learners", "a-task-is-learned-once"): lambda group, found: tuple(
        share._replace(learning=share.active) for share in found
    ),
    ("kafka/sticky", "active-tasks-are-even"): all_to_the_first,
    ("kafka/sticky", "no-rebalance-is-asked-for"): replaced(probing=True),
    ("kafka/fallback", "a-rebalance-is-asked-for"): replaced(probing=False),
    ("kafka/streams-sticky", "members-are-even"): lambda group, found: (
        *(one._replace(active=()) for one in found[:-1]),
        found[-1]._replace(active=tuple(sorted(task for one in found for task in one.active))),
    ),
    ("allocation/replica-goals", "goal-is-never-newly-violated"): lambda given, found: (
        found if not isinstance(found, tuple) else (*found[:-1], given._replace(at=(1,) * len(given.at)))
    ),
    ("allocation/replica-goals", "hard-goals-are-met"): lambda given, found: (given, given, given),
}
"""By decision and law: another answer of which the law must fail, as no answer to another input makes it."""


@pytest.mark.parametrize(("name", "law"), MUTANTS)
def test_law_is_broken_by_its_mutant(name: str, law: str) -> None:
    broken, mutant = OTHERS[name].laws_by_name[law], MUTANTS[name, law]
    assert any(not accepts(broken, given, mutant(given, found)) for given, found in answers_of(OTHERS[name], 2000))


@pytest.mark.parametrize("name", SPLITTERS)
def test_law_of_accepted_boundaries_is_broken_if_all_are_accepted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decision = OTHERS[f"balancer/{name}-divide"]
    law = decision.laws_by_name["accepted-boundaries-tile"]
    monkeypatch.setattr("oneowner.spec.balancer.splitting.boundary_laws.accepts", lambda parent, boundaries: True)
    assert any(not accepts(law, given, answer) for given, answer in answers_of(decision, 2000))


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", OTHERS)
def test_no_input_is_drawn_twice(name: str) -> None:
    inputs = small_inputs(name)
    assert len(set(inputs)) == len(inputs)


@pytest.mark.parametrize("home", ["balancer", "kafka", "allocation"])
def test_facts_are_answered_as_the_originals_do_and_name_where_they_were_copied(home: str) -> None:
    ours = [fact for fact in facts() if fact.decision.home == home]
    assert {fact.decision.name for fact in ours} == set(decisions_of(home))
    assert [difference for fact in ours for difference in fact.difference()] == []
    if home != "allocation":
        assert all(any(one in fact.source for one in ("Test", "policies.", "KIP-441")) for fact in ours)


def test_bundle_that_moves_from_a_broker_without_load_breaks_the_law_of_the_half() -> None:
    decision = OTHERS["balancer/transfer-shedder"]
    given, answer = next((one, found) for one, found in answered(decision, 200) if found.moves)
    idle = given._replace(brokers=tuple(broker._replace(load=0.0) for broker in given.brokers))
    one_way = answer._replace(moves=answer.moves[:1])
    assert not decision.laws_by_name["half-the-difference-moves"].holds(idle, one_way)
