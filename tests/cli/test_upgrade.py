"""The verb ``upgrade``: settings, decisions, bugs, brokers of both releases in one cluster."""

from pathlib import Path
from typing import Any

import pytest

from oneowner.checkers.places import TOP
from tests.command_line import VALIDATOR, oneowner, refused

SHIPPED = TOP / "tests" / "vectors" / "broker-4.0.6.conf"
SNAPSHOTS = TOP / "traces" / "snapshots"
IMPL = "org.apache.pulsar.broker.loadbalance.impl"
EXTENSIBLE = "loadManagerClassName=org.apache.pulsar.broker.loadbalance.extensions.ExtensibleLoadManagerImpl\n"
NODES = "org.apache.pulsar.broker.loadbalance.extensions.channel.ServiceUnitStateMetadataStoreTableViewImpl"
IN_NODES = f"{EXTENSIBLE}loadManagerServiceUnitStateTableViewClassName={NODES}\n"


def conf(folder: Path, text: str, name: str = "broker.conf") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def items(*arguments: object, area: str = "", weight: str = "") -> list[dict[str, Any]]:
    found = oneowner("upgrade", *arguments, "--json", "-").json
    VALIDATOR.validate(found)
    return [one for one in found["items"] if area in ("", one["area"]) and weight in ("", one["weight"])]


def test_defaults_of_5_0_are_changes_to_mind() -> None:
    outcome = oneowner("upgrade", "--from", "4.0.6", "--to", "5.0.1")
    assert outcome.code == 0
    assert outcome.out.startswith("4.0.6 to 5.0.1: nothing to act on, 6 to mind; the first: ")
    for words in (
        "loadBalancerLoadSheddingStrategy, which you do not set: ThresholdShedder before, AvgShedder after",
        "loadBalancerLoadPlacementStrategy, which you do not set: LeastLongTermMessageRate before, AvgShedder after",
        "defaultNumberOfNamespaceBundles, which you do not set: 4 before, 32 after (apache/pulsar#26610;",
        "set defaultNumberOfNamespaceBundles=4 to keep it",
        "note: new: defaultNumberOfSystemNamespaceBundles=64",
    ):
        assert words in outcome.out


def test_default_that_a_file_sets_does_not_change(tmp_path: Path) -> None:
    path = conf(tmp_path, "defaultNumberOfNamespaceBundles=4\n")
    told = items(path, "--from", "4.0.6", "--to", "5.0.1", area="settings")
    assert not any("defaultNumberOfNamespaceBundles" in one["what"] for one in told)
    assert any("AvgShedder after" in one["what"] and one["weight"] == "mind" for one in told)


def test_placement_of_5_0_gives_way_to_another_shedder_of_the_file(tmp_path: Path) -> None:
    """``createLoadBalanceStrategies`` of 5.0.1 places by LeastLongTermMessageRate then; 4.2.4 would not start."""
    path = conf(tmp_path, f"loadBalancerLoadSheddingStrategy={IMPL}.ThresholdShedder\n")
    told = items(path, "--from", "4.2.4", "--to", "5.0.1", area="settings")
    (placement,) = [one for one in told if one["what"].startswith("loadBalancerLoadPlacementStrategy")]
    assert (placement["weight"], placement["what"].partition("; ")[2]) == ("note", "your settings do not use it")
    assert not [one for one in told if one["weight"] == "act"]


def test_extensible_manager_uses_none_of_the_new_defaults_but_the_bundles(tmp_path: Path) -> None:
    path = conf(tmp_path, EXTENSIBLE)
    told = items(path, "--from", "4.0.6", "--to", "5.0.1", area="settings", weight="mind")
    assert [one["what"].partition(",")[0] for one in told] == ["defaultNumberOfNamespaceBundles"]


def test_setting_that_is_gone_is_an_item_to_act_on_with_its_line(tmp_path: Path) -> None:
    path = conf(tmp_path, "# ours\nloadBalancerAvgShedderHighThreshold=50\n")
    outcome = oneowner("upgrade", path, "--from", "3.0.7", "--to", "3.2.3")
    assert outcome.code == 1
    assert "act: loadBalancerAvgShedderHighThreshold=50 of your file has no effect: 3.2.3 has no such setting" in (
        outcome.out
    )
    assert f"({path}:2)" in outcome.out


def test_new_finding_of_lint_is_an_item_to_act_on(tmp_path: Path) -> None:
    """2.9.1 has no setting of the placement, which 4.2.4 reads, and then AvgShedder does not shed."""
    path = conf(tmp_path, f"loadBalancerLoadPlacementStrategy={IMPL}.AvgShedder\n")
    (found,) = items(path, "--from", "2.9.1", "--to", "4.2.4", area="settings", weight="act")
    assert found["what"].startswith("avg-shedder-does-both: ")
    assert found["source"] == f"{path}:1"


