"""``INITIAL_BOUNDARIES`` judges the initial boundaries of a namespace, by its number of bundles."""

from itertools import pairwise

from oneowner.model.balancer.splitting.ring_inputs import CountSizes, read_count, some_count
from oneowner.model.kernel.decision import Decision, InputLaw, always
from oneowner.model.kernel.law import LawKind
from oneowner.model.pulsar.boundaries import HASHES, initial_boundaries
from oneowner.model.pulsar.bundles import RING_END
from oneowner.spec.balancer.splitting.ring_lemmas import INITIAL_LEMMAS
from oneowner.spec.balancer.splitting.traced import MODULES


def cut_the_ring(count: int, boundaries: tuple[int, ...]) -> bool:
    """There is one boundary more than bundles, they increase, and the ends are those of the ring."""
    ends = (boundaries[0], boundaries[-1]) == (0, RING_END)
    return ends and len(boundaries) == count + 1 and all(low < high for low, high in pairwise(boundaries))


def has_several(count: int, boundaries: tuple[int, ...]) -> bool:
    return count > 1


def last_takes_the_rest(count: int, boundaries: tuple[int, ...]) -> bool:
    sizes = [high - low for low, high in pairwise(boundaries)]
    return set(sizes[:-1]) == {HASHES // count} and sizes[-1] + 1 == HASHES // count + HASHES % count


INITIAL_BOUNDARIES = Decision(
    "balancer/initial-boundaries",
    "The boundaries that a namespace begins with (PoliciesUtil.getBundles)",
    CountSizes,
    some_count,
    initial_boundaries,
    (
        InputLaw("initial-boundaries-cut-the-ring", "They increase from 0 to the end of the ring, one more than there"
                 " are bundles.", "PoliciesUtil.getBundles, NamespaceBundle.includes", always, cut_the_ring,
                 kind=LawKind.PURPOSE),
        InputLaw("last-initial-bundle-takes-the-rest", "All bundles have the same size, but for the last one, which"
                 " takes what the division leaves over.", "PoliciesUtil.getBundles", has_several, last_takes_the_rest,
                 kind=LawKind.MIRROR),
    ),
    read_count,
    INITIAL_LEMMAS,
    MODULES,
)  # fmt: skip
