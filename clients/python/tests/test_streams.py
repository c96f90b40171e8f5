"""Streams: changes, and bundles."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from cofio import ApiError, AsyncCofio, Cofio, UnreachableError
from cofio.events import Events, Lines

STREAM = (
    b'retry: 5\nid: 1\n\n: hello\nid: 2\nevent: created\ndata: {"a":\n'
    b'data: "\xe2\x80\xa8"}\n\ndata:[1]\r\n\r\n'
)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_are_put_together_however_they_are_cut(size: int) -> None:
    events = Events()
    pieces = [STREAM[start : start + size] for start in range(0, len(STREAM), size)]
    assert [one for piece in pieces for one in events.feed(piece)] == [{"a": "\u2028"}, [1]]
    assert (events.last, events.pause) == ("2", 0.005)
    assert list(events.feed(b'id: 3\ndata: {"bro')) == []
    events.restart()
    assert list(events.feed(b"\n\n")) == []
    assert events.last == "2"


def test_only_a_line_feed_ends_a_line() -> None:
    lines = Lines()
    told = [*lines.feed("a\u2028b\r".encode()), *lines.feed(b"\nc\n d"), *lines.end()]
    assert told == ["a\u2028b\r\n".encode(), b"c\n", b" d"]


class OneEvent(httpx.SyncByteStream):
    """A stream that breaks after an event."""

    def __init__(self, stream: httpx.SyncByteStream) -> None:
        self.stream = stream

    def __iter__(self):  # type: ignore[no-untyped-def]
        for piece in self.stream:
            yield piece
            if b"data:" in piece:
                raise httpx.ReadError("broken")

    def close(self) -> None:
        self.stream.close()


class Breaking(httpx.HTTPTransport):
    """Breaks every connection after an event."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        assert isinstance(response.stream, httpx.SyncByteStream)
        response.stream = OneEvent(response.stream)
        return response


def test_changes_are_followed_without_a_gap(url: str, cofio: Cofio, project: str) -> None:
    def write(number: int) -> None:
        cofio.create_memory(
            content=f"number {number}", layer="project", identifiers={"projectId": project}
        )

    since = [page["nextAfter"] for page in cofio.list_changes.pages(after=0, limit=1000)][-1]
    with Cofio(url, transport=Breaking()) as flaky:
        stream = flaky.follow_memories(since=since, project_id=project)
        told = []
        for number in range(3):
            write(number)
            told.append(next(stream))
        write(3)
        write(4)
        told += [next(stream), next(stream)]
        stream.close()  # type: ignore[attr-defined]
    assert [event["type"] for event in told] == ["created"] * 5
    contents = [memory["content"] for event in told if (memory := event.get("memory"))]
    assert contents == [f"number {number}" for number in range(5)]


def test_changes_are_awaited_too(url: str, project: str) -> None:
    async def scenario() -> None:
        async with AsyncCofio(url) as cofio:
            await cofio.create_memory(
                content="tea", layer="project", identifiers={"projectId": project}
            )
            async for event in cofio.follow_memories(since=0, project_id=project):
                assert event["type"] == "created"
                break

    asyncio.run(scenario())


def test_a_stream_that_never_began_is_a_failure(url: str, cofio: Cofio) -> None:
    with Cofio("http://127.0.0.1:9") as nobody, pytest.raises(UnreachableError):
        next(nobody.follow_memories())
    with pytest.raises(ApiError, match="goes with type=query"):
        next(cofio.follow_memories(query="tea"))


def test_what_is_exported_is_taken_in_again(cofio: Cofio, project: str) -> None:
    made = cofio.create_memory(
        content="Tea\u2028is green", layer="project", identifiers={"projectId": project}
    )
    bundle = list(cofio.export_memories())
    assert any(project.encode() in line for line in bundle)
    taken = cofio.import_memories(iter(bundle), dry_run=True, on_possible_secret="keep")
    assert (taken["created"], taken["dryRun"]) == (0, True)
    assert taken["skipped"] == len(bundle) - 2
    cofio.delete_memory(made["memory"]["id"])
    # What was forgotten stays so.
    assert (
        cofio.import_memories(b"".join(bundle), dry_run=True, on_possible_secret="keep")[
            "forgotten"
        ]
        == 1
    )


def test_bundles_are_awaited_too(url: str) -> None:
    async def scenario() -> None:
        async with AsyncCofio(url) as cofio:
            bundle = [line async for line in cofio.export_memories()]
            taken = await cofio.import_memories(
                iter(bundle), dry_run=True, on_possible_secret="keep"
            )
            assert taken["created"] == 0

    asyncio.run(scenario())
