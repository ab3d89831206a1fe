"""Paths of the store are read as Pulsar reads them, and one that names no owner yields none."""

import pytest

from oneowner.model.lock_manager.nodes import LEADER_FIELDS, OWNER_FIELDS, OwnedBundle, bundle_of, ownership_path
from oneowner.model.lock_manager.rules import RELEASES


@pytest.mark.parametrize("namespace", ["public/default", "tenant/cluster/namespace", "pulsar/system"])
def test_path_of_a_bundle_tells_it(namespace: str) -> None:
    bundle = OwnedBundle(namespace, "0x40000000_0x80000000")
    assert bundle_of(ownership_path(bundle)) == bundle


@pytest.mark.parametrize(
    "path",
    [
        "/namespace",
        "/namespace/public/default",
        "/namespace/public/default/0x00000000",
        "/namespace/public/default/0x0_0x1_0x2",
        "/namespace/public/default/00000000_40000000",
        "/namespace/public/default/0x00000000_0x1ffffffff",
        "/namespace/a/b/c/d/0x00000000_0x40000000",
        "/namespaces/public/default/0x00000000_0x40000000",
        "/loadbalance/leader",
    ],
)
def test_another_path_tells_no_owner(path: str) -> None:
    assert bundle_of(path) is None


def test_every_release_says_what_its_nodes_hold() -> None:
    assert OWNER_FIELDS.keys() == LEADER_FIELDS.keys() == RELEASES.keys()
