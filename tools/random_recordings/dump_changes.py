"""Small changes to a recorded dump, by name; each returns the changed dump and leaves the given one alone."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from tools.render.dump_files import Json, message

Messages = list[Json]


def _place(messages: Messages, at: str) -> int:
    (place,) = (number for number, one in enumerate(messages) if one["messageId"] == at)
    return place


def drop(messages: Messages, at: str) -> Messages:
    place = _place(messages, at)
    return messages[:place] + messages[place + 1 :]


def repeat(messages: Messages, at: str, as_id: str, after: str) -> Messages:
    place = _place(messages, after) + 1
    again = {**messages[_place(messages, at)], "messageId": as_id}
    return [*messages[:place], again, *messages[place:]]


def append(messages: Messages, after: str, as_id: str, key: str, value: Json | None) -> Messages:
    place = _place(messages, after) + 1
    return [*messages[:place], message(as_id, key, value, messages[place - 1]["publishTime"]), *messages[place:]]


def swap_lines(messages: Messages, one: str, other: str) -> Messages:
    swapped = list(messages)
    first, second = _place(messages, one), _place(messages, other)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    return swapped


def swap_records(messages: Messages, one: str, other: str) -> Messages:
    swapped = swap_lines(messages, one, other)
    for place in (_place(messages, one), _place(messages, other)):
        swapped[place] = {**swapped[place], "messageId": messages[place]["messageId"]}
    return swapped


def retarget(messages: Messages, at: str, broker: str) -> Messages:
    return _with_value(messages, at, dstBroker=broker)


def jump_version(messages: Messages, at: str, to: int) -> Messages:
    return _with_value(messages, at, versionId=to)


def _with_value(messages: Messages, at: str, **fields: Any) -> Messages:
    changed = deepcopy(messages)
    changed[_place(messages, at)]["value"].update(fields)
    return changed


def rename_child(messages: Messages, parent: str, child: str, name: str) -> Messages:
    """Make a split name, and create, another child."""
    changed = deepcopy(messages)
    namespace = parent.rpartition("/")[0]
    for one in changed:
        split = (one["value"] or {}).get("splitServiceUnitToDestBroker")
        if one["key"] == parent and split is not None:
            split[name] = split.pop(child)
        elif one["key"] == f"{namespace}/{child}":
            one["key"] = f"{namespace}/{name}"
    return changed


def delay(messages: Messages, since: str, until: str, milliseconds: int) -> Messages:
    """Delay *until*, and all after it, so that so much time passes between the two."""
    changed = deepcopy(messages)
    first, second = _place(messages, since), _place(messages, until)
    later = milliseconds - (messages[second]["publishTime"] - messages[first]["publishTime"])
    for one in changed[second:]:
        one["publishTime"] += later
    return changed


def never_answer(messages: Messages, at: str, answer: str, milliseconds: int) -> Messages:
    """Drop the *answer*, and let the last message of the dump come so long after *at*."""
    return delay(drop(messages, answer), at, messages[-1]["messageId"], milliseconds)


MUTATIONS: dict[str, Callable[..., Messages]] = {
    function.__name__: function
    for function in (
        drop, repeat, append, swap_lines, swap_records, retarget, jump_version, rename_child, delay, never_answer,
    )
}  # fmt: skip
