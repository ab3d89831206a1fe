"""A run of the channel as a sequence diagram: a line for each broker and for the channel, an arrow for each record."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from oneowner.checkers.report.run_text import changes_in_words
from oneowner.checkers.report.step_page import actor
from oneowner.checkers.scenarios.replay import Replay
from oneowner.model.kernel.action import Action

LANE: Final = 300
"""Pixels between two lines."""
ROW: Final = 50
HEAD: Final = 66
EDGE: Final = 64
LONGEST: Final = 46
"""Characters of a note."""


def drawn(run: Replay) -> str:
    """Return the diagram as SVG."""
    bounds, story = run.scenario.bounds, run.system.story
    names = [*(f"broker {number}" for number in range(1, bounds.brokers + 1)), "channel"]
    width, height = 2 * EDGE + LANE * (len(names) - 1), HEAD + ROW * (len(run.steps) + 1)
    parts = [
        f'<svg class="sequence" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="{escape(run.scenario.title)}">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for place, name in enumerate(names):
        x = _x(place)
        parts.append(f'<line class="life" x1="{x}" x2="{x}" y1="{HEAD - 26}" y2="{height - 8}"/>')
        parts.append(f'<rect class="actor" x="{x - 52}" y="8" width="104" height="30" rx="7"/>')
        parts.append(f'<text class="actor" x="{x}" y="23">{name}</text>')
    lanes = [story.lane(state) for state in run.states]
    parts += [band for kind in ("serving", "closing") for band in _bands(lanes, bounds.brokers, kind)]
    for step, before, after in zip(run.steps, run.states, run.states[1:], strict=False):
        who = actor(step.action, story.actors)
        place = len(names) - 1 if who is None else who - 1
        moved = story.traffic(before, step.action, after)
        records = [f"unit {unit} {words}" if bounds.units > 1 else words for _, unit, words, _ in moved["appended"]]
        note = "; ".join(records) or _short("; ".join(changes_in_words(bounds, step)))
        arrow = "appends" if records else "reads" if moved["read"] else ""
        parts += _row(step.number, in_words(step.action, story.actors), place, arrow, note, len(names) - 1)
    return "\n".join([*parts, "</svg>"])


def _x(place: int) -> int:
    return EDGE + LANE * place


def _y(number: int) -> int:
    return HEAD + ROW * number


def _bands(lanes: list[dict[str, Any]], brokers: int, kind: str) -> Iterator[str]:
    """Yield a band on the line of a broker for each time in which it serves, or closes, something."""
    for broker in range(brokers):
        begin = None
        for number, lane in enumerate([*lanes, {kind: [[]] * brokers}]):
            is_so = bool(lane[kind][broker])
            if is_so and begin is None:
                begin = number
            elif not is_so and begin is not None:
                place = f'x="{_x(broker) - 5}" y="{_y(begin)}" width="10" height="{ROW * (number - begin)}"'
                yield f'<rect class="{kind} s{broker}" {place}/>'
                begin = None


def _row(number: int, action: str, place: int, arrow: str, note: str, channel: int) -> Iterator[str]:
    """Yield a step at the line of its actor: what it does above the arrow, the record or its change below."""
    y, x, end = _y(number), _x(place), _x(channel)
    if arrow == "appends":
        yield f'<line class="message" x1="{x}" x2="{end}" y1="{y}" y2="{y}"/>'
    elif arrow == "reads":
        yield f'<line class="message read" x1="{end}" x2="{x}" y1="{y}" y2="{y}"/>'
    else:
        yield f'<circle class="own" cx="{x}" cy="{y}" r="5"/>'
    yield f'<text class="step" x="{x + 11}" y="{y - 6}">{number}. {escape(action)}</text>'
    yield f'<text class="note" x="{x + 11}" y="{y + 15}">{escape(note)}</text>'


def in_words(action: Action, actors: Sequence[str]) -> str:
    """Return an action without the actor, at whose line it stands, and without numbers that say nothing."""
    rest = [f"{name} {value}" for name, value in action.arguments if name not in (*actors, "unit", "number")]
    return " ".join([action.name.replace("_", " "), *rest])


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 3]}..."
