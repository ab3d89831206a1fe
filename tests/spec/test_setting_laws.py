"""Each law of settings is broken by a least broker.conf, and holds of it once it is repaired as the law proposes."""

from typing import Final

import pytest

from oneowner.checkers.engines.decide.judging import every_input
from oneowner.checkers.settings.facts import facts_of, releases
from oneowner.model.balancer.batch.row import configured
from oneowner.model.balancer.batch.transfer import SETTINGS
from oneowner.model.balancer.shedding.transfer_cycle import Cycle
from oneowner.model.balancer.shedding.transfer_inputs import CycleSizes
from oneowner.spec.balancer.shedding.transfer_shedder import TRANSFER_SHEDDER
from oneowner.spec.settings.clusters import moved, uneven
from oneowner.spec.settings.conf import Conf
from oneowner.spec.settings.laws import LAWS
from oneowner.spec.settings.starting import IN_FLIGHT, MONITOR, TOMBSTONE

IMPL: Final = "org.apache.pulsar.broker.loadbalance.impl."
EXTENSIBLE: Final = {
    "loadManagerClassName": "org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl"
}
CHANNEL: Final = "org.apache.pulsar.broker.loadbalance.extensions.channel."
TABLE_VIEW: Final = "loadManagerServiceUnitStateTableViewClassName"
SPLIT: Final = "defaultNamespaceBundleSplitAlgorithm"
LIMIT: Final = "loadBalancerNamespaceBundleMaxBandwidthMbytes"


def shedder(name: str) -> dict[str, str]:
    return {"loadBalancerLoadSheddingStrategy": IMPL + name}


def placement(name: str) -> dict[str, str]:
    return {"loadBalancerLoadPlacementStrategy": IMPL + name}


