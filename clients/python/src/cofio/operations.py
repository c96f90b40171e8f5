"""Every request of the API, described."""

# Written by tools/generate.py from the OpenAPI document of the server.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from cofio.request import Request, expecting, given, idempotency, segment
from cofio.verb import PagedVerb, Verb

if TYPE_CHECKING:
    from cofio import types


def list_memories(
    *,
    agent_id: str | None = None,
    company_id: str | None = None,
    context_key: str | None = None,
    cursor: str | None = None,
    from_: str | None = None,
    key_prefix: str | None = None,
    kind: list[str] | None = None,
    layer: list[str] | None = None,
    limit: int | None = None,
    order: Literal["newest", "latest-event", "earliest-event", "confidence"] | None = None,
    org_id: str | None = None,
    predicate: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    state: list[str] | None = None,
    subject: str | None = None,
    tag: list[str] | None = None,
    team_id: str | None = None,
    to: str | None = None,
    user_id: str | None = None,
) -> Request[types.ListOutput]:
    """List memories page by page.

    What others write meanwhile moves nothing. A cursor belongs to its caller and its list.

    The key needs the right to read.

    Args:
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        context_key: the key they are kept under
        cursor: where the page before ended, as it said
        from_: they happened at this moment or later
        key_prefix: what the key they are kept under begins with
        kind: what they are: working, context, episode, fact, procedure or reflection. May be
            repeated
        layer: the layers to list; without any, all that the names open. May be repeated
        limit: how many at most: 50 if nothing is said, and at most 100
        order: the order: newest (the default), latest-event, earliest-event or confidence
        org_id: the organisation
        predicate: what a statement says of it
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        state: where they are in their life: active (the default), pending, decayed, superseded
            or archived. May be repeated
        subject: what a statement is about
        tag: a label of which they have at least one. May be repeated
        team_id: the team
        to: they happened at this moment or earlier
        user_id: the user
    """
    return Request(
        "GET",
        "/v1/memories",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "contextKey": context_key,
                "cursor": cursor,
                "from": from_,
                "keyPrefix": key_prefix,
                "kind": kind,
                "layer": layer,
                "limit": limit,
                "order": order,
                "orgId": org_id,
                "predicate": predicate,
                "projectId": project_id,
                "sessionId": session_id,
                "state": state,
                "subject": subject,
                "tag": tag,
                "teamId": team_id,
                "to": to,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def create_memory(
    *,
    layer: str,
    idempotency_key: str | None = None,
    access_policy: str | None = None,
    content: str | None = None,
    context_key: str | None = None,
    derived_from: list[str] | None = None,
    event_at: str | None = None,
    expires_at: str | None = None,
    fact: types.Statement | None = None,
    identifiers: types.Names | None = None,
    kind: str | None = None,
    metadata: dict[str, Any] | None = None,
    on_possible_secret: types.OnPossibleSecret | None = None,
    source: types.Origin | None = None,
    ttl_seconds: int | None = None,
) -> Request[types.AddOutput]:
    """Remember something.

    Once it is answered, the memory survives a crash and is found by its words; its vector follows.
    Secrets are taken out before anything is kept. What is known already is answered with 200. A
    fact that is not trusted enough is kept with the state pending, and is not used before it is
    approved.

    The key needs the right to write.

    Args:
        idempotency_key: a name for the request: with the same one it is done once; made up if
            none is given
        access_policy: how widely it is meant to be seen: private, restricted, shared,
            organization or public
        content: the text; a statement without one is its own text
        context_key: the key to keep it under: at most one memory of its kind and scope has it
        derived_from: the memories it was concluded from; it is trusted no further than any of
            them
        event_at: when it happened; now, if nothing is said
        expires_at: when it ends; when its kind does, if nothing is said
        fact: a statement, which is a procedure
        identifiers: the names that the layer needs, as far as the key is not bound to them
        kind: what it is: fact (the default), episode, context, working, procedure or reflection
        layer: whose it is: agent, user, session, project, team, org or company
        metadata: what is known about it: title, description, tags, language, author,
            confidence, importance, relevance, knowledgePointer; any other name is a custom
            field
        on_possible_secret: what becomes of what may be a secret: ask (the default: nothing is
            kept), keep or redact
        source: where it comes from
        ttl_seconds: in how many seconds it ends
    """
    return Request(
        "POST",
        "/v1/memories",
        headers=idempotency(idempotency_key),
        body=given(
            {
                "accessPolicy": access_policy,
                "content": content,
                "contextKey": context_key,
                "derivedFrom": derived_from,
                "eventAt": event_at,
                "expiresAt": expires_at,
                "fact": fact,
                "identifiers": identifiers,
                "kind": kind,
                "layer": layer,
                "metadata": metadata,
                "onPossibleSecret": on_possible_secret,
                "source": source,
                "ttlSeconds": ttl_seconds,
            }
        ),
        repeatable=True,
    )


def create_memories(
    *, memories: list[types.NewMemory], idempotency_key: str | None = None
) -> Request[types.CreateManyOutput]:
    """Remember several things together, or none of them.

    If one is refused, nothing is kept, and the details name its index.

    The key needs the right to write.

    Args:
        idempotency_key: a name for the request: with the same one it is done once; made up if
            none is given
    """
    return Request(
        "POST",
        "/v1/memories/bulk",
        headers=idempotency(idempotency_key),
        body=given({"memories": memories}),
        repeatable=True,
    )


def delete_memory(id: str) -> Request[types.DeleteOutput]:
    """Forget a memory.

    The memory, its earlier versions, its vectors and whatever was concluded from it are gone; the
    receipt says so and where the audit has it.

    The key needs the right to delete.

    Args:
        id: the id of a memory
    """
    return Request("DELETE", f"/v1/memories/{segment(id)}")


def get_memory(id: str) -> Request[types.GetOutput]:
    """Read one memory.

    The key needs the right to read.

    Args:
        id: the id of a memory
    """
    return Request("GET", f"/v1/memories/{segment(id)}", repeatable=True)


def update_memory(
    id: str,
    *,
    if_version: int | None = None,
    content: str | None = None,
    expires_at: str | None = None,
    metadata: dict[str, Any] | None = None,
    on_possible_secret: types.OnPossibleSecret | None = None,
    source: types.Origin | None = None,
    ttl_seconds: int | None = None,
) -> Request[types.UpdateOutput]:
    """Change a memory.

    Earlier versions stay in its history. With If-Match nothing is changed that somebody else
    changed since.

    The key needs the right to write.

    Args:
        id: the id of a memory
        if_version: only if this is still its version
        content: the new text
        expires_at: when it ends from now on: a moment, or by-kind for when its kind does
        metadata: metadata to set, one level deep; null removes a field
        on_possible_secret: what becomes of what may be a secret: ask (the default: nothing is
            changed), keep or redact
        source: where the new text comes from; without it the memory keeps its source, and so
            its trust
        ttl_seconds: in how many seconds it ends from now on
    """
    return Request(
        "PATCH",
        f"/v1/memories/{segment(id)}",
        headers=expecting(if_version),
        body=given(
            {
                "content": content,
                "expiresAt": expires_at,
                "metadata": metadata,
                "onPossibleSecret": on_possible_secret,
                "source": source,
                "ttlSeconds": ttl_seconds,
            }
        ),
    )


def get_memory_history(id: str) -> Request[types.HistoryOutput]:
    """Read everything that a memory was before.

    The key needs the right to read.

    Args:
        id: the id of a memory
    """
    return Request("GET", f"/v1/memories/{segment(id)}/history", repeatable=True)


class Operations:
    """The verbs of a client."""

    list_memories = PagedVerb(list_memories)
    create_memory = Verb(create_memory)
    create_memories = Verb(create_memories)
    delete_memory = Verb(delete_memory)
    get_memory = Verb(get_memory)
    update_memory = Verb(update_memory)
    get_memory_history = Verb(get_memory_history)
