"""``first_line`` sums up a recorded run in one line: verdict, what happened since when and for how long, what to do."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from oneowner.checkers.report.broker_names import BrokerNames
from oneowner.checkers.report.orders import LASTS, UNIT, Order, counted, order_for, pressing_of
from oneowner.checkers.times import iso, lasting
from oneowner.checkers.verdict import Verdict

WIDTH: Final = 160
"""Characters that the line has at most; only a long name of the run itself may exceed them."""
STATES: Final = {Verdict.INVALID: "broken", Verdict.UNKNOWN: "cannot tell"}
HEALTHY, DISTURBED = "healthy", "disturbed"
"""The states of a valid run: without incidents, and with some."""

_CLAUSE = re.compile(
    r"; |: |, (?=(?:and|or|but|so|which|when|as|although|because|until|then|from|for|of)\b)| (?=while\b)"
)

HARMS: Final = {
    "clients could not use": "out of use",
    "had two owners": "had two owners",
    "may have had two owners, or none": "in doubt",
}
"""The harm to bundles as the line has room for it."""


def first_line(
    run: str,
    verdict: str,
    incidents: Sequence[Mapping[str, Any]],
    reasons: Sequence[str],
    lack: Sequence[str] = (),
    brokers: BrokerNames | None = None,
) -> str:
    """
    Return the line for a run with its incidents, the worst first, and the reasons for its verdict.

    *lack* describes a run that is unknown for want of input, the longest words first: nobody knows of its incidents.

    >>> first_line("night", "valid", [], [])
    'night: healthy (valid). No incident.'
    """
    short = (brokers or BrokerNames(())).shortened
    state = state_of(verdict, bool(incidents))
    names = list(dict.fromkeys([run, PurePath(run).name or run]))
    if not incidents and lack:
        return _fitting(f"{name}: {state}: {short(words)}." for words in lack for name in names)
    if not incidents:
        why = [reason.removeprefix(f"{run}: ") for reason in reasons] if verdict != Verdict.VALID else []
        doubts = [f": {words}" for words in _shortened(short(why[0]))] if why else [""]
        return _fitting(f"{name}: {state}{doubt}. No incident." for doubt in doubts for name in names)
    worst = incidents[0]
    when, what = _when(worst), _shortened(short(worst["root"]["what"]))
    harms = harms_of(worst)
    what = [*(f"{words}; {harm}" for harm in harms for words in what), *what]
    orders = _orders(incidents, run, short)

    def line(name: str, words: str, order: str) -> str:
        return f"{name}: {state}. {_capital(when + words)}.{f' {order}.' if order else ''}"

    # An order to the operator matters more than the second clause of what happened, or than the folder of the run.
    rows = [(name, words) for name in names for words in what]
    brief = [(name, words, order) for order in sorted(orders, key=len)[:1] for name, words in rows]
    name, words, order = next((row for row in brief if len(line(*row)) <= WIDTH), (*rows[0], ""))
    if order:
        return _fitting(line(name, words, longer) for longer in orders)
    return _fitting(line(name, words, "") for name, words in rows)


def state_of(verdict: str, is_disturbed: bool) -> str:
    """
    Return a verdict in an operator's word, with the word of the checker.

    >>> state_of("invalid", True), state_of("valid", True), state_of("unknown", False)
    ('broken (invalid)', 'disturbed (valid)', 'cannot tell (unknown)')
    """
    return f"{STATES.get(Verdict(verdict), DISTURBED if is_disturbed else HEALTHY)} ({verdict})"


def _orders(incidents: Sequence[Mapping[str, Any]], run: str, short: Callable[[str], str]) -> list[str]:
    """Return what to do about the pressing incident, the longest words first; nothing where no repair is known."""
    pressing = pressing_of(incidents)
    order = order_for(pressing, run)
    if pressing is incidents[0]:
        return ["It is over"] if order.is_over else _words(order, short)
    many = sum(one["ended"] == LASTS for one in incidents)
    head = f"It is over, but {f'{many} other incidents last' if many > 1 else 'another incident lasts'}"
    what = _shortened(short(pressing["root"]["what"]))
    words = [f"{one[:1].lower()}{one[1:]}" for one in _words(order, short)]
    return [*(f"{head}: {what[-1]}; {one}" for one in words), *(f"{head}: {one}" for one in words or what), head]


def _words(order: Order, short: Callable[[str], str]) -> list[str]:
    """Return the words of an order, the longest first; nothing where no repair is known."""
    if not order.is_known:
        return []
    words = _shortened(_capital(short(order.words)))
    return words + [re.sub(UNIT, "the bundle", one) for one in words if len(re.findall(UNIT, one)) == 1]


def harms_of(incident: Mapping[str, Any]) -> list[str]:
    """
    Return the harm of an incident in a few words, with its time and without; nothing if it harmed no bundle.

    The time is left out if it is about that of the whole incident.

    >>> harms_of({"harm": "had two owners", "harmed": ["a", "b"], "longest": 154_000, "from": 0, "to": 190_000})
    ['2 bundles had two owners for 154.0 s', '2 bundles had two owners']
    """
    since, until, longest = incident["from"], incident["to"], incident["longest"]
    many = len(incident["harmed"])
    words = HARMS.get(incident["harm"], "")
    if not words or not many:
        return []
    brief = f"{many} bundle{'s' if many > 1 else ''} {words}"
    is_all = None not in (since, until) and 10 * abs(until - since - longest) <= longest
    return [brief] if is_all or not longest else [f"{brief} for {lasting(longest)}", brief]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fitting(lines: Iterable[str]) -> str:
    """Return the first line that is short enough, or else the last."""
    line = ""
    for line in lines:
        if len(line) <= WIDTH:
            break
    return line


def _shortened(text: str) -> list[str]:
    """
    Return a sentence without its full stop, whole and then with fewer and fewer of its clauses.

    >>> _shortened("unload a/b/0x00000000_0x40000000, a/b/0x40000000_0x80000000 at b1, or restart it.")[1:]
    ['unload 2 bundles at b1, or restart it', 'unload 2 bundles at b1']
    """
    whole = text.rstrip(".")
    brief = counted(whole)
    ends = [found.start() for found in _CLAUSE.finditer(brief)]
    return list(dict.fromkeys([whole, brief, *(brief[:end] for end in reversed(ends))]))


def _when(incident: Mapping[str, Any]) -> str:
    since, until = incident["from"], incident["to"]
    if since is None:
        return ""
    moment = f"{iso(since)[:19]}Z"
    if until is None:
        return f"since {moment}: " if incident["harm"] != "concerned" or incident["ended"] == "lasts" else f"{moment}: "
    return f"{moment} for {lasting(until - since)}: " if until > since else f"{moment}: "