AVG: Final = {**shedder("AvgShedder"), **placement("AvgShedder")}
CASES: Final[list[tuple[str, dict[str, str], str]]] = [
    ("values-parse", {"loadBalancerBrokerMaxTopics": "2147483648"}, "4.0.6"),
    ("values-parse", {"loadBalancerBrokerLoadTargetStd": "0,25"}, "4.0.6"),
    ("values-parse", {"loadBalancerServiceUnitTableViewSyncer": "none"}, "4.0.6"),
    ("yes-or-no", {"loadBalancerSheddingEnabled": "on"}, "2.9.1"),
    ("tombstone-outlasts-flight",
     {**EXTENSIBLE, "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": "29"}, "4.0.6"),
    ("tombstone-outlasts-flight",
     {**EXTENSIBLE, "loadBalancerServiceUnitStateTombstoneDelayTimeInSeconds": "29"}, "3.0.7"),
    ("split-algorithms-are-there", {SPLIT: "flow_or_qps_equally_divide"}, "2.10.5"),
    ("split-algorithms-are-there", {"supportedNamespaceBundleSplitAlgorithms": "halves"}, "4.0.6"),
    ("tombstone-waits-as-documented", {**EXTENSIBLE, TOMBSTONE: "29", IN_FLIGHT: "1000"}, "4.0.6"),
    ("stuck-bundle-is-noticed", {**EXTENSIBLE, MONITOR: "3600", IN_FLIGHT: "1000"}, "4.0.6"),
    ("stuck-bundle-is-noticed", {**EXTENSIBLE, MONITOR: "61"}, "4.0.6"),
    ("periods-are-positive", {"loadBalancerReportUpdateMinIntervalMillis": "0"}, "4.0.6"),
    ("periods-are-positive", {**EXTENSIBLE, "loadBalancerSplitIntervalMinutes": "0"}, "4.0.6"),
    ("load-manager-is-there", EXTENSIBLE, "2.10.5"),
    ("load-manager-is-there", {"loadManagerClassName": "ExtensibleLoadManagerImpl"}, "4.0.6"),
    ("load-manager-is-there", {"loadManagerClassName": IMPL + "ModularLoadManager"}, "4.2.4"),
    ("shedder-fits", {**EXTENSIBLE, **shedder("ThresholdShedder")}, "4.0.6"),
    ("shedder-fits", shedder("AvgShedder"), "2.10.5"),
    ("shedder-fits", shedder("TransferShedder"), "4.0.6"),
    ("placement-fits", placement("ThresholdShedder"), "4.0.6"),
    ("shedder-fits", shedder("ThresholdSheder"), "4.0.6"),
    ("table-view-is-there", {**EXTENSIBLE, TABLE_VIEW: f"{CHANNEL}ServiceUnitStateMetadataTableViewImpl"}, "4.0.6"),
    ("avg-shedder-does-both", placement("AvgShedder"), "4.0.6"),
    ("avg-shedder-does-both", shedder("AvgShedder"), "4.0.6"),
    ("avg-shedder-does-both", AVG, "3.0.7"),
    ("report-waits-for-a-change", {"loadBalancerReportUpdateMaxIntervalMinutes": "0"}, "4.0.6"),
    ("placement-prefers-the-idle",
     {**EXTENSIBLE, "loadBalancerAverageResourceUsageDifferenceThresholdPercentage": "100"}, "4.0.6"),
    ("empty-broker-may-serve", {**EXTENSIBLE, "loadBalancerBrokerMaxTopics": "0"}, "4.0.6"),
    ("changed-setting-is-read", {"loadBalancerDebugModeEnabled": "true"}, "4.0.6"),
    ("changed-setting-is-read", {**EXTENSIBLE, **placement("LeastResourceUsageWithWeight")}, "4.2.4"),
    ("changed-setting-is-read", {"minUnloadMessage": "10"}, "4.0.6"),
    ("changed-setting-is-read",
     {"loadBalancerEnabled": "false", "loadBalancerBrokerThresholdShedderPercentage": "5"}, "4.0.6"),
    ("weights-tell-loads-apart",
     {**EXTENSIBLE, "loadBalancerCPUResourceWeight": "0", "loadBalancerBandwidthInResourceWeight": "0",
      "loadBalancerBandwidthOutResourceWeight": "0"}, "4.0.6"),
    ("shedder-can-act", {**EXTENSIBLE, "loadBalancerMaxNumberOfBrokerSheddingPerCycle": "0"}, "4.0.6"),
    ("shedder-can-act", {**EXTENSIBLE, "loadBalancerMaxNumberOfBundlesInBundleLoadReport": "1"}, "4.0.6"),
    ("shedder-can-act", {**EXTENSIBLE, "loadBalancerMaxNumberOfBundlesInBundleLoadReport": "-1"}, "4.0.8"),
    ("shedder-can-act", {**EXTENSIBLE, "loadBalancerBrokerLoadTargetStd": "NaN"}, "4.0.6"),
    ("shedder-can-act", {"loadBalancerBrokerThresholdShedderPercentage": "100"}, "4.0.6"),
    ("shedder-can-act", {"loadBalancerBundleUnloadMinThroughputThreshold": "1e9"}, "3.3.6"),
    ("shedder-can-act",
     {**shedder("OverloadShedder"), "loadBalancerBrokerOverloadedThresholdPercentage": "101"}, "4.0.6"),
    ("shedder-can-act", {**shedder("UniformLoadShedder"), "maxUnloadBundleNumPerShedding": "0"}, "4.0.6"),
    ("shedder-can-act",
     {**shedder("UniformLoadShedder"), "loadBalancerMsgRateDifferenceShedderThreshold": "0",
      "loadBalancerMsgThroughputMultiplierDifferenceShedderThreshold": "0"}, "2.10.5"),
    ("shedder-can-act", {**AVG, "maxUnloadPercentage": "0"}, "4.0.6"),
    ("even-cluster-rests", {"loadBalancerBrokerThresholdShedderPercentage": "0"}, "4.0.6"),
    ("two-full-bundles-can-part", {"loadBalancerBundleUnloadMinThroughputThreshold": "200"}, "4.0.6"),
    ("two-full-bundles-can-part", {LIMIT: "2"}, "4.0.6"),
    ("grace-outlasts-interval", {"loadBalancerSheddingGracePeriodMinutes": "0"}, "4.0.6"),
    ("grace-outlasts-interval", {**EXTENSIBLE, "loadBalancerSheddingIntervalMinutes": "31"}, "4.0.6"),
    ("reports-outlive-their-interval", {**EXTENSIBLE, "loadBalancerBrokerLoadDataTTLInSeconds": "60"}, "4.0.6"),
    ("target-can-be-exceeded", {**EXTENSIBLE, "loadBalancerBrokerLoadTargetStd": "0.5"}, "4.0.6"),
    ("average-takes-new-loads", {"loadBalancerHistoryResourcePercentage": "1"}, "4.0.6"),
    ("average-takes-new-loads", {"loadBalancerHistoryResourcePercentage": "-0.5"}, "2.10.5"),
    ("both-thresholds-decide", {**AVG, "loadBalancerAvgShedderHitCountHighThreshold": "8"}, "4.0.6"),
    ("both-thresholds-decide", {**AVG, "loadBalancerAvgShedderLowThreshold": "40"}, "4.0.6"),
    ("debug-changes-nothing", {**EXTENSIBLE, "loadBalancerDebugModeEnabled": "true"}, "4.0.6"),
    ("new-namespace-has-a-bundle", {"defaultNumberOfNamespaceBundles": "0"}, "4.0.6"),
    ("new-namespace-can-split", {"loadBalancerNamespaceMaximumBundles": "4"}, "4.0.6"),
    ("new-namespace-can-split", {SPLIT: "specified_positions_divide"}, "4.0.6"),
    ("idle-bundle-stays-whole", {"loadBalancerNamespaceBundleMaxTopics": "1"}, "4.0.6"),
    ("idle-bundle-stays-whole",
     {**EXTENSIBLE, "loadBalancerNamespaceBundleSplitConditionHitCountThreshold": "-1"}, "4.0.6"),
    ("limit-is-as-set", {LIMIT: "2048"}, "4.0.6"),
    ("limit-is-as-set", {**EXTENSIBLE, LIMIT: "4097"}, "4.2.4"),
    ("every-limit-splits", {SPLIT: "flow_or_qps_equally_divide"}, "4.0.6"),
    ("busy-topics-part", {**EXTENSIBLE, SPLIT: "flow_or_qps_equally_divide"}, "4.0.6"),
    ("shedder-and-placement-measure-alike",
     {**shedder("UniformLoadShedder"), "loadBalancerMsgRateDifferenceShedderThreshold": "0"}, "4.0.6"),
    ("no-more-splits-than-set", {**EXTENSIBLE, "loadBalancerMaxNumberOfBundlesToSplitPerCycle": "0"}, "4.0.6"),
]  # fmt: skip
"""A law, a least broker.conf that breaks it, and the release."""
BY_NAME: Final = {law.name: law for law in LAWS}


