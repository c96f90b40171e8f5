-- What no other store is called; what this one puts on shelves has it in its name.
INSERT INTO settings (name, value) VALUES ('unique_name', lower(hex(randomblob(8))));
