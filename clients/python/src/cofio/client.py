"""The two clients: one that waits, and one that awaits."""

from __future__ import annotations

import asyncio
import time
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, cast

import httpx

from cofio.errors import UnreachableError, error_from
from cofio.operations import Operations
from cofio.retries import Retries
from cofio.verb import Asker, AsyncAsker

if TYPE_CHECKING:
    from types import TracebackType

    from cofio.request import Request

T = TypeVar("T")

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
                outcome = await self._http.request(**_sent(request))
            except httpx.TransportError as error:
                outcome = error
            pause = self._retries.pause(request, attempt, outcome)
            if pause is None:
                return _answer(request, outcome)
            await asyncio.sleep(pause)
        raise AssertionError("counting does not end")

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
    return words


def _answer(request: Request[T], outcome: httpx.Response | httpx.TransportError) -> T:
    """Returns what came back, or raises why nothing did."""
    if isinstance(outcome, httpx.TransportError):
        where = f"{request.method} {request.path}"
        raise UnreachableError(f"{where} was not answered: {outcome!r}") from outcome
    if not outcome.is_success:
        raise error_from(outcome)
    return cast("T", outcome.json())
