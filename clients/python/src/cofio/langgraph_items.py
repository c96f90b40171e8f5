"""Where LangGraph's items stand among memories, and which of them are meant."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from langgraph.store.base import MatchCondition

CUSTOM = "langgraph"
"""The custom field with the item."""

INDEXED = "langgraphIndexed"
"""The custom field that says whether the item is found by a query."""

_ROOT = "langgraph"


class Place(NamedTuple):
    """The namespace and the key of an item."""

    namespace: tuple[str, ...]
    key: str

    def context_key(self) -> str:
        """Returns the key that the item has in Cofio."""
        return f"{key_prefix(self.namespace)}/{_plain(self.key)}"


def key_prefix(namespace: tuple[str, ...]) -> str:
    """Returns how the keys of all items in a namespace and below it begin."""
    return f"{_ROOT}." + "".join(f"{_plain(label)}." for label in namespace)


def _plain(text: str) -> str:
    """Returns a text without what separates parts of a key, and what no key can have."""
    return "".join(
        character if character.isprintable() and character not in "%./" else _escaped(character)
        for character in text
    )


def _escaped(character: str) -> str:
    return "%2E" if character == "." else quote(character, safe="")


def moment(text: str) -> datetime:
    """Reads a moment with any number of digits after the second."""
    whole, fraction = re.fullmatch(r"([^.Z]+)(?:\.(\d+))?Z", text).groups()  # type: ignore[union-attr]
    return datetime.fromisoformat(f"{whole}.{(fraction or '0').ljust(6, '0')[:6]}+00:00")


def matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Returns whether a namespace begins or ends as asked; `*` stands for any label."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def meets(value: Mapping[str, Any], filter: Mapping[str, Any] | None) -> bool:
    """Returns whether a value has every field as asked."""
    return all(_agrees(value.get(name), wanted) for name, wanted in (filter or {}).items())


def _agrees(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return all(_compares(value, sign, bound) for sign, bound in wanted.items())
        return isinstance(value, Mapping) and meets(value, wanted)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list)
            and len(value) == len(wanted)
            and all(map(_agrees, value, wanted))
        )
    return bool(value == wanted)


_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def _compares(value: Any, sign: str, bound: Any) -> bool:
    """Compares as a sign says; what has no order is neither less nor more."""
    if sign == "$eq":
        return bool(value == bound)
    if sign == "$ne":
        return bool(value != bound)
    if sign not in _ORDER:
        raise ValueError(f"unknown operator {sign!r}; known: $eq, $ne, {', '.join(_ORDER)}")
    for kind in (int | float, str):
        if isinstance(value, kind) and isinstance(bound, kind):
            return _ORDER[sign](value, bound)
    return False
