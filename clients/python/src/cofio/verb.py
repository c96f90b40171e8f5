"""One description of a request, asked by a client that waits or by one that awaits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, cast, overload

from cofio.request import Request

P = ParamSpec("P")
T = TypeVar("T")


class Asker(ABC):
    """Asks and waits for the answer."""

    @abstractmethod
    def ask(self, request: Request[T]) -> T:
        """Returns the answer, or raises what went wrong."""


class AsyncAsker(ABC):
    """Asks and awaits the answer."""

    @abstractmethod
    async def ask(self, request: Request[T]) -> T:
        """Returns the answer, or raises what went wrong."""


class Asking(Generic[P, T]):
    """A verb of a client that waits."""

    def __init__(self, asker: Asker, describe: Callable[P, Request[T]]) -> None:
        self._asker, self._describe = asker, describe
        update_wrapper(self, describe)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._asker.ask(self._describe(*args, **kwargs))


class AsyncAsking(Generic[P, T]):
    """A verb of a client that awaits."""

    def __init__(self, asker: AsyncAsker, describe: Callable[P, Request[T]]) -> None:
        self._asker, self._describe = asker, describe
        update_wrapper(self, describe)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        return self._asker.ask(self._describe(*args, **kwargs))


class AskingForPages(Asking[P, T]):
    """A verb of a client that waits, whose answer is one page of several."""

    def pages(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """Yields this page and all that follow, each when it is needed."""
        request: Request[T] | None = self._describe(*args, **kwargs)
        while request is not None:
            page = self._asker.ask(request)
            yield page
            request = _after(request, page)


class AsyncAskingForPages(AsyncAsking[P, T]):
    """A verb of a client that awaits, whose answer is one page of several."""

    async def pages(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """Yields this page and all that follow, each when it is needed."""
        request: Request[T] | None = self._describe(*args, **kwargs)
        while request is not None:
            page = await self._asker.ask(request)
            yield page
            request = _after(request, page)


def _after(request: Request[T], page: T) -> Request[T] | None:
    """Returns the request for the page after one, if there is any."""
    cursor = cast("dict[str, Any]", page).get("nextCursor")
    return replace(request, query={**request.query, "cursor": cursor}) if cursor else None


class Verb(Generic[P, T]):
    """A verb of both clients."""

    def __init__(self, describe: Callable[P, Request[T]]) -> None:
        self._describe = describe

    @overload
    def __get__(self, asker: Asker, owner: type) -> Asking[P, T]: ...
    @overload
    def __get__(self, asker: AsyncAsker, owner: type) -> AsyncAsking[P, T]: ...
    def __get__(self, asker: Asker | AsyncAsker, owner: type) -> Asking[P, T] | AsyncAsking[P, T]:
        if isinstance(asker, AsyncAsker):
            return AsyncAsking(asker, self._describe)
        return Asking(asker, self._describe)


class PagedVerb(Generic[P, T]):
    """A verb of both clients, whose answer is one page of several."""

    def __init__(self, describe: Callable[P, Request[T]]) -> None:
        self._describe = describe

    @overload
    def __get__(self, asker: Asker, owner: type) -> AskingForPages[P, T]: ...
    @overload
    def __get__(self, asker: AsyncAsker, owner: type) -> AsyncAskingForPages[P, T]: ...
    def __get__(
        self, asker: Asker | AsyncAsker, owner: type
    ) -> AskingForPages[P, T] | AsyncAskingForPages[P, T]:
        if isinstance(asker, AsyncAsker):
            return AsyncAskingForPages(asker, self._describe)
        return AskingForPages(asker, self._describe)
