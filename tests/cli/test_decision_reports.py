"""Public reports of decisions: the right answer to each, by the data that its author posted or described."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import oneowner

MB = 1e6


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    return written(path, "".join(f"{json.dumps(row)}\n" for row in rows))


# ---- pulsar#15419, #15795: isolation policies whose patterns have a port ----

WITH_PORTS = """brokers:
  - {id: "broker-05.example.org:8080", cpu: [10, 100]}
  - {id: "broker-06.example.org:8080", cpu: [10, 100]}
  - {id: "broker-07.example.org:8080", cpu: [10, 100]}
policies:
  ly:
    namespaces: ["t1/ns1"]
    primary: ["broker-05.example.org:8080"]
    secondary: ["broker-06.example.org:8080"]
    auto_failover_policy: {policy_type: min_available, parameters: {min_limit: "1", usage_threshold: "80"}}
"""


@pytest.mark.parametrize("release", ["2.9.2", "3.0.0", "4.0.6", "5.0.1"])
def test_policies_with_ports_leave_nobody_in_any_release(release: str, tmp_path: Path) -> None:
    bundle = "t1/ns1/0x00000000_0x40000000"
    place = written(tmp_path / "place.yaml", WITH_PORTS)
    found = oneowner("decide", place, "--shedder", "threshold", "--place", bundle, "--release", release)
    assert found.code == 0
    assert found.out.endswith(f"{bundle} goes to nobody\n")
    assert "isolation policies leave nobody" in found.out
    assert ("is not known; it is judged by the placement rules of" in found.out) == (release != "4.0.6")


# ---- pulsar#16145: ThresholdShedder plans 0 B/s for a broker at 1300 % ----

DECAYED = {
    "shortTermMsgThroughputIn": 3.84e-20, "shortTermMsgThroughputOut": 1.52e-23, "shortTermMsgRateIn": 8.36e-23,
    "shortTermMsgRateOut": 2.9e-26, "longTermMsgThroughputIn": 2.516e7, "longTermMsgThroughputOut": 75116.58,
    "longTermMsgRateIn": 54734.34, "longTermMsgRateOut": 34.42,
}  # fmt: skip


def test_averages_alone_show_a_broker_that_has_reported_nothing_for_long(tmp_path: Path) -> None:
    folder = tmp_path / "broker-time-average"
    written(folder / "10.0.0.1:8080.json", json.dumps(DECAYED))
    busy = {**DECAYED, "shortTermMsgThroughputIn": 1.9556e7, "longTermMsgThroughputIn": 1.4583e7}
    written(folder / "10.0.0.2:8080.json", json.dumps(busy))
    found = oneowner("decide", folder, "--shedder", "threshold", "--release", "2.9.1")
    assert "10.0.0.1:8080 has reported 0 B/s and 0 messages in some 592 reports in a row" in found.out
    assert "#23125" in found.out
    assert "10.0.0.2" not in found.out


# ---- pulsar#21174: UniformLoadShedder never gets even ----

UNEVEN = {"b1": (8e6, 100), "b2": (1e6, 2000), "b3": (1.2e6, 700)}
BY_BYTES = ("loadBalancerMsgThroughputMultiplierDifferenceShedderThreshold=1.1",
            "loadBalancerMsgRateDifferenceShedderThreshold=0")  # fmt: skip
MODULAR = "org.apache.pulsar.broker.loadbalance.impl"


def uneven(tmp_path: Path) -> Path:
    rows = [
        f"0,t1/ns1/{broker}-{number},{amount},{messages},{broker}"
        for broker, (amount, messages) in UNEVEN.items()
        for number in range(12)
    ]
    return written(tmp_path / "loads.csv", "\n".join(["cycle,bundle,bytes,messages,broker", *rows]))


def simulated(loads: Path, release: str) -> str:
    conf = [part for one in BY_BYTES for part in ("--conf", one)]
    found = oneowner("simulate", loads, "--capacity", "2e8", "--shedder", "uniform", "--release", release, *conf)
    assert found.code == 0
    return found.out


@pytest.mark.parametrize("release", ["3.3.6", "4.0.6"])
def test_moves_by_bytes_are_called_off_by_a_placement_by_messages(release: str, tmp_path: Path) -> None:
    out = simulated(uneven(tmp_path), release)
    assert out.splitlines()[2].split()[:3] == ["uniform", "0", "200"]
    assert "200 because: the placement gives it back to the broker that it would leave" in out
    assert "(LeastLongTermMessageRate)" in out


def test_2_10_5_compares_a_broker_with_itself(tmp_path: Path) -> None:
    out = simulated(uneven(tmp_path), "2.10.5")
    assert "uniform: 100 of 100 cycles named none, 100 because: nothing is unloaded: rates differ by 0 %" in out
    assert "is compared with itself (#21016)" in out


@pytest.mark.parametrize(("release", "cause"), [("2.10.5", "#21016"), ("3.2.0", "#21174"), ("4.2.5", "#21174")])
def test_lint_names_a_shedder_and_a_placement_that_measure_differently(
    release: str, cause: str, tmp_path: Path
) -> None:
    conf = [f"loadManagerClassName={MODULAR}.ModularLoadManagerImpl",
            f"loadBalancerLoadSheddingStrategy={MODULAR}.UniformLoadShedder", *BY_BYTES]  # fmt: skip
    found = oneowner("lint", written(tmp_path / "broker.conf", "\n".join(conf)), "--release", release)
    assert found.code == 1
    assert "shedder-and-placement-measure-alike" in found.out
    assert cause in found.out


def test_lint_spares_a_shedder_that_compares_messages(tmp_path: Path) -> None:
    conf = written(tmp_path / "broker.conf", f"loadBalancerLoadSheddingStrategy={MODULAR}.UniformLoadShedder\n")
    found = oneowner("lint", conf, "--release", "4.0.6")
    assert (found.code, "measure-alike" in found.out) == (0, False)


# ---- pulsar#12160: a restarted broker stays empty ----

EMPTY = """brokers:
  - {id: b1, cpu: [35, 100], memory: [60, 100], msgThroughputIn: 9000000, bundles: [t1/ns1/a, t1/ns1/b]}
  - {id: b3, cpu: [36, 100], memory: [61, 100], msgThroughputIn: 9000000, bundles: [t1/ns1/e, t1/ns1/f]}
  - {id: b4, cpu: [2, 100], memory: [8, 100], bundles: []}
