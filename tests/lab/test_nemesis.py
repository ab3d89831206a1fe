"""The choices of a seed for the scenario nemesis: faults and times, and the end of each fault."""

import pytest

from oneowner.checkers.lab.scenarios import nemesis
from oneowner.checkers.lab.scenarios.nemesis import FAULTS, LASTS, MOST_AT_ONCE, MOVES, Act, chosen
from oneowner.checkers.lab.scenarios.register import SCENARIOS
from tests.lab.fake_cluster import FakeCluster, recording_of

BROKERS = range(1, 4)
SEEDS = range(1, 101)


def faults(seed: int) -> list[tuple[Act, float]]:
    """Return the faults of a seed, and when each ends."""
    acts = chosen(seed, BROKERS)
    ends = {(act.what, act.number, round(act.at, 6)) for act in acts}
    found = [(act, act.at + act.lasts) for act in acts if act.what in FAULTS]
    for act, end in found:
        assert act.what == "lose ZooKeeper" or (f"end of {act.what}", act.number, round(end, 6)) in ends
    assert sum(act.what.startswith("end of ") for act in acts) == sum(bool(act.number) for act, _ in found)
    return found


def test_a_seed_chooses_the_same_again_and_another_seed_something_else() -> None:
    assert chosen(7, BROKERS) == chosen(7, BROKERS)
    assert len({tuple(chosen(seed, BROKERS)) for seed in SEEDS}) == len(SEEDS)


def test_every_fault_and_move_comes_and_each_lasts_as_long_as_it_may() -> None:
    acts = [act for seed in SEEDS for act in chosen(seed, BROKERS)]
    assert {act.what for act in acts if not act.what.startswith("end of ")} == {*FAULTS, *MOVES}
    for act in acts:
        if act.what in FAULTS:
            assert FAULTS[act.what][1] <= act.lasts <= FAULTS[act.what][2]
            assert 0 <= act.at <= LASTS


@pytest.mark.parametrize("seed", SEEDS)
def test_few_faults_last_at_once_and_no_broker_has_two(seed: int) -> None:
    found = faults(seed)
    for act, _ in found:
        lasting = [other for other, end in found if other.at <= act.at < end]
        assert len(lasting) <= MOST_AT_ONCE
        befallen = [other.number for other in lasting if other.number]
        assert len(befallen) == len({*befallen})


@pytest.mark.parametrize("seed", SEEDS[:20])
def test_at_the_end_every_broker_lives_and_nothing_is_held(seed: int) -> None:
    cluster = FakeCluster()
    run = recording_of(cluster)
    run.seed = seed
    SCENARIOS["nemesis"].done(run)
    assert run.alive() == [*BROKERS]
    assert all("open" in _last(cluster.notes, number, ("held", "unanswered", "open")) for number in BROKERS)
    assert [event["event"] for event in run.events][-1] == "all is healed"
    assert run.events[0]["seed"] == seed
    assert len(run.events[0]["acts"]) == len(chosen(seed, BROKERS))


def _last(notes: list[str], number: int, words: tuple[str, ...]) -> str:
    """Return the last note of a broker that is one of *words*."""
    return next((note for note in reversed(notes) if note in {f"{word} {number}" for word in words}), "open")


def test_broker_that_ended_by_itself_is_started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster()
    monkeypatch.setattr(nemesis, "chosen", lambda seed, brokers: [])
    cluster.brokers[2].lives = False
    SCENARIOS["nemesis"].done(recording_of(cluster))
    assert cluster.notes == ["start 3", "60 s"]
