-- Times are microseconds since 1970, UTC. What can be derived from `memories` can be rebuilt.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose memories are; a column is null unless the layer requires it.
CREATE TABLE scopes (
    scope   INTEGER PRIMARY KEY,
    text    TEXT NOT NULL UNIQUE,
    layer   TEXT NOT NULL,
    agent   TEXT,
    user    TEXT,
    session TEXT,
    project TEXT,
    team    TEXT,
    org     TEXT,
    company TEXT
) STRICT;

-- `document` holds everything that changes with a version; the other columns are for finding.
CREATE TABLE memories (
    memory       INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    scope        INTEGER NOT NULL REFERENCES scopes,
    kind         TEXT NOT NULL,
    state        TEXT NOT NULL,
    trust        INTEGER NOT NULL,
    session      TEXT,
    key          TEXT,
    confidence   INTEGER NOT NULL,
    event_at     INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    version      INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    identity     BLOB,
    document     TEXT NOT NULL,
    access_count INTEGER NOT NULL DEFAULT 0,
    accessed_at  INTEGER,
    fingerprint  TEXT
) STRICT;

CREATE INDEX memories_by_creation ON memories (scope, created_at, id);
CREATE INDEX memories_by_event    ON memories (scope, event_at, id);
CREATE INDEX memories_by_key      ON memories (scope, key) WHERE key IS NOT NULL;
CREATE INDEX memories_by_expiry   ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX memories_by_identity ON memories (scope, identity) WHERE identity IS NOT NULL;

CREATE TABLE versions (
    memory   INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    version  INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (memory, version)
) STRICT, WITHOUT ROWID;

-- The vector of a memory; without a row here its embedding is pending.
CREATE TABLE vectors (
    memory      INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    fingerprint TEXT NOT NULL,
    vector      BLOB NOT NULL
) STRICT;

-- Subject, predicate and object of procedures, folded for comparison.
CREATE TABLE triples (
    memory    INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    scope     INTEGER NOT NULL,
    fact_type TEXT NOT NULL,
    subject   TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object    TEXT NOT NULL
) STRICT;

CREATE INDEX triples_by_subject ON triples (scope, subject, predicate);
CREATE INDEX triples_by_type    ON triples (scope, fact_type);

CREATE TABLE entities (
    entity INTEGER PRIMARY KEY,
    scope  INTEGER NOT NULL REFERENCES scopes,
    folded TEXT NOT NULL,
    type   TEXT NOT NULL,
    name   TEXT NOT NULL,
    UNIQUE (scope, folded, type)
) STRICT;

-- How each memory writes the entities it names.
CREATE TABLE mentions (
    memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    entity INTEGER NOT NULL REFERENCES entities,
    alias  TEXT NOT NULL,
    folded TEXT NOT NULL,
    PRIMARY KEY (memory, entity, alias)
) STRICT, WITHOUT ROWID;

CREATE INDEX mentions_by_entity ON mentions (entity);
CREATE INDEX mentions_by_alias  ON mentions (folded, entity);

-- Forgotten ids, so that nothing brings them back.
CREATE TABLE tombstones (
    id    TEXT PRIMARY KEY,
    scope INTEGER NOT NULL REFERENCES scopes,
    at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE changes (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL,
    scope    INTEGER NOT NULL REFERENCES scopes,
    kind     TEXT NOT NULL,
    version  INTEGER NOT NULL,
    at       INTEGER NOT NULL
) STRICT;

CREATE INDEX changes_by_scope ON changes (scope, sequence);

CREATE TABLE audit (
    sequence     INTEGER PRIMARY KEY,
    at           INTEGER NOT NULL,
    actor        TEXT NOT NULL,
    action       TEXT NOT NULL,
    scope        TEXT,
    first_change INTEGER,
    last_change  INTEGER,
    digest       TEXT,
    details      TEXT NOT NULL,
    previous     TEXT NOT NULL,
    hash         TEXT NOT NULL
) STRICT;

CREATE TABLE idempotency (
    actor    TEXT NOT NULL,
    key      TEXT NOT NULL,
    request  BLOB NOT NULL,
    outcomes TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (actor, key)
) STRICT, WITHOUT ROWID;
