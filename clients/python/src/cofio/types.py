"""What is sent and what comes back, by the names of the API."""

# Written by tools/generate.py from the OpenAPI document of the server.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class AddOutput(TypedDict):
    """What became of something to remember."""

    embeddingGenerated: bool
    existing: bool
    memory: MemoryEntry
    redactions: NotRequired[list[RedactionOutput]]


class AuditPlaceOutput(TypedDict):
    """An entry of the audit."""

    hash: str
    sequence: int


class ChangeInput(TypedDict):
    """What to change; what is not named stays."""

    content: NotRequired[str | None]
    """The new text."""
    expiresAt: NotRequired[str | None]
    """When it ends from now on: a moment, or by-kind for when its kind does."""
    metadata: NotRequired[dict[str, Any]]
    """Metadata to set, one level deep; null removes a field."""
    onPossibleSecret: NotRequired[OnPossibleSecret | None]
    """What becomes of what may be a secret: ask (the default: nothing is changed), keep or
    redact.
    """
    source: NotRequired[Origin | None]
    """Where the new text comes from; without it the memory keeps its source, and so its trust."""
    ttlSeconds: NotRequired[int | None]
    """In how many seconds it ends from now on."""


class CreateManyInput(TypedDict):
    """Several things to remember."""

    memories: list[NewMemory]


class CreateManyOutput(TypedDict):
    """What became of them, in the same order."""

    added: int
    """How many are new."""
    existing: int
    """How many were known already."""
    results: list[AddOutput]


class DeleteOutput(TypedDict):
    """What was forgotten."""

    deleted: int
    failed: list[str]
    ids: list[str]
    receipt: NotRequired[ReceiptOutput | None]
    success: bool


class EntryEmbedding(TypedDict):
    """Whether a memory has a vector yet."""

    model: NotRequired[str | None]
    state: str


class EntryMention(TypedDict):
    """Something named in a memory."""

    alias: str
    name: str
    type: str


class EntryMetadata(TypedDict):
    """What is known about a memory besides its text."""

    author: NotRequired[str | None]
    confidence: NotRequired[float | None]
    custom: NotRequired[dict[str, Any]]
    description: NotRequired[str | None]
    importance: NotRequired[float | None]
    knowledgePointer: NotRequired[EntryPointer | None]
    language: NotRequired[str | None]
    relevance: NotRequired[float | None]
    tags: list[str]
    title: NotRequired[str | None]


class EntryPointer(TypedDict):
    """The document a memory stands for."""

    contentHash: str
    sourceId: str
    sourceType: str
    syncedAt: str


class EntrySource(TypedDict):
    """Where a memory came from."""

    fromExternalContent: NotRequired[bool]
    messageId: NotRequired[str | None]
    reference: NotRequired[str | None]
    role: NotRequired[str | None]
    sessionId: NotRequired[str | None]
    toolName: NotRequired[str | None]
    trust: str
    type: str


class EntryTriple(TypedDict):
    """A statement in three parts."""

    factType: str
    object: str
    predicate: str
    subject: str


class ForgottenOutput(TypedDict):
    """A memory that is gone."""

    id: str
    scope: str


class GetOutput(TypedDict):
    """One memory."""

    memory: MemoryEntry


class HistoryOutput(TypedDict):
    """A memory with everything it was before."""

    current: MemoryEntry
    earlier: list[MemoryEntry]


class ListOutput(TypedDict):
    """One page of a list."""

    memories: list[MemoryEntry]
    nextCursor: str | None
    scopes: list[ScopeOutput]
    totalCount: int


class MemoryEntry(TypedDict):
    """A memory, whole."""

    accessCount: int
    accessPolicy: str
    content: str
    contextKey: NotRequired[str | None]
    createdAt: str
    decayRate: float
    derivedFrom: NotRequired[list[str]]
    embedding: EntryEmbedding
    entities: list[EntryMention]
    eventAt: str
    expiresAt: NotRequired[str | None]
    fact: NotRequired[EntryTriple | None]
    id: str
    identifiers: dict[str, str]
    instructs: NotRequired[bool]
    kind: str
    lastAccessedAt: NotRequired[str | None]
    layer: str
    metadata: EntryMetadata
    source: EntrySource
    state: str
    supersededBy: NotRequired[str | None]
    supersedes: NotRequired[str | None]
    updatedAt: str
    validUntil: NotRequired[str | None]
    version: int


