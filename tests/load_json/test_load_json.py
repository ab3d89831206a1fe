"""Pulsar's own JSON is read as the classes wrote it (tests/vectors/load-json); impossible values are refused."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.inputs.pulsar_json import kind_of
from oneowner.checkers.load_json.load_snapshot import snapshot_of
from oneowner.checkers.load_json.pulsar_values import KEYS, unknown_keys
from oneowner.checkers.load_json.snapshot_files import Named, values_of
from oneowner.model.java.concurrent_hash_map import listed
from tests.command_line import oneowner
from tests.packed_vectors import rows_of

RELEASES = ("3.0.7", "4.0.6")
TRAFFIC = ("msgThroughputIn", "msgThroughputOut", "msgRateIn", "msgRateOut")


@cache
def vectors(release: str, algorithm: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return snapshots, and the JSON of a release's classes for each."""
    rows = rows_of(f"load-json/{release}")
    return [(one["input"]["cycles"][0], one["answer"]) for one in rows if one["input"]["algorithm"] == algorithm]


def values(answer: dict[str, Any], but: tuple[str, ...] = ()) -> list[Named]:
    """Return the classes' JSON, as if it had been read from files."""
    found = []
    for folder in answer.keys() - {"order", *but}:
        for name, value in answer[folder].items():
            kind = kind_of(value)
            assert kind is not None
            found.append(Named(kind, name, value, f"{folder}/{name}:1"))
    return found


@pytest.mark.parametrize("release", RELEASES)
def test_loads_of_the_extensible_manager_are_read_as_its_classes_wrote_them(release: str) -> None:
    rows = vectors(release, "transfer")
    assert len(rows) == 15
    for told, answer in rows:
        row = snapshot_of(values(answer), None).row
        assert [broker["id"] for broker in row["brokers"]] == answer["order"]
        newest = min(broker.get("age_s", 0) for broker in told["brokers"])
        assert newest >= 0
        assert {broker["id"]: broker for broker in row["brokers"]} == {
            broker["id"]: {
                "throughput_in": 0.0,
                "throughput_out": 0.0,
                "throughput_ema": 0.0,
                "age_s": 0.0,
                "available": True,
                **broker,
            }
            for broker in told["brokers"]
        }
        assert row["top_bundles"] == told["top_bundles"]


@pytest.mark.parametrize("release", RELEASES)
def test_loads_of_the_modular_manager_are_read_as_its_classes_wrote_them(release: str) -> None:
    rows = vectors(release, "threshold")
    assert len(rows) == 15
    for told, answer in rows:
        row = snapshot_of(values(answer), None).row
        assert [broker["id"] for broker in row["brokers"]] == list(answer["brokers"])
        assert listed(bundle["name"] for bundle in told["bundles"]) == list(answer["bundle-data"])
        assert [bundle["name"] for bundle in row["bundles"]] == listed(answer["bundle-data"])
        brokers, bundles = (
            {one[key]: one for one in row[part]} for part, key in (("brokers", "id"), ("bundles", "name"))
        )
        for broker in told["brokers"]:
            read = brokers[broker["id"]]
            assert set(read["bundles"]) == set(broker["bundles"])
            assert read["cpu"] == broker.get("cpu", [0, 0])
            assert read["bandwidthOut"] == broker.get("bandwidthOut", [0, 0])
            assert {key: read[key] for key in TRAFFIC} == {key: broker.get(key, 0) for key in TRAFFIC}
            assert read["timeAverage"]["longTermMsgRateIn"] == broker.get("msgRateIn", 0)
        for bundle in told["bundles"]:
            short = bundle.get("shortTerm", {})
            assert bundles[bundle["name"]]["shortTerm"] == {key: short.get(key, 0) for key in TRAFFIC}


@pytest.mark.parametrize("release", RELEASES)
def test_every_key_that_the_classes_write_is_known(release: str) -> None:
    seen: set[str] = set()
    for algorithm in ("transfer", "threshold"):
        for _, answer in vectors(release, algorithm):
            for one in values(answer, but=("metrics",)):
                assert list(unknown_keys(one.kind, one.value)) == []
                seen |= {f"{one.kind}.{key}" for key in one.value}
    never = {
        f"{kind}.{key}" for kind in ("BrokerLoadData", "BundleData", "TimeAverageBrokerData") for key in KEYS[kind]
    }
    assert never - seen == set()


def test_averages_of_bundles_that_are_not_told_are_those_of_the_last_report() -> None:
    _, answer = vectors("4.0.6", "threshold")[0]
    found = snapshot_of(values(answer, but=("bundle-data",)), None)
    stats = {name: one for report in answer["brokers"].values() for name, one in report["lastStats"].items()}
    assert {one["name"]: one["longTerm"] for one in found.row["bundles"]} == {
        name: {key: one[key] for key in TRAFFIC} for name, one in stats.items()
    }
    assert any("assumed: those of the last report" in remark for remark in found.remarks)


