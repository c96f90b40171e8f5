-- Whoever looks for memories reads many rows and few documents, so that long ones stand apart; and
-- where there is room beside a row, counting that it was read changes no index.
ALTER TABLE memories SET (toast_tuple_target = 512, fillfactor = 85);

-- With row-level security an index serves only comparisons that cannot tell what they compare; a
-- function of a column might. So texts are found by numbers that stand for them, and compared then.
ALTER TABLE memories
    ADD COLUMN key_hash       bigint GENERATED ALWAYS AS (hashtextextended(key, 0)) STORED,
    ADD COLUMN fact_type_hash bigint GENERATED ALWAYS AS (hashtextextended(fact_type, 0)) STORED,
    ADD COLUMN subject_hash   bigint GENERATED ALWAYS AS (hashtextextended(subject, 0)) STORED,
    ADD COLUMN predicate_hash bigint GENERATED ALWAYS AS (hashtextextended(predicate, 0)) STORED;

DROP INDEX memories_by_key, memories_by_subject, memories_by_fact_type;

CREATE INDEX memories_by_key       ON memories (scope, key_hash) WHERE key_hash IS NOT NULL;
CREATE INDEX memories_by_subject   ON memories (scope, subject_hash, predicate_hash)
    WHERE subject_hash IS NOT NULL;
CREATE INDEX memories_by_fact_type ON memories (scope, fact_type_hash, confidence)
    WHERE fact_type_hash IS NOT NULL;

-- Returns, for each query, the first memories of open scopes whose passages answer it, as they stand
-- in the table, and by how much of it they reach over, about how many there are. It sees all rows for
-- the reason that `places` does.
CREATE FUNCTION first_places(wanted bigint[], queries text[], most bigint)
RETURNS TABLE (query bigint, memories bigint[], about bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = {schema}, pg_temp
BEGIN ATOMIC
    SELECT q.place, found.memories,
           (cardinality(found.memories) / (found.last - found.first + 1)
            * greatest(found.last - found.first + 1,
                       pg_relation_size('passages') / current_setting('block_size')::bigint
                       - found.first))::bigint
    FROM unnest(queries) WITH ORDINALITY AS q (query, place)
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(one.memory), '{}') AS memories,
               coalesce(min(one.page), 0) AS first, coalesce(max(one.page), 0) AS last FROM (
            SELECT p.memory, (p.ctid::text::point)[0] AS page FROM passages AS p
            WHERE p.terms @@ q.query::tsquery AND p.scope = ANY (wanted)
              AND ((SELECT opens_all()) OR p.scope = ANY ((SELECT open_scopes())::bigint[]))
            LIMIT most
        ) AS one
    ) AS found;
END;

REVOKE ALL ON FUNCTION first_places(bigint[], text[], bigint) FROM PUBLIC;
