-- What programs prove themselves by. `hash` is of the token, which nobody keeps; `rights` are names
-- with a space between them, and `bound` has the names that are open for each layer, or "any".
-- A key is never removed, so that nothing brings back one that was revoked.
CREATE TABLE keys (
    id          TEXT PRIMARY KEY,
    hash        BLOB NOT NULL,
    name        TEXT NOT NULL,
    rights      TEXT NOT NULL,
    bound       TEXT NOT NULL,
    trust       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER,
    replaced_by TEXT
) STRICT, WITHOUT ROWID;