bundles:
  - {name: t1/ns1/e, shortTerm: {msgThroughputIn: 4500000, msgRateIn: 450}}
"""


def test_overload_shedder_of_2_6_leaves_a_broker_empty(tmp_path: Path) -> None:
    loads = written(tmp_path / "loads.yaml", EMPTY)
    found = oneowner("decide", loads, "--shedder", "overload", "--release", "2.6.1", "--what-if")
    assert found.code == 0
    assert found.out.startswith("release 2.6.1 is not known; it is judged by the overload rules of 2.9.1, the oldest")
    assert (
        "b3 stays as it is: 61.0 % of a resource used, below loadBalancerBrokerOverloadedThresholdPercentage 85 %"
        in found.out
    )
    assert "loadBalancerBrokerOverloadedThresholdPercentage 85 -> 61" in found.out


def test_lint_judges_2_6(tmp_path: Path) -> None:
    conf = written(tmp_path / "broker.conf", f"loadManagerClassName={MODULAR}.ModularLoadManagerImpl\n")
    found = oneowner("lint", conf, "--release", "2.6.1")
    assert found.code == 0
    assert found.out.startswith("release 2.6.1 is not known; it is judged by the settings rules of ")


# ---- pulsar#15313: the average usage is 0 ----


@pytest.mark.parametrize("release", ["2.9.1", "2.8.1", "2.10.5"])
def test_threshold_shedder_has_settled_averages_unless_the_snapshot_says_otherwise(
    release: str, tmp_path: Path
) -> None:
    text = """brokers:
  - {id: a, cpu: [3.15, 100], memory: [609.6, 1228], bundles: [t1/ns1/x]}
  - {id: b, cpu: [72, 100], memory: [1100, 1228], msgThroughputIn: 10000000, bundles: [t1/ns1/y, t1/ns1/z]}
