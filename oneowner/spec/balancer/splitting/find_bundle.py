"""``FIND_BUNDLE`` judges the bundle in which a topic is looked up, by its hash."""

from itertools import pairwise

from oneowner.model.balancer.splitting.ring_inputs import Lookup, RingSizes, find, read_lookup, some_lookup
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind, Status
from oneowner.model.pulsar.boundaries import BEHIND, includes
from oneowner.model.pulsar.bundles import RING_END, Range
from oneowner.spec.balancer.splitting.ring_lemmas import SEARCH_LEMMAS
from oneowner.spec.balancer.splitting.traced import MODULES


def lies_before_the_last(asked: Lookup, found: int) -> bool:
    return asked.point < RING_END


def is_the_last(asked: Lookup, found: int) -> bool:
    return asked.point == RING_END


def is_the_only_one(asked: Lookup, found: int) -> bool:
    """Of all bundles, each asked, the one that was found includes the hash, and no other does."""
    bundles = [Range(*ends) for ends in pairwise(asked.namespace)]
    return [number for number, bundle in enumerate(bundles) if includes(bundle, asked.point)] == [found]


def is_behind(asked: Lookup, found: int) -> bool:
    return found == BEHIND


FIND_BUNDLE = Decision(
    "balancer/find-bundle",
    "The bundle in which a topic is looked for, by its hash (NamespaceBundles.getBundle)",
    RingSizes,
    some_lookup,
    find,
    (
        InputLaw("found-bundle-includes-the-hash", "Of a hash below 0xffffffff that bundle is found which includes it,"
                 " and no other includes it.", "NamespaceBundles.getBundle, NamespaceBundle.includes",
                 lies_before_the_last, is_the_only_one, kind=LawKind.PURPOSE),
        InputLaw("last-hash-is-not-found", "Of 0xffffffff no bundle is found: the search finds the last boundary, and"
                 " there is no bundle behind it.", "NamespaceBundles.getBundle, ConsistentHashingTopicBundleAssigner",
                 is_the_last, is_behind, kind=LawKind.MIRROR),
        InputLaw("found-bundle-includes-the-hash-always", "Of every hash that bundle is found which includes it. (Not"
                 " of 0xffffffff.)", "NamespaceBundles.getBundle", always, is_the_only_one, Status.DOCUMENTED,
                 kind=LawKind.PURPOSE),
    ),
    read_lookup,
    SEARCH_LEMMAS,
    MODULES,
)  # fmt: skip
