"""Every request of the API, described."""

# Written by tools/generate.py from the OpenAPI document of the server.

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from cofio.request import Request, expecting, given, idempotency, segment
from cofio.verb import EventsVerb, LinesVerb, PagedVerb, Verb

if TYPE_CHECKING:
    from cofio import types


def list_audit(
    *, after: int | None = None, latest: bool | None = None, limit: int | None = None
) -> Request[types.AuditListOutput]:
    """Read what was done, by whom and when.

    Never what was remembered. Callers see what they did themselves, and whoever administers the
    whole store sees everything.

    The key needs the right to read.

    Args:
        after: only entries after this one; 0 begins with the first
        latest: the latest entries, which is what is answered if no place is named
        limit: how many at most: 50 if nothing is said, and at most 1,000
    """
    return Request(
        "GET",
        "/v1/audit",
        query=given({"after": after, "latest": latest, "limit": limit}),
        repeatable=True,
    )


def verify_audit() -> Request[types.VerifyOutput]:
    """Check that no entry was changed, moved or left out.

    The key needs the right to admin.
    """
    return Request("POST", "/v1/audit/verify")


def get_brief(
    *,
    since: str,
    agent_id: str | None = None,
    company_id: str | None = None,
    layer: list[str] | None = None,
    org_id: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
) -> Request[types.BriefOutput]:
    """Read what the time since a moment has brought.

    Facts and procedures that were learnt, replaced, put away or wait for review, how much was
    forgotten, and the latest reflection.

    The key needs the right to read.

    Args:
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        layer: the layers to look at; without any, all that the names open. May be repeated
        org_id: the organisation
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        since: the moment from which on
        team_id: the team
        user_id: the user
    """
    return Request(
        "GET",
        "/v1/brief",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "layer": layer,
                "orgId": org_id,
                "projectId": project_id,
                "sessionId": session_id,
                "since": since,
                "teamId": team_id,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def list_changes(
    *, after: int | None = None, limit: int | None = None
) -> Request[types.ChangesOutput]:
    """Read what changed, in the order in which it did.

    Only ids and versions, of what is open to the caller. The sequence is kept with the memories, so
    a place in it stays good after a restart.

    The key needs the right to read.

    Args:
        after: only what changed after this place; from the beginning, if nothing is said
        limit: how many at most: 100 if nothing is said, and at most 1,000
    """
    return Request(
        "GET", "/v1/changes", query=given({"after": after, "limit": limit}), repeatable=True
    )


def build_context(
    *,
    prompt: str,
    episodes: int | None = None,
    facts: int | None = None,
    filter: types.Filter | None = None,
    identifiers: types.Names | None = None,
    layers: list[str] | None = None,
    profile: int | None = None,
    recency: float | None = None,
    tokens: int | None = None,
    told: list[str] | None = None,
) -> Request[types.ContextOutput]:
    """Write a block of markdown for a prompt.

    It says what is known of the user, what was concluded last, and what the prompt calls for, each
    with how far it is trusted. Within a session the first part stays the same to the byte, unless a
    memory in it is changed or forgotten.

    The key needs the right to read.

    Args:
        episodes: how many episodes at most: none if nothing is said
        facts: how many facts at most: 5 if nothing is said
        filter: what else must hold of the memories
        identifiers: whose memories, as far as the key is not bound to them; a session is the
            conversation that is going on, which needs no reminding of itself
        layers: the layers to look at; without any, all that the names open
        profile: how many facts about who the user is at most: 20 if nothing is said
        prompt: the prompt: the task or question at hand
        recency: how much more what happened lately counts, from 0 to 1
        tokens: how many tokens at most: 4,000 if nothing is said
        told: the memories that the conversation was told already, which are left out
    """
    return Request(
        "POST",
        "/v1/context",
        body=given(
            {
                "episodes": episodes,
                "facts": facts,
                "filter": filter,
                "identifiers": identifiers,
                "layers": layers,
                "profile": profile,
                "prompt": prompt,
                "recency": recency,
                "tokens": tokens,
                "told": told,
            }
        ),
        repeatable=True,
    )


def list_entities(
    *,
    agent_id: str | None = None,
    company_id: str | None = None,
    layer: list[str] | None = None,
    limit: int | None = None,
    org_id: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
) -> Request[types.EntitiesOutput]:
    """List the people, topics, addresses and dates that memories name.

    Those that most memories name come first.

    The key needs the right to read.

    Args:
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        layer: the layers to look at; without any, all that the names open. May be repeated
        limit: how many at most: 50 if nothing is said, and at most 1,000
        org_id: the organisation
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        team_id: the team
        user_id: the user
    """
    return Request(
        "GET",
        "/v1/entities",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "layer": layer,
                "limit": limit,
                "orgId": org_id,
                "projectId": project_id,
                "sessionId": session_id,
                "teamId": team_id,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def get_entity(
    name: str,
    *,
    agent_id: str | None = None,
    company_id: str | None = None,
    layer: list[str] | None = None,
    limit: int | None = None,
    org_id: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
) -> Request[types.EntitiesOutput]:
    """Read what is known of an entity, with the memories that name it and a timeline.

    Several entities may be written the same. Of each, the latest memories that name it are
    answered, statements whose subject it is, what is named together with it, and a timeline by
    days, or by months over a long time, in which what was replaced says until when it held.

    The key needs the right to read.

    Args:
        name: what it is called, or any way it is written
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        layer: the layers to look at; without any, all that the names open. May be repeated
        limit: how many memories of each sort at most: 50 if nothing is said, and at most 1,000
        org_id: the organisation
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        team_id: the team
        user_id: the user
    """
    return Request(
        "GET",
        f"/v1/entities/{segment(name)}",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "layer": layer,
                "limit": limit,
                "orgId": org_id,
                "projectId": project_id,
                "sessionId": session_id,
                "teamId": team_id,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def export_memories() -> Request[bytes]:
    """Read everything that is open to the caller, as a bundle.

    A memory per line, with its earlier versions; the last line has a checksum of all others. A
    bundle without its last line was cut off. It is made while it is read.

    The key needs the right to read.
    """
    return Request("GET", "/v1/export", repeatable=True)


def forget_memories(
    *,
    dry_run: bool | None = None,
    filter: types.Filter | None = None,
    identifiers: types.Names | None = None,
    ids: list[str] | None = None,
    layers: list[str] | None = None,
    source: str | None = None,
) -> Request[types.ForgetOutput]:
    """Forget memories by id, by what they are like, or by source.

    They go together, with their earlier versions, their vectors and whatever was concluded from
    them; the receipt says so and where the audit has it. Ids that are not there, or not the
    caller's, are listed as failed. With dryRun nothing goes, and the answer says what would. Unless
    they are chosen by id, the key needs the right to read as well.

    The key needs the right to delete.

    Args:
        dry_run: whether to say only what would go
        filter: what must hold of the memories; a filter without anything needs layers
        identifiers: whose memories a filter means, as far as the key is not bound to them
        ids: the memories, by their ids
        layers: the layers on which; without any, all that the names open
        source: the page, file, call, conversation or tool that they came from; everything from
            there goes, in every scope that is open to the caller
    """
    return Request(
        "POST",
        "/v1/forget",
        body=given(
            {
                "dryRun": dry_run,
                "filter": filter,
                "identifiers": identifiers,
                "ids": ids,
                "layers": layers,
                "source": source,
            }
        ),
    )


def import_memories(
    lines: bytes | Iterable[bytes],
    *,
    dry_run: bool | None = None,
    on_conflict: Literal["skip"]
    | Literal["replace"]
    | Literal["newer"]
    | Literal["fail"]
    | None = None,
    on_possible_secret: Literal["ask"] | Literal["keep"] | Literal["redact"] | None = None,
    trust: str | None = None,
) -> Request[types.ImportOutput]:
    """Take in a bundle that an export wrote.

    All of it is checked and rehearsed first, and nothing is changed if any of it is wrong. If
    somebody else changes the store meanwhile, it may stop part-way; repeated then, it takes in what
    is missing. Every memory passes the same rules as if it were said today.

    The key needs the right to write.

    Args:
        dry_run: whether to say only what would happen
        on_conflict: what to do with a memory that is here already
        on_possible_secret: what becomes of what may be a secret and may be something harmless
        trust: the most that anything in the bundle is trusted: low, medium or high (the
            default)
        lines: lines of JSON, as an export yields them
    """
    return Request(
        "POST",
        "/v1/import",
        query=given(
            {
                "dryRun": dry_run,
                "onConflict": on_conflict,
                "onPossibleSecret": on_possible_secret,
                "trust": trust,
            }
        ),
        content=lines,
    )


def list_jobs() -> Request[types.JobsOutput]:
    """List the caller's jobs.

    Those that run, and those that ended lately. This process knows them and no other does: after a
    restart there are none.

    The key needs the right to read.
    """
    return Request("GET", "/v1/jobs", repeatable=True)


def get_job(id: str) -> Request[types.JobOutput]:
    """Ask after a job.

    One that is done has the result that would have been answered, and one that failed the error.
    Older jobs are forgotten when there are many.

    The key needs the right to read.

    Args:
        id: the job
    """
    return Request("GET", f"/v1/jobs/{segment(id)}", repeatable=True)


def list_keys() -> Request[types.KeysOutput]:
    """List all keys, those that have ended included.

    The key needs the right to admin.
    """
    return Request("GET", "/v1/keys", repeatable=True)


def create_key(
    *,
    name: str,
    bound: types.BoundTo | None = None,
    expires_at: str | None = None,
    rights: list[str] | None = None,
    trust: str | None = None,
) -> Request[types.KeyMade]:
    """Make a key.

    Its token is shown in this answer and never again. It cannot open more, do more or be trusted
    further than whoever makes it. From the first key on, nobody is answered without one.

    The key needs the right to admin.

    Args:
        bound: what it opens. An admin key opens everything and is bound to nothing
        expires_at: when it ends by itself
        name: what people will call it
        rights: what it may do: read, write, delete, admin; read and write if nothing is said
        trust: how far what is written with it is trusted at most: low, medium or high
    """
    return Request(
        "POST",
        "/v1/keys",
        body=given(
            {
                "bound": bound,
                "expiresAt": expires_at,
                "name": name,
                "rights": rights,
                "trust": trust,
            }
        ),
    )


def revoke_key(id: str) -> Request[types.KeyOutput]:
    """Make a key end at once.

    The next request with it is refused, at every server on the same store.

    The key needs the right to admin.

    Args:
        id: the id of a key
    """
    return Request("DELETE", f"/v1/keys/{segment(id)}")


def rotate_key(id: str, *, grace_seconds: int | None = None) -> Request[types.KeyMade]:
    """Put a new key in the place of one.

    It may do the same and opens the same. Its token is shown in this answer and never again.

    The key needs the right to admin.

    Args:
        id: the id of a key
        grace_seconds: how many seconds the old key is still good for; none if nothing is said
    """
    return Request(
        "POST", f"/v1/keys/{segment(id)}/rotate", body=given({"graceSeconds": grace_seconds})
    )


def list_maintenance(
    *, limit: int | None = None, task: str | None = None
) -> Request[types.JobRunsOutput]:
    """List what the engine did of itself.

    The latest job comes first. Callers see what was done in their own name, and whoever administers
    the store sees everything. The jobs are kept with the memories and outlive the process.

    The key needs the right to read.

    Args:
        limit: how many at most: 20 if nothing is said, and at most 100
        task: only those of this task: enrich, consolidate, promote, merge, decay, reflect,
            expire or undo
    """
    return Request(
        "GET", "/v1/maintenance", query=given({"limit": limit, "task": task}), repeatable=True
    )


def run_maintenance(
    *,
    task: str,
    agreed: bool | None = None,
    conversation: str | None = None,
    dry_run: bool | None = None,
    identifiers: types.Names | None = None,
    layer: str | None = None,
) -> Request[types.MaintainOutput]:
    """Do one task now, or say what it would change.

    Every part is planned, looked at and done by itself, and the answer is the job, which can be
    taken back. A part that takes away much is held, and the state of the job says so, until
    somebody asks for it with agreed. One job runs at a time in a store: while another one does,
    this is answered 409. Once begun it goes on, even if nobody waits for the answer. To expire what
    has ended, the key needs the right to delete as well.

    The key needs the rights to read and write.

    Args:
        agreed: whether somebody agreed to whatever it takes away; without it, a part that takes
            away much is held
        conversation: only this conversation, which makes a difference to consolidate and
            promote alone
        dry_run: whether to say only what would change
        identifiers: only what these names open, as far as the key is not bound to them; without
            a layer and names, everywhere that the key opens
        layer: only on this layer
        task: what to do: enrich (find more names), consolidate (learn facts from
            conversations), promote (take what matters of conversations to their user), merge
            (bring together what says the same), decay (put away what nobody uses), reflect
            (look back on the week) or expire (remove what has ended)
    """
    return Request(
        "POST",
        "/v1/maintenance",
        body=given(
            {
                "agreed": agreed,
                "conversation": conversation,
                "dryRun": dry_run,
                "identifiers": identifiers,
                "layer": layer,
                "task": task,
            }
        ),
    )


def get_maintenance(id: str) -> Request[types.JobDetailOutput]:
    """Read a job with the changes that it made.

    Only ids and versions, of what is open to the caller.

    The key needs the right to read.

    Args:
        id: the id of a job, as the list of jobs has it
    """
    return Request("GET", f"/v1/maintenance/{segment(id)}", repeatable=True)


def undo_maintenance(
    id: str,
    *,
    again: bool | None = None,
    dry_run: bool | None = None,
    skip_changed: bool | None = None,
) -> Request[types.UndoOutput]:
    """Take back everything that a job changed.

    All of it or nothing: what the job added is forgotten, and what it changed is as before, under a
    new version. If somebody changed any of it since, nothing is taken back (409), unless
    skipChanged leaves that as it is. What expire removed is gone.

    The key needs the rights to read, write and delete.

    Args:
        id: the id of a job, as the list of jobs has it
        again: whether the next job looks again at what this one looked at
        dry_run: whether to say only what would change
        skip_changed: whether what somebody changed since is left as it is, in place of refusing
            everything
    """
    return Request(
        "POST",
        f"/v1/maintenance/{segment(id)}/undo",
        body=given({"again": again, "dryRun": dry_run, "skipChanged": skip_changed}),
    )


def list_memories(
    *,
    agent_id: str | None = None,
    as_of: str | None = None,
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
    valid_at: str | None = None,
) -> Request[types.ListOutput]:
    """List memories page by page.

    What others write meanwhile moves nothing. A cursor belongs to its caller and its list.

    The key needs the right to read.

    Args:
        agent_id: the agent; with a user, it opens the agent layer
        as_of: they are as they were known at this moment: each as it was then, and none that
            was learnt later
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
        valid_at: they were true at this moment, as far as is known; those that were replaced
            since are meant too
    """
    return Request(
        "GET",
        "/v1/memories",
        query=given(
            {
                "agentId": agent_id,
                "asOf": as_of,
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
                "validAt": valid_at,
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


def delete_memory(id: str, *, if_version: int | None = None) -> Request[types.DeleteOutput]:
    """Forget a memory.

    The memory, its earlier versions, its vectors and whatever was concluded from it are gone; the
    receipt says so and where the audit has it. With If-Match nothing is forgotten that somebody
    else changed since, and the key needs the right to read as well.

    The key needs the right to delete.

    Args:
        id: the id of a memory
        if_version: only if this is still its version
    """
    return Request("DELETE", f"/v1/memories/{segment(id)}", headers=expecting(if_version))


def get_memory(id: str) -> Request[types.OneMemory]:
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

    The key needs the rights to read and write.

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


def archive_memory(id: str) -> Request[types.OneMemory]:
    """Put a memory away.

    It is found on request only, and its history stays. To be rid of it for good, delete it.

    The key needs the rights to read and write.

    Args:
        id: the id of a memory
    """
    return Request("POST", f"/v1/memories/{segment(id)}/archive")


def bring_back_memory(id: str) -> Request[types.OneMemory]:
    """Bring back a memory that was put away or has faded.

    The key needs the rights to read and write.

    Args:
        id: the id of a memory
    """
    return Request("POST", f"/v1/memories/{segment(id)}/bring-back")


def confirm_memory(
    id: str, *, source: types.Origin | None = None, text: str | None = None
) -> Request[types.OneMemory]:
    """Vouch for a memory.

    It is certain then and never fades; one that was put away is in use again. If it says something
    else than the text, nothing is confirmed.

    The key needs the rights to read and write.

    Args:
        id: the id of a memory
        source: where the confirmation comes from
        text: the exact text that its owner has read; without it, nothing is confirmed that
            waits for review
    """
    return Request(
        "POST", f"/v1/memories/{segment(id)}/confirm", body=given({"source": source, "text": text})
    )


def correct_memory(
    id: str,
    *,
    content: str | None = None,
    fact: types.Statement | None = None,
    on_possible_secret: types.OnPossibleSecret | None = None,
    since: str | None = None,
    source: types.Origin | None = None,
) -> Request[types.CorrectOutput]:
    """Put what is true in the place of a memory that is wrong.

    The old memory stays in the history and is found on request only; each names the other. What is
    trusted less never replaces what is trusted more. The ETag is that of the new memory.

    The key needs the rights to read and write.

    Args:
        id: the id of a memory
        content: the text; a statement without one is its own text
        fact: what is true as a statement; without it a statement becomes a plain text
        on_possible_secret: what becomes of what may be a secret: ask (the default: nothing is
            changed), keep or redact
        since: since when it holds, if the old memory was true before; without it, the old one
            never was
        source: where it comes from
    """
    return Request(
        "POST",
        f"/v1/memories/{segment(id)}/correct",
        body=given(
            {
                "content": content,
                "fact": fact,
                "onPossibleSecret": on_possible_secret,
                "since": since,
                "source": source,
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


def why_not(
    id: str,
    *,
    query: str,
    filter: types.Filter | None = None,
    fusion: types.FusionName | None = None,
    identifiers: types.Names | None = None,
    layers: list[str] | None = None,
    limit: int | None = None,
    limit_per_layer: int | None = None,
    merge: types.MergeName | None = None,
    mode: types.ModeName | None = None,
    recency: float | None = None,
    reference_time: str | None = None,
    threshold: float | None = None,
    tokens: int | None = None,
) -> Request[types.WhyNotOutput]:
    """Say why a memory is not in the answer to a question.

    The question is the one that a search was asked.

    The key needs the right to read.

    Args:
        id: the id of a memory
        filter: what else must hold of the memories
        fusion: how evidence is put together: weighted (the default), or rrf, by ranks alone
        identifiers: whose memories, as far as the key is not bound to them
        layers: the layers to search; without any, all that the names open
        limit: how many hits at most: 10 if nothing is said
        limit_per_layer: how many hits of one layer at most
        merge: the best first (fused, the default), or the most specific layer first
            (precedence)
        mode: by which evidence: hybrid (the default), semantic or keyword
        query: the question or keywords, in any language
        recency: how much more what happened lately counts, from 0 (the default) to 1
        reference_time: the moment from which "yesterday" is meant, if not now or the filter's
            `asOf`
        threshold: the least cosine, from -1 to 1; by vectors alone 0.7 if nothing is said
        tokens: how many tokens all hits together may have, about
    """
    return Request(
        "POST",
        f"/v1/memories/{segment(id)}/why-not",
        body=given(
            {
                "filter": filter,
                "fusion": fusion,
                "identifiers": identifiers,
                "layers": layers,
                "limit": limit,
                "limitPerLayer": limit_per_layer,
                "merge": merge,
                "mode": mode,
                "query": query,
                "recency": recency,
                "referenceTime": reference_time,
                "threshold": threshold,
                "tokens": tokens,
            }
        ),
        repeatable=True,
    )


def list_procedures(
    *,
    agent_id: str | None = None,
    company_id: str | None = None,
    cursor: str | None = None,
    fact_type: str | None = None,
    layer: list[str] | None = None,
    limit: int | None = None,
    object: str | None = None,
    org_id: str | None = None,
    predicate: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    subject: str | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
) -> Request[types.ListOutput]:
    """List statements of subject, predicate and object.

    The most certain come first.

    The key needs the right to read.

    Args:
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        cursor: where the page before ended, as it said
        fact_type: what kind of statement
        layer: the layers to list; without any, all that the names open. May be repeated
        limit: how many at most: 50 if nothing is said, and at most 100
        object: with respect to what
        org_id: the organisation
        predicate: what is said
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        subject: what they are about
        team_id: the team
        user_id: the user
    """
    return Request(
        "GET",
        "/v1/procedures",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "cursor": cursor,
                "factType": fact_type,
                "layer": layer,
                "limit": limit,
                "object": object,
                "orgId": org_id,
                "predicate": predicate,
                "projectId": project_id,
                "sessionId": session_id,
                "subject": subject,
                "teamId": team_id,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def list_review(
    *,
    agent_id: str | None = None,
    company_id: str | None = None,
    cursor: str | None = None,
    layer: list[str] | None = None,
    limit: int | None = None,
    org_id: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
) -> Request[types.ListOutput]:
    """List what waits for a person to look at it.

    These are facts from the web, a file, a tool or a model. They are found by no search before they
    are approved.

    The key needs the right to read.

    Args:
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        cursor: where the page before ended, as it said
        layer: the layers to list; without any, all that the names open. May be repeated
        limit: how many at most: 50 if nothing is said, and at most 100
        org_id: the organisation
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        team_id: the team
        user_id: the user
    """
    return Request(
        "GET",
        "/v1/review",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "cursor": cursor,
                "layer": layer,
                "limit": limit,
                "orgId": org_id,
                "projectId": project_id,
                "sessionId": session_id,
                "teamId": team_id,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def permit_value(
    *, layer: str, text: str, identifiers: types.Names | None = None
) -> Request[types.PermitOutput]:
    """Let a text be learnt again that was rejected.

    The key needs the right to write.

    Args:
        identifiers: the names that the layer needs, as far as the key is not bound to them
        layer: the layer on which it was rejected
        text: what it says, however it is spelt
    """
    return Request(
        "POST",
        "/v1/review/permit",
        body=given({"identifiers": identifiers, "layer": layer, "text": text}),
    )


def list_rejected() -> Request[types.RejectedOutput]:
    """List what was rejected.

    The latest comes first; of the texts only hashes are known.

    The key needs the right to read.
    """
    return Request("GET", "/v1/review/rejected", repeatable=True)


def approve_memory(id: str, *, text: str) -> Request[types.DecisionOutput]:
    """Confirm a memory that waits.

    It counts as said by its owner then. If it says anything else than the text by now, nothing is
    confirmed.

    The key needs the rights to read and write.

    Args:
        id: the id of a memory
        text: the exact text of the memory
    """
    return Request("POST", f"/v1/review/{segment(id)}/approve", body=given({"text": text}))


def reject_memory(id: str) -> Request[types.DecisionOutput]:
    """Forget a memory that waits, and never learn it again.

    What it says is not learnt again in its scope, however it is spelt.

    The key needs the rights to read and delete.

    Args:
        id: the id of a memory
    """
    return Request("POST", f"/v1/review/{segment(id)}/reject")


def search_memories(
    *,
    query: str,
    filter: types.Filter | None = None,
    fusion: types.FusionName | None = None,
    identifiers: types.Names | None = None,
    layers: list[str] | None = None,
    limit: int | None = None,
    limit_per_layer: int | None = None,
    merge: types.MergeName | None = None,
    mode: types.ModeName | None = None,
    recency: float | None = None,
    reference_time: str | None = None,
    threshold: float | None = None,
    tokens: int | None = None,
) -> Request[types.SearchOutput]:
    """Find the memories that answer a question.

    Every hit says what brought it in. Where no embedder is at hand or it fails, words and names
    answer alone, and `meaning` says so. As of an earlier moment, memories are found by what they
    say now and shown as they were then.

    The key needs the right to read.

    Args:
        filter: what else must hold of the memories
        fusion: how evidence is put together: weighted (the default), or rrf, by ranks alone
        identifiers: whose memories, as far as the key is not bound to them
        layers: the layers to search; without any, all that the names open
        limit: how many hits at most: 10 if nothing is said
        limit_per_layer: how many hits of one layer at most
        merge: the best first (fused, the default), or the most specific layer first
            (precedence)
        mode: by which evidence: hybrid (the default), semantic or keyword
        query: the question or keywords, in any language
        recency: how much more what happened lately counts, from 0 (the default) to 1
        reference_time: the moment from which "yesterday" is meant, if not now or the filter's
            `asOf`
        threshold: the least cosine, from -1 to 1; by vectors alone 0.7 if nothing is said
        tokens: how many tokens all hits together may have, about
    """
    return Request(
        "POST",
        "/v1/search",
        body=given(
            {
                "filter": filter,
                "fusion": fusion,
                "identifiers": identifiers,
                "layers": layers,
                "limit": limit,
                "limitPerLayer": limit_per_layer,
                "merge": merge,
                "mode": mode,
                "query": query,
                "recency": recency,
                "referenceTime": reference_time,
                "threshold": threshold,
                "tokens": tokens,
            }
        ),
        repeatable=True,
    )


def list_sessions(
    *, cursor: str | None = None, limit: int | None = None
) -> Request[types.SessionsOutput]:
    """List the conversations of which something is kept.

    The one that something was kept of last comes first. What others write meanwhile may move one to
    the front.

    The key needs the right to read.

    Args:
        cursor: where the page before ended, as it said
        limit: how many at most: 50 if nothing is said, and at most 100
    """
    return Request(
        "GET", "/v1/sessions", query=given({"cursor": cursor, "limit": limit}), repeatable=True
    )


def clear_window(session_id: str, *, user_id: str | None = None) -> Request[types.ClearedOutput]:
    """Empty a conversation's window.

    Other memories of the conversation stay.

    The key needs the rights to read and delete.

    Args:
        session_id: the conversation
        user_id: the user, as far as the key is not bound to one
    """
    return Request(
        "DELETE", f"/v1/sessions/{segment(session_id)}/turns", query=given({"userId": user_id})
    )


def get_window(session_id: str, *, user_id: str | None = None) -> Request[types.WindowOutput]:
    """Read the last turns of a conversation.

    The key needs the right to read.

    Args:
        session_id: the conversation
        user_id: the user, as far as the key is not bound to one
    """
    return Request(
        "GET",
        f"/v1/sessions/{segment(session_id)}/turns",
        query=given({"userId": user_id}),
        repeatable=True,
    )


def push_turn(
    session_id: str,
    *,
    content: str,
    role: str,
    user_id: str | None = None,
    source: types.Origin | None = None,
) -> Request[types.WindowOutput]:
    """Add a turn to a conversation's window.

    What no longer fits is dropped; the window as it is then is answered. What may be a secret is
    taken out.

    The key needs the rights to read and write.

    Args:
        session_id: the conversation
        user_id: the user, as far as the key is not bound to one
        content: what was said
        role: who spoke, such as user or assistant
        source: where it comes from, if not from the conversation
    """
    return Request(
        "POST",
        f"/v1/sessions/{segment(session_id)}/turns",
        query=given({"userId": user_id}),
        body=given({"content": content, "role": role, "source": source}),
    )


def get_stats(
    *,
    agent_id: str | None = None,
    company_id: str | None = None,
    layer: list[str] | None = None,
    org_id: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
) -> Request[types.StatsOutput]:
    """Count what is kept, by scope, layer and kind.

    Without names and layers, in every scope that is open to the caller.

    The key needs the right to read.

    Args:
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        layer: the layers to count; without any, all that the names open. May be repeated
        org_id: the organisation
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        team_id: the team
        user_id: the user
    """
    return Request(
        "GET",
        "/v1/stats",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "layer": layer,
                "orgId": org_id,
                "projectId": project_id,
                "sessionId": session_id,
                "teamId": team_id,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def follow_memories(
    *,
    agent_id: str | None = None,
    company_id: str | None = None,
    kind: list[str] | None = None,
    layer: list[str] | None = None,
    org_id: str | None = None,
    project_id: str | None = None,
    query: str | None = None,
    session_id: str | None = None,
    since: int | None = None,
    team_id: str | None = None,
    type: Literal["query"] | Literal["updates"] | Literal["notifications"] | None = None,
    user_id: str | None = None,
) -> Request[types.MemoryEvent]:
    """Follow changes as they happen.

    Events are `created`, `updated` and `deleted`; the id of each is its place in the sequence of
    changes, and whoever comes back with it misses nothing and gets nothing twice. A memory is told
    as it is when it is told; one that is gone by then has its id only. Deletions are told to
    `query` too, whatever the memory said. A comment comes at least every 15 seconds.

    The key needs the right to read.

    Args:
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        kind: only memories of this kind. May be repeated
        layer: only memories on this layer. May be repeated
        org_id: the organisation
        project_id: the project
        query: the words, for `type=query`
        session_id: the conversation; with a user, it opens the session layer
        since: the place in the sequence after which to begin; without it, and without Last-
            Event-ID, now
        team_id: the team
        type: what a stream tells
        user_id: the user
    """
    return Request(
        "GET",
        "/v1/stream",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "kind": kind,
                "layer": layer,
                "orgId": org_id,
                "projectId": project_id,
                "query": query,
                "sessionId": session_id,
                "since": since,
                "teamId": team_id,
                "type": type,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def get_value(
    key: str,
    *,
    agent_id: str | None = None,
    company_id: str | None = None,
    layer: list[str] | None = None,
    org_id: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
) -> Request[types.OneMemory]:
    """Read the value under a key.

    The most specific layer that has one answers.

    The key needs the right to read.

    Args:
        key: the key
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        layer: the layers to look at; without any, all that the names open. May be repeated
        org_id: the organisation
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        team_id: the team
        user_id: the user
    """
    return Request(
        "GET",
        f"/v1/values/{segment(key)}",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "layer": layer,
                "orgId": org_id,
                "projectId": project_id,
                "sessionId": session_id,
                "teamId": team_id,
                "userId": user_id,
            }
        ),
        repeatable=True,
    )


def set_value(
    key: str,
    *,
    layer: str,
    value: str,
    agent_id: str | None = None,
    company_id: str | None = None,
    org_id: str | None = None,
    project_id: str | None = None,
    session_id: str | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
    source: types.Origin | None = None,
) -> Request[types.AddOutput]:
    """Keep a value under a key until the end of the day.

    It takes the place of what was there; what that was stays in the history. What may be a secret
    is taken out.

    The key needs the right to write.

    Args:
        key: the key
        agent_id: the agent; with a user, it opens the agent layer
        company_id: the company
        layer: the layer to keep it on: agent, user, session, project, team, org or company
        org_id: the organisation
        project_id: the project
        session_id: the conversation; with a user, it opens the session layer
        team_id: the team
        user_id: the user
        source: where it comes from
        value: the value
    """
    return Request(
        "PUT",
        f"/v1/values/{segment(key)}",
        query=given(
            {
                "agentId": agent_id,
                "companyId": company_id,
                "layer": layer,
                "orgId": org_id,
                "projectId": project_id,
                "sessionId": session_id,
                "teamId": team_id,
                "userId": user_id,
            }
        ),
        body=given({"source": source, "value": value}),
    )


class Operations:
    """The verbs of a client."""

    list_audit = PagedVerb(list_audit)
    verify_audit = Verb(verify_audit)
    get_brief = Verb(get_brief)
    list_changes = PagedVerb(list_changes)
    build_context = Verb(build_context)
    list_entities = Verb(list_entities)
    get_entity = Verb(get_entity)
    export_memories = LinesVerb(export_memories)
    forget_memories = Verb(forget_memories)
    import_memories = Verb(import_memories)
    list_jobs = Verb(list_jobs)
    get_job = Verb(get_job)
    list_keys = Verb(list_keys)
    create_key = Verb(create_key)
    revoke_key = Verb(revoke_key)
    rotate_key = Verb(rotate_key)
    list_maintenance = Verb(list_maintenance)
    run_maintenance = Verb(run_maintenance)
    get_maintenance = Verb(get_maintenance)
    undo_maintenance = Verb(undo_maintenance)
    list_memories = PagedVerb(list_memories)
    create_memory = Verb(create_memory)
    create_memories = Verb(create_memories)
    delete_memory = Verb(delete_memory)
    get_memory = Verb(get_memory)
    update_memory = Verb(update_memory)
    archive_memory = Verb(archive_memory)
    bring_back_memory = Verb(bring_back_memory)
    confirm_memory = Verb(confirm_memory)
    correct_memory = Verb(correct_memory)
    get_memory_history = Verb(get_memory_history)
    why_not = Verb(why_not)
    list_procedures = PagedVerb(list_procedures)
    list_review = PagedVerb(list_review)
    permit_value = Verb(permit_value)
    list_rejected = Verb(list_rejected)
    approve_memory = Verb(approve_memory)
    reject_memory = Verb(reject_memory)
    search_memories = Verb(search_memories)
    list_sessions = PagedVerb(list_sessions)
    clear_window = Verb(clear_window)
    get_window = Verb(get_window)
    push_turn = Verb(push_turn)
    get_stats = Verb(get_stats)
    follow_memories = EventsVerb(follow_memories)
    get_value = Verb(get_value)
    set_value = Verb(set_value)
