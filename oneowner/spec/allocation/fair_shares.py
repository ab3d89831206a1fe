"""``FAIR_SHARES`` judges the share of a resource that YARN computes for each pool."""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

from oneowner.model.allocation.allocation_inputs import PoolSizes, some_cluster
from oneowner.model.allocation.fair_shares import Cluster, Pool, fair_shares
from oneowner.model.kernel.decision import Decision, InputLaw
from oneowner.model.kernel.law import LawKind, Status

CLASS = "ComputeFairShares"
Found = tuple[int, ...]


def least(pool: Pool) -> int:
    """The least that it gets: its minimum share, or its maximum share if that is lower."""
    return min(pool.least, pool.most)


def to_be_shared(cluster: Cluster) -> int:
    return min(cluster.total, sum(pool.most for pool in cluster.pools))


def has_pools(cluster: Cluster, found: Found) -> bool:
    return bool(cluster.pools)


def least_can_be_had(cluster: Cluster, found: Found) -> bool:
    return bool(cluster.pools) and sum(map(least, cluster.pools)) <= cluster.total


def least_are_too_many(cluster: Cluster, found: Found) -> bool:
    return sum(map(least, cluster.pools)) > cluster.total


def is_within_its_shares(cluster: Cluster, found: Found) -> bool:
    is_whole = len(found) == len(cluster.pools)
    return is_whole and all(least(pool) <= one <= pool.most for pool, one in zip(cluster.pools, found, strict=True))


def the_heavier_have_more(cluster: Cluster, found: Found) -> bool:
    if len(found) != len(cluster.pools):
        return False
    shares = permutations(zip(cluster.pools, found, strict=True), 2)
    return all(
        one >= other or one == pool.most or other == least(less)
        for (pool, one), (less, other) in shares
        if pool.weight >= less.weight
    )


def all_is_shared(cluster: Cluster, found: Found) -> bool:
    return sum(found) >= to_be_shared(cluster)


def excess_is_below_a_unit_a_pool(cluster: Cluster, found: Found) -> bool:
    return sum(found) < to_be_shared(cluster) + len(cluster.pools)


def is_the_total(cluster: Cluster, found: Found) -> bool:
    return sum(found) == to_be_shared(cluster)


def are_the_least(cluster: Cluster, found: Found) -> bool:
    return found == tuple(map(least, cluster.pools))


def read(row: Mapping[str, Any]) -> Cluster:
    return Cluster(row["total"], tuple(Pool(**pool) for pool in row["pools"]))


FAIR_SHARES = Decision(
    "allocation/fair-shares",
    "How much of a resource each pool is entitled to (YARN)",
    PoolSizes,
    some_cluster,
    fair_shares,
    (
        InputLaw("share-is-within-its-limits", "A share is between the pool's minimum and maximum share; where the "
                                               "maximum is the lower one, it decides.",
                                               CLASS, has_pools, is_within_its_shares, kind=LawKind.PURPOSE),
        InputLaw("heavier-pools-have-more", "A pool with at least the weight of another has at least its share, "
                                            "unless the first is at its maximum share or the other at its minimum "
                                            "share.", CLASS, has_pools, the_heavier_have_more, kind=LawKind.PROTOCOL),
        InputLaw("shares-use-up-the-total", "The shares use up the total, up to the maximum shares.", CLASS,
                 has_pools, all_is_shared, kind=LawKind.PURPOSE),
        InputLaw("shares-exceed-by-less-than-a-unit-a-pool", "Where minimum shares leave room, the sum of the shares "
                                                             "exceeds the total by less than one unit per pool.",
                                                             CLASS, least_can_be_had, excess_is_below_a_unit_a_pool,
                 kind=LawKind.PROTOCOL),
        InputLaw("minimum-shares-come-first", "Where the minimum shares exceed the total, each pool still gets its "
                                              "own.", CLASS, least_are_too_many, are_the_least, kind=LawKind.PROTOCOL),
        InputLaw("shares-are-the-total", "Where minimum shares leave room, the sum of the shares is the total. "
                                         "(This fails: each share is cut to a whole number, and all equal ones "
                                         "reach the next number at once.)", CLASS,
                 least_can_be_had, is_the_total, Status.DOCUMENTED, kind=LawKind.PURPOSE),
    ),
    read,
)  # fmt: skip
