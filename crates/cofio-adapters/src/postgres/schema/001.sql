-- Times are microseconds since 1970, UTC. Texts have no zero bytes: `plain.rs` says what stands for
-- one. What can be derived from `memories` can be made anew.

-- How far everything is. Whoever writes locks this row first, so that commits of any number of
-- processes come one after the other.
CREATE TABLE head (
    one    boolean PRIMARY KEY CHECK (one),
    change bigint NOT NULL,
    entry  bigint NOT NULL,
    hash   text   NOT NULL,
    memory bigint NOT NULL,
    scope  bigint NOT NULL
) WITH (fillfactor = 10);

INSERT INTO head VALUES (true, 0, 0, repeat('0', 64), 0, 0);

CREATE TABLE settings (
    name  text PRIMARY KEY,
    value text NOT NULL
);

-- Whose memories are, and how many there are. `names` has a place for each layer, which is null
-- unless the layer of the scope requires it. It holds nothing that anybody remembered.
CREATE TABLE scopes (
    scope    bigint PRIMARY KEY,
    text     text COLLATE "C" NOT NULL UNIQUE,
    layer    text   NOT NULL,
    names    text[] NOT NULL,
    memories bigint NOT NULL DEFAULT 0,
    passages bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Returns the scopes that this transaction may see, if it may not see all.
CREATE FUNCTION open_scopes() RETURNS bigint[] LANGUAGE sql STABLE
RETURN CASE WHEN coalesce(current_setting('cofio.scopes', true), '') IN ('', 'all') THEN '{}'::bigint[]
            ELSE current_setting('cofio.scopes', true)::bigint[] END;

-- Returns whether this transaction may see all scopes.
CREATE FUNCTION opens_all() RETURNS boolean LANGUAGE sql STABLE
RETURN coalesce(current_setting('cofio.scopes', true), '') = 'all';

-- `document` holds everything that changes with a version; the other columns are for finding.
-- `labels` says what a filter may ask for and has no column of its own.
CREATE TABLE memories (
    memory       bigint PRIMARY KEY,
    id           text COLLATE "C" NOT NULL UNIQUE,
    scope        bigint   NOT NULL REFERENCES scopes,
    kind         text     NOT NULL,
    state        text     NOT NULL,
    trust        smallint NOT NULL,
    session      text COLLATE "C",
    author       text,
    key          text COLLATE "C",
    fact_type    text,
    subject      text,
    predicate    text,
    object       text,
    confidence   integer  NOT NULL,
    event_at     bigint   NOT NULL,
    created_at   bigint   NOT NULL,
    written_at   bigint   NOT NULL,
    expires_at   bigint,
    valid_until  bigint,
    version      bigint   NOT NULL,
    bytes        bigint   NOT NULL,
    length       bigint   NOT NULL,
    passages     integer  NOT NULL,
    assistant    boolean  NOT NULL,
    question     boolean  NOT NULL,
    instructs    boolean  NOT NULL,
    identity     bytea,
    labels       jsonb    NOT NULL,
    document     text     NOT NULL,
    access_count bigint   NOT NULL DEFAULT 0,
    accessed_at  bigint,
    fingerprint  text,
    -- What one memory of a commit gives up another one may take.
    CONSTRAINT memories_by_identity UNIQUE (scope, identity) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX memories_by_creation     ON memories (scope, created_at, id);
CREATE INDEX memories_by_event        ON memories (scope, event_at, id);
CREATE INDEX memories_by_conversation ON memories (scope, session, event_at) WHERE session IS NOT NULL;
CREATE INDEX memories_by_expiry       ON memories (expires_at) WHERE expires_at IS NOT NULL;
-- An index takes no long texts, so that of these only the beginning is in it.
CREATE INDEX memories_by_key       ON memories (scope, left(key, 128)) WHERE key IS NOT NULL;
CREATE INDEX memories_by_subject   ON memories (scope, left(subject, 128), left(predicate, 128))
    WHERE subject IS NOT NULL;
CREATE INDEX memories_by_fact_type ON memories (scope, left(fact_type, 128), confidence)
    WHERE fact_type IS NOT NULL;

CREATE TABLE versions (
    memory     bigint NOT NULL REFERENCES memories ON DELETE CASCADE,
    version    bigint NOT NULL,
    scope      bigint NOT NULL,
    written_at bigint NOT NULL,
    document   text   NOT NULL,
    PRIMARY KEY (memory, version)
);

-- What words find: the terms of each passage, each with the number of its scope in front. A term has
-- one position of weight A for each time it is told, and one of weight B for each time it is asked.
CREATE TABLE passages (
    memory  bigint   NOT NULL REFERENCES memories ON DELETE CASCADE,
    passage integer  NOT NULL,
    scope   bigint   NOT NULL,
    terms   tsvector NOT NULL,
    PRIMARY KEY (memory, passage)
);

-- What is written is found at once, without going through a list of what is not indexed yet.
CREATE INDEX passages_by_term ON passages USING gin (terms) WITH (fastupdate = off);

-- Who wrote or said memories, and how many.
CREATE TABLE authors (
    scope    bigint NOT NULL REFERENCES scopes,
    author   bigint NOT NULL,
    name     text   NOT NULL,
    memories bigint NOT NULL,
    PRIMARY KEY (scope, author)
) WITH (fillfactor = 50);

-- What memories name. `called` and `written` are hashes of the folded name and of the folded
-- spelling; an entity is told from others by its scope, `called` and `type`.
CREATE TABLE mentions (
    memory  bigint NOT NULL REFERENCES memories ON DELETE CASCADE,
    scope   bigint NOT NULL,
    called  bigint NOT NULL,
    written bigint NOT NULL,
    type    text   NOT NULL,
    name    text   NOT NULL,
    alias   text   NOT NULL
);

CREATE INDEX mentions_by_memory   ON mentions (memory);
CREATE INDEX mentions_by_name     ON mentions (scope, called, type);
CREATE INDEX mentions_by_spelling ON mentions (scope, written);

-- What each memory was concluded from, by the parent's id.
CREATE TABLE derivations (
    parent text COLLATE "C" NOT NULL,
    memory bigint NOT NULL REFERENCES memories ON DELETE CASCADE,
    scope  bigint NOT NULL,
    PRIMARY KEY (parent, memory)
);

CREATE INDEX derivations_by_memory ON derivations (memory);

-- Who made vectors.
CREATE TABLE models (
    model       integer PRIMARY KEY,
    fingerprint text    NOT NULL UNIQUE,
    dimensions  integer NOT NULL
);

-- One row per passage and model; `hash` is of the text of the passage. Each model has an index of its
-- own, which is made with it.
CREATE TABLE vectors (
    memory    bigint  NOT NULL REFERENCES memories ON DELETE CASCADE,
    model     integer NOT NULL REFERENCES models,
    passage   integer NOT NULL,
    scope     bigint  NOT NULL,
    assistant boolean NOT NULL,
    hash      bytea   NOT NULL,
    vector    halfvec NOT NULL,
    PRIMARY KEY (memory, model, passage)
);

CREATE INDEX vectors_by_scope ON vectors (model, scope, memory);
CREATE INDEX vectors_by_text  ON vectors (model, hash);

-- Memories without a vector of the adopted model, and until when somebody is at it.
CREATE TABLE pending (
    memory          bigint  PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    scope           bigint  NOT NULL,
    claimed_until   bigint  NOT NULL DEFAULT 0,
    refusals        integer NOT NULL DEFAULT 0,
    refused_because text
);

CREATE INDEX pending_by_scope ON pending (scope);

-- Forgotten ids, so that nothing brings them back.
CREATE TABLE tombstones (
    id    text COLLATE "C" PRIMARY KEY,
    scope bigint NOT NULL REFERENCES scopes,
    at    bigint NOT NULL
);

CREATE INDEX tombstones_by_scope ON tombstones (scope, at);

-- Texts that no memory has any more and that shelves may still have.
CREATE TABLE unshelved (
    shelf   text   NOT NULL,
    scope   bigint NOT NULL REFERENCES scopes,
    id      text COLLATE "C" NOT NULL,
    edition bigint NOT NULL,
    PRIMARY KEY (shelf, scope, id, edition)
);

-- Values that somebody rejected, as a hash of what all their spellings have in common.
CREATE TABLE rejections (
    scope bigint NOT NULL REFERENCES scopes,
    value bytea  NOT NULL,
    at    bigint NOT NULL,
    PRIMARY KEY (scope, value)
);

CREATE TABLE changes (
    sequence bigint PRIMARY KEY,
    id       text COLLATE "C" NOT NULL,
    scope    bigint NOT NULL REFERENCES scopes,
    kind     text   NOT NULL,
    version  bigint NOT NULL,
    at       bigint NOT NULL,
    job      text
);

CREATE INDEX changes_by_scope ON changes (scope, sequence);
CREATE INDEX changes_by_job   ON changes (job) WHERE job IS NOT NULL;

CREATE TABLE audit (
    sequence     bigint PRIMARY KEY,
    at           bigint NOT NULL,
    actor        text COLLATE "C" NOT NULL,
    action       text   NOT NULL,
    scope        text,
    first_change bigint,
    last_change  bigint,
    digest       text,
    details      text   NOT NULL,
    previous     text   NOT NULL,
    hash         text   NOT NULL
);

CREATE INDEX audit_by_actor ON audit (actor, sequence);

CREATE TABLE idempotency (
    actor    text COLLATE "C" NOT NULL,
    key      text   NOT NULL,
    request  bytea  NOT NULL,
    outcomes text   NOT NULL,
    at       bigint NOT NULL,
    PRIMARY KEY (actor, key)
);

-- What programs prove themselves by. `hash` is of the token, which nobody keeps; `rights` are names
-- with a space between them, and `bound` says what is open. A key is never removed.
CREATE TABLE keys (
    id          text COLLATE "C" PRIMARY KEY,
    hash        bytea  NOT NULL,
    name        text   NOT NULL,
    rights      text   NOT NULL,
    bound       text   NOT NULL,
    trust       text   NOT NULL,
    created_at  bigint NOT NULL,
    expires_at  bigint,
    revoked_at  bigint,
    replaced_by text
);

-- What the engine did of itself; `record` holds everything about it.
CREATE TABLE jobs (
    id         text COLLATE "C" PRIMARY KEY,
    task       text   NOT NULL,
    actor      text   NOT NULL,
    started_at bigint NOT NULL,
    record     text   NOT NULL
);

CREATE INDEX jobs_by_start ON jobs (started_at, id);
CREATE INDEX jobs_by_task  ON jobs (task, started_at, id);

-- What every memory comes through once, and in which job it did.
CREATE TABLE stages (
    memory bigint NOT NULL REFERENCES memories ON DELETE CASCADE,
    stage  text   NOT NULL,
    scope  bigint NOT NULL,
    job    text   NOT NULL,
    PRIMARY KEY (memory, stage)
);

CREATE INDEX stages_by_job ON stages (job);

-- Who may do what only one may do at a time, and until when.
CREATE TABLE leases (
    name   text PRIMARY KEY,
    holder text   NOT NULL,
    until  bigint NOT NULL
);

-- What language models cost. `money` is in millionths; what is not settled counts as estimated.
CREATE TABLE spending (
    ticket  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    day     text    NOT NULL,
    job     text    NOT NULL,
    scope   text    NOT NULL,
    model   text    NOT NULL,
    input   bigint  NOT NULL,
    output  bigint  NOT NULL,
    money   bigint  NOT NULL,
    settled boolean NOT NULL
);

CREATE INDEX spending_by_day ON spending (day, scope);
CREATE INDEX spending_by_job ON spending (job);

-- Whatever holds something of somebody shows a transaction only the scopes that it has opened.
DO $$
DECLARE
    held text;
BEGIN
    FOREACH held IN ARRAY ARRAY['memories', 'versions', 'passages', 'authors', 'mentions',
                                'derivations', 'vectors', 'pending', 'tombstones', 'rejections',
                                'unshelved', 'changes', 'stages']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', held);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', held);
        EXECUTE format(
            'CREATE POLICY opened ON %I USING ((SELECT opens_all()) OR scope = ANY ((SELECT open_scopes())::bigint[]))',
            held);
    END LOOP;
END
$$;

-- The functions below run as whoever owns the tables, and see what they need for that.
CREATE POLICY owned ON memories   FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY owned ON passages   FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY owned ON tombstones FOR SELECT TO CURRENT_USER USING (true);

-- Returns where ids are that somebody has, and which ones were forgotten, whosever they are: an id is
-- never given twice. It tells nothing else.
CREATE FUNCTION locate(wanted text[]) RETURNS TABLE (id text, memory bigint, scope bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = {schema}, pg_temp
BEGIN ATOMIC
    SELECT m.id, m.memory, m.scope FROM memories AS m WHERE m.id = ANY (wanted)
    UNION ALL
    SELECT t.id, NULL, t.scope FROM tombstones AS t WHERE t.id = ANY (wanted);
END;

-- Returns, for each query, the memories of open scopes whose passages answer it, each as often as it
-- has such passages.
--
-- With row-level security the index of terms could not be used, as PostgreSQL holds that comparing
-- terms might tell what they are; so this function sees all rows, and looks at the scopes itself.
CREATE FUNCTION places(wanted bigint[], queries text[], most bigint)
RETURNS TABLE (query bigint, memories bigint[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = {schema}, pg_temp
BEGIN ATOMIC
    SELECT q.place, found.memories
    FROM unnest(queries) WITH ORDINALITY AS q (query, place)
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(one.memory), '{}') AS memories FROM (
            SELECT p.memory FROM passages AS p
            WHERE p.terms @@ q.query::tsquery AND p.scope = ANY (wanted)
              AND ((SELECT opens_all()) OR p.scope = ANY ((SELECT open_scopes())::bigint[]))
            LIMIT most
        ) AS one
    ) AS found;
END;

-- Returns, for each query, how many passages and memories of open scopes answer it.
CREATE FUNCTION frequencies(wanted bigint[], queries text[])
RETURNS TABLE (query bigint, passages bigint, memories bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = {schema}, pg_temp
BEGIN ATOMIC
    SELECT q.place, found.passages, found.memories
    FROM unnest(queries) WITH ORDINALITY AS q (query, place)
    CROSS JOIN LATERAL (
        SELECT count(*) AS passages, count(DISTINCT p.memory) AS memories FROM passages AS p
        WHERE p.terms @@ q.query::tsquery AND p.scope = ANY (wanted)
          AND ((SELECT opens_all()) OR p.scope = ANY ((SELECT open_scopes())::bigint[]))
    ) AS found;
END;

-- Gives a model a number, and an index to find its vectors by; pgvector indexes up to 4,000 dimensions.
CREATE FUNCTION add_model(made_by text, size integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, {vector}, pg_temp AS $$
DECLARE
    number integer;
BEGIN
    INSERT INTO models (model, fingerprint, dimensions)
    SELECT coalesce(max(model), 0) + 1, made_by, size FROM models RETURNING model INTO number;
    IF size <= 4000 THEN
        EXECUTE format(
            'CREATE INDEX vectors_near_%s ON vectors USING hnsw ((vector::halfvec(%s)) halfvec_cosine_ops) WHERE model = %s',
            number, size, number);
    END IF;
    RETURN number;
END
$$;

REVOKE ALL ON FUNCTION locate(text[]), places(bigint[], text[], bigint),
    frequencies(bigint[], text[]), add_model(text, integer) FROM PUBLIC;