@pytest.mark.parametrize(("name", "told", "release"), CASES)
def test_law_is_broken_by_a_least_conf_and_holds_once_that_is_repaired(
    name: str, told: dict[str, str], release: str
) -> None:
    law, conf = BY_NAME[name], Conf(facts_of(release), told)
    assert law.applies(conf)
    found = list(law.broken(conf))
    assert found
    assert all(one.keys and one.follows and one.witness and one.repair for one in found)
    assert any(key in told for one in found for key in one.keys)
    changed = {key: value for one in found for key, value in one.repair.items()}
    repaired = conf._replace(told={key: value for key, value in {**told, **changed}.items() if value})
    assert repaired.told != told
    assert not law.applies(repaired) or not list(law.broken(repaired))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("loadBalancerSheddingIntervalMinutes", "never takes its role"),
        (MONITOR, "never takes its role"),
        ("loadBalancerSplitIntervalMinutes", "does not start"),
        ("loadBalancerReportUpdateMinIntervalMillis", "does not start"),
        ("loadBalancerResourceQuotaUpdateIntervalMinutes", "never updates resource quotas"),
    ],
)
def test_period_of_zero_names_the_outage_that_it_causes(key: str, words: str) -> None:
    (found,) = BY_NAME["periods-are-positive"].broken(Conf(facts_of("4.0.6"), {**EXTENSIBLE, key: "0"}))
    assert words in found.follows


@pytest.mark.parametrize("told", [{MONITOR: "120", IN_FLIGHT: "60000"}, {IN_FLIGHT: "1000"}, {TOMBSTONE: "30"}])
def test_waits_that_stay_in_proportion_break_no_law(told: dict[str, str]) -> None:
    conf = Conf(facts_of("4.0.6"), {**EXTENSIBLE, **told})
    names = ("stuck-bundle-is-noticed", "tombstone-waits-as-documented")
    assert [broken for name in names for broken in BY_NAME[name].broken(conf)] == []


