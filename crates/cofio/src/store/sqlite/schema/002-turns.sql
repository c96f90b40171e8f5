-- The number of the memory that changed, by which readers follow.
ALTER TABLE changes ADD COLUMN memory INTEGER;

-- Who wrote or said memories, and how many.
CREATE TABLE authors (
    author   INTEGER PRIMARY KEY,
    scope    INTEGER NOT NULL REFERENCES scopes,
    name     TEXT NOT NULL,
    memories INTEGER NOT NULL,
    UNIQUE (scope, name)
) STRICT;

-- What ranking knows of each memory, without its text.
CREATE TABLE turns (
    scope  INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY (scope, memory)
) STRICT, WITHOUT ROWID;

-- Memories without a vector of the adopted model, and until when somebody is at it.
CREATE TABLE pending (
    memory        INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    scope         INTEGER NOT NULL,
    claimed_until INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX pending_by_scope ON pending (scope);

INSERT INTO pending (memory, scope) SELECT memory, scope FROM memories;
