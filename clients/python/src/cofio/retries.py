"""Whether to ask again, and when."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from cofio.request import Request

_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 30.0
_PASSING = frozenset({429, 502, 503, 504})


@dataclass(frozen=True)
class Retries:
    """How often to ask again what may be asked again.

    Only what does no more when it is asked twice is asked again. The one exception is what the
    server turned away for coming too often, as nothing was done with it.
    """

    most: int = 2

    def pause(
        self, request: Request[Any], attempt: int, outcome: httpx.Response | Exception
    ) -> float | None:
        """Returns how many seconds to wait before asking again; None is never."""
        if attempt >= self.most:
            return None
        if isinstance(outcome, Exception):
            return _backoff(attempt) if request.repeatable else None
        status = outcome.status_code
        if status not in _PASSING or not (request.repeatable or status == 429):
            return None
        wanted = _wanted(outcome.headers.get("retry-after"))
        if wanted is None:
            return _backoff(attempt)
        return wanted if wanted <= _LONGEST_PAUSE else None


def comeback(pause: float, attempt: int, outcome: httpx.Response | Exception) -> float | None:
    """Returns how many seconds to wait before a stream that broke off goes on; None is never."""
    if isinstance(outcome, httpx.Response) and not (
        outcome.is_success or outcome.status_code in _PASSING
    ):
        return None
    return max(pause, _backoff(attempt))


def _backoff(attempt: int) -> float:
    # Clients that failed together should not come back together.
    return min(_FIRST_PAUSE * 2.0 ** min(attempt, 10), _LONGEST_PAUSE) * random.uniform(0.5, 1.0)


def _wanted(header: str | None) -> float | None:
    """Returns the seconds that a server asks to wait, be it a number or a moment."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds())
