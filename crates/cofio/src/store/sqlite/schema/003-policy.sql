-- What each memory was concluded from, by the parent's id.
CREATE TABLE derivations (
    parent TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    PRIMARY KEY (parent, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX derivations_by_memory ON derivations (memory);

INSERT OR IGNORE INTO derivations (parent, memory)
SELECT parent.value, m.memory
FROM memories AS m, json_each(m.document, '$.derived_from') AS parent;

-- Values that somebody rejected, as a hash of what all their spellings have in common.
CREATE TABLE rejections (
    scope INTEGER NOT NULL REFERENCES scopes,
    value BLOB NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (scope, value)
) STRICT, WITHOUT ROWID;
