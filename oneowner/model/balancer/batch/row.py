"""
The settings in a line of a batch.

Lists of brokers and bundles are in the order of the original's maps. Keys of ``conf`` are those of broker.conf; a key
that a decision does not read is passed over, as the original does.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from oneowner.model.kernel.batch import Row

T = TypeVar("T", bound=tuple[Any, ...])


def configured(default: T, conf: Row, keys: Mapping[str, str]) -> T:
    """Return settings with the values of *conf*, which may be texts, as in broker.conf."""
    told = {field: value_like(getattr(default, field), conf[key]) for key, field in keys.items() if key in conf}
    return type(default)(**{**default._asdict(), **told})  # type: ignore[attr-defined]


def defaults_of(settings: Any, keys: Mapping[str, str]) -> dict[str, Any]:
    """Return what settings are if a line is silent, by their keys of broker.conf."""
    return {key: getattr(settings, field) for key, field in keys.items()}


def value_like(default: Any, value: Any) -> Any:
    """
    Return a value of broker.conf as one of the kind that *default* is of.

    >>> value_like(True, "false"), value_like(3, "7"), sorted(value_like(frozenset(), "a/b, c/d"))
    (False, 7.0, ['a/b', 'c/d'])
    """
    if isinstance(default, bool):
        return str(value).strip().lower() == "true"
    if isinstance(default, frozenset):
        parts = value.split(",") if isinstance(value, str) else value
        return frozenset(part.strip() for part in parts if part.strip())
    return str(value) if isinstance(default, str) else float(value)
