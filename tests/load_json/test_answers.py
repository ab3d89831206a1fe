"""Answers of pulsar-admin are explained as they are printed, together with other files; the rest is named."""

import json
from pathlib import Path

import pytest

from oneowner.checkers.inputs.kinds import METRICS
from oneowner.checkers.load_json.average_facts import zeros
from oneowner.checkers.load_json.isolation_facts import mismatch
from oneowner.checkers.load_json.printed_answers import value_of
from oneowner.checkers.places import TOP
from tests.command_line import oneowner, refused
from tests.inputs.texts import TEXTS
from tests.load_json.test_load_json import IDLE, LOAD, TOP_BUNDLES, folder_of

BROKERS = ["b1.example.org:8080", "b2.example.org:8080", "b3.example.org:8080"]
CONF = "defaultNumberOfNamespaceBundles=4\nloadBalancerNamespaceBundleMaxTopics=1000\n"
LOG = "2022-06-17 18:50:20.324 [t] INFO  o.a.p.broker.loadbalance.impl.ThresholdShedder - [b] x\n"


LISTED = (
    '"mine    NamespaceIsolationDataImpl(namespaces=[t/n], primary=[b1.example.org:8080], secondary='
    "[b2.example.org:8080], autoFailoverPolicy=AutoFailoverPolicyDataImpl(policyType=min_available, parameters="
    '{min_limit=1, usage_threshold=80}))"\n'
)


def policy(*primary: str, secondary: tuple[str, ...] = (), least: object = "1") -> dict[str, object]:
    parameters = {"min_limit": least, "usage_threshold": "80"}
    failover = {"policy_type": "min_available", "parameters": parameters}
    return {
        "namespaces": ["t/n"],
        "primary": list(primary),
        "secondary": list(secondary),
        "auto_failover_policy": failover,
    }


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("b1.example.org:8080", "without the port (#15795); write b1.example.org"),
        (r"b\d.example.org:\d+", r"without the port (#15795); write b\d.example.org"),
        ("http://b1.example.org:8080", "without scheme and port; write b1.example.org"),
        ("b*.example.org", "a pattern is a regular expression, not a glob; write b.*.example.org"),
        ("B1.EXAMPLE.ORG", "capital letters differ; write (?i)B1.EXAMPLE.ORG"),
        ("b1", r"a pattern must match the whole host; write b1\..*"),
        ("example", "a pattern must match the whole host; write .*example.*"),
        ("b9.example.org:8080", "without the port (#15795), and no host has this name"),
        ("b9", "hosts are b1.example.org, b2.example.org, b3.example.org"),
    ],
)
def test_pattern_that_matches_no_broker_has_a_reason(pattern: str, why: str) -> None:
    assert why in mismatch(pattern, BROKERS)


def test_policy_with_a_port_leaves_nobody_in_every_form_of_its_answers(tmp_path: Path) -> None:
    wrong = policy("b1.example.org:8080", secondary=("b2.example.org:8080",))
    for brokers in (json.dumps(BROKERS), "".join(f'"{one}"\n' for one in BROKERS), "\n".join(BROKERS)):
        for told in (json.dumps(wrong, indent=2), json.dumps({"mine": wrong}), LISTED):
            files = {"policy.json": told, "brokers.txt": brokers, "lookup.txt": "HTTP 503 Service Unavailable\n"}
            outcome = oneowner("decide", folder_of(tmp_path, files))
            assert outcome.code == 0
            assert "primary b1.example.org:8080 matches no broker: a pattern is matched against the host" in outcome.out
            assert "a bundle of t/n may go to no broker\n" in outcome.out
            assert "lookup.txt: an error of Pulsar's administration: oneowner bugs --like\n" in outcome.out
            assert "missing; assumed" not in outcome.out
    placed = oneowner("decide", tmp_path, "--place", "t/n/0x00000000_0x40000000")
    assert placed.out.endswith("t/n/0x00000000_0x40000000 goes to nobody\n")


def test_policy_that_matches_names_the_brokers_of_its_namespaces_and_of_others(tmp_path: Path) -> None:
    right = policy("b1.*", secondary=("b2.*",), least=2)
    outcome = oneowner("decide", folder_of(tmp_path, {"policy.json": right, "brokers.json": BROKERS}))
    assert "primary b1.* matches b1.example.org:8080\n" in outcome.out
    assert "a bundle of t/n may go to b1.example.org:8080, b2.example.org:8080\n" in outcome.out
    assert "without a policy may go to b2.example.org:8080, b3.example.org:8080\n" in outcome.out


