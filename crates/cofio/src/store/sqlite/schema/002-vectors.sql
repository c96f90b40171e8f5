-- The vectors of passages, and the short codes they are found by.

DROP TABLE IF EXISTS vectors;

-- Who made vectors, by a number from 1 to 255.
CREATE TABLE models (
    model       INTEGER PRIMARY KEY CHECK (model BETWEEN 1 AND 255),
    fingerprint TEXT NOT NULL UNIQUE,
    dimensions  INTEGER NOT NULL
) STRICT;

-- One row per passage and model. `vector` is memory * 2^24 + model * 2^16 + passage, so that a
-- memory's rows stand together and one is found at once. `numbers` are in half precision, `text`
-- is a hash of the passage, and `page` is where the code of the vector stands.
CREATE TABLE vectors (
    vector  INTEGER PRIMARY KEY,
    memory  INTEGER NOT NULL GENERATED ALWAYS AS (vector >> 24) VIRTUAL,
    model   INTEGER NOT NULL GENERATED ALWAYS AS (vector >> 16 & 255) VIRTUAL,
    passage INTEGER NOT NULL GENERATED ALWAYS AS (vector & 65535) VIRTUAL,
    page    INTEGER NOT NULL,
    flags   INTEGER NOT NULL,
    text    BLOB NOT NULL,
    numbers BLOB NOT NULL
) STRICT;

CREATE INDEX vectors_by_text ON vectors (model, text);

-- Codes of many vectors of one scope in a row that fills a page of the file.
CREATE TABLE codes (
    page     INTEGER PRIMARY KEY,
    model    INTEGER NOT NULL,
    scope    INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    room     INTEGER NOT NULL,
    records  BLOB NOT NULL
) STRICT;

CREATE INDEX codes_by_revision ON codes (model, scope, revision);
CREATE INDEX codes_with_room   ON codes (model, scope) WHERE room > 0;

-- What a scope has of a model, and when that changed. Revisions are never given twice in a file:
-- the row of model 0 keeps the last one.
CREATE TABLE populations (
    model    INTEGER NOT NULL,
    scope    INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    pages    INTEGER NOT NULL,
    vectors  INTEGER NOT NULL,
    PRIMARY KEY (model, scope)
) STRICT, WITHOUT ROWID;

INSERT INTO populations (model, scope, revision, pages, vectors) VALUES (0, 0, 0, 0, 0);
