-- What every memory brings is written with it by one statement each; to look up for each row once more
-- that the other is there takes longer than to write it.
ALTER TABLE memories DROP CONSTRAINT memories_scope_fkey;
ALTER TABLE changes  DROP CONSTRAINT changes_scope_fkey;
ALTER TABLE passages DROP CONSTRAINT passages_memory_fkey;
ALTER TABLE pending  DROP CONSTRAINT pending_memory_fkey;

-- So what nothing refers to any more goes with the memories of a statement, in one go.
CREATE FUNCTION go_along() RETURNS trigger
LANGUAGE plpgsql SET search_path = {schema}, pg_temp AS $$
BEGIN
    DELETE FROM passages WHERE memory IN (SELECT memory FROM gone);
    DELETE FROM pending  WHERE memory IN (SELECT memory FROM gone);
    RETURN NULL;
END
$$;

CREATE TRIGGER go_along AFTER DELETE ON memories REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION go_along();
