"""The verbs of both clients, asked of a real server."""

from __future__ import annotations

import asyncio
import inspect
from threading import Thread

import pytest

from cofio import ApiError, AsyncCofio, Cofio, NotFoundError


def test_a_memory_is_remembered_read_changed_and_forgotten(cofio: Cofio, project: str) -> None:
    made = cofio.create_memory(
        content="The ferry sails at nine",
        layer="project",
        identifiers={"projectId": project},
        metadata={"tags": ["travel"]},
    )
    id = made["memory"]["id"]
    assert not made["existing"]
    assert cofio.get_memory(id)["memory"]["content"] == "The ferry sails at nine"

    changed = cofio.update_memory(id, content="The ferry sails at ten", if_version=1)
    assert changed["memory"]["version"] == 2
    earlier = cofio.get_memory_history(id)["earlier"]
    assert [version["content"] for version in earlier] == ["The ferry sails at nine"]

    assert cofio.delete_memory(id)["ids"] == [id]
    with pytest.raises(NotFoundError):
        cofio.get_memory(id)


def test_a_failure_says_what_programs_and_people_need(cofio: Cofio, project: str) -> None:
    with pytest.raises(ApiError) as caught:
        cofio.create_memory(content="tea", layer="planet")
    error = caught.value
    assert (error.code, error.status, error.retryable) == ("INVALID_LAYER", 422, False)
    assert error.request_id
    assert error.request_id in str(error)

    names = {"projectId": project}
    made = cofio.create_memory(
        content="tea", layer="project", identifiers={"projectId": names["projectId"]}
    )
    with pytest.raises(ApiError) as caught:
        cofio.update_memory(made["memory"]["id"], content="coffee", if_version=7)
    assert caught.value.status == 412
    assert caught.value.details == {"expected": 7, "found": 1}


def test_what_has_odd_names_is_asked_for_as_it_is(cofio: Cofio) -> None:
    for id in ["../stats", "a/b", "%2e", "ä?#", " "]:
        with pytest.raises(NotFoundError) as caught:
            cofio.get_memory(id)
        assert caught.value.operation == "getMemory"
    for id in ["", ".", ".."]:
        with pytest.raises(ValueError, match="cannot be part of a path"):
            cofio.delete_memory(id)


def test_a_conversation_is_learnt_from_told_of_and_taken_back(cofio: Cofio, project: str) -> None:
    said = cofio.create_memory(
        content="I live in Cardiff",
        layer="session",
        kind="episode",
        identifiers={"sessionId": project},
    )
    planned = cofio.run_maintenance(task="consolidate", conversation=project, dry_run=True)
    assert planned["job"] is None
    assert planned["plan"] is not None
    [step] = planned["plan"][0]["steps"]
    assert step["change"] == "created"

    done = cofio.run_maintenance(task="consolidate", conversation=project)["job"]
    assert done is not None
    assert (done["state"], done["created"]) == ("completed", 1)
    assert done in cofio.list_maintenance(task="consolidate")["jobs"]
    [change] = cofio.get_maintenance(done["id"])["changes"]

    since = said["memory"]["createdAt"]
    brief = cofio.get_brief(since=since, layer=["session"], session_id=project)
    assert [fact["id"] for fact in brief["learnt"]] == [change["id"]]

    undone = cofio.undo_maintenance(done["id"])["job"]
    assert undone is not None
    assert undone["undoes"] == done["id"]
    brief = cofio.get_brief(since=since, layer=["session"], session_id=project)
    assert (brief["learnt"], brief["forgotten"]) == ([], 1)
    with pytest.raises(NotFoundError):
        cofio.get_maintenance("job_nonsense")


def test_the_same_name_for_a_request_answers_the_same(cofio: Cofio, project: str) -> None:
    def make() -> str:
        made = cofio.create_memory(
            content="once",
            layer="project",
            identifiers={"projectId": project},
            kind="working",
            idempotency_key=f"key-{project}",
        )
        return made["memory"]["id"]

    assert make() == make()


def test_pages_follow_one_another(cofio: Cofio, project: str) -> None:
    texts = [f"number {number}" for number in range(7)]
    cofio.create_memories(
        memories=[
            {"content": text, "layer": "project", "identifiers": {"projectId": project}}
            for text in texts
        ]
    )
    pages = list(cofio.list_memories.pages(project_id=project, layer=["project"], limit=3))
    assert [len(page["memories"]) for page in pages] == [3, 3, 1]
    assert sorted(one["content"] for page in pages for one in page["memories"]) == texts


def test_the_client_that_awaits_does_the_same(url: str, project: str) -> None:
    async def scenario() -> None:
        async with AsyncCofio(url) as cofio:
            made = await asyncio.gather(
                *(
                    cofio.create_memory(
                        content=f"number {number}",
                        layer="project",
                        identifiers={"projectId": project},
                    )
                    for number in range(5)
                )
            )
            ids = {one["memory"]["id"] for one in made}
            found = set[str]()
            async for page in cofio.list_memories.pages(
                project_id=project, layer=["project"], limit=2
            ):
                found |= {memory["id"] for memory in page["memories"]}
            assert found == ids
            with pytest.raises(NotFoundError):
                await cofio.get_memory("fact_1")

    asyncio.run(scenario())


def test_threads_share_a_client(cofio: Cofio, project: str) -> None:
    def write(number: int) -> None:
        cofio.create_memory(
            content=f"number {number}", layer="project", identifiers={"projectId": project}
        )

    threads = [Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cofio.list_memories(project_id=project, layer=["project"])["totalCount"] == 8


def test_a_key_that_is_not_valid_is_refused(url: str) -> None:
    with Cofio(url, key="not-a-key") as cofio, pytest.raises(ApiError) as caught:
        cofio.list_memories()
    assert (caught.value.status, caught.value.code) == (401, "UNAUTHORIZED")


def test_a_verb_explains_itself(cofio: Cofio) -> None:
    assert (cofio.create_memory.__doc__ or "").startswith("Remember something.")
    assert "if_version" in inspect.signature(cofio.update_memory).parameters