def test_policy_alone_shows_the_port_and_asks_for_the_brokers(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"policy.json": policy("b1.example.org:8080", secondary=("b2.*",))})
    outcome = oneowner("decide", folder)
    assert "primary b1.example.org:8080 matches no broker: a pattern is matched against the host alone" in outcome.out
    assert "secondary b2.* is a pattern of hosts\n" in outcome.out
    assert outcome.out.endswith("no list of brokers: add the output of `pulsar-admin brokers list`\n")
    assert "nobody" not in outcome.out


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"namespaces": "t/n"}, "policy.json:1: namespaces refused: t/n; it is a list of texts"),
        ({"primary": [1]}, "primary refused: [1]; it is a list of texts"),
        ({"auto_failover_policy": 3}, "auto_failover_policy refused: 3; it is an object"),
        ({"auto_failover_policy": {"parameters": {"min_limit": "many"}}}, "min_limit refused: many; it is a whole num"),
    ],
)
def test_policy_of_a_wrong_type_is_refused_by_its_key(tmp_path: Path, part: dict[str, object], why: str) -> None:
    refused(oneowner("decide", folder_of(tmp_path, {"policy.json": {**policy("b1"), **part}})), why)


LOOKED_UP = {f"persistent://t1/ns1/orders-partition-{n}": f"pulsar://broker-{n % 2 + 1}:6650" for n in range(8)}


@pytest.mark.parametrize(
    "text",
    [
        "".join(f'"{topic}    {url}"\n' for topic, url in LOOKED_UP.items()),
        json.dumps(LOOKED_UP, indent=1),
        "".join(
            f'"{url}    [{", ".join(topic for topic, one in LOOKED_UP.items() if one == url)}]"\n'
            for url in dict.fromkeys(LOOKED_UP.values())
        ),
    ],
)
def test_lookup_of_partitions_shows_bundles_and_brokers(tmp_path: Path, text: str) -> None:
    files = {"lookup.txt": text, "broker.conf": CONF, "brokers.txt": "broker-1:8080\nbroker-2:8080\nbroker-3:8080\n"}
    outcome = oneowner("decide", folder_of(tmp_path, files))
    assert outcome.code == 0
    assert "orders: 8 partitions at 2 brokers: broker-1 has partitions 0, 2, 4, 6; broker-2 has" in outcome.out
    assert "none is at broker-3:8080\n" in outcome.out
    assert "they are in 4 of the 4 bundles of t1/ns1 (assumed, by defaultNumberOfNamespaceBundles" in outcome.out
    assert "0x00000000_0x40000000: partitions 0, 4, at broker-1\n" in outcome.out
    assert "with more bundles they would be in: 4 of 8, 4 of 16, 4 of 32, 8 of 64, 8 of 128\n" in outcome.out


def test_boundaries_of_the_namespace_replace_the_assumed_ones(tmp_path: Path) -> None:
    bounds = [f"0x{n:08x}" for n in (0, 0x80000000, 0xFFFFFFFF)]
    files = {"lookup.json": LOOKED_UP, "bundles.json": {"boundaries": bounds, "numBundles": 2}}
    whole = {"bundles": files["bundles.json"], "deleted": False}
    assert oneowner("decide", folder_of(tmp_path, {**files, "bundles.json": whole})).code == 0
    outcome = oneowner("decide", tmp_path)
    assert "they are in 2 of the 2 bundles of t1/ns1; each bundle has one broker\n" in outcome.out
    assert "at broker-1 and broker-2: a bundle has one broker, so these are not the bundles\n" in outcome.out


def test_folder_with_files_of_other_kinds_is_judged_without_them(tmp_path: Path) -> None:
    files = {"loads/b1.json": LOAD, "loads/b2.json": IDLE, "top/b1.json": TOP_BUNDLES, "broker.conf": CONF}
    alone = oneowner("decide", folder_of(tmp_path, files))
    others = {"leader.log": LOG, "notes.txt": "restarted at noon", "explain.json": {"unassigned_info": {}}}
    beside = oneowner("decide", folder_of(tmp_path, others))
    assert alone.code == beside.code == 0
    assert set(alone.out.splitlines()) <= set(beside.out.splitlines())
    assert "leader.log: a broker's log: oneowner audit\n" in beside.out
    assert "notes.txt: a text of no known kind\n" in beside.out
    assert "explain.json: an answer of Elasticsearch\n" in beside.out
    assert "configuration is missing" not in alone.out


def test_damaged_load_data_are_no_other_kind(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"b1.json": LOAD, "b2.json": '{"weightedMaxEMA": '})
    refused(oneowner("decide", folder), "b2.json:1: not JSON: a value is missing")


