"""What is sent and what comes back, by the names of the API."""

# Written by tools/generate.py from the OpenAPI document of the server.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class AbsenceOutput(TypedDict):
    """One reason."""

    code: str
    reason: str


class AddOutput(TypedDict):
    """What became of something to remember."""

    embeddingGenerated: bool
    existing: bool
    memory: MemoryEntry
    redactions: NotRequired[list[RedactionOutput]]


class ApproveInput(TypedDict):
    """What the one who approves has read."""

    text: str
    """The exact text of the memory."""


class AuditListOutput(TypedDict):
    """Entries of the record, the oldest first."""

    entries: list[AuditOutput]
    nextAfter: int
    """Where to go on from, now or later."""


class AuditOutput(TypedDict):
    """One audit entry."""

    action: str
    firstChange: int | None
    hash: str
    lastChange: int | None
    metadata: dict[str, Any]
    scope: str | None
    sequence: int
    timestamp: str
    userId: str


class AuditPlaceOutput(TypedDict):
    """An entry of the audit."""

    hash: str
    sequence: int


class BoundTo(TypedDict):
    """What a key opens: names of each kind, and the kinds of which every name is open.

    With a user, all of that user's agents and sessions are open, unless some are named.
    """

    agent: NotRequired[list[str]]
    any: NotRequired[list[str]]
    """Layers of which every name is open."""
    company: NotRequired[list[str]]
    org: NotRequired[list[str]]
    project: NotRequired[list[str]]
    session: NotRequired[list[str]]
    team: NotRequired[list[str]]
    user: NotRequired[list[str]]


class BriefOutput(TypedDict):
    """What a while has brought."""

    changed: list[ReplacementOutput]
    """What is no longer held to be true."""
    faded: list[MemoryEntry]
    """What is no longer in use."""
    forgotten: int
    """How many memories were forgotten."""
    learnt: list[MemoryEntry]
    """Facts and procedures, the latest first."""
    reflection: MemoryEntry | None
    """The latest reflection, if it is from that while."""
    since: str
    waiting: list[MemoryEntry]
    """What waits for somebody's word; nothing in it is to be believed yet."""


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


class ChangeOutput(TypedDict):
    """One place in the sequence of changes."""

    id: str
    kind: str
    scope: str
    sequence: int
    timestamp: str
    version: int


class ChangesOutput(TypedDict):
    """Changes, the oldest first."""

    changes: list[ChangeOutput]
    nextAfter: int
    """Where to go on from, now or later."""


class ClearedOutput(TypedDict):
    """What was in a window."""

    cleared: int
    """How much was in it."""
    identifiers: dict[str, str]
    layer: str
    scope: str


class CompanionOutput(TypedDict):
    """Something that is named together with an entity."""

    memories: int
    name: str
    type: str


class ConfirmInput(TypedDict):
    """Who vouches for a memory."""

    source: NotRequired[Origin]
    """Where the confirmation comes from."""
    text: NotRequired[str | None]
    """The exact text that its owner has read; without it, nothing is confirmed that waits for
    review.
    """


class ContextInput(TypedDict):
    """What a block for a prompt should be about."""

    episodes: NotRequired[int | None]
    """How many episodes at most: none if nothing is said."""
    facts: NotRequired[int | None]
    """How many facts at most: 5 if nothing is said."""
    filter: NotRequired[Filter]
    """What else must hold of the memories."""
    identifiers: NotRequired[Names]
    """Whose memories, as far as the key is not bound to them; a session is the conversation that
    is going on, which needs no reminding of itself.
    """
    layers: NotRequired[list[str] | None]
    """The layers to look at; without any, all that the names open."""
    profile: NotRequired[int | None]
    """How many facts about who the user is at most: 20 if nothing is said."""
    prompt: str
    """The prompt: the task or question at hand."""
    recency: NotRequired[float | None]
    """How much more what happened lately counts, from 0 to 1."""
    tokens: NotRequired[int | None]
    """How many tokens at most: 4,000 if nothing is said."""
    told: NotRequired[list[str]]
    """The memories that the conversation was told already, which are left out."""


class ContextOutput(TypedDict):
    """A block and what went into it."""

    delta: str
    """The part that this prompt calls for."""
    leftOut: int
    """How many memories did not fit."""
    markdown: str
    """Both parts."""
    memories: list[str]
    """The memories that are in it."""
    scopes: list[ScopeOutput]
    """Where was looked."""
    stable: str
    """The part that stays the same through a conversation."""
    tokens: int
    """About how many tokens it has."""


