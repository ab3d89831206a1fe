"""A value of a wrong type, at any key of any input, is answered or refused in one line, and never in Python's words."""

from __future__ import annotations

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
WRONG: tuple[Any, ...] = (None, True, -7, 0.5, "", "x", [], [3], {}, {"x": "y"}, [[]], [{}], "1", 10**30)
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
    if outcome.code == 2:
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
    ("values.yaml", VALUES, "lint", ()),
    ("pod.json", POD, "lint", ()),
    ("scenario.yaml", SCENARIO, "replay", ()),
    ("trace.itf.json", ITF, "replay", ()),
]


@pytest.mark.parametrize(("name", "data", "verb", "options"), CASES, ids=[name for name, *_ in CASES])
def test_wrong_type_is_refused_in_one_line(
    tmp_path: Path, name: str, data: Any, verb: str, options: tuple[str, ...]
) -> None:
    path = tmp_path / name
    write = json.dumps if name.endswith(".json") else yaml.safe_dump
    for words, wrong in changed(data):
        path.write_text(write(wrong))
        check(oneowner(verb, path, *options), words)
