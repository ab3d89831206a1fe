"""Cases reported by Pulsar's users and designers, as traces in ``traces/loads``: the events, and their end."""

from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.simulation.run import Run, simulate
from oneowner.checkers.simulation.traces import Sizes, recorded
from oneowner.checkers.verdict import Misuse
from tests.command_line import oneowner

LOADS = TOP / "traces" / "loads"
HISTORY = "18173-two-brokers.csv"
"""apache/pulsar#18173: a broker used to 90 %, and a new one to 10 %."""
CASE_1 = "pip-220-case-1.csv"
"""PIP-220: brokers used to 12, 2, 1 and 1 %."""
THRESHOLD = "loadBalancerBrokerThresholdShedderPercentage"
LEAST = "loadBalancerBundleUnloadMinThroughputThreshold"


def run_of(name: str, shedder: str, capacity: float, look: Any = None, **conf: str) -> Run:
    trace = recorded(LOADS / name, Sizes())._replace(capacity=capacity)
    return simulate(trace, shedder, "4.0.6", conf, 1, look)


def moving(run: Run) -> list[tuple[int, int, int, float]]:
    """Return the cycles that move something: moves, bundles that come back, and how much the most used broker is."""
    return [(one.cycle, one.moves, one.returns, round(one.most, 3)) for one in run.points if one.moves]


def test_shedder_that_remembers_sheds_again_what_is_even() -> None:
    """The issue's numbers: after a first cycle that makes both even, scores are 86 and 14, and it sheds to and fro."""
    scores = list[dict[str, float]]()
    found = run_of(HISTORY, "threshold", 1e8, lambda cycle, leader: scores.append(leader.memory))
    assert moving(found) == [(0, 4, 0, 0.5), (1, 2, 0, 0.7), (77, 2, 2, 0.5)]
    assert scores[1] == pytest.approx({"b1:8080": 0.86, "b2:8080": 0.14})


@pytest.mark.parametrize(
    ("shedder", "conf", "moves"),
    [
        ("threshold", {"loadBalancerHistoryResourcePercentage": "0"}, [(0, 4, 0, 0.5)]),
        ("transfer", {}, [(3, 6, 0, 0.5)]),
    ],
)
def test_no_memory_ends_that(shedder: str, conf: dict[str, str], moves: list[Any]) -> None:
    assert moving(run_of(HISTORY, shedder, 1e8, **conf)) == moves


@pytest.mark.parametrize(
    ("shedder", "conf", "moves"),
    [
        ("threshold", {}, []),
        ("threshold", {"lowerBoundarySheddingEnabled": "true"}, []),
        ("threshold", {THRESHOLD: "5"}, []),
        ("threshold", {THRESHOLD: "4"}, [(0, 1, 0, 0.09)]),
        ("threshold", {THRESHOLD: "5", LEAST: "0"}, [(0, 1, 0, 0.09), (1, 1, 0, 0.06), (2, 1, 0, 0.05)]),
        ("overload", {}, []),
        ("uniform", {}, []),
        ("avg", {}, []),
        ("transfer", {}, [(3, 3, 0, 0.07)]),
    ],
)
def test_cluster_of_low_usage_stays_uneven_until_a_threshold_is_lower(
    shedder: str, conf: dict[str, str], moves: list[Any]
) -> None:
    """TransferShedder sees that a broker has little beside the most used one, however low the usage."""
    found = run_of(CASE_1, shedder, 1e9, **conf)
    assert moving(found) == moves
    assert found.points[0].most == pytest.approx(0.12) or moves


def test_column_of_brokers_says_where_bundles_begin(tmp_path: Path) -> None:
    trace = recorded(LOADS / HISTORY, Sizes(brokers=7))
    assert sorted(trace.brokers) == ["b1:8080", "b2:8080"]
    at = {name: trace.brokers[owner] for name, owner in zip(trace.bundles, trace.owners, strict=True)}
    assert [at[name] for name in sorted(at)] == ["b1:8080"] * 9 + ["b2:8080"]
    assert trace.capacity == 1e8
    for rows, words in (
        ("0,t/n/a,1,1,b1\n", "at least two brokers"),
        ("0,t/n/a,1,1,b1\n1,t/n/a,2,2,b2\n", r"x.csv:3: .*given to b1 at the start"),
        ("0,t/n/a,1,1,\n", r"x.csv:2: .*a broker is required"),
        ("0,t/n/a,1,1\n", r"x.csv:2: .*4 columns, and not 5"),
    ):
        (tmp_path / "x.csv").write_text(f"cycle,bundle,bytes,messages,broker\n{rows}")
        with pytest.raises(Misuse, match=words):
            recorded(tmp_path / "x.csv", Sizes())


def test_command_line_says_when_a_broker_is_used_up() -> None:
    outcome = oneowner("simulate", str(LOADS / CASE_1), "--shedder", "threshold", "--capacity", "1e9")
    assert outcome.code == 0
    assert outcome.out.splitlines()[2].split() == [
        "threshold",
        "0",
        "0",
        "0",
        "0",
        "0",
        "0.110",
        "->",
        "0.110",
        "0.120",
    ]
    assert oneowner("simulate", "constant", "--shedder", "threshold", "--capacity", "0").code == 2