class CorrectInput(TypedDict):
    """What is true in the place of what is not."""

    content: NotRequired[str | None]
    """The text; a statement without one is its own text."""
    fact: NotRequired[Statement | None]
    """What is true as a statement; without it a statement becomes a plain text."""
    onPossibleSecret: NotRequired[OnPossibleSecret | None]
    """What becomes of what may be a secret: ask (the default: nothing is changed), keep or
    redact.
    """
    since: NotRequired[str | None]
    """Since when it holds, if the old memory was true before; without it, the old one never was."""
    source: NotRequired[Origin]
    """Where it comes from."""


class CorrectOutput(TypedDict):
    """A memory that was wrong, and what stands in its place."""

    memory: MemoryEntry
    redactions: NotRequired[list[RedactionOutput]]
    replaced: MemoryEntry


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


class DatedOutput(TypedDict):
    """A memory in the order of time; what was replaced says until when it held."""

    content: str
    eventAt: str
    id: str
    state: str
    supersededBy: NotRequired[str | None]
    validUntil: NotRequired[str | None]


class DecisionOutput(TypedDict):
    """What was decided."""

    decision: str
    """approved or rejected."""
    id: str
    memory: NotRequired[MemoryEntry | None]
    """The memory, unless it is gone."""


class DeleteOutput(TypedDict):
    """What was forgotten."""

    deleted: int
    failed: list[str]
    ids: list[str]
    receipt: NotRequired[ReceiptOutput | None]
    success: bool


class DifferenceOutput(TypedDict):
    """One field that is different afterwards."""

    after: str | None
    before: str | None
    field: str


class EntitiesOutput(TypedDict):
    """Entities, and where they are named."""

    entities: list[EntityOutput]
    scopes: list[ScopeOutput]


class EntityOutput(TypedDict):
    """What is known of an entity."""

    aliases: list[str]
    companions: NotRequired[list[CompanionOutput]]
    firstAt: str
    lastAt: str
    memories: NotRequired[list[MemoryEntry]]
    mentionCount: int
    name: str
    statements: NotRequired[list[MemoryEntry]]
    timeline: NotRequired[list[PeriodOutput]]
    type: str


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


class EstimateOutput(TypedDict):
    """What asking a language model would cost at most."""

    money: str
    tokens: int


class FactFilter(TypedDict):
    """The parts of a statement that are known."""

    factType: NotRequired[str | None]
    """What kind of statement."""
    object: NotRequired[str | None]
    """With respect to what."""
    predicate: NotRequired[str | None]
    """What is said of it."""
    subject: NotRequired[str | None]
    """What it is about."""


Filter = TypedDict(
    "Filter",
    {
        "asOf": "NotRequired[str | None]",
        "contextKey": "NotRequired[str | None]",
        "custom": "NotRequired[dict[str, Any]]",
        "excludedSessionId": "NotRequired[str | None]",
        "fact": "NotRequired[FactFilter]",
        "from": "NotRequired[str | None]",
        "hasKnowledgePointer": "NotRequired[bool | None]",
        "keyPrefix": "NotRequired[str | None]",
        "kinds": "NotRequired[list[str]]",
        "learntBy": "NotRequired[str | None]",
        "minimumTrust": "NotRequired[str | None]",
        "origin": "NotRequired[str | None]",
        "sourceType": "NotRequired[str | None]",
        "states": "NotRequired[list[str]]",
        "tags": "NotRequired[list[str]]",
        "to": "NotRequired[str | None]",
        "validAt": "NotRequired[str | None]",
    },
)
"""What must hold of memories; without a state, that they are active."""


class ForgetInput(TypedDict):
    """What to forget: ids, a selection (a filter, layers or both), or a source; exactly one of
    them.
    """

    dryRun: NotRequired[bool]
    """Whether to say only what would go."""
    filter: NotRequired[Filter | None]
    """What must hold of the memories; a filter without anything needs layers."""
    identifiers: NotRequired[Names]
    """Whose memories a filter means, as far as the key is not bound to them."""
    ids: NotRequired[list[str] | None]
    """The memories, by their ids."""
    layers: NotRequired[list[str] | None]
    """The layers on which; without any, all that the names open."""
    source: NotRequired[str | None]
    """The page, file, call, conversation or tool that they came from; everything from there
    goes, in every scope that is open to the caller.
    """


