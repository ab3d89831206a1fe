"""A simulated run is the same for the same seed, and takes the decisions of the model."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.simulation.placing import Placing
from oneowner.checkers.simulation.run import LEADERS, RELEASES, Look, fewest_moves, simulate
from oneowner.checkers.simulation.traces import GENERATORS, Sizes, generated, recorded
from oneowner.checkers.verdict import Misuse
from oneowner.model.balancer.batch.shedders import SHEDDERS
from oneowner.model.balancer.filters import anti_affinity, isolation
from oneowner.model.balancer.filters import settings as filters
from oneowner.model.balancer.load_data import Usage
from oneowner.model.balancer.local_broker_data import BrokerData, LoadRules, Traffic
from oneowner.model.balancer.placement.least_long_term import Candidates
from oneowner.model.balancer.placement.modular_selection import Selection, select
from tests.command_line import VALIDATOR, oneowner, refused
from tools.simulation_table import HERE, PAGE, cell

SMALL = Sizes(brokers=6, bundles=30, cycles=10)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[tuple[BrokerData, ...], str]:
    """Draw brokers of which some are overloaded, with bundles of two namespaces, and one of the bundles."""
    count = draw(st.sampled_from([2, 3, 5, 40]))
    bundles = [f"t/n{number % 2}/{number}" for number in range(draw(st.sampled_from([1, 4, 10, 200])))]
    owned: list[list[str]] = [[] for _ in range(count)]
    for bundle in bundles:
        owned[draw(st.integers(0, count - 1))].append(bundle)
    brokers = tuple(
        BrokerData(
            f"b{number}:8080",
            bandwidth_in=Usage(draw(st.sampled_from([10.0, 84.0, 85.0, 86.0, 140.0])), 100.0),
            bundles=tuple(names),
            time_average=Traffic(rate_in=draw(st.sampled_from([0.0, 1.0, 2.0]))),
        )
        for number, names in enumerate(owned)
    )
    return brokers, draw(st.sampled_from(bundles))


@settings(max_examples=60, deadline=None)
@given(clusters(), st.booleans())
def test_quick_placement_answers_as_the_model(cluster: tuple[tuple[BrokerData, ...], str], evenly: bool) -> None:
    brokers, bundle = cluster
    names = tuple(one.name for one in brokers)
    owned = tuple(anti_affinity.Owned(name, one.name) for one in brokers for name in one.bundles)
    mine = filters.Broker(load_manager=filters.Settings().load_manager)
    asked = Selection(
        isolation.Isolated((), bundle.rpartition("/")[0], False, names, names, names),
        anti_affinity.Asked((), owned, (), names, bundle, ""),
        filters.Candidates(tuple((name, mine) for name in names), names),
        Candidates(brokers, names),
        evenly,
    )
    assert Placing(brokers, LoadRules(), evenly).admissible(bundle) == select(asked)


@pytest.mark.parametrize("shedder", RELEASES)
@pytest.mark.parametrize("trace", GENERATORS)
def test_same_seed_gives_the_same_run(trace: str, shedder: str) -> None:
    runs = [simulate(generated(trace, SMALL), shedder, "4.0.6", {}, 1) for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0].moves == sum(count for _, count in runs[0].moved)
    assert runs[0].fewest <= max(runs[0].moves, runs[0].fewest if trace == "broker-lost" else 0)


@pytest.mark.parametrize("shedder", SHEDDERS)
def test_what_a_leader_was_asked_is_a_row_that_decides_the_same(shedder: str) -> None:
    memory: Any = None
    moving = 0

    def look(cycle: int, leader: Any) -> None:
        nonlocal memory, moving
        found = SHEDDERS[shedder].cycle(leader.row(), {}, leader.rules, memory)
        memory = found.memory
        moving += len(found.moves)
        assert {broker: list(bundles) for broker, bundles in found.unload} == leader.told

    for trace in GENERATORS:
        memory = None
        simulate(generated(trace, SMALL), shedder, "4.0.6", {}, 1, look)
    assert moving


def test_bound_counts_the_heaviest_bundles_first() -> None:
    trace = generated("constant", Sizes(2, 4, 1))
    trace = trace._replace(
        owners=(0, 0, 0, 1), loads=([(50.0, 1.0), (30.0, 1.0), (20.0, 1.0), (0.0, 1.0)],), capacity=100.0
    )
    assert [fewest_moves(trace, most) for most in (1.0, 0.5, 0.4)] == [0, 1, 2]


def test_recorded_trace_holds_until_it_is_told_anew(tmp_path: Path) -> None:
    file = tmp_path / "loads.csv"
    file.write_text("cycle,bundle,bytes,messages\n0,t/n/a,100,1\n0,t/n/b,50,1\n2,t/n/a,10,1\n", encoding="utf-8")
    trace = recorded(file, Sizes(2, 1, 3))
    place = trace.bundles.index("t/n/a")
    assert [cycle[place][0] for cycle in trace.loads] == [100, 100, 10]


@pytest.mark.parametrize(
    "row",
    ["x,t/n/a,1,1", "0,t/n/a,nan,1", "-1,t/n/a,1,1", "0,a,1,1", "0,t/n/a,1", "0,t/n/a,1,1,1", "999999999,t/n/a,1,1",
     '0,"t/n/a,1,1'],
)  # fmt: skip
def test_damaged_row_of_a_trace_is_refused_with_its_line(tmp_path: Path, row: str) -> None:
    file = tmp_path / "loads.csv"
    file.write_text(f"cycle,bundle,bytes,messages\n{row}\n", encoding="utf-8")
    with pytest.raises(Misuse, match=r"loads.csv:2: no row of a trace"):
        recorded(file, SMALL)


def test_file_that_is_no_trace_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "loads.csv"
    for text, words in (
        (b"", r"loads.csv:1: no trace: the header is cycle,bundle,bytes,messages"),
        (b"cycle,bundle,bytes,messages\n", "it has no row"),
        (b"cycle,bundle,bytes,messages\n0,t/n/a,1,1\n\n0,t/n/a,1,1\n", r"loads.csv:4: .*given for cycle 0 before"),
        (b"cycle,bundle,bytes,messages\n0,t/n/\xff,1,1\n", "it is not UTF-8"),
        (b"cycle,bundle,bytes,messages\n0,t/n/a,1e308,1\n0,t/n/b,1e308,1\n", "too many to be added up"),
    ):
        file.write_bytes(text)
        with pytest.raises(Misuse, match=words):
            recorded(file, SMALL)
    with pytest.raises(Misuse, match=r"missing.csv: No such file"):
        recorded(tmp_path / "missing.csv", SMALL)


def test_trace_of_a_spreadsheet_may_begin_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "loads.csv").write_text("\ufeffcycle,bundle,bytes,messages\r\n0,t/n/a,1,1\r\n", encoding="utf-8")
    assert recorded(tmp_path / "loads.csv", SMALL).bundles == ("t/n/a",)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--conf", "loadBalancerBrokerThresholdSheddrPercentage=5"), "loadBalancerBrokerThresholdShedderPercentage"),
        (("--conf", "loadBalancerBrokerLoadTargetStd=0.1"), "no shedder that is named reads it"),
        (("--conf", "loadBalancerBrokerThresholdShedderPercentage=five"), "it is a number"),
        (("--conf", "lowerBoundarySheddingEnabled=ture"), "it is true or false"),
        (("--conf", "lowerBoundarySheddingEnabled"), "KEY=VALUE"),
        (("--shedder", "treshold"), "threshold"),
        (("--release", "9"), "no such release: 9"),
        (("--release", "2.0.0"), "threshold is not modelled for 2.0.0; it is modelled for"),
        (("--snapshot", "1"), "--save require each other"),
    ],
)
def test_options_that_no_run_could_have_are_refused(options: tuple[str, ...], words: str) -> None:
    refused(oneowner("simulate", "constant", "--shedder", "threshold", *options), words)


@pytest.mark.parametrize("option", ["--brokers", "--bundles", "--cycles"])
def test_sizes_of_zero_are_refused(option: str) -> None:
    assert oneowner("simulate", "constant", "--shedder", "threshold", option, "0").code == 2


def test_bundle_that_is_unloaded_is_placed_by_the_next_lookup() -> None:
    """Where ``loadBalancerTransferEnabled`` is false, TransferShedder names no destination."""
    unloaded = 0

    def look(cycle: int, leader: Any) -> None:
        nonlocal unloaded
        unloaded += sum(not move["destination"] for move in leader.told)

    run = simulate(
        generated("broker-lost", SMALL), "transfer", "4.0.6", {"loadBalancerTransferEnabled": "false"}, 1, look
    )
    assert 0 < run.moves <= unloaded


@pytest.mark.parametrize("trace", ["hot-bundle", "broker-lost"])
def test_leader_waits_for_brokers_that_gave_a_bundle_and_not_for_those_that_were_given_one(trace: str) -> None:
    """``UnloadScheduler.recentlyUnloadedBrokers`` gets the source of an unload alone, from 3.0 to 5.0."""
    sources, waited = set[str](), set[str]()

    def look(cycle: int, leader: Any) -> None:
        waited.update(leader.asked["recent_brokers"])
        assert waited <= sources
        sources.update(move["source"] for move in leader.told)

    simulate(
        generated(trace, SMALL), "transfer", "4.0.6", {"loadBalancerSheddingConditionHitCountThreshold": 0}, 1, look
    )
    assert waited


@pytest.mark.parametrize(("minutes", "waits"), [(15, 15), (1, 3)])
def test_after_a_transfer_the_leader_waits_for_a_report_that_is_made_late_enough(minutes: int, waits: int) -> None:
    """Its brokers report at once, which is too early, and under constant load not again before a report is old."""
    skipped = list[str]()
    conf = {
        "loadBalancerSheddingConditionHitCountThreshold": 0,
        "loadBalancerReportUpdateMaxIntervalMinutes": minutes,
    }
    look: Look = lambda cycle, leader: skipped.append(str(leader.before.skipped))  # noqa: E731
    simulate(generated("hot-bundle", Sizes(4, 20, 20)), "transfer", "4.0.6", conf, 1, look)
    assert skipped[: waits + 2] == ["None", *["CoolDown"] * waits, "HitCount"]


def test_unknown_trace_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(Misuse, match="no such trace: tidal; a CSV file, or one of constant, step"):
        generated("tidal", SMALL)


def test_folder_hides_no_trace_and_parquet_goes_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("constant").mkdir()
    asked = ("simulate", "constant", "--shedder", "threshold", "--brokers", 3, "--bundles", 6, "--cycles", 3)
    assert oneowner(*asked).code == 0
    refused(oneowner(*asked, "--parquet", "-"), "Parquet goes to a file")
    for option in ("--parquet", "--json", "--html"):
        refused(oneowner(*asked, option, "none/x"), "none/x: cannot be written: No such file or directory")
    assert [path.name for path in tmp_path.iterdir()] == ["constant"]


def test_command_line_prints_a_table_and_saves_a_snapshot_that_decides(tmp_path: Path) -> None:
    sizes = ["--brokers", "4", "--bundles", "20", "--cycles", "6", "--snapshot", "1", "--save", str(tmp_path)]
    outcome = oneowner("simulate", "hot-bundle", "--shedder", "threshold", *sizes, "--json", str(tmp_path / "run.json"))
    assert outcome.code == 0
    assert "shedder" in outcome.out
    written = json.loads((tmp_path / "run.json").read_text())
    VALIDATOR.validate(written)
    assert written["verdict"] == "valid"
    assert len(written["runs"][0]["cycles"]) == 6
    for name in ("one", "other"):
        oneowner("simulate", "step", "--shedder", "avg", "--cycles", "5", "--parquet", str(tmp_path / name))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert oneowner("decide", str(tmp_path / "threshold-1.yaml"), "--shedder", "threshold").code == 0


def test_usages_of_a_run_are_those_of_its_points_and_a_lost_broker_has_none() -> None:
    run = simulate(generated("broker-lost", SMALL), "uniform", "4.0.6", {}, 1)
    for point, usages in zip(run.points, run.usages, strict=True):
        there = [one for one in usages if one is not None]
        assert (max(there), min(there)) == (point.most, point.least)
    assert [usages.count(None) for usages in run.usages] == [0] * 3 + [1] * 7


def test_every_shedder_has_a_leader() -> None:
    assert LEADERS.keys() == RELEASES.keys() == {*SHEDDERS, "transfer"}


@pytest.mark.parametrize(("trace", "strategy"), [("hot-bundle", "`threshold`, uneven"), ("broker-lost", "`transfer`")])
def test_table_in_the_document_is_what_is_computed(trace: str, strategy: str) -> None:
    head, *rows = HERE.findall(PAGE.read_text(encoding="utf-8"))[0].split("\n")[1:]
    place = head.removesuffix(" |").split(" | ").index(strategy)
    (row,) = (row for row in rows if row.startswith(f"| `{trace}` |"))
    assert row.removesuffix(" |").split(" | ")[place] == cell(trace, strategy)
