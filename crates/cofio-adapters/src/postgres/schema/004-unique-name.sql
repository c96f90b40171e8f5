-- What no other store is called; what this one puts on shelves has it in its name. The first digits
-- of such an id are random.
INSERT INTO settings (name, value)
VALUES ('unique_name', left(gen_random_uuid()::text, 8) || left(gen_random_uuid()::text, 8));
