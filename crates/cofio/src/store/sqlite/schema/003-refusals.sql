-- How often a memory could not be embedded, and why at last.
ALTER TABLE pending ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pending ADD COLUMN refused_because TEXT;
