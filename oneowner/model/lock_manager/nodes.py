"""
The lock-based manager's nodes in the metadata store: paths, and the fields of the JSON by release.

An owner is found by the fields of its node alone; ZooKeeper has the session of a node (``ephemeralOwner``).
"""

from types import MappingProxyType
from typing import Final, NamedTuple

OWNERSHIP_ROOT: Final = "/namespace"
LEADER: Final = "/loadbalance/leader"
EXTENSIBLE_LEADER: Final = "/loadbalance/extension/leader"
BROKERS_ROOT: Final = "/loadbalance/brokers"
LOCAL_POLICIES_ROOT: Final = "/admin/local-policies"

OWNER: Final = ("nativeUrl", "nativeUrlTls", "httpUrl", "httpUrlTls", "disabled", "advertisedListeners")
"""The fields of ``NamespaceEphemeralData``, from 2.9.1 to 4.0.6."""
OWNER_FIELDS: Final = MappingProxyType(
    {
        **dict.fromkeys(("2.9.1", "2.10.5", "3.0.0", "4.0.6"), OWNER),
        "5.0.0-M1": ("brokerId", *OWNER),
    }
)
"""The fields of an ownership node by release; a URL that a broker does not have is null."""
LEADER_FIELDS: Final = MappingProxyType(
    {
        **dict.fromkeys(("2.9.1", "2.10.5", "3.0.0"), ("serviceUrl",)),
        **dict.fromkeys(("4.0.6", "5.0.0-M1"), ("brokerId", "serviceUrl")),
    }
)
"""The fields of the leader's node by release (``LeaderBroker``): before #21894 ``serviceUrl`` is all that there is."""


class OwnedBundle(NamedTuple):
    """The bundle of an ownership node."""

    namespace: str
    """``tenant/namespace``, or ``tenant/cluster/namespace`` of old."""
    range: str
    """The bundle's hash range, such as ``0x00000000_0x40000000``."""


def ownership_path(bundle: OwnedBundle) -> str:
    """Return the node that names the owner of *bundle* (``ServiceUnitUtils.path``)."""
    return f"{OWNERSHIP_ROOT}/{bundle.namespace}/{bundle.range}"


def bundle_of(path: str) -> OwnedBundle | None:
    """
    Return the bundle whose owner the node *path* tells, or None if it tells none (``suBundleFromPath``).

    >>> bundle_of("/namespace/public/default/0x00000000_0x40000000")
    OwnedBundle(namespace='public/default', range='0x00000000_0x40000000')
    >>> bundle_of("/namespace/public/default") is None
    True
    """
    root, _, rest = path.removeprefix("/").partition("/")
    parts = rest.split("/")
    if f"/{root}" != OWNERSHIP_ROOT or len(parts) not in (3, 4):
        return None
    ends = parts[-1].split("_")
    if len(ends) != 2 or not all(is_hash(end) for end in ends):
        return None
    return OwnedBundle("/".join(parts[:-1]), parts[-1])


def is_hash(word: str) -> bool:
    """Return whether *word* is an end of a range: 32 bits in hexadecimal."""
    try:
        return word.startswith("0x") and 0 <= int(word, 16) <= 0xFFFFFFFF
    except ValueError:
        return False