class ForgetOutput(TypedDict):
    """What was forgotten, or would be."""

    deleted: int
    derived: int
    """How many of them were concluded from the others."""
    dryRun: bool
    """Whether nothing was forgotten, and this only says what would be."""
    failed: list[str]
    ids: list[str]
    receipt: NotRequired[ReceiptOutput | None]
    success: bool


class ForgottenOutput(TypedDict):
    """A memory that is gone."""

    id: str
    scope: str


FusionName = Literal["weighted"] | Literal["rrf"]
"""How pieces of evidence are put together."""

GrantOutput = str | list[str]
"""Names, or the word `any`, which is none of them."""


class HistoryOutput(TypedDict):
    """A memory with everything it was before."""

    current: MemoryEntry
    earlier: list[MemoryEntry]


class ImportOutput(TypedDict):
    """What became of a bundle."""

    created: int
    """Memories that were added."""
    dryRun: bool
    """Whether nothing was changed, and this only says what would be."""
    duplicates: int
    """Memories that another one in the same scope says the same as."""
    forgotten: int
    """Memories that were forgotten here, and stay so."""
    redacted: int
    """Secrets that were taken out."""
    refused: int
    """Memories that the rules of every write refuse."""
    rejected: int
    """Memories that say what was rejected here, and stay out."""
    replaced: int
    """Memories that got a next version."""
    skipped: int
    """Memories that were there already and stay as they are."""


class JobDetailOutput(TypedDict):
    """One run of a task, and the changes that it made."""

    changes: list[ChangeOutput]
    job: JobRunOutput


class JobOutput(TypedDict):
    """Work that was accepted."""

    endedAt: str | None
    error: NotRequired[Said | None]
    """Why it failed."""
    id: str
    """Where it is asked after: `/v1/jobs/` and this."""
    operation: str
    """What was asked for."""
    result: NotRequired[Any]
    """What would have been answered."""
    startedAt: str
    state: JobState
    """How far it is."""


class JobRunOutput(TypedDict):
    """One run of a task."""

    actor: str
    created: int
    dueAt: str | None
    durationSeconds: float | None
    endedAt: str | None
    failed: int
    forgotten: int
    held: int
    id: str
    lagSeconds: float | None
    lookedAt: int
    note: NotRequired[str | None]
    startedAt: str
    state: str
    task: str
    trigger: str
    undoes: NotRequired[str | None]
    undoneBy: NotRequired[str | None]
    updated: int


class JobRunsOutput(TypedDict):
    """Runs of tasks."""

    jobs: list[JobRunOutput]


JobState = Literal["running", "done", "failed"]
"""How far a job is."""


class JobsOutput(TypedDict):
    """The caller's jobs."""

    jobs: list[JobOutput]
    """The latest first, without what came of them."""


class KeyMade(TypedDict):
    """A key with its token, which is shown this once."""

    key: KeyOutput
    token: str
    """What a program sends as `Authorization: Bearer`; nobody can show it again."""


class KeyOutput(TypedDict):
    """A key, without anything of its token."""

    bound: dict[str, GrantOutput]
    """What is open of each layer."""
    createdAt: str
    expiresAt: str | None
    id: str
    name: str
    replacedBy: str | None
    revokedAt: str | None
    rights: list[str]
    trust: str


class KeysOutput(TypedDict):
    """All keys, the oldest first."""

    keys: list[KeyOutput]


class ListOutput(TypedDict):
    """One page of a list."""

    lost: NotRequired[list[str]]
    """The ids of those that are missing here because a shelf has lost their texts."""
    memories: list[MemoryEntry]
    nextCursor: str | None
    scopes: list[ScopeOutput]
    totalCount: int


class MaintainOutput(TypedDict):
    """What became of a task, or what would."""

    job: JobRunOutput | None
    """The job, unless nothing was done."""
    plan: list[PieceOutput] | None
    """What would be done, if that was the question."""


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


class MemoryEvent(TypedDict):
    """That a memory was added, changed or removed."""

    id: str
    memory: NotRequired[MemoryEntry | None]
    """The memory as it is now, unless it is gone or was not asked for."""
    scope: str
    """Whose it is."""
    sequence: int
    """The place in the sequence of changes."""
    timestamp: str
    type: str
    """What happened: created, updated or deleted."""
    version: int
    """The version that the change left behind."""


MergeName = Literal["fused"] | Literal["precedence"]
"""How results of several layers are put together."""

