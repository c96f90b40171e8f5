"""One description of a request, asked by a client that waits or by one that awaits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from functools import update_wrapper, wraps
from typing import Any, Generic, ParamSpec, TypeVar, cast, overload

from cofio.request import Request

P = ParamSpec("P")
T = TypeVar("T")


class Asker(ABC):
    """Asks and waits for the answer."""

    @abstractmethod
    def ask(self, request: Request[T]) -> T:
        """Returns the answer, or raises what went wrong."""

    @abstractmethod
    def follow(self, request: Request[T]) -> Iterator[T]:
        """Yields events for as long as somebody takes them, whatever breaks in between."""

    @abstractmethod
    def lines(self, request: Request[bytes]) -> Iterator[bytes]:
        """Yields the lines of an answer while it comes."""


class AsyncAsker(ABC):
    """Asks and awaits the answer."""

    @abstractmethod
    async def ask(self, request: Request[T]) -> T:
        """Returns the answer, or raises what went wrong."""

    @abstractmethod
    def follow(self, request: Request[T]) -> AsyncIterator[T]:
        """Yields events for as long as somebody takes them, whatever breaks in between."""

    @abstractmethod
    def lines(self, request: Request[bytes]) -> AsyncIterator[bytes]:
        """Yields the lines of an answer while it comes."""


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
    said = cast("dict[str, Any]", page)
    # Some lists name a cursor while there is more, and some a place, which stops where they end.
    for name, following in (("cursor", said.get("nextCursor")), ("after", said.get("nextAfter"))):
        if following and following != request.query.get(name):
            return replace(request, query={**request.query, name: following})
    return None


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


class EventsVerb(Generic[P, T]):
    """A verb of both clients, whose answer is a stream of events."""

    def __init__(self, describe: Callable[P, Request[T]]) -> None:
        self._describe = describe

    @overload
    def __get__(self, asker: Asker, owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, asker: AsyncAsker, owner: type) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(
        self, asker: Asker | AsyncAsker, owner: type
    ) -> Callable[P, Iterator[T] | AsyncIterator[T]]:
        @wraps(self._describe)
        def follow(*args: P.args, **kwargs: P.kwargs) -> Iterator[T] | AsyncIterator[T]:
            return asker.follow(self._describe(*args, **kwargs))

        return follow


class LinesVerb(Generic[P]):
    """A verb of both clients, whose answer is a stream of lines."""

    def __init__(self, describe: Callable[P, Request[bytes]]) -> None:
        self._describe = describe

    @overload
    def __get__(self, asker: Asker, owner: type) -> Callable[P, Iterator[bytes]]: ...
    @overload
    def __get__(self, asker: AsyncAsker, owner: type) -> Callable[P, AsyncIterator[bytes]]: ...
    def __get__(
        self, asker: Asker | AsyncAsker, owner: type
    ) -> Callable[P, Iterator[bytes] | AsyncIterator[bytes]]:
        @wraps(self._describe)
        def lines(*args: P.args, **kwargs: P.kwargs) -> Iterator[bytes] | AsyncIterator[bytes]:
            return asker.lines(self._describe(*args, **kwargs))

        return lines
