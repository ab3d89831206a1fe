"""A history of a cluster with a chroot is judged as one without; of two clusters, none is judged by the other's."""

import json
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from operator import itemgetter
from pathlib import Path

import pytest

from oneowner.checkers.load_json.snapshot_files import values_of
from oneowner.checkers.recordings.read.chroots import root_of
from oneowner.checkers.recordings.read.zookeeper import Write
from oneowner.checkers.verdict import Misuse
from tests.command_line import oneowner
from tests.recordings.dumps import REAL, Json, Judged, audit, text_of

UNIT = "t/n/0x00000000_0xffffffff"
FOREIGN = "has nodes of other clusters, too, which are left out: below "
COUNTED = "history-is-possible"
"""The report on the history as a whole, which gives its number of lines."""
ABROAD = 1 << 56
"""Turns a session's number into one that another member of the ensemble gave out."""


def copied(run: str, place: Path, change: Callable[[list[Json]], Iterable[Json]], store: str = "") -> Path:
    """Copy a recording, its ZooKeeper history changed; *store* is its ``metadataStoreUrl``, if the manifest has one."""
    folder = place / "run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(REAL / run, folder)
    (history,) = folder.glob("zookeeper*.jsonl*")
    writes = [json.loads(line) for line in text_of(history).splitlines()]
    history.unlink()
    (folder / "zookeeper.jsonl").write_text("".join(json.dumps(write) + "\n" for write in change(writes)))
    if store:
        manifest = folder / "manifest.yaml"
        audit_json = f"config_overrides:\n  metadataStoreUrl: {store}"
        changed = manifest.read_text().replace("config_overrides: {}", "config_overrides:")
        manifest.write_text(changed.replace("config_overrides:", audit_json, 1))
    return folder


def below(root: str) -> Callable[[Iterable[Json]], list[Json]]:
    return lambda writes: [one | ({"path": root + one["path"]} if one.get("path") else {}) for one in writes]


def beside(root: str, other: str) -> Callable[[list[Json]], Iterable[Json]]:
    """Put a second cluster into the history, which does the same a moment later: its brokers, in their sessions."""

    def both(writes: list[Json]) -> Iterable[Json]:
        found = alone(root)(writes)
        for twin in below(other)(writes):
            text = json.dumps(twin).replace("127.0.0.1:18", "127.0.0.1:28")
            session = int(twin["session"], 16)
            found.append(
                json.loads(text)
                | {"zxid": 2 * twin["zxid"] + 1, "session": hex(session + ABROAD) if session else "0x0"}
            )
        return sorted(found, key=itemgetter("zxid"))

    return both


def twins(writes: list[Json]) -> Iterable[Json]:
    """The second cluster is on another machine."""
    found = beside("/one", "/two")(writes)
    return [
        json.loads(json.dumps(one).replace("127.0.0.1", "127.0.0.2" if one["zxid"] % 2 else "127.0.0.1"))
        for one in found
    ]


def alone(root: str) -> Callable[[list[Json]], list[Json]]:
    """The first of the two clusters as it would be by itself."""
    return lambda writes: [one | {"zxid": 2 * one["zxid"]} for one in below(root)(writes)]


def audit_json(found: Judged) -> object:
    """The audit's JSON, without durations, line numbers, and reports on other clusters."""

    def of(value: object) -> object:
        if isinstance(value, dict):
            is_place = str(value.get("file")).endswith("zookeeper.jsonl")
            left = {"seconds", COUNTED} | ({"line"} if is_place else set())
            return {key: of(one) for key, one in value.items() if key not in left}
        return [of(one) for one in value if FOREIGN not in str(one)] if isinstance(value, list) else value

    return (
        found.exit_code,
        of({key: one for key, one in found.json.items() if key != "runs"}),
        [of({key: one for key, one in run.items() if key != "reasons"}) for run in found.json["runs"]],
    )


RUNS = ("zk-restart-metadata", "zk-partition", "locks-kill-owner")
"""The channel in the metadata store; in a topic; bundles owned by locks."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where copies lie one after the other: results name it, so the audit of one is that of all like it."""
    return tmp_path_factory.mktemp("copies")


@cache
def plain(run: str, place: Path) -> object:
    return audit_json(audit(copied(run, place, list), "--engine", "inline"))


@cache
def by_itself(run: str, root: str, store: str, place: Path) -> object:
    return audit_json(audit(copied(run, place, alone(root), store), "--engine", "inline"))


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("store", ["", "zk:h:2181/pulsar/one"])
def test_recording_below_a_chroot_is_judged_as_without(run: str, store: str, place: Path) -> None:
    expected = plain(run, place)
    found = audit(copied(run, place, below("/pulsar/one"), store), "--engine", "inline")
    assert audit_json(found) == expected


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(("own", "other"), [("/one", "/two"), ("", "/two"), ("/one", "")])
def test_of_two_clusters_the_one_that_the_manifest_names_is_judged(run: str, own: str, other: str, place: Path) -> None:
    store = f"zk:h1:2181,h2:2181{own}"
    expected = by_itself(run, own, store, place)
    found = audit(copied(run, place, beside(own, other), store), "--engine", "inline")
    assert audit_json(found) == expected
    assert any(f"{FOREIGN}{other or '/'}" in reason for reason in found.json["reasons"])


