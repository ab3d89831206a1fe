"""
``BundleStats`` is what a broker reports of a bundle (``NamespaceBundleStats``), and how two are compared.

Which of two bundles is heavier is asked feature by feature. Before 4.0.7 values near each other are called equal, which
is no order: a may equal b, and b c, while a is heavier than c (#24754). Since then values are rounded, and those are
compared (#24772).
"""

from typing import Final, NamedTuple

from oneowner.model.java.arithmetic import order, rounded, wrapped

RESOLUTIONS: Final = (1e5, 1e5, 100.0, 500, 100_000)
"""By feature: bytes a second in, and out; messages a second; topics and sessions; bytes of cache."""
WHOLE_NUMBERS: Final = (3, 4)


class BundleStats(NamedTuple):
    """A broker's report of a bundle; rates and throughput are per second, throughput and cache in bytes."""

    name: str
    topics: int = 0
    consumers: int = 0
    producers: int = 0
    rate_in: float = 0.0
    rate_out: float = 0.0
    throughput_in: float = 0.0
    throughput_out: float = 0.0
    cache: int = 0

    @property
    def namespace(self) -> str:
        return self.name.rpartition("/")[0]

    @property
    def rate(self) -> float:
        return self.rate_in + self.rate_out

    @property
    def throughput(self) -> float:
        return self.throughput_in + self.throughput_out

    @property
    def sessions(self) -> int:
        """Producers and consumers, a sum of two ints in Java."""
        return wrapped(self.consumers + self.producers)

    def features(self) -> tuple[float, ...]:
        """Return what is compared, the most important first."""
        return (
            self.throughput_in,
            self.throughput_out,
            self.rate,
            self.topics + self.consumers + self.producers,
            self.cache,
        )


def compare(one: BundleStats, other: BundleStats, rounds: bool) -> int:
    """
    Return ``compareTo``: below 0 if *one* is lighter; *rounds*: as since 4.0.7.

    >>> a, b = BundleStats("a", throughput_in=140_000), BundleStats("b", throughput_in=160_000)
    >>> compare(a, b, rounds=False), compare(a, b, rounds=True)
    (0, -1)
    """
    for feature, (mine, theirs) in enumerate(zip(one.features(), other.features(), strict=True)):
        resolution = RESOLUTIONS[feature]
        if not rounds:
            found = sign(mine, theirs) if abs(mine - theirs) > resolution else 0
        elif feature in WHOLE_NUMBERS:
            found = sign(cut_off(mine, resolution), cut_off(theirs, resolution))
        else:
            found = sign(rounded(mine / resolution), rounded(theirs / resolution))
        if found:
            return found
    return 0


def cut_off(number: float, by: float) -> float:
    """Return the quotient of two whole numbers, cut off as Java does it."""
    return number // by if number >= 0 else -(-number // by)


def sign(one: float, other: float) -> int:
    """Return ``Double.compare``."""
    return (order(one) > order(other)) - (order(one) < order(other))
