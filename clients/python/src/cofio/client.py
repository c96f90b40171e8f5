"""The two clients: one that waits, and one that awaits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, cast

import httpx

from cofio.errors import CofioError, UnreachableError, error_from
from cofio.events import Events, Lines
from cofio.operations import Operations
from cofio.retries import Retries, comeback
from cofio.verb import Asker, AsyncAsker

if TYPE_CHECKING:
    from types import TracebackType

    from cofio.request import Request

T = TypeVar("T")

_SILENCE = 45.0

LOCAL = "http://127.0.0.1:7717"
"""Where `cofio serve` listens if nothing else is said."""


class Cofio(Operations, Asker):
    """A client that waits for answers; any number of threads may share it."""

    def __init__(
        self,
        base_url: str = LOCAL,
        *,
        key: str | None = None,
        timeout: float = 30.0,
        retries: int = 2,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Takes the address of a server, and the key to it where one is needed."""
        self._retries = Retries(retries)
        self._http = httpx.Client(**_settings(base_url, key, timeout), transport=transport)

    def ask(self, request: Request[T]) -> T:
        for attempt in count():
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = self._http.request(**_sent(request))
            except httpx.TransportError as error:
                outcome = error
            pause = self._retries.pause(request, attempt, outcome)
            if pause is None:
                return _answer(request, outcome)
            time.sleep(pause)
        raise AssertionError("counting does not end")

    def follow(self, request: Request[T]) -> Iterator[T]:
        events, failures = Events(), -1
        while True:
            outcome: httpx.Response | httpx.TransportError
            try:
                with self._http.stream(**_followed(request, events)) as outcome:
                    if outcome.is_success:
                        failures = 0
                        for piece in outcome.iter_bytes():
                            yield from events.feed(piece)
                    else:
                        outcome.read()
            except httpx.TransportError as error:
                outcome = error
            pause = comeback(events.pause, failures, outcome) if failures >= 0 else None
            if pause is None:
                raise _failure(request, outcome)
            events.restart()
            failures += 1
            time.sleep(pause)

    def lines(self, request: Request[bytes]) -> Iterator[bytes]:
        lines = Lines()
        try:
            with self._http.stream(**_sent(request)) as response:
                if not response.is_success:
                    response.read()
                    raise _failure(request, response)
                for piece in response.iter_bytes():
                    yield from lines.feed(piece)
        except httpx.TransportError as error:
            raise _failure(request, error) from error
        yield from lines.end()

    def close(self) -> None:
        """Ends all connections."""
        self._http.close()

    def __enter__(self) -> Cofio:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncCofio(Operations, AsyncAsker):
    """A client that awaits answers; any number of tasks of one loop may share it."""

    def __init__(
        self,
        base_url: str = LOCAL,
        *,
        key: str | None = None,
        timeout: float = 30.0,
        retries: int = 2,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Takes the address of a server, and the key to it where one is needed."""
        self._retries = Retries(retries)
        self._http = httpx.AsyncClient(**_settings(base_url, key, timeout), transport=transport)

    async def ask(self, request: Request[T]) -> T:
        for attempt in count():
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = await self._http.request(**_sent_later(request))
            except httpx.TransportError as error:
                outcome = error
            pause = self._retries.pause(request, attempt, outcome)
            if pause is None:
                return _answer(request, outcome)
            await asyncio.sleep(pause)
        raise AssertionError("counting does not end")

    async def follow(self, request: Request[T]) -> AsyncIterator[T]:
        events, failures = Events(), -1
        while True:
            outcome: httpx.Response | httpx.TransportError
            try:
                async with self._http.stream(**_followed(request, events)) as outcome:
                    if outcome.is_success:
                        failures = 0
                        async for piece in outcome.aiter_bytes():
                            for event in events.feed(piece):
                                yield event
                    else:
                        await outcome.aread()
            except httpx.TransportError as error:
                outcome = error
            pause = comeback(events.pause, failures, outcome) if failures >= 0 else None
            if pause is None:
                raise _failure(request, outcome)
            events.restart()
            failures += 1
            await asyncio.sleep(pause)

    async def lines(self, request: Request[bytes]) -> AsyncIterator[bytes]:
        lines = Lines()
        try:
            async with self._http.stream(**_sent(request)) as response:
                if not response.is_success:
                    await response.aread()
                    raise _failure(request, response)
                async for piece in response.aiter_bytes():
                    for line in lines.feed(piece):
                        yield line
        except httpx.TransportError as error:
            raise _failure(request, error) from error
        for line in lines.end():
            yield line

    async def close(self) -> None:
        """Ends all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncCofio:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _settings(base_url: str, key: str | None, timeout: float) -> dict[str, Any]:
    headers = {"accept": "application/json", "user-agent": "cofio-python"}
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    # A proxy that the environment names is not on the way to this machine.
    local = httpx.URL(base_url).host in ("127.0.0.1", "::1", "localhost")
    return {
        "base_url": base_url,
        "headers": headers,
        "timeout": timeout,
        "trust_env": not local,
    }


def _sent(request: Request[Any]) -> dict[str, Any]:
    """Returns a request in the words of httpx."""
    words: dict[str, Any] = {"method": request.method, "url": request.path}
    if request.query:
        words["params"] = request.query
    if request.headers:
        words["headers"] = request.headers
    if request.body is not None:
        words["json"] = request.body
    if request.content is not None:
        words["content"] = request.content
        words["headers"] = {**request.headers, "content-type": "application/x-ndjson"}
    return words


def _sent_later(request: Request[Any]) -> dict[str, Any]:
    """Returns the same for a client that awaits, which takes only pieces that are awaited."""
    words = _sent(request)
    if request.content is not None and not isinstance(request.content, bytes):
        words["content"] = _awaited(request.content)
    return words


async def _awaited(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def _followed(request: Request[Any], events: Events) -> dict[str, Any]:
    """Returns the request for a stream from where it broke off."""
    headers = {**request.headers, "accept": "text/event-stream"}
    if events.last is not None:
        headers["last-event-id"] = events.last
    # Something comes every 15 seconds, or the connection is dead.
    return {**_sent(replace(request, headers=headers)), "timeout": _SILENCE}


def _answer(request: Request[T], outcome: httpx.Response | httpx.TransportError) -> T:
    """Returns what came back, or raises why nothing did."""
    if isinstance(outcome, httpx.Response) and outcome.is_success:
        return cast("T", outcome.json())
    raise _failure(request, outcome)


def _failure(request: Request[Any], outcome: httpx.Response | httpx.TransportError) -> CofioError:
    """Returns why a request was not answered as it was meant."""
    if isinstance(outcome, httpx.Response):
        return error_from(outcome)
    error = UnreachableError(f"{request.method} {request.path} was not answered: {outcome!r}")
    error.__cause__ = outcome
    return error
