-- What every memory brings is written with it by one statement each, and removed by one each; to look
-- up for each row once more that the other is there takes longer than to write it.
ALTER TABLE memories DROP CONSTRAINT memories_scope_fkey;
ALTER TABLE changes  DROP CONSTRAINT changes_scope_fkey;
ALTER TABLE passages DROP CONSTRAINT passages_memory_fkey;
ALTER TABLE pending  DROP CONSTRAINT pending_memory_fkey;