def test_metrics_of_prometheus_have_the_loads_of_their_brokers(tmp_path: Path) -> None:
    text = (TOP / "traces" / "real" / "compaction" / "metrics-end.txt").read_text()
    rows = value_of(METRICS, text)
    brokers = {row["dimensions"]["broker"] for row in rows}
    assert len(brokers) == 3
    assert all("brk_lb_" in name for row in rows for name in row["metrics"])
    for name in ("brk", "pulsar"):
        labels = 'cluster="c",broker="b{}",feature="max_ema",metric="loadBalancing"'
        lines = [f"{name}_lb_resource_usage{{{labels.format(n)}}} 0.{n}" for n in (1, 9)]
        outcome = oneowner("decide", folder_of(tmp_path, {"metrics.txt": "\n".join(lines)}) / "metrics.txt")
        assert "loads: average 50.0 %" in outcome.out


def test_short_average_far_below_the_long_one_counts_reports_of_nothing(tmp_path: Path) -> None:
    before = {"MsgThroughputIn": 2e7, "MsgThroughputOut": 3e5, "MsgRateIn": 5e4, "MsgRateOut": 30.0}
    for count, is_told in ((590, True), (30, False)):
        short = {f"shortTerm{key}": value * 0.9**count for key, value in before.items()}
        long = {f"longTerm{key}": value * 0.999**count for key, value in before.items()}
        assert {zeros(short[f"shortTerm{key}"], long[f"longTerm{key}"]) for key in before} == {count}
        folder = folder_of(tmp_path, {"broker-time-average/b1:8080.json": {**short, **long}})
        outcome = oneowner("decide", folder, "--shedder", "threshold")
        assert ("in some 590 reports in a row" in outcome.out) == is_told
        assert outcome.code == (0 if is_told else 3)


@pytest.mark.parametrize("kind", ["a picture", "a text of no known kind", "an answer of Elasticsearch"])
def test_lone_file_of_another_kind_is_refused_by_it(tmp_path: Path, kind: str) -> None:
    text = "\x89PNG\r\n" if kind == "a picture" else next(text for name, text in TEXTS if name == kind)
    path = tmp_path / "given"
    path.write_bytes(text.encode("latin-1"))
    refused(oneowner("decide", path), kind)


def test_settings_and_a_log_beside_nodes_are_read_and_named(tmp_path: Path) -> None:
    strategy = "org.apache.pulsar.broker.loadbalance.impl.ThresholdShedder"
    conf = f"loadBalancerLoadSheddingStrategy={strategy}\nloadBalancerBrokerThresholdShedderPercentage=90\n"
    reports = {
        f"loads/10.0.0.{n}:8080.json": {
            "webServiceUrl": f"http://10.0.0.{n}:8080",
            "cpu": {"usage": usage, "limit": 100.0},
            "msgThroughputIn": 5e7,
            "lastStats": {f"t/n/{n}-{part}": {"msgThroughputIn": 2.5e7} for part in (0, 1)},
            "bundles": [f"t/n/{n}-{part}" for part in (0, 1)],
        }
        for n, usage in ((1, 3.0), (2, 72.0))
    }
    folder = folder_of(tmp_path, {**reports, "leader.log": LOG})
    default = oneowner("decide", folder)
    assert "unload t/n/2-" in default.out
    folder_of(tmp_path, {"broker.conf": conf})
    outcome = oneowner("decide", folder)
    assert "read: 2 LocalBrokerData, 1 configuration; the shedder is threshold" in outcome.out
    assert "leader.log: a broker's log: oneowner audit\n" in outcome.out
    assert "average 37.5 % + loadBalancerBrokerThresholdShedderPercentage 90 %" in outcome.out
    assert outcome.out.endswith("nothing is unloaded\n")


def test_nodes_are_read_as_zkcli_prints_them(tmp_path: Path) -> None:
    report = {"webServiceUrl": "http://b1:8080", "cpu": {"usage": 9.0, "limit": 100.0}, "lastStats": {}, "bundles": []}
    stat = (
        "cZxid = 0x10\nctime = Thu Apr 21 12:00:00 UTC 2022\ndataVersion = 3\nephemeralOwner = 0x1\nnumChildren = 0\n"
    )
    for before in ("", "[zk: localhost:2181(CONNECTED) 1] get -s /loadbalance/brokers/b1:8080\n"):
        path = folder_of(tmp_path, {"node.txt": f"{before}{json.dumps(report)}\n{stat}"}) / "node.txt"
        outcome = oneowner("decide", path)
        assert "read: 1 LocalBrokerData; the shedder is threshold\n" in outcome.out