class Names(TypedDict):
    """Whose memories are meant; what a key is bound to need not be said."""

    agentId: NotRequired[str | None]
    """The agent; with a user, it opens the agent layer."""
    companyId: NotRequired[str | None]
    """The company."""
    orgId: NotRequired[str | None]
    """The organisation."""
    projectId: NotRequired[str | None]
    """The project."""
    sessionId: NotRequired[str | None]
    """The conversation; with a user, it opens the session layer."""
    teamId: NotRequired[str | None]
    """The team."""
    userId: NotRequired[str | None]
    """The user."""


class NewMemory(TypedDict):
    """Something to remember."""

    accessPolicy: NotRequired[str | None]
    """How widely it is meant to be seen: private, restricted, shared, organization or public."""
    content: NotRequired[str | None]
    """The text; a statement without one is its own text."""
    contextKey: NotRequired[str | None]
    """The key to keep it under: at most one memory of its kind and scope has it."""
    derivedFrom: NotRequired[list[str]]
    """The memories it was concluded from; it is trusted no further than any of them."""
    eventAt: NotRequired[str | None]
    """When it happened; now, if nothing is said."""
    expiresAt: NotRequired[str | None]
    """When it ends; when its kind does, if nothing is said."""
    fact: NotRequired[Statement | None]
    """A statement, which is a procedure."""
    identifiers: NotRequired[Names]
    """The names that the layer needs, as far as the key is not bound to them."""
    kind: NotRequired[str | None]
    """What it is: fact (the default), episode, context, working, procedure or reflection."""
    layer: str
    """Whose it is: agent, user, session, project, team, org or company."""
    metadata: NotRequired[dict[str, Any]]
    """What is known about it: title, description, tags, language, author, confidence,
    importance, relevance, knowledgePointer; any other name is a custom field.
    """
    onPossibleSecret: NotRequired[OnPossibleSecret | None]
    """What becomes of what may be a secret: ask (the default: nothing is kept), keep or redact."""
    source: NotRequired[Origin]
    """Where it comes from."""
    ttlSeconds: NotRequired[int | None]
    """In how many seconds it ends."""


OnPossibleSecret = Literal["ask"] | Literal["keep"] | Literal["redact"]
"""What becomes of what may be a secret and may be something harmless."""


class Origin(TypedDict):
    """Where a text comes from, as the caller says: it can only lower how far the text is
    trusted.
    """

    fromExternalContent: NotRequired[bool]
    """Whether the speaker was quoting something from outside."""
    messageId: NotRequired[str | None]
    """The message it came from."""
    reference: NotRequired[str | None]
    """A page, file or call to find the original by."""
    role: NotRequired[str | None]
    """Who spoke: user, assistant, tool or an agent's name."""
    sessionId: NotRequired[str | None]
    """The conversation it came from."""
    toolName: NotRequired[str | None]
    """The tool that printed it."""
    type: NotRequired[str | None]
    """What produced it: manual (the default), conversation, tool_result, web, inference,
    knowledge_sync or import.
    """


class ReceiptOutput(TypedDict):
    """That memories were forgotten, as it is handed out and read back."""

    audit: AuditPlaceOutput
    deleted: int
    derived: int
    forgottenAt: str
    forgottenBy: str
    memories: list[ForgottenOutput]
    reason: str
    receipt: str


RedactionOutput = TypedDict("RedactionOutput", {"class": "str", "level": "str"})
"""What was taken out of a text."""


class ScopeOutput(TypedDict):
    """Whose something is."""

    identifiers: dict[str, str]
    layer: str
    scope: str


class Statement(TypedDict):
    """A statement in three parts."""

    factType: str
    """What kind of statement."""
    object: str
    """With respect to what."""
    predicate: str
    """What is said of it."""
    subject: str
    """What it is about."""


class UpdateOutput(TypedDict):
    """A memory after a change."""

    embeddingRegenerated: bool
    memory: MemoryEntry
    redactions: NotRequired[list[RedactionOutput]]
