"""What is asked again, how often and when."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import httpx
import pytest

from cofio import ApiError, Cofio, UnreachableError, operations
from cofio.request import Request
from cofio.retries import Retries

GET = operations.get_memory("fact_1")
PATCH = operations.update_memory("fact_1", content="tea")


def answer(status: int, retry_after: str | None = None) -> httpx.Response:
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return httpx.Response(status, headers=headers)


@pytest.mark.parametrize(
    ("request_", "outcome", "again"),
    [
        (GET, answer(503), True),
        (GET, httpx.ConnectError("refused"), True),
        (GET, answer(200), False),
        (GET, answer(404), False),
        (GET, answer(500), False),
        (PATCH, answer(503), False),
        (PATCH, httpx.ReadTimeout("slow"), False),
        (PATCH, answer(429), True),
    ],
)
def test_only_what_is_safe_to_repeat_is_repeated(
    request_: Request[object], outcome: httpx.Response | Exception, again: bool
) -> None:
    assert (Retries().pause(request_, 0, outcome) is not None) == again
    assert Retries(0).pause(request_, 0, outcome) is None


def test_the_server_says_how_long_to_wait() -> None:
    assert Retries().pause(GET, 0, answer(503, "7")) == 7
    assert Retries().pause(GET, 0, answer(503, "Tue, 01 Jan 2019 00:00:00 GMT")) == 0
    assert Retries().pause(GET, 0, answer(503, "soon")) is not None
    assert Retries().pause(GET, 0, answer(503, "86400")) is None


def test_a_request_that_fails_at_first_is_answered(url: str, project: str) -> None:
    """The first connection of each request breaks; what was created is created once."""
    broken: list[str] = []

    class Breaking(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            response = super().handle_request(request)
            if request.url.path not in broken:
                broken.append(request.url.path)
                raise httpx.ReadError("broken")
            return response

    with Cofio(url, transport=Breaking()) as cofio:
        names = {"projectId": project}
        made = cofio.create_memory(
            content="Tea is green", layer="project", identifiers={"projectId": project}
        )
        assert made["memory"]["identifiers"] == names
        path = f"/v1/memories/{made['memory']['id']}"
        assert broken == ["/v1/memories"]
        with pytest.raises(UnreachableError, match=r"was not answered"):
            cofio.update_memory(made["memory"]["id"], content="Tea is black")
        assert broken[-1] == path
        # It was done all the same, which nobody could know.
        assert cofio.get_memory(made["memory"]["id"])["memory"]["version"] == 2


def test_nobody_is_there() -> None:
    with (
        Cofio("http://127.0.0.1:9", retries=1) as cofio,
        pytest.raises(UnreachableError, match="GET /v1/memories/fact_1"),
    ):
        cofio.get_memory("fact_1")


def test_an_answer_of_something_in_between_is_an_error_too() -> None:
    with gateway() as address, Cofio(address, retries=0) as cofio:
        with pytest.raises(ApiError) as caught:
            cofio.get_memory("fact_1")
        assert (caught.value.status, caught.value.code) == (502, "UNKNOWN")
        assert caught.value.retryable


@contextmanager
def gateway() -> Iterator[str]:
    """Starts a proxy with nothing behind it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(502, "Bad Gateway")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