def test_two_load_managers_in_one_cluster_need_the_redirects(tmp_path: Path) -> None:
    old, new = conf(tmp_path, "loadBalancerEnabled=true\n"), conf(tmp_path, EXTENSIBLE, "new.conf")
    together = "both releases in one cluster"
    (roll,) = items(old, new, "--from", "4.0.6", "--to", "4.2.4", area=together, weight="mind")
    assert "lookups are redirected to the manager of the broker that started last" in roll["what"]
    (act,) = items(old, new, "--from", "4.0.6", "--to", "5.0.1", area=together, weight="act")
    assert "5.0.1 redirects lookups only with loadManagerMigrationEnabled=true" in act["what"]
    migrating = conf(tmp_path, f"{EXTENSIBLE}loadManagerMigrationEnabled=true\n", "migrating.conf")
    assert not items(old, migrating, "--from", "4.0.6", "--to", "5.0.1", area=together, weight="act")


def test_channel_that_moves_to_the_metadata_store_needs_the_syncer(tmp_path: Path) -> None:
    old, new = conf(tmp_path, EXTENSIBLE), conf(tmp_path, IN_NODES, "new.conf")
    together = "both releases in one cluster"
    (act,) = items(old, new, "--from", "4.0.6", "--to", "4.2.4", area=together, weight="act")
    assert "the channel moves from the system topic to the metadata store" in act["what"]
    assert "loadBalancerServiceUnitTableViewSyncer=SystemTopicToMetadataStoreSyncer before you roll" in act["todo"]
    (early,) = items(old, new, "--from", "3.0.7", "--to", "4.2.4", area=together, weight="act")
    assert "3.0.7 has no syncer between the two: upgrade first" in early["todo"]


def test_bugs_that_go_and_come_are_those_of_the_catalogue(tmp_path: Path) -> None:
    path = conf(tmp_path, EXTENSIBLE)
    gone = items(path, "--from", "4.0.6", "--to", "4.2.4", area="bugs", weight="note")
    come = items(path, "--from", "4.0.6", "--to", "4.2.4", area="bugs", weight="mind")
    back = items(path, "--from", "4.2.4", "--to", "4.0.6", area="bugs", weight="mind")
    assert [one["source"].partition(" ")[0] for one in come] == ["apache/pulsar#25989"]
    assert any("store_closes_blocking" in one["source"] for one in gone)
    assert {one["source"] for one in back} == {one["source"] for one in gone}


def test_load_manager_of_a_bug_is_named_where_it_need_not_be_used() -> None:
    come = {one["source"].rpartition(" ")[2]: one["what"]
            for one in items("--from", "2.9.2", "--to", "4.0.6", area="bugs", weight="mind")}  # fmt: skip
    assert come["store_closes_blocking"].startswith("comes with the extensible load manager: ")


def test_bug_without_a_model_goes_by_its_stated_releases() -> None:
    gone = items("--from", "2.9.2", "--to", "4.0.6", area="bugs", weight="note")
    assert any("leader_is_forgotten" in one["source"] for one in gone)


def test_bugs_are_those_of_the_load_manager_of_the_file(tmp_path: Path) -> None:
    told = items(SHIPPED, "--from", "4.0.6", "--to", "5.0.1", area="bugs")
    assert any("split_of_the_split" in one["source"] for one in told)
    assert not any("store_closes_blocking" in one["source"] for one in told)


def test_decisions_on_loads_are_those_of_each_release() -> None:
    same = items(
        SNAPSHOTS / "21722-comes-back.yaml", "--from", "3.0.7", "--to", "4.0.6", area="decisions on these loads"
    )
    assert [one["weight"] for one in same] == ["note"]
    both = items(SNAPSHOTS / "17456-one-idle-broker.yaml", "--from", "4.0.6", "--to", "5.0.1",
                 area="decisions on these loads")  # fmt: skip
    assert both[0]["what"].startswith("threshold of 4.0.6: ")
    assert both[1]["what"].startswith("avg of 5.0.1: ")


def test_release_that_was_not_read_is_judged_by_a_near_one_with_a_note() -> None:
    outcome = oneowner("upgrade", "--from", "4.0.14", "--to", "5.0.0")
    assert "ThresholdShedder before, AvgShedder after" in outcome.out
    assert "the settings of 5.0.0 are not known; those of 5.0.1 stand in" in outcome.out


def test_load_manager_of_ones_own_is_unknown(tmp_path: Path) -> None:
    path = conf(tmp_path, "loadManagerClassName=com.example.Ours\nloadBalancerEnabled=true\n")
    outcome = oneowner("upgrade", path, "--from", "4.2.4", "--to", "4.2.5")
    assert outcome.code == 3
    assert "the load manager is not one of Pulsar's" in outcome.out


@pytest.mark.parametrize(("arguments", "words"), [
    (("--from", "4.0.6", "--to", "4.0.6"), "--from and --to are both 4.0.6"),
    (("--from", "4.0.x", "--to", "5.0.1"), "no such release: 4.0.x"),
    (("none.conf", "--from", "4.0.6", "--to", "5.0.1"), "none.conf: cannot be read"),
    ((TOP / "README.md", "--from", "4.0.6", "--to", "5.0.1"), "README.md"),
    ((SHIPPED, SHIPPED, SHIPPED, "--from", "4.0.6", "--to", "5.0.1"), "3 files of settings"),
])  # fmt: skip
def test_misuse_is_refused(arguments: tuple[object, ...], words: str) -> None:
    refused(oneowner("upgrade", *arguments), words)


def test_releases_are_required() -> None:
    assert oneowner("upgrade", "--from", "4.0.6").code == 2