def test_every_law_is_broken_by_some_conf() -> None:
    assert {name for name, _, _ in CASES} == set(BY_NAME)
    assert len(BY_NAME) == len(LAWS)


@pytest.mark.parametrize("release", releases())
@pytest.mark.parametrize("told", [{}, EXTENSIBLE, shedder("UniformLoadShedder"), shedder("OverloadShedder"), AVG])
def test_defaults_of_a_release_break_no_law(release: str, told: dict[str, str]) -> None:
    conf = Conf(facts_of(release), told)
    lacking = (EXTENSIBLE, AVG, shedder("UniformLoadShedder"))
    exempt: dict[str, tuple[dict[str, str], ...]] = dict.fromkeys(("2.6.4", "2.7.5", "2.8.2", "2.9.1"), lacking)
    exempt["2.10.5"] = lacking  # its UniformLoadShedder compares a broker with itself (#21016)
    exempt["3.0.7"] = exempt["3.2.3"] = (AVG,)
    broken = [law.name for law in LAWS if law.applies(conf) and list(law.broken(conf))]
    assert bool(broken) == (told in exempt.get(release, ())), broken


@pytest.mark.parametrize("key", ["loadBalancerMaxNumberOfBrokerSheddingPerCycle", "loadBalancerBrokerLoadTargetStd"])
def test_transfer_shedder_that_cannot_act_moves_nothing_of_any_small_input(key: str) -> None:
    told = {**EXTENSIBLE, key: {"loadBalancerBrokerLoadTargetStd": "NaN"}.get(key, "0")}
    conf = Conf(facts_of("4.0.6"), told)
    assert [law.name for law in LAWS if law.applies(conf) and list(law.broken(conf))] == ["shedder-can-act"]
    moves = {True: 0, False: 0}
    for cycle in every_input(TRANSFER_SHEDDER, CycleSizes(brokers=2, bundles=2)):
        assert isinstance(cycle, Cycle)
        for is_repaired in moves:
            settings = cycle.settings if is_repaired else configured(cycle.settings, told, SETTINGS)
            moves[is_repaired] += len(TRANSFER_SHEDDER.decide(cycle._replace(settings=settings)).moves)
    assert moves[True] > 0 == moves[False]


def test_older_spelling_of_bandwidth_is_read_as_a_weight() -> None:
    weightless = dict.fromkeys(("loadBalancerCPUResourceWeight", "loadBalancerBandwidthOutResourceWeight"), "0")
    both = {**weightless, "loadBalancerBandwithInResourceWeight": "0"}
    law = BY_NAME["weights-tell-loads-apart"]
    found = list(law.broken(Conf(facts_of("4.0.6"), both)))
    assert found
    assert not list(law.broken(Conf(facts_of("4.0.6"), {**both, "loadBalancerBandwidthInResourceWeight": "0.5"})))


@pytest.mark.parametrize("told", [EXTENSIBLE, {}, shedder("UniformLoadShedder")])
def test_uneven_clusters_are_ones_in_which_the_shedder_acts(told: dict[str, str]) -> None:
    conf = Conf(facts_of("4.0.6"), told)
    assert sum(bool(moved(conf, cluster)) for cluster in uneven()) >= 3


@pytest.mark.parametrize(("told", "near"), [
    (shedder("ThresholdSheder"), IMPL + "ThresholdShedder"),
    (placement("LeastLongTermMessagRate"), IMPL + "LeastLongTermMessageRate"),
    ({"loadManagerClassName": "ExtensibleLoadManagerImp"}, EXTENSIBLE["loadManagerClassName"]),
    ({**EXTENSIBLE, TABLE_VIEW: f"{CHANNEL}ServiceUnitStateTableView"}, f"{CHANNEL}ServiceUnitStateTableViewImpl"),
])  # fmt: skip
def test_misspelt_class_is_led_to_the_class_of_the_release(told: dict[str, str], near: str) -> None:
    key, conf = list(told)[-1], Conf(facts_of("4.0.6"), told)
    (found,) = [one for law in LAWS if law.applies(conf) for one in law.broken(conf) if one.keys[0] == key]
    assert found.witness == f"Pulsar 4.0.6 has no such class; did you mean {near}?"
    assert found.repair == {key: near}