LOAD = {
    "cpu": {"usage": 90.0, "limit": 100.0},
    "msgThroughputIn": 9e6,
    "msgThroughputOut": 0.0,
    "msgThroughputEMA": 9e6,
    "weightedMaxEMA": 0.9,
    "updatedAt": 1_000_000,
    "reportedAt": 1_000_000,
}
TOP_BUNDLES = {
    "topBundlesLoadData": [
        {"bundleName": f"t/n/0x{n}0000000_0x{n + 4}0000000", "stats": {"msgThroughputIn": 4e6}} for n in (0, 4)
    ]
}
IDLE = {**LOAD, "weightedMaxEMA": 0.05, "msgThroughputIn": 1.0, "msgThroughputEMA": 1.0, "updatedAt": 880_000}


def folder_of(folder: Path, files: dict[str, Any]) -> Path:
    """Write a folder of files: lines of a list of values, else one value, or a text as it is."""
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = isinstance(value, list) and name.endswith(".jsonl")
        path.write_text(
            value
            if isinstance(value, str)
            else "\n".join(map(json.dumps, value))
            if lines
            else json.dumps(value, indent=1)
        )
    return folder


def message(key: str, value: Any) -> dict[str, Any]:
    return {"messageId": "1:0", "publishTime": 1_000_000, "key": key, "value": value}


def test_topics_of_load_data_tell_what_moves(tmp_path: Path) -> None:
    loads = [
        message("b1:8080", LOAD),
        message("b2:8080", {**IDLE, "weightedMaxEMA": 2.0}),
        message("b3:8080", LOAD),
        message("b2:8080", json.dumps(IDLE)),
        message("b3:8080", None),
    ]
    files = {"broker-load-data.jsonl": loads, "top-bundles.jsonl": [message("b1:8080", TOP_BUNDLES)]}
    outcome = oneowner("decide", str(folder_of(tmp_path, files)))
    assert outcome.code == 0
    assert "read: 2 BrokerLoadData, 1 TopBundlesLoadData; the shedder is transfer" in outcome.out
    assert "configuration is missing; assumed: the release's defaults" in outcome.out
    assert "ages of reports are counted from the newest, 1970-01-01T00:16:40" in outcome.out
    assert "move t/n/0x00000000_0x40000000 from b1:8080 to b2:8080: Overloaded" in outcome.out


def test_configuration_of_a_broker_is_read_and_names_the_shedder(tmp_path: Path) -> None:
    conf = {
        "loadBalancerEnabled": "true",
        "loadBalancerLoadSheddingStrategy": "a.b.TransferShedder",
        "loadBalancerTransferEnabled": "false",
    }
    files = {"loads/b1.json": LOAD, "loads/b2.json": IDLE, "runtime.json": conf, "top/b1.json": TOP_BUNDLES}
    outcome = oneowner("decide", str(folder_of(tmp_path, files)))
    assert "the shedder is transfer" in outcome.out
    assert "configuration is missing" not in outcome.out
    assert "from b1 to a broker chosen by a lookup" in outcome.out


def test_history_of_zookeeper_tells_the_nodes_as_they_are_last(tmp_path: Path) -> None:
    stats = {"msgThroughputIn": 5.0}
    report = {
        "webServiceUrl": "http://b1:8080",
        "lastStats": {"t/n/a": stats},
        "bundles": ["t/n/a"],
        "cpu": {"usage": "NaN"},
    }
    average = {"shortTermData": stats, "longTermData": stats}
    writes = [
        ("create", "/loadbalance/brokers/b1:8080", report),
        ("create", "/loadbalance/brokers/b2:8080", report),
        ("create", "/loadbalance/leader", {"serviceUrl": "b1"}),
        ("delete", "/loadbalance/brokers/b2:8080", None),
        ("create", "/loadbalance/bundle-data/t/n/a", average),
        ("error", None, None),
    ]
    lines = [
        {"zxid": n, "op": op, "path": path, "data": data and json.dumps(data)}
        for n, (op, path, data) in enumerate(writes)
    ]
    found = snapshot_of(values_of(folder_of(tmp_path, {"zookeeper.jsonl": lines})), None)
    assert [broker["id"] for broker in found.row["brokers"]] == ["b1:8080"]
    assert found.row["brokers"][0]["cpu"][0] != found.row["brokers"][0]["cpu"][0]
    assert found.row["bundles"] == [
        {"name": "t/n/a", **{term: {**dict.fromkeys(TRAFFIC, 0.0), **stats} for term in ("shortTerm", "longTerm")}}
    ]


def test_metrics_tell_loads_of_either_manager(tmp_path: Path) -> None:
    metrics = next(iter(vectors("4.0.6", "transfer")[0][1]["metrics"].values()))
    found = snapshot_of(values_of(folder_of(tmp_path, {"metrics.json": metrics})), None)
    load = next(
        one["metrics"]["brk_lb_resource_usage"] for one in metrics if one["dimensions"].get("feature") == "max_ema"
    )
    assert found.row["brokers"] == [{"id": metrics[0]["dimensions"]["broker"], "load": load}]
    assert any("metrics have only loads" in remark for remark in found.remarks)
    of_modular = snapshot_of(values_of(tmp_path), "threshold").row["brokers"]
    assert [broker["cpu"] for broker in of_modular] == [[0.0, 100.0]]


