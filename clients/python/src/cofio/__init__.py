"""A client of Cofio, the memory engine for AI agents.

    with Cofio() as cofio:
        cofio.create_memory(content="The user keeps bees", layer="user")

Every verb of the server's API is a method of `Cofio`, and of `AsyncCofio` for programs that await.
Answers are dictionaries with the names of the API; their types are in `cofio.types`.
"""

from cofio.client import LOCAL, AsyncCofio, Cofio
from cofio.errors import ApiError, CofioError, NotFoundError, UnreachableError

__all__ = [
    "LOCAL",
    "ApiError",
    "AsyncCofio",
    "Cofio",
    "CofioError",
    "NotFoundError",
    "UnreachableError",
]
