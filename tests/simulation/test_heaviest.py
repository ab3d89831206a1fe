"""The heaviest bundles, found quickly, are those of the model's ``top_bundles``, in the same order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneowner.checkers.simulation.extensible_leader import TOP_RULES, ExtensibleLeader
from oneowner.checkers.simulation.heaviest import Heaviest
from oneowner.checkers.simulation.run import RELEASES, simulate
from oneowner.checkers.simulation.traces import Loads, Sizes, generated
from oneowner.model.balancer.bundle_stats import BundleStats
from oneowner.model.balancer.top_bundles import Held, top_bundles
from oneowner.model.kernel.decision import Thrown
from oneowner.model.kernel.releases import before

NEAR = st.sampled_from([0.0, 50_000.0, 60_000.0, 100_000.0, 120_000.0, 180_000.0, 200_000.0, 1e9])
AMOUNTS = st.one_of(NEAR, st.floats(0, 1e6, allow_subnormal=False))
RATES = st.one_of(st.sampled_from([0.0, 49.0, 50.0, 100.0, 101.0, 250.0]), st.floats(0, 1e3, allow_subnormal=False))
OTHERS = st.sampled_from(["pulsar/system", "t/c/n", "t", "t/bad name", "out/n"])


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[str], Loads, Held]:
    """Draw bundles near each other, sometimes one of another namespace, with the rules of a release and settings."""
    count = draw(st.sampled_from([0, 1, 2, 5, 12, 40, 150]))
    names = [f"t/n{number % 3}/{number}" for number in range(count)]
    if count and draw(st.booleans()):
        names[draw(st.integers(0, count - 1))] = f"{draw(OTHERS)}/other"
    loads = [(draw(AMOUNTS), draw(RATES)) for _ in names]
    rules = TOP_RULES[draw(st.sampled_from(sorted(TOP_RULES)))]
    excluded = draw(st.sampled_from([frozenset[str](), frozenset({"t/n1", "out/n"})]))
    most = draw(st.sampled_from([0, 1, 3, 10, 50]))
    return names, loads, Held((), most, with_policies=draw(st.booleans()), excluded=excluded, rules=rules)


@settings(max_examples=80, deadline=None)
@given(cases())
def test_heaviest_bundles_are_those_of_the_model(case: tuple[list[str], Loads, Held]) -> None:
    names, loads, held = case
    some = tuple(
        BundleStats(name, throughput_in=load[0], rate_in=load[1]) for name, load in zip(names, loads, strict=True)
    )
    found = top_bundles(held._replace(bundles=some))
    quick = tuple(names[one] for one in Heaviest(names, held).of(range(len(names)), loads))
    assert quick == (() if isinstance(found, Thrown) else found)


@pytest.mark.parametrize("release", RELEASES["transfer"])
def test_bundles_are_published_by_the_rules_of_the_release(release: str) -> None:
    """Until 4.0.7 values near each other are equal, in 3.0 idle bundles are published too."""
    trace = generated("constant", Sizes(2, 3, 1))
    trace = trace._replace(owners=(0, 0, 0), loads=([(0.0, 0.0), (140_000.0, 1.0), (160_000.0, 1.0)],))
    published: list[int] = []

    def look(cycle: int, leader: ExtensibleLeader) -> None:
        top = leader.row()["top_bundles"][trace.brokers[0]]
        published.extend(trace.bundles.index(name) for name, _, _ in top)

    simulate(trace, "transfer", release, {}, 1, look)
    with_idle = ("3.0.0", "3.0.7", "3.2.3", "3.3.2")
    by_order = release in before("4.0.7")
    assert published == ([0, 1, 2] if release in with_idle else [2, 1] if by_order else [1, 2])
