"""Findings in a broker.conf, their places, and the proposals."""

from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.settings.facts import facts_of, releases
from oneowner.checkers.settings.lint import Linted, lint
from oneowner.checkers.verdict import Misuse, Verdict

SHIPPED = TOP / "tests" / "vectors" / "broker-4.0.6.conf"
EXTENSIBLE = "loadManagerClassName=org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl\n"


def linted(tmp_path: Path, text: str, release: str = "4.0.6") -> Linted:
    path = tmp_path / "broker.conf"
    path.write_text(text, encoding="utf-8")
    (one,) = lint(path, release)
    return one


def found(one: Linted) -> list[tuple[str, int]]:
    return [(finding["law"], finding["at"]["line"]) for finding in one.findings]


@pytest.mark.parametrize("release", ["4.0.6", "4.0.8", "4.2.4"])
def test_shipped_conf_has_nothing_to_find(release: str) -> None:
    (one,) = lint(SHIPPED, release)
    assert one.part.verdict == Verdict.VALID
    assert one.findings == ()
    assert sum(row.exercised for row in one.part.laws) >= 15


def test_shipped_conf_tells_the_defaults() -> None:
    shipped = dict(line.partition("=")[::2] for line in SHIPPED.read_text().splitlines() if not line.startswith("#"))
    known = facts_of("4.0.6").settings
    assert len(shipped) > 55
    for key, value in shipped.items():
        assert known[key.strip()].default.removesuffix(".0") == value.strip().removesuffix(".0"), key


def test_shipped_conf_with_the_other_manager_has_the_shedder_of_the_one(tmp_path: Path) -> None:
    one = linted(tmp_path, SHIPPED.read_text() + EXTENSIBLE)
    assert [law for law, _ in found(one)] == ["shedder-fits", "setting-stands-once"]


def test_finding_names_settings_line_witness_and_repair(tmp_path: Path) -> None:
    text = f"# ours\n{EXTENSIBLE}loadBalancerMaxNumberOfBundlesInBundleLoadReport = 1\n"
    (finding,) = linted(tmp_path, text).findings
    assert finding["law"] == "shedder-can-act"
    assert finding["at"]["line"] == 3
    assert "loadBalancerMaxNumberOfBundlesInBundleLoadReport=1: TransferShedder never unloads" in finding["why"]
    assert finding["guard"].startswith("a broker at 100% with 2 bundles of 1 MB/s, beside another at 0%")
    assert finding["set"] == {"loadBalancerMaxNumberOfBundlesInBundleLoadReport": "10"}


def test_unknown_setting_is_found_with_a_near_name_or_the_release_that_has_it(tmp_path: Path) -> None:
    text = "loadBalancerSheddingDelayInSeconds=60\nloadBalancerAvgShedderLowThreshold=10\nloadBalancerColour=red\n"
    one = linted(tmp_path, text, "2.10.5")
    guards = [finding["guard"] for finding in one.findings]
    assert [line for _, line in found(one)] == [1, 2, 3]
    assert "did you mean" not in guards[0]  # 2.10.5 has no such setting
    assert "3.0.7 has it" in guards[1]
    assert "no release has it" in guards[2]
    near = linted(tmp_path, text)
    assert near.findings[0]["set"]["loadBalanceSheddingDelayInSeconds"] == "60"


def test_last_of_two_values_counts(tmp_path: Path) -> None:
    key = "loadBalancerBrokerThresholdShedderPercentage"
    assert found(linted(tmp_path, f"{key}=100\n{key}=10\n")) == [("setting-stands-once", 2)]
    assert found(linted(tmp_path, f"{key}=10\n{key} = 10\n")) == []


def test_empty_values_are_defaults_but_of_a_list(tmp_path: Path) -> None:
    assert found(linted(tmp_path, "loadBalancerBrokerMaxTopics=\nloadManagerClassName=\n")) == []
    supported = "supportedNamespaceBundleSplitAlgorithms="
    assert found(linted(tmp_path, supported)) == [("split-algorithms-are-there", 1)]


@pytest.mark.parametrize("text", ["", "# loadBalancerEnabled=false\n", "zookeeperServers=localhost\n"])
def test_file_that_says_nothing_of_the_balancer_is_unknown(tmp_path: Path, text: str) -> None:
    part = linted(tmp_path, text).part
    assert part.verdict == Verdict.UNKNOWN
    assert "it has no setting of the load balancer" in part.reasons[0]


@pytest.mark.parametrize(
    "key", ["loadManagerClassName", "loadBalancerLoadSheddingStrategy", "loadBalancerLoadPlacementStrategy"]
)
def test_class_of_ones_own_is_not_known(tmp_path: Path, key: str) -> None:
    one = linted(tmp_path, f"{key}=com.example.Mine\n")
    assert one.findings == ()
    assert one.part.verdict == Verdict.UNKNOWN
    assert "com.example.Mine decides is not known" in one.part.reasons[0]


def test_release_that_was_not_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=r"settings are not modelled for 4\.0\.5"):
        linted(tmp_path, "", "4.0.5")


@pytest.mark.parametrize("release", releases())
def test_every_release_knows_its_settings(release: str) -> None:
    facts = facts_of(release)
    assert len(facts.settings) >= 36
    assert all(setting.kind and setting.default is not None for setting in facts.settings.values())
    assert ("loadBalancerTransferEnabled" in facts.settings) == (not release.startswith("2."))


@pytest.mark.parametrize(("release", "told", "is_broken"), [
    ("4.2.4", (), False), ("4.2.4", ("loadBalancerLoadPlacementStrategy",), True),
    ("5.0.1", ("loadBalancerLoadSheddingStrategy",), False),
    ("5.0.1", ("loadBalancerLoadSheddingStrategy", "loadBalancerLoadPlacementStrategy"), True),
])  # fmt: skip
def test_avg_shedder_by_default_gives_way_to_another_shedder(
    tmp_path: Path, release: str, told: tuple[str, ...], is_broken: bool
) -> None:
    """By ``ModularLoadManagerImpl.createLoadBalanceStrategies`` of 5.0.1."""
    impl = "org.apache.pulsar.broker.loadbalance.impl"
    values = {"Shedding": f"{impl}.ThresholdShedder", "Placement": f"{impl}.AvgShedder"}
    path = tmp_path / "broker.conf"
    path.write_text("loadBalancerEnabled=true\n" + "".join(
        f"{key}={value}\n" for key in told for word, value in values.items() if word in key))  # fmt: skip
    laws = {found["law"] for place in lint(path, release) for found in place.findings}
    assert ("avg-shedder-does-both" in laws) == is_broken
