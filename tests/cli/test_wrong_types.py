"""A value of a wrong type, at any key of any input, is answered or refused in one line, and never in Python's words."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from oneowner.checkers.places import TOP
from tests.command_line import QUICK, Outcome, items_of, oneowner

PYTHON = re.compile(
    r"indices must be|unhashable|has no attribute|unsupported operand|[Ee]xpected `?\w+`?, got|Extra data|Expecting "
    r"|must be real number|not iterable|not subscriptable|'(?:str|int|dict|list|float|bool|tuple|NoneType)'|NoneType"
    r"|invalid literal|could not convert|codec can't|Traceback|\b\w+Error\b|to unpack|takes \d|argument must|Errno"
    r"|object is not|not supported between|this is a bug"
)
WRONG: tuple[Any, ...] = (
    None, True, -7, 0.5, "", "x", "(", "[a-z&&[^b]]", [], [3], {}, {"x": "y"}, [[]], [{}], "1", 10**30,
)  # fmt: skip
TRANSFER = {
    "conf": {"loadBalancerBrokerLoadTargetStd": 0.25, "loadBalancerTransferEnabled": True},
    "brokers": [
        {"id": "b1:8080", "load": 0.05, "throughput_in": 1000, "age_s": 3, "available": True},
        {"id": "b2:8080", "load": 0.9, "throughput_in": 9e6, "throughput_ema": 9e6},
    ],
    "top_bundles": {"b2:8080": [["t/n/0x00000000_0x40000000", 4e6, 0], ["t/n/0x40000000_0x80000000", 5e6, 0]]},
    "recent_bundles": {"t/n/0x00000000_0x40000000": 31},
    "recent_brokers": {"b1:8080": 5},
    "not_owned": ["t/n/a"],
    "barred": {"t/n/a": ["b1:8080"]},
    "leader": True,
}
MODULAR = {
    "conf": {"loadBalancerBrokerThresholdShedderPercentage": 10, "loadBalancerSheddingExcludedNamespaces": "t/x"},
    "brokers": [
        {
            "id": "b1:8080",
            "cpu": [90, 100],
            "msgThroughputIn": 9e7,
            "msgRateIn": 9000,
            "bundles": ["t/n/0x00000000_0x40000000"],
            "timeAverage": {"longTermMsgRateIn": 5},
            "topics": 3,
            "version": "3.0.7",
        },
        {"id": "b2:8080", "cpu": [20, 100], "bundles": ["t/n/0x40000000_0x80000000"]},
    ],
    "bundles": [{"name": "t/n/0x00000000_0x40000000", "shortTerm": {"msgThroughputIn": 6e7, "msgRateIn": 8000}}],
    "recent": ["t/n/c"],
    "policies": {"p": {"namespaces": ["t/x"], "primary": ["b1"], "secondary": [], "min_limit": 1}},
    "groups": {"t/n": "g"},
    "owned": [{"bundle": "t/n/0x40000000_0x80000000", "broker": "b2:8080", "state": "Owned"}],
    "domains": {"b1:8080": "d"},
    "active": ["b1:8080", "b2:8080"],
}
PLACE = ("--place", "t/n/0x80000000_0xc0000000")
REPORT = {
    "webServiceUrl": "http://b1:8080",
    "cpu": {"usage": 90.0, "limit": 100.0},
    "msgThroughputIn": 9e6,
    "lastStats": {"t/n/a": {"msgRateIn": 5.0, "msgThroughputIn": 5.0}},
    "bundles": ["t/n/a"],
    "numTopics": 2,
}
LOAD = {"cpu": {"usage": 1.0, "limit": 2.0}, "weightedMaxEMA": 0.9, "msgThroughputEMA": 9.0, "updatedAt": 1_000_000}
TOP_BUNDLES = {"topBundlesLoadData": [{"bundleName": "t/n/a", "stats": {"msgThroughputIn": 4e6}}]}
METRICS = [
    {
        "metrics": {"brk_lb_resource_usage": 0.5},
        "dimensions": {"broker": "b1", "metric": "loadBalancing", "feature": "max_ema"},
    }
]
POLICY = {
    "namespaces": ["t/n"],
    "primary": ["b1"],
    "secondary": [],
    "auto_failover_policy": {"policy_type": "min_available", "parameters": {"min_limit": "1"}},
}
VALUES = {"broker": {"configData": {"loadBalancerEnabled": "true", "PULSAR_PREFIX_loadBalancerBrokerMaxTopics": "7"}}}
POD = {"kind": "Pod", "spec": {"containers": [{"env": [{"name": "loadBalancerEnabled", "value": "true"}]}]}}
SCENARIO = yaml.safe_load((QUICK.parent / f"{QUICK.name}.yaml").read_text())
ITF = json.loads(next((TOP / "traces" / "counterexamples").rglob("*.itf.json")).read_text())
ITF["states"] = ITF["states"][:2]
RECORD = {
    "messageId": "0:0",
    "publishTime": 1,
    "key": "t/n/0x00000000_0xffffffff",
    "value": {"state": "Owned", "dstBroker": "b1:8080", "force": False, "timestamp": 1, "versionId": 1},
}
MANIFEST = {
    "versions": {"pulsar": "4.0.6"},
    "brokers": [{"index": 1, "id": "b1:8080", "log": "broker-1.log"}],
    "config_overrides": {"loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": 5},
}
BUNDLES = {"before": {"t": 1, "namespaces": {"t/n": {"boundaries": ["0x00000000", "0xffffffff"], "numBundles": 1}}}}
LOOKUP = {
    "t_start": 1,
    "t_end": 2,
    "asked": "b1:8080",
    "topic": "persistent://t/n/a",
    "status": 200,
    "url": "http://b1:8080",
}
SCHEDULE = {"id": 1, "release": "4.0.6", "steps": [{"do": "acquire", "broker": 1}]}


def changed(data: Any) -> Iterator[tuple[str, Any]]:
    """Yield the data with one part replaced by a wrong value, and a description; also with an unknown key."""
    for at in [(), *dict.fromkeys(items_of(data))]:
        for wrong in WRONG:
            found = copy.deepcopy(data)
            holder = found
            for step in at[:-1]:
                holder = holder[step]
            if at:
                holder[at[-1]] = wrong
            yield f"{'.'.join(map(str, at))} = {wrong!r}", found if at else wrong


def check(outcome: Outcome, words: str) -> None:
    assert outcome.code in (0, 1, 2, 3), (words, outcome)
    assert not PYTHON.search(outcome.said), (words, outcome.said)
    if outcome.code == 2 and not outcome.out:  # an audit judges the rest nevertheless
        assert outcome.err.count("\n") == 1, (words, outcome.err)


CASES: list[tuple[str, Any, str, tuple[str, ...]]] = [
    ("transfer.yaml", TRANSFER, "decide", ()),
    ("threshold.yaml", MODULAR, "decide", ("--shedder", "threshold")),
    ("avg.yaml", MODULAR, "decide", ("--shedder", "avg")),
    ("uniform.json", MODULAR, "decide", ("--shedder", "uniform")),
    ("place.yaml", MODULAR, "decide", PLACE),
    ("report.json", REPORT, "decide", ()),
    ("load.json", LOAD, "decide", ()),
    ("top.json", TOP_BUNDLES, "decide", ()),
    ("metrics.json", METRICS, "decide", ()),
    ("policy.json", POLICY, "decide", ()),
    ("lookups.json", {"persistent://t/n/a-partition-0": "pulsar://b1:6650"}, "decide", ()),
    ("values.yaml", VALUES, "lint", ()),
    ("pod.json", POD, "lint", ()),
    ("scenario.yaml", SCENARIO, "replay", ()),
    ("trace.itf.json", ITF, "replay", ()),
    ("schedules.jsonl", SCHEDULE, "replay", ("--system", "locks")),
    ("channel.jsonl", RECORD, "audit", ()),
    ("manifest.yaml", MANIFEST, "audit", ()),
    ("bundles.json", BUNDLES, "audit", ()),
    ("lookups.jsonl", LOOKUP, "audit", ()),
]
SLOW = ("trace.itf.json", "avg.yaml", "uniform.json", "manifest.yaml", "bundles.json", "lookups.jsonl")


@pytest.mark.parametrize(
    ("name", "data", "verb", "options"),
    [pytest.param(*case, id=case[0], marks=[pytest.mark.slow] * (case[0] in SLOW)) for case in CASES],
)
def test_wrong_type_is_refused_in_one_line(
    tmp_path: Path, name: str, data: Any, verb: str, options: tuple[str, ...]
) -> None:
    path = tmp_path / name
    is_folder = verb == "audit"
    if is_folder:
        (tmp_path / "channel.jsonl").write_text(json.dumps(RECORD))
    if name == "policy.json":
        is_folder = True
        (tmp_path / "brokers.txt").write_text("b1:8080\nb2:8080\n")
    write = json.dumps if ".json" in name else yaml.safe_dump
    for words, wrong in changed(data):
        path.write_text(write(wrong))
        check(oneowner(verb, tmp_path if is_folder else path, *options), words)


TEXTS = ("", "x", "-7", "0.5", "1e400", "nan", "[]", "{}", "null", "true", "9" * 5000, "٣", "\x1b")
ROWS = "cycle,bundle,bytes,messages\n{},{},{},{}\n1,t/n/0x00000000_0x80000000,1,1\n"


@pytest.mark.parametrize("text", TEXTS)
def test_wrong_value_of_an_option_is_refused_in_one_line(text: str) -> None:
    for arguments in (
        ("explore", "transfer", "--set", f"brokers={text}", "--max-states", "5"),
        ("explore", "transfer", "--set", text, "--max-states", "5"),
        ("explore", "transfer", "--rule", f"version_check={text}", "--max-states", "5"),
        ("simulate", "constant", "--shedder", "threshold", "--cycles", "2", "--conf", f"maxUnloadPercentage={text}"),
        ("simulate", "constant", "--shedder", "threshold", "--cycles", "2", "--conf",
         f"loadBalancerBrokerThresholdShedderPercentage={text}"),
        ("decide", "traces/snapshots/17456-one-idle-broker.yaml", "--shedder", "threshold", "--place", text),
        ("decide", "traces/snapshots/17456-one-idle-broker.yaml", "--release", text),
        ("timeline", "traces/real/healthy", "--at", text),
        ("timeline", "traces/real/healthy", "--unit", text),
        ("audit", "traces/real/healthy", "--in-flight-limit", text),
        ("lint", "tests/vectors/broker-4.0.6.conf", "--release", text),
    ):  # fmt: skip
        check(oneowner(*arguments), f"{arguments}")


@pytest.mark.parametrize("text", TEXTS)
def test_wrong_value_of_a_trace_of_loads_is_refused_by_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "loads.csv"
    for at in range(4):
        row = [*("0", "t/n/0x00000000_0x80000000", "5", "5")]
        row[at] = text
        path.write_text(ROWS.format(*row), encoding="utf-8")
        check(oneowner("simulate", path, "--shedder", "threshold"), f"{at}: {text}")