def test_what_pulsar_client_prints_is_read(tmp_path: Path) -> None:
    fields = "publishTime:[7], eventTime:[0], key:[b1], properties:[], content:"
    text = f"----- got message -----\n{fields}{json.dumps(LOAD)}\n"
    (one,) = values_of(folder_of(tmp_path, {"loads.txt": text}))
    assert (one.name, one.value, one.published) == ("b1", LOAD, 7)


def test_yaml_names_files_and_says_what_they_do_not_tell(tmp_path: Path) -> None:
    yaml = "files: [loads, top]\nconf: {loadBalancerTransferEnabled: false}\nbrokers: [{id: b2, load: 0.01}]\n"
    folder = folder_of(
        tmp_path, {"loads/b1.json": LOAD, "loads/b2.json": IDLE, "top/b1.json": TOP_BUNDLES, "s.yaml": yaml}
    )
    outcome = oneowner("decide", str(folder / "s.yaml"))
    assert "loads: average 45.5 %" in outcome.out
    assert "move t/n/0x00000000_0x40000000 from b1 to a broker chosen by a lookup" in outcome.out


def test_keys_that_nobody_knows_are_counted_and_named(tmp_path: Path) -> None:
    heat = {**LOAD, "heat": 1, "cpu": {"usage": 1.0, "limit": 2.0, "heat": 3}}
    outcome = oneowner("decide", str(folder_of(tmp_path, {"b1.json": heat, "b2.json": {**IDLE, "heat": 2}})))
    assert (
        "3 values under keys that 4.0.6 does not have are not read: BrokerLoadData.heat, ResourceUsage.heat"
        in outcome.out
    )


@pytest.mark.parametrize(
    "files",
    [
        {"load-report.json": {"reason": "\n --- An unexpected error occurred in the server ---"}},
        {"brokers/b1:8080.json": {"webServiceUrl": "http://b1:8080", "loadManagerClassName": "x"}},
        {"channel.jsonl": [message("t/n/0x00000000_0xffffffff", {"state": "Owned", "versionId": 1})]},
        {"b1.json": {"webServiceUrl": "http://b1:8080", "lastStats": {}}},
    ],
)
def test_json_that_tells_no_load_is_unknown(tmp_path: Path, files: dict[str, Any]) -> None:
    outcome = oneowner("decide", str(folder_of(tmp_path, files)), "--shedder", "transfer")
    assert outcome.code == 3
    assert "no broker has a load for transfer; no decision is possible; collect loads: " in outcome.out


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"b1.json": '{"weightedMaxEMA": 0.5,\n "updatedAt": }'}, "b1.json:2: not JSON: a value is missing"),
        (
            {"b1.json": '{"weightedMaxEMA": 1,\n "weightedMaxEMA": 2}'},
            "b1.json:1: not JSON: the key weightedMaxEMA occurs",
        ),
        ({"b1.json": {**LOAD, "weightedMaxEMA": "high"}}, "b1.json:1: weightedMaxEMA refused: high; it is a number"),
        ({"b1.json": {**LOAD, "weightedMaxEMA": True}}, "b1.json:1: weightedMaxEMA refused: true; it is a number"),
        (
            {"b1.json": {**TOP_BUNDLES, "topBundlesLoadData": [3]}, "b2.json": LOAD},
            "topBundlesLoadData.0 refused: 3; it is an object",
        ),
        (
            {"l.jsonl": [message("b1", LOAD), message("b2", "{")]},
            "l.jsonl:2: not JSON: a key in double quotes is missing",
        ),
        ({"l.jsonl": [LOAD, LOAD]}, "l.jsonl:2: refused: a second value, without a name"),
        ({"l.jsonl": [{**message("b1", LOAD), "publishTime": "x"}]}, "l.jsonl:1: publishTime refused: x"),
        (
            {"a/b1.json": LOAD, "c/b1.json": LOAD},
            "b1.json:1: a second BrokerLoadData of b1 refused; the first stands at",
        ),
        ({"b1.json": {"topics": {}}}, "b1.json:1: no load data of Pulsar: keys topics; there are: LocalBrokerData"),
        ({"b1.json": {"lastStats": {}}}, "b1.json:1: webServiceUrl refused: nothing; it is the address"),
        ({"b1.json": ""}, "b1.json:1: empty"),
    ],
)
def test_what_is_no_load_data_is_refused_by_file_line_and_key(tmp_path: Path, files: dict[str, Any], why: str) -> None:
    outcome = oneowner("decide", str(folder_of(tmp_path, files)))
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {tmp_path}")
    assert why in outcome.err
    assert len(outcome.err.splitlines()) == 1
