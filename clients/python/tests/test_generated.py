"""The types and verbs are those of the server's own document."""

from __future__ import annotations

import generate
import httpx

from cofio import operations
from cofio.client import AsyncCofio, Cofio


def test_what_was_generated_is_what_the_server_documents(url: str) -> None:
    document = httpx.get(f"{url}/openapi.json").json()
    for name, text in generate.generate(document).items():
        kept = (generate.PACKAGE / name).read_text(encoding="utf-8")
        assert kept == text, f"{name} is not up to date: run tools/generate.py"


def test_every_operation_of_the_api_is_a_verb_of_both_clients(url: str) -> None:
    document = httpx.get(f"{url}/openapi.json").json()
    names = [
        generate.snake(operation["operationId"])
        for path, methods in document["paths"].items()
        if path.startswith("/v1/") and not path.endswith("/")
        for operation in methods.values()
    ]
    assert len(names) > 30
    for name in names:
        assert hasattr(Cofio, name) or name in vars(operations.Operations), name
        assert hasattr(AsyncCofio, name) or name in vars(operations.Operations), name


def test_only_what_changes_nothing_more_the_second_time_is_repeatable() -> None:
    assert operations.search_memories(query="tea").repeatable
    assert operations.create_memory(layer="user", content="tea").repeatable
    assert operations.list_memories().repeatable
    assert not operations.update_memory("fact_1", content="tea").repeatable
    assert not operations.delete_memory("fact_1").repeatable
