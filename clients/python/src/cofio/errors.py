"""What can go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx


class CofioError(Exception):
    """Anything that goes wrong between a program and its memories."""


class UnreachableError(CofioError):
    """No answer came, so what was asked may have been done or not."""


class ApiError(CofioError):
    """The server answered that it did not do what it was asked."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        operation: str | None = None,
        details: dict[str, Any] | None = None,
        retryable: bool = False,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        """For people."""
        self.code = code
        """What programs branch on, such as MEMORY_NOT_FOUND."""
        self.status = status
        """The status of HTTP."""
        self.operation = operation
        """The operation that failed."""
        self.details = details or {}
        """Facts that belong to the code."""
        self.retryable = retryable
        """Whether the same request may succeed later."""
        self.request_id = request_id
        """Names the request in the server's log."""

    def __str__(self) -> str:
        return f"{self.message} ({self.code}, status {self.status}, request {self.request_id})"


class NotFoundError(ApiError):
    """It is not there, or not the caller's."""


def error_from(response: httpx.Response) -> ApiError:
    """Reads what a server, or something in front of it, says went wrong."""
    kind = NotFoundError if response.status_code == 404 else ApiError
    try:
        body = response.json()
        said = body["error"]
        return kind(
            said["message"],
            code=said["code"],
            status=response.status_code,
            operation=said["operation"],
            details=said["details"],
            retryable=said["retryable"],
            request_id=body["request_id"],
        )
    except (ValueError, KeyError, TypeError):
        return kind(
            f"the answer has the status {response.status_code} and no reason",
            code="UNKNOWN",
            status=response.status_code,
            retryable=response.status_code in (429, 502, 503, 504),
            request_id=response.headers.get("x-request-id"),
        )
