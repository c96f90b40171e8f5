"""Server-sent events, and the lines they are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

# A carriage return at the end of a piece may be half of the end of a line.
_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")


@dataclass
class Events:
    """Puts pieces together to events, and remembers where to go on."""

    last: str | None = None
    """The place after which to go on."""
    pause: float = 1.0
    """How many seconds the server asks to wait before coming back."""
    _rest: bytes = b""
    _id: str | None = None
    _data: list[str] = field(default_factory=list)

    def feed(self, piece: bytes) -> Iterator[Any]:
        """Takes a piece of a stream, and yields the data of the events that end in it."""
        *lines, self._rest = _LINE_END.split(self._rest + piece)
        for line in lines:
            self._read(line.decode("utf-8", "replace"))
            if not line and self._data:
                said, self._data = "\n".join(self._data), []
                yield json.loads(said)

    def restart(self) -> None:
        """Drops an event that broke off."""
        self._rest, self._id, self._data = b"", None, []

    def _read(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line and self._id is not None:
            self.last, self._id = self._id, None
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isdecimal():
            self.pause = int(value) / 1000


@dataclass
class Lines:
    """Puts pieces together to lines; only a line feed ends one."""

    _rest: bytes = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Takes a piece of a stream, and yields the lines that end in it, each with its end."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            yield line + b"\n"

    def end(self) -> Iterator[bytes]:
        """Yields what is left when the stream is over."""
        if self._rest:
            yield self._rest
