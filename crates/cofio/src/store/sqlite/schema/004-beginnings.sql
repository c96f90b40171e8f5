-- What a conversation begins with is rare, and is found without going through everything else.
-- A document that was damaged must not stand in the way of the others.
CREATE INDEX memories_of_profiles ON memories (scope, event_at, id)
    WHERE iif(json_valid(document), json_extract(document, '$.metadata.custom.category'), NULL)
        = 'user_profile';
CREATE INDEX memories_of_reflections ON memories (scope, event_at, id)
    WHERE kind = 'reflection';
