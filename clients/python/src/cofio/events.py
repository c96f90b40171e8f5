"""Server-sent events, read line by line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Event:
    """Something that happened, as a stream tells it."""

    id: str
    """Where the stream goes on after it."""
    event: str
    """What happened."""
    data: dict[str, Any]
    """What is said of it."""


@dataclass
class Reader:
    """Puts lines together to events, and remembers where to go on."""

    last: str | None = None
    pause: float | None = None
    """How many seconds the server asks to wait before coming back."""
    _id: str | None = None
    _event: str = ""
    _data: list[str] = field(default_factory=list)

    def read(self, line: str) -> Event | None:
        """Takes a line, and returns the event that ends with it."""
        if not line:
            return self._finished()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id" and "\0" not in value:
            self._id = value
        elif name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isdecimal():
            self.pause = int(value) / 1000
        return None

    def restart(self) -> None:
        """Drops an event that broke off."""
        self._id, self._event, self._data = None, "", []

    def _finished(self) -> Event | None:
        said, name = self._data, self._event or "message"
        if self._id is not None:
            self.last = self._id
        self.restart()
        return Event(self.last or "", name, json.loads("\n".join(said))) if said else None