ModeName = Literal["hybrid"] | Literal["semantic"] | Literal["keyword"]
"""By which evidence memories are found."""


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


class NewKey(TypedDict):
    """A key that somebody wants."""

    bound: NotRequired[BoundTo]
    """What it opens. An admin key opens everything and is bound to nothing."""
    expiresAt: NotRequired[str | None]
    """When it ends by itself."""
    name: str
    """What people will call it."""
    rights: NotRequired[list[str]]
    """What it may do: read, write, delete, admin; read and write if nothing is said."""
    trust: NotRequired[str | None]
    """How far what is written with it is trusted at most: low, medium or high."""


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


class OneMemory(TypedDict):
    """One memory."""

    memory: MemoryEntry


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
    """What produced it: manual (the default), conversation, `tool_result`, web, inference,
    `knowledge_sync` or import.
    """


class PeriodOutput(TypedDict):
    """A day or a month, and what happened then."""

    memories: list[DatedOutput]
    period: str


class PermitInput(TypedDict):
    """A text that was rejected."""

    identifiers: NotRequired[Names]
    """The names that the layer needs, as far as the key is not bound to them."""
    layer: str
    """The layer on which it was rejected."""
    text: str
    """What it says, however it is spelt."""


class PermitOutput(TypedDict):
    """Whether a text may be learnt again now."""

    permitted: bool
    scope: ScopeOutput


class PieceOutput(TypedDict):
    """What a task wants to do together in one place."""

    estimate: NotRequired[EstimateOutput | None]
    """What asking a language model would cost at most, where one has to be asked first."""
    held: bool
    """Whether somebody has to agree first."""
    lookedAt: int
    scope: ScopeOutput
    steps: list[StepOutput]


class PushInput(TypedDict):
    """Something that was said."""

    content: str
    """What was said."""
    role: str
    """Who spoke, such as user or assistant."""
    source: NotRequired[Origin | None]
    """Where it comes from, if not from the conversation."""


class Question(TypedDict):
    """A question, and how it is to be answered."""

    filter: NotRequired[Filter]
    """What else must hold of the memories."""
    fusion: NotRequired[FusionName | None]
    """How evidence is put together: weighted (the default), or rrf, by ranks alone."""
    identifiers: NotRequired[Names]
    """Whose memories, as far as the key is not bound to them."""
    layers: NotRequired[list[str] | None]
    """The layers to search; without any, all that the names open."""
    limit: NotRequired[int | None]
    """How many hits at most: 10 if nothing is said."""
    limitPerLayer: NotRequired[int | None]
    """How many hits of one layer at most."""
    merge: NotRequired[MergeName | None]
    """The best first (fused, the default), or the most specific layer first (precedence)."""
    mode: NotRequired[ModeName | None]
    """By which evidence: hybrid (the default), semantic or keyword."""
    query: str
    """The question or keywords, in any language."""
    recency: NotRequired[float | None]
    """How much more what happened lately counts, from 0 (the default) to 1."""
    referenceTime: NotRequired[str | None]
    """The moment from which "yesterday" is meant, if not now or the filter's `asOf`."""
    threshold: NotRequired[float | None]
    """The least cosine, from -1 to 1; by vectors alone 0.7 if nothing is said."""
    tokens: NotRequired[int | None]
    """How many tokens all hits together may have, about."""


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


class RejectedOutput(TypedDict):
    """What is not learnt again."""

    rejections: list[RejectionOutput]


class RejectionOutput(TypedDict):
    """A value that is not learnt again."""

    at: str
    hash: str
    scope: ScopeOutput


class ReplacementOutput(TypedDict):
    """A memory that is no longer held to be true, and what took its place."""

    after: MemoryEntry | None
    """What took its place, if that is known."""
    before: MemoryEntry


class RotateInput(TypedDict):
    """How the old key ends."""

    graceSeconds: NotRequired[int]
    """How many seconds the old key is still good for; none if nothing is said."""


class RunInput(TypedDict):
    """What to do, and where."""

    agreed: NotRequired[bool]
    """Whether somebody agreed to whatever it takes away; without it, a part that takes away much
    is held.
    """
    conversation: NotRequired[str | None]
    """Only this conversation, which makes a difference to consolidate and promote alone."""
    dryRun: NotRequired[bool]
    """Whether to say only what would change."""
    identifiers: NotRequired[Names]
    """Only what these names open, as far as the key is not bound to them; without a layer and
    names, everywhere that the key opens.
    """
    layer: NotRequired[str | None]
    """Only on this layer."""
    task: str
    """What to do: enrich (find more names), consolidate (learn facts from conversations),
    promote (take what matters of conversations to their user), merge (bring together what
    says the same), decay (put away what nobody uses), reflect (look back on the week) or
    expire (remove what has ended).
    """


