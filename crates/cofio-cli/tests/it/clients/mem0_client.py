"""Asks a server that speaks Mem0's API what it is told to, with Mem0's own client.

Usage: mem0_client.py MANNER URL [KEY]

A manner is sync or async, which needs a key. Every line of standard input is a step, a method of the client with its
arguments as JSON; what it returned is printed, with a line that has a dot alone after it.
"""

import asyncio
import inspect
import json
import logging
import os
import sys

# It would write to the home folder and tell its makers about its use.
os.environ["MEM0_DIR"] = os.path.join(os.getcwd(), "mem0")
os.environ["MEM0_TELEMETRY"] = "False"
logging.disable()

import httpx  # noqa: E402
from mem0 import AsyncMemoryClient, MemoryClient  # noqa: E402
from mem0.exceptions import MemoryError  # noqa: E402

manner, url, *key = sys.argv[1:]


def without_key(request):
    """Takes off the key that the client always sends, for a server that has given out none."""
    request.headers.pop("Authorization", None)


def connect():
    chosen = {"api_key": key[0] if key else "none", "host": url}
    if manner == "async":
        return AsyncMemoryClient(**chosen)
    hooks = {} if key else {"request": [without_key]}
    return MemoryClient(client=httpx.Client(event_hooks=hooks), **chosen)


async def main():
    client = None
    for line in sys.stdin:
        method, _, arguments = line.strip().partition(" ")
        try:
            client = client or connect()
            answer = getattr(client, method)(**json.loads(arguments or "{}"))
            answer = await answer if inspect.isawaitable(answer) else answer
            print(json.dumps(answer, indent=1))
        except (MemoryError, ValueError) as error:
            print(f"{type(error).__name__}: {error}")
        print(".", flush=True)


asyncio.run(main())
