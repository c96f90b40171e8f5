-- What the engine did of itself; `record` holds everything about it.
CREATE TABLE jobs (
    job        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    task       TEXT NOT NULL,
    actor      TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    record     TEXT NOT NULL
) STRICT;

CREATE INDEX jobs_by_start ON jobs (started_at, id);
CREATE INDEX jobs_by_task  ON jobs (task, started_at, id);

-- Which job made a change.
ALTER TABLE changes ADD COLUMN job INTEGER REFERENCES jobs;

CREATE INDEX changes_by_job ON changes (job) WHERE job IS NOT NULL;

-- What every memory comes through once, and in which job it did.
CREATE TABLE stages (
    memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    stage  TEXT NOT NULL,
    job    INTEGER NOT NULL REFERENCES jobs,
    PRIMARY KEY (memory, stage)
) STRICT, WITHOUT ROWID;

CREATE INDEX stages_by_job ON stages (job);

-- Turns of conversations, those of each together.
CREATE INDEX memories_by_conversation ON memories (scope, session, event_at, id)
    WHERE kind = 'episode' AND session IS NOT NULL;

-- Who may do what only one may do at a time, and until when.
CREATE TABLE leases (
    name   TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What language models cost. `money` is in millionths; what is not settled counts as estimated.
CREATE TABLE spending (
    ticket  INTEGER PRIMARY KEY AUTOINCREMENT,
    day     TEXT NOT NULL,
    job     TEXT NOT NULL,
    scope   TEXT NOT NULL,
    model   TEXT NOT NULL,
    input   INTEGER NOT NULL,
    output  INTEGER NOT NULL,
    money   INTEGER NOT NULL,
    settled INTEGER NOT NULL
) STRICT;

CREATE INDEX spending_by_day ON spending (day, scope);
CREATE INDEX spending_by_job ON spending (job);

-- What was forgotten in a place.
CREATE INDEX tombstones_by_scope ON tombstones (scope, at);
