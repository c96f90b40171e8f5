-- How the entities of a scope are called or written, so that a name is looked up in its scope alone.
CREATE TABLE spellings (
    scope  INTEGER NOT NULL REFERENCES scopes,
    folded TEXT NOT NULL,
    entity INTEGER NOT NULL,
    PRIMARY KEY (scope, folded, entity)
) STRICT, WITHOUT ROWID;

INSERT INTO spellings (scope, folded, entity)
SELECT scope, folded, entity FROM entities
UNION SELECT e.scope, m.folded, m.entity FROM mentions AS m JOIN entities AS e USING (entity);