@pytest.mark.parametrize("run", RUNS)
def test_of_two_clusters_the_one_whose_brokers_the_files_name_is_judged(run: str, place: Path) -> None:
    expected = by_itself(run, "/one", "", place)
    found = audit(copied(run, place, beside("/one", "/two")), "--engine", "inline")
    assert audit_json(found) == expected
    assert any(f"{FOREIGN}/two" in reason for reason in found.json["reasons"])


def test_history_of_two_clusters_is_judged_for_each(tmp_path: Path) -> None:
    folder = copied("metadata-store", tmp_path, beside("/one", "/two"))
    for file in folder.iterdir():
        if file.name != "zookeeper.jsonl":
            file.unlink()
    found = audit(folder, "--engine", "inline", "--storage", "metadata-store")
    assert [one["run"].rpartition(" below ")[2] for one in found.json["runs"]] == ["/one", "/two"]
    one, two = ({key: own[key] for key in ("verdict", "events", "accepted", "units")} for own in found.json["runs"])
    assert one == two
    assert one["events"] > 100


def test_logs_of_two_clusters_go_with_the_cluster_of_their_brokers(tmp_path: Path) -> None:
    folder = copied("locks-kill-owner", tmp_path, twins)
    log = folder / "broker-1.log"
    log.write_text(text_of(folder / "broker-1.log.gz"))
    (folder / "broker-1.log.gz").unlink()
    (folder / "other.log").write_text(log.read_text().replace("127.0.0.1", "127.0.0.2"))
    found = audit(folder, "--engine", "inline")
    one, two = found.json["runs"]
    assert [one["run"].rpartition(" below ")[2], two["run"].rpartition(" below ")[2]] == ["/one", "/two"]
    names = [{Path(file["file"]).name for file in run["files"]} for run in (one, two)]
    assert ("broker-1.log" in names[0], "other.log" in names[0]) == (True, False)
    assert ("broker-1.log" in names[1], "other.log" in names[1]) == (False, True)


def test_manifest_that_names_another_cluster_than_the_history_has_leaves_it_unknown(tmp_path: Path) -> None:
    found = audit(copied("metadata-store", tmp_path, below("/one"), "zk:h:2181/two"), "--engine", "inline")
    assert found.exit_code == 3
    assert any("below /one, and the manifest's metadataStoreUrl says /two" in one for one in found.json["reasons"])
    hidden = audit(tmp_path / "run", "--engine", "inline", "--anonymise", "--salt", "s")
    assert not any("/one" in reason or "/two" in reason for reason in hidden.json["reasons"])


@pytest.mark.parametrize("run", ["healthy", "locks-kill-owner"])
def test_recording_below_a_chroot_is_replayed_as_without(run: str, tmp_path: Path) -> None:
    below_one = oneowner("replay", copied(run, tmp_path, below("/one")), "--json", "-")
    plain = oneowner("replay", copied(run, tmp_path, list), "--json", "-")
    assert below_one.code == plain.code == 0
    assert below_one.json["laws"] == plain.json["laws"]
    assert below_one.json["stats"]["units"] == plain.json["stats"]["units"]
    both = oneowner("replay", copied(run, tmp_path, beside("/one", "/two")), "--json", "-")
    assert both.code == 0
    assert both.json["laws"] == plain.json["laws"]


@pytest.mark.parametrize(
    ("root", "path", "op", "is_ephemeral"),
    [
        ("", "/loadbalance/brokers/b:8080", "create", True),
        ("/a/b", "/a/b/loadbalance/brokers/b:8080", "setData", None),
        ("/a", "/a/loadbalance/extension/leader", "create", None),
        ("/a", "/a/loadbalance/leader", "create", True),
        ("/a", f"/a/namespace/{UNIT}", "create", True),
        ("/a", f"/a/service_unit_state/{UNIT}", "create", False),
        (None, "/admin/policies/loadbalance/leader", "create", False),
        (None, f"/loadbalance/bundle-data/namespace/n/{UNIT.rpartition('/')[2]}", "create", False),
        (None, f"/loadbalance/bundle-data/{UNIT}", "setData", None),
        ("", f"/namespace/service_unit_state/c/n/{UNIT.rpartition('/')[2]}", "create", True),
        (None, "/a/loadbalance/leader", "delete", None),
        (None, "/loadbalance/brokers", "createContainer", None),
        (None, "/", "closeSession", None),
    ],
)
def test_only_what_one_cluster_alone_writes_tells_where_it_is(
    root: str | None, path: str, op: str, is_ephemeral: bool | None
) -> None:
    assert root_of(Write(1, 1, op, "0x1", path, "{}", ephemeral=is_ephemeral)) == root


def test_load_data_of_two_clusters_are_not_mixed(tmp_path: Path) -> None:
    report = json.dumps({"webServiceUrl": "http://b1:8080", "lastStats": {}, "bundles": [], "cpu": {"usage": 1.0}})
    file = tmp_path / "zookeeper.jsonl"

    def write(*roots: str) -> Path:
        paths = (f"{root}/loadbalance/brokers/b{number}:8080" for number, root in enumerate(roots))
        lines = [{"zxid": n, "op": "create", "path": path, "data": report} for n, path in enumerate(paths)]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return file

    assert [one.name for one in values_of(write("/one", "/one"))] == ["b0:8080", "b1:8080"]
    with pytest.raises(Misuse, match="nodes of two clusters, below / and /one"):
        values_of(write("", "/one"))
