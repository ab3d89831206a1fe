"""A graph drawn on a ring: nodes in the order in which the fewest arrows cross, curved arrows with numbers."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import combinations, permutations
from math import cos, hypot, pi, sin
from typing import Final, NamedTuple

WIDTH, HEIGHT, RADIUS = 760, 560, 215
BOX: Final = (118, 38)
"""Width and height of a node."""
BEND: Final = 0.16
"""How far an arrow bends, by its length."""
GAP: Final = 5

Point = tuple[float, float]


class Arrow(NamedTuple):
    """An arrow between two nodes, by their names; its number is its place."""

    source: str
    target: str
    style: str
    """A class of the style sheet."""
    title: str


def drawn(nodes: Sequence[str], arrows: Sequence[Arrow]) -> str:
    """Return the picture as SVG; each number leads to ``#arrow-N``."""
    places = _places(ordered(nodes, arrows))
    parts = [
        f'<svg class="ring" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{len(nodes)} states">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for number, arrow in enumerate(arrows, 1):
        parts += _arrow(number, arrow, places)
    for name, (x, y) in places.items():
        left, top = x - BOX[0] / 2, y - BOX[1] / 2
        parts.append(f'<rect class="node" x="{left:.1f}" y="{top:.1f}" width="{BOX[0]}" height="{BOX[1]}" rx="9"/>')
        parts.append(f'<text class="node" x="{x:.1f}" y="{y:.1f}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"])


def ordered(nodes: Sequence[str], arrows: Sequence[Arrow]) -> tuple[str, ...]:
    """
    Return nodes in the order around the ring in which the fewest arrows cross; the first stays first.

    >>> ordered("abcd", [Arrow("a", "c", "", ""), Arrow("b", "d", "", "")])
    ('a', 'b', 'd', 'c')
    """
    pairs = {frozenset((one.source, one.target)) for one in arrows if one.source != one.target}

    def crossings(order: tuple[str, ...]) -> int:
        at = {name: place for place, name in enumerate(order)}
        chords = [sorted(at[name] for name in pair) for pair in pairs]
        return sum(one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1]
                   for one, other in combinations(chords, 2))  # fmt: skip

    return min(((nodes[0], *rest) for rest in permutations(nodes[1:])), key=crossings)


def _places(order: Sequence[str]) -> dict[str, Point]:
    turns = ((2 * pi * place / len(order) - pi / 2) for place in range(len(order)))
    return {
        name: (WIDTH / 2 + 1.38 * RADIUS * cos(turn), HEIGHT / 2 + RADIUS * sin(turn))
        for name, turn in zip(order, turns, strict=True)
    }


def _arrow(number: int, arrow: Arrow, places: dict[str, Point]) -> Iterator[str]:
    start, end = places[arrow.source], places[arrow.target]
    curve = _loop(start) if start == end else _between(start, end)
    (x0, y0), (x1, y1), (x2, y2) = curve
    x, y = _at(curve, 0.5)
    yield f'<path class="arrow {arrow.style}" d="M{x0:.1f} {y0:.1f}Q{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f}"/>'
    yield f'<a href="#arrow-{number}"><title>{escape(arrow.title)}</title>'
    yield f'<circle class="number" cx="{x:.1f}" cy="{y:.1f}" r="10"/>'
    yield f'<text class="number" x="{x:.1f}" y="{y:.1f}">{number}</text></a>'


def _between(start: Point, end: Point) -> tuple[Point, Point, Point]:
    """Return a curve between two nodes that ends at their borders."""
    across = end[0] - start[0], end[1] - start[1]
    middle = (start[0] + end[0]) / 2 - BEND * across[1], (start[1] + end[1]) / 2 + BEND * across[0]
    curve = start, middle, end
    times = [step / 200 for step in range(201)]
    inside = [time for time in times if not (_covers(start, _at(curve, time)) or _covers(end, _at(curve, time)))]
    return _part(curve, inside[0], inside[-1])


def _loop(place: Point) -> tuple[Point, Point, Point]:
    """Return a curve from a node to itself, on the side that is away from the middle of the ring."""
    away = place[0] - WIDTH / 2, place[1] - HEIGHT / 2
    far = hypot(*away) or 1.0
    out = away[0] / far * 74, away[1] / far * 74
    border = -1 if out[1] < 0 else 1
    y = place[1] + border * (BOX[1] / 2 + GAP)
    return (place[0] - 22, y), (place[0] + out[0] * 0.2, y + border * 62), (place[0] + 22, y)


def _covers(place: Point, point: Point) -> bool:
    return abs(point[0] - place[0]) < BOX[0] / 2 + GAP and abs(point[1] - place[1]) < BOX[1] / 2 + GAP


def _at(curve: tuple[Point, Point, Point], time: float) -> Point:
    """Return a point of a quadratic curve."""
    first, second, third = (1 - time) ** 2, 2 * time * (1 - time), time**2
    (x0, y0), (x1, y1), (x2, y2) = curve
    return first * x0 + second * x1 + third * x2, first * y0 + second * y1 + third * y2


def _part(curve: tuple[Point, Point, Point], since: float, until: float) -> tuple[Point, Point, Point]:
    """Return the part of a curve between two times."""
    start, end = _at(curve, since), _at(curve, until)
    (x0, y0), (x1, y1), _ = curve
    slope = x0 + (x1 - x0) * since, y0 + (y1 - y0) * since
    other = _line(curve[1], curve[2], since)
    return start, _line(slope, other, until), end


def _line(one: Point, other: Point, time: float) -> Point:
    return one[0] + (other[0] - one[0]) * time, one[1] + (other[1] - one[1]) * time
