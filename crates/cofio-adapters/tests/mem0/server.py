"""Mem0's own library behind the paths that its clients speak, for tests on this machine alone.

    python server.py PORT FOLDER [KEY]

What is kept is kept by the library, in FOLDER. There is no language model, and vectors are made of
letters. With a KEY, whoever does not send it is refused.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PORT, FOLDER = int(sys.argv[1]), sys.argv[2]
KEY = sys.argv[3] if len(sys.argv) > 3 else None
os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = os.path.join(FOLDER, "mem0")

from mem0 import Memory  # noqa: E402
from mem0.memory import main as library  # noqa: E402

DIMENSIONS = 16
# More than any test keeps; the library knows no pages.
ALL = 1_000_000


class Letters:
    """Counts letters, which is enough for a vector."""

    def __init__(self):
        self.config = type("Config", (), {"embedding_dims": DIMENSIONS})()

    def embed(self, text, memory_action=None):
        counts = [1.0] * DIMENSIONS
        for letter in text[:2000]:
            counts[ord(letter) % DIMENSIONS] += 1.0
        return counts

    def embed_batch(self, texts, memory_action=None):
        return [self.embed(text) for text in texts]


def opened():
    library.EmbedderFactory.create = lambda *arguments: Letters()
    library.LlmFactory.create = lambda *arguments: None
    return Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": os.path.join(FOLDER, "vectors"),
                    "embedding_model_dims": DIMENSIONS,
                    "on_disk": True,
                },
            },
            "history_db_path": os.path.join(FOLDER, "history.db"),
        }
    )


MEMORY = opened()
# The library's local store is for one thread at a time.
LOCK = threading.Lock()


class Refused(Exception):
    """Something that the hosted service would not take either."""


def flat(filters):
    """Turns the filters of the clients into those of the library."""
    found = {}
    for name, value in filters.items():
        if name == "AND":
            for part in value:
                found.update(flat(part))
        elif name == "OR":
            for field, values in gathered(value).items():
                found[field] = {"in": values}
        elif name == "metadata":
            found.update(value)
        elif name in ("user_id", "agent_id", "run_id"):
            found[name] = value
        else:
            raise Refused(f"unknown filter {name}")
    return found


def gathered(parts):
    fields = {}
    for part in parts:
        for field, value in part["metadata"].items():
            fields.setdefault(field, []).append(value)
    if len(fields) != 1:
        raise Refused("one field at a time")
    return fields


def add(asked):
    body = asked["body"]
    return MEMORY.add(
        body["messages"],
        user_id=body["user_id"],
        metadata=body.get("metadata"),
        infer=body["infer"],
    )


def listed(asked):
    size = int(asked["query"].get("page_size", ["100"])[0])
    start = (int(asked["query"].get("page", ["1"])[0]) - 1) * size
    found = MEMORY.get_all(filters=flat(asked["body"]["filters"]), top_k=ALL)["results"]
    following = "more" if start + size < len(found) else None
    return {"count": len(found), "next": following, "results": found[start : start + size]}


def delete_batch(asked):
    for memory in asked["body"]["memories"]:
        try:
            MEMORY.delete(memory["memory_id"])
        except ValueError:
            pass  # Somebody else was first.
    return {"message": "deleted"}


def changed(asked):
    """Changes a text alone, as somebody does in Mem0's own pages."""
    MEMORY.update(asked["memory"], text=asked["body"]["text"])
    return {"message": "changed"}


PATHS = {
    ("GET", "/v1/ping/"): lambda asked: {"status": "ok"},
    ("POST", "/v3/memories/add/"): add,
    ("POST", "/v3/memories/"): listed,
    ("DELETE", "/v1/batch/"): delete_batch,
    ("PUT", "/v1/memories/MEMORY/"): changed,
}


def named(path):
    """Returns the form of a path, and the memory that it names."""
    parts = path.split("/")
    if parts[:3] != ["", "v1", "memories"] or len(parts) != 5:
        return path, None
    return "/v1/memories/MEMORY/", parts[3]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are sent apart, and the second would wait until the first has arrived.
    disable_nagle_algorithm = True

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = urlsplit(self.path)
        form, memory = named(path.path)
        run = PATHS.get((self.command, form))
        if KEY and self.headers.get("Authorization") != f"Token {KEY}":
            return self.say(401, {"detail": "Invalid API key"})
        if run is None:
            return self.say(404, {"detail": "Not found"})
        query, said = parse_qs(path.query), json.loads(body) if body else None
        asked = {"query": query, "memory": memory, "body": said}
        try:
            with LOCK:
                told = run(asked)
        except (Refused, KeyError) as error:
            return self.say(400, {"detail": str(error)})
        return self.say(200, told)

    def say(self, status, told):
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer.request_queue_size = 64
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
