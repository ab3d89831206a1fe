"""The hash ring: half-open ranges, overlaps, and splits that tile their parent."""

from hypothesis import given
from hypothesis import strategies as st

from oneowner.model.pulsar.bundles import RING_END, Range, is_empty, overlap, split, tiles
from tests.model.channel.strategies import steadily

points = st.integers(0, 12)
ranges = st.builds(Range, points, points)


def hashes(bundle: Range) -> set[int]:
    return set(range(bundle.low, bundle.high))


def test_range_is_written_with_eight_hex_digits() -> None:
    assert repr(Range(0x40000000, 0xC0000000)) == "0x40000000_0xc0000000"
    assert repr(Range(0, RING_END)) == "0x00000000_0xffffffff"


@steadily
@given(ranges, ranges)
def test_overlap_means_a_hash_in_both(one: Range, other: Range) -> None:
    assert overlap(one, other) == bool(hashes(one) & hashes(other))
    assert is_empty(one) == (not hashes(one))


@steadily
@given(ranges, ranges, ranges)
def test_children_tile_their_parent_if_they_cut_it_in_two(parent: Range, one: Range, other: Range) -> None:
    cut = bool(hashes(one)) and bool(hashes(other)) and not hashes(one) & hashes(other)
    assert tiles(parent, one, other) == (cut and hashes(one) | hashes(other) == hashes(parent))
    assert tiles(parent, one, other) == tiles(parent, other, one)


@steadily
@given(ranges, points)
def test_split_at_an_inner_boundary_tiles_the_parent(parent: Range, boundary: int) -> None:
    low, high = split(parent, boundary)
    assert tiles(parent, low, high) == (parent.low < boundary < parent.high)
