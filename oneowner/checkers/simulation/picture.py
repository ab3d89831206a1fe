"""``page`` draws runs as one page that works offline: the most and the least used broker, and the moves, by cycle."""

from collections.abc import Iterator, Sequence
from html import escape

from oneowner.checkers.simulation.run import Point, Run

WIDTH, HEIGHT, BARS = 900, 160, 50
"""Pixels of a picture, and of the bars below it."""
STYLE = "body{font:14px sans-serif;margin:2em}svg{display:block}path{fill:#9bc}rect{fill:#c63}line{stroke:#999}"


def page(trace: str, release: str, seed: int, runs: Sequence[Run]) -> str:
    """Return the page, the same bytes for the same runs; it loads nothing and runs no script."""
    title = escape(f"{trace}, release {release}, seed {seed}")
    top = max([1.0, *(point.most for run in runs for point in run.points)])
    most = max([1, *(point.moves for run in runs for point in run.points)])
    policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    head = f"<!doctype html><meta charset=utf-8>{policy}<title>{title}</title><style>{STYLE}</style><h1>{title}</h1>"
    scale = f"Band: from the least to the most used broker, of 0 to {top:.2f} (line: used up)."
    told = f"<p>{scale} Bars: moves, up to {most}.</p>"
    return head + told + "".join(part for run in runs for part in picture(run, top, most))


def picture(run: Run, top: float, most: int) -> Iterator[str]:
    """Yield the parts of a run's picture."""
    yield f"<h2>{escape(run.shedder)}: {run.moves} moves (bound {run.fewest}), last in cycle {run.rounds}</h2>"
    yield f'<svg width="{WIDTH}" height="{HEIGHT + BARS}"><path d="{band(run.points, top)}"/>'
    full = HEIGHT * (1 - 1 / top)
    yield f'<line x1="0" x2="{WIDTH}" y1="{full:.1f}" y2="{full:.1f}"/>'
    wide = WIDTH / len(run.points)
    for point in run.points:
        if point.moves:
            high = max(1.0, BARS * point.moves / most)
            at = f'x="{point.cycle * wide:.1f}" y="{HEIGHT + BARS - high:.1f}"'
            words = f"cycle {point.cycle}: {point.moves} moves, {point.least:.3f} to {point.most:.3f}"
            yield f'<rect {at} width="{max(1.0, wide - 1):.1f}" height="{high:.1f}"><title>{words}</title></rect>'
    yield "</svg>"


def band(points: Sequence[Point], top: float) -> str:
    """Return the outline of the area between the least and the most used broker."""
    wide = WIDTH / len(points)
    upper = [f"{(one.cycle + 0.5) * wide:.1f},{HEIGHT * (1 - one.most / top):.1f}" for one in points]
    lower = [f"{(one.cycle + 0.5) * wide:.1f},{HEIGHT * (1 - one.least / top):.1f}" for one in reversed(points)]
    return f"M{'L'.join([*upper, *lower])}Z"