"""
    loads = written(tmp_path / "loads.yaml", text)
    found = oneowner("decide", loads, "--shedder", "threshold", "--release", release)
    assert (
        "a stays as it is: 49.6 % used; average 69.6 % + loadBalancerBrokerThresholdShedderPercentage 10 %" in found.out
    )
    first = oneowner(
        "decide", written(loads, f"settled: false\n{text}"), "--shedder", "threshold", "--release", release
    )
    begins_at_0 = release != "2.10.5"
    assert ("b stays as it is: 9.0 % used; average 7.0 % + " in first.out) == begins_at_0
    assert ("first cycle after a leader's start" in first.out) == begins_at_0


# ---- pulsar#16059: 400 unloads in 10 hours ----


def test_simulation_names_the_filter_by_the_number_of_bundles(tmp_path: Path) -> None:
    heavy = [f"0,t1/ns1/{number:02},{30e6},3000,b{1 + number // 4}" for number in range(8)]
    light = [f"0,t1/ns1/{number:02},{4e6},300,b{3 + number // 20}" for number in range(8, 28)]
    loads = written(tmp_path / "loads.csv", "\n".join(["cycle,bundle,bytes,messages,broker", *heavy, *light]))
    found = oneowner("simulate", loads, "--capacity", "1.5e8", "--shedder", "threshold", "--release", "3.0.7")
    assert "(loadBalancerDistributeBundlesEvenlyEnabled" in found.out


def test_lint_reminds_of_it(tmp_path: Path) -> None:
    conf = f"loadBalancerLoadSheddingStrategy={MODULAR}.ThresholdShedder\n"
    before, after = (
        oneowner("lint", written(tmp_path / "broker.conf", conf), "--release", one) for one in ("2.9.1", "4.0.6")
    )
    assert before.code == after.code == 0
    assert "(#16059); no setting of this release ends it" in before.out
    assert "loadBalancerDistributeBundlesEvenlyEnabled=false ends it" in after.out


# ---- pulsar#16563: the second bundle of a namespace of an anti-affinity group ----


def test_second_bundle_may_go_to_any_broker_of_its_group(tmp_path: Path) -> None:
    owned = [
        {"bundle": f"t1/ns-{n}/0x00000000_0x80000000", "broker": f"broker-{n}", "state": "Owned"} for n in range(3)
    ]
    row = {
        "id": 1, "algorithm": "anti_affinity", "groups": {f"t1/ns-{n}": "a" for n in range(3)}, "owned": owned,
        "candidates": [f"broker-{n}" for n in range(3)], "bundle": "t1/ns-2/0x80000000_0xffffffff",
    }  # fmt: skip
    by_broker = {**row, "id": 2, "owned": {"broker-0": ["t1/ns-0/0x00000000_0x80000000"]}}
    found = oneowner("decide", "--batch", lines(tmp_path / "rows.jsonl", row, by_broker), "--release", "2.10.5")
    assert json.loads(found.out)["modular"] == ["broker-0", "broker-1", "broker-2"]
    assert found.code == 2
    assert "rows.jsonl:2: no input of anti_affinity: owned refused: " in found.err
    assert found.err.endswith("; it is a list\n")


# ---- Kafka Streams ----

TWO_PARTS = {"s0": {"partitions": 4, "stateful": False}, "s1": {"partitions": 4, "stateful": True}}
TWO_MEMBERS = [{"id": "m1", "process": "p1"}, {"id": "m2", "process": "p2"}]


def test_stateful_tasks_on_one_member_are_known(tmp_path: Path) -> None:
    """KAFKA-21060."""
    file = lines(tmp_path / "g.jsonl", {"id": 1, "kind": "sticky", "members": TWO_MEMBERS, "subtopologies": TWO_PARTS})
    found = oneowner("assign", "--batch", file, "--release", "4.1.0", "--table")
    assert json.loads(found.out)["members"]["m1"]["active"] == {"s0": [0], "s1": [0, 2, 3]}
    assert found.err.splitlines() == [
        "member  active  s0     s1     tasks",
        "m1      4       0      0,2,3  4",
        "m2      4       1,2,3  1      4",
        "id 1: m1 has 3 stateful tasks and m2 1: the assignor counts tasks, with or without state (KAFKA-21060)",
    ]


def test_offsets_of_members_are_not_read(tmp_path: Path) -> None:
    """KAFKA-20719."""
    member = {"id": "n1", "process": "p1", "offsets": {"s1": {"1": 900}}}
    group = {"id": 2, "kind": "sticky", "members": [member], "subtopologies": {"s1": TWO_PARTS["s1"]}}
    found = oneowner("assign", "--batch", lines(tmp_path / "g.jsonl", group))
    assert found.code == 0
    assert found.err.startswith("id 2: offsets of members are not read in 4.1.1 (KAFKA-20719): ")


CLIENTS = [{"id": 1, "lags": {"0_0": 5_000_000}, "previous_active": ["1_0"]},
           {"id": 2, "lags": {"0_0": 100}, "previous_active": ["1_1"]}]  # fmt: skip
LATE = "2 was given 0_0 and reports a lag of 5000000, more than 10000: as if it had no state of it (KAFKA-10651"


def test_task_to_and_fro_is_known_by_reported_lags(tmp_path: Path) -> None:
    """KAFKA-10651, once as a series, and once as two lines."""
    group = {"stateful": ["0_0"], "stateless": ["1_0", "1_1"], "config": {"acceptable.recovery.lag": 10_000}}
    told = {"lags": {"1": {"0_0": 100}, "2": {"0_0": 5_000_000}}}
    series = {"id": 1, "kind": "series", **group, "clients": CLIENTS, "end": 5_000_000, "budget": 1, "rounds": [told]}
    found = oneowner("assign", "--batch", lines(tmp_path / "s.jsonl", series), "--release", "2.6.0", "--table")
    rounds = json.loads(found.out)["rounds"]
    assert [one["clients"]["2"]["active"] == ["0_0"] for one in rounds] == [True, False]
    assert LATE in found.err
    assert "moves: 0_0 from 2 to 1" in found.err
    given = [{**CLIENTS[0], "lags": {"0_0": 100}}, {"id": 2, "lags": {"0_0": 5_000_000}, "previous_active": ["0_0"]}]
    again = oneowner("assign", "--batch", lines(tmp_path / "r.jsonl", {"id": 2, **group, "clients": given}))
    assert LATE in again.err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"foo": 1}, "foo; there are: id, kind"),
        (
            {"config": {"max.warmup.replica": 0}},
            "config.max.warmup.replica; did you mean max.warmup.replicas?",
        ),
        (
            {"clients": [{"id": 1, "previousActive": []}]},
            "clients[0].previousActive; did you mean previous_active?",
        ),
        ({"statefull": []}, "statefull; did you mean stateful?"),
    ],
)
def test_key_that_is_not_read_is_refused(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    good = {"id": 1, "stateful": ["0_0"], "clients": CLIENTS}
    found = oneowner("assign", "--batch", lines(tmp_path / "rows.jsonl", good, {**good, **change}))
    assert (found.code, len(found.out.splitlines())) == (2, 1)
    assert f"rows.jsonl:2: no input of assignors: no such key: {words}" in found.err


@pytest.mark.parametrize("release", ["4.1.0", "4.1.1", "4.2.2", "4.3.1", "4.4.0"])
def test_assignors_of_the_client_are_equal_since_4_1(release: str, tmp_path: Path) -> None:
    file = lines(tmp_path / "rows.jsonl", {"id": 1, "stateful": ["0_0"], "clients": CLIENTS})
    found = oneowner("assign", "--batch", file, "--release", release)
    assert (found.code, found.err) == (0, "")


def test_top_bundles_that_are_missing_leave_a_decision_unknown(tmp_path: Path) -> None:
    text = """brokers:
  - {id: b1, load: 0.05, throughput_in: 1000}
  - {id: b2, load: 0.9, throughput_in: 9000000, throughput_ema: 9000000}
