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
