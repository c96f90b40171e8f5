"""One request as it is described, before anybody sends it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import quote

Answer = TypeVar("Answer", covariant=True)


@dataclass(frozen=True)
class Request(Generic[Answer]):
    """Something to ask, and by its type what comes back."""

    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    content: bytes | Iterable[bytes] | None = None
    """Lines to send along in place of a body in JSON."""
    repeatable: bool = False
    """Whether asking twice does no more than asking once."""


def given(fields: Mapping[str, object]) -> dict[str, object]:
    """Returns the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def segment(text: str) -> str:
    """Returns a text as one segment of a path."""
    if text in ("", ".", ".."):
        # Every address would leave it out, and lead elsewhere.
        raise ValueError(f"{text!r} cannot be part of a path")
    return quote(text, safe="")


def idempotency(key: str | None) -> dict[str, str]:
    """Names a request, so that it can be repeated; a name is made up if none is given."""
    return {"Idempotency-Key": key or uuid.uuid4().hex}


def expecting(version: int | None) -> dict[str, str]:
    """Asks for a change only if a memory still has this version."""
    return {} if version is None else {"If-Match": f'"{version}"'}