class Said(TypedDict):
    """What went wrong."""

    code: str
    """What programs branch on, such as `MEMORY_NOT_FOUND`."""
    details: dict[str, Any]
    """Facts that belong to the code."""
    message: str
    """For people."""
    operation: str | None
    """The operation that failed."""
    retryable: bool
    """Whether the same request may succeed later."""
    status: int
    """The status of HTTP."""


class ScopeOutput(TypedDict):
    """Whose something is."""

    identifiers: dict[str, str]
    layer: str
    scope: str


class ScopeStats(TypedDict):
    """What one scope holds."""

    entities: int
    identifiers: dict[str, str]
    latestAt: str | None
    layer: str
    memories: int
    pendingEmbeddings: int
    scope: str


class SearchOutput(TypedDict):
    """The answer to a question."""

    leftOut: NotRequired[int]
    meaning: str
    pendingEmbeddings: int
    results: list[SearchResult]
    searchedLayers: list[str]
    searchedScopes: list[ScopeOutput]
    totalCount: int
    unavailable: NotRequired[list[str]]
    """The shelves that did not answer: what stands there may be missing."""


class SearchResult(TypedDict):
    """One hit."""

    layer: str
    memory: MemoryEntry
    score: float
    signals: SignalsOutput


class SessionOutput(TypedDict):
    """A conversation, and how much is kept of it."""

    latestAt: str | None
    memories: int
    sessionId: str
    turns: int
    userId: str


class SessionsOutput(TypedDict):
    """One page of conversations."""

    nextCursor: str | None
    sessions: list[SessionOutput]
    totalCount: int


class SetValueInput(TypedDict):
    """A value to keep."""

    source: NotRequired[Origin]
    """Where it comes from."""
    value: str
    """The value."""


class SignalsOutput(TypedDict):
    """What brought a hit into an answer."""

    cosine: NotRequired[float | None]
    explanation: list[str]
    matchedNames: list[str]
    matchedTerms: list[str]
    overrides: list[str]
    parts: dict[str, float]


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


class StatsOutput(TypedDict):
    """What is kept."""

    contentBytes: int
    kinds: dict[str, int]
    latestAt: str | None
    layers: dict[str, int]
    pendingEmbeddings: int
    scopes: list[ScopeStats]
    total: int


class StepOutput(TypedDict):
    """One change, and what is different afterwards."""

    change: str
    content: str | None
    differences: list[DifferenceOutput]
    id: str
    why: str


class TurnOutput(TypedDict):
    """Something said in a conversation."""

    content: str
    role: str
    timestamp: str


class UndoInput(TypedDict):
    """How a job is taken back."""

    again: NotRequired[bool]
    """Whether the next job looks again at what this one looked at."""
    dryRun: NotRequired[bool]
    """Whether to say only what would change."""
    skipChanged: NotRequired[bool]
    """Whether what somebody changed since is left as it is, in place of refusing everything."""


class UndoOutput(TypedDict):
    """A job that was taken back, or would be."""

    job: JobRunOutput | None
    """The job that took it back, unless nothing was done."""
    plan: list[StepOutput] | None
    """What would be changed, if that was the question."""
    skipped: list[str]
    """What was changed since and stays as it is."""


class UpdateOutput(TypedDict):
    """A memory after a change."""

    embeddingRegenerated: bool
    memory: MemoryEntry
    redactions: NotRequired[list[RedactionOutput]]


class VerifyOutput(TypedDict):
    """Whether the record is whole."""

    entries: int | None
    """How many entries there are, if it is."""
    problem: NotRequired[str | None]
    """What does not fit, if it is not."""
    valid: bool


class WhyNotOutput(TypedDict):
    """Why a memory is not part of an answer."""

    absent: bool
    cosine: float | None
    found: int
    memory: MemoryEntry
    rank: int | None
    reasons: list[AbsenceOutput]


class WindowOutput(TypedDict):
    """The turns of a conversation."""

    identifiers: dict[str, str]
    layer: str
    scope: str
    turns: list[TurnOutput]
    """The last turns, the oldest first."""