"""
    found = oneowner("decide", written(tmp_path / "loads.yaml", text))
    assert found.code == 3
    assert "cannot tell what moves: top bundles of b1, b2 were not handed over" in found.out
    told = written(tmp_path / "told.yaml", f"{text}top_bundles: {{b2: []}}\n")
    assert oneowner("decide", told).out.endswith("nothing moves: NoLoadData\n")


def test_handwritten_snapshot_is_read_beside_the_settings_of_its_folder(tmp_path: Path) -> None:
    """pulsar#12160, as a folder."""
    written(tmp_path / "loads.yaml", EMPTY)
    written(tmp_path / "broker.conf", "loadBalancerBrokerOverloadedThresholdPercentage=60\n")
    found = oneowner("decide", tmp_path, "--shedder", "overload", "--release", "2.6.1")
    assert "unload t1/ns1/e from b3" in found.out
    assert "left out" not in found.out
    usual = oneowner("decide", tmp_path)
    assert usual.code == oneowner("decide", tmp_path / "loads.yaml").code == 0
    assert "asked is the shedder threshold; --shedder names another" in usual.out


@pytest.mark.parametrize(("release", "managers"), [("2.10.5", ["modular"]), ("4.0.6", ["modular", "extensible"])])
def test_own_namespace_that_hides_a_broker_is_known(release: str, managers: list[str], tmp_path: Path) -> None:
    owned = [{"bundle": f"t1/ns-{n}/0x00000000_0x80000000", "broker": f"b{n}", "state": "Owned"} for n in range(3)]
    row = {
        "id": 1, "algorithm": "anti_affinity", "groups": {f"t1/ns-{n}": "a" for n in range(3)}, "owned": owned,
        "candidates": ["b0", "b1", "b2"], "bundle": "t1/ns-2/0x80000000_0xffffffff",
    }  # fmt: skip
    alone = {**row, "owned": owned[:2]}
    found = oneowner("decide", "--batch", lines(tmp_path / "rows.jsonl", row, alone), "--release", release)
    assert found.err.splitlines() == [
        f"id 1: the {manager} manager keeps b0, b1, b2, as it counts bundles of t1/ns-2 itself;"
        " without these its group leaves b2 (#16563)"
        for manager in managers
    ]
