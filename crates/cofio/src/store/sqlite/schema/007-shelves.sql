-- Texts that no memory has any more and that shelves may still have.
CREATE TABLE unshelved (
    shelf   TEXT NOT NULL,
    scope   INTEGER NOT NULL REFERENCES scopes,
    id      TEXT NOT NULL,
    edition INTEGER NOT NULL,
    PRIMARY KEY (shelf, scope, id, edition)
) STRICT, WITHOUT ROWID;
