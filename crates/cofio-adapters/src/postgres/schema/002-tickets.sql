-- Lets the next ticket come after all that are there, which may have come from another store.
CREATE FUNCTION follow_tickets() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = {schema}, pg_temp
BEGIN ATOMIC
    SELECT setval(pg_get_serial_sequence('spending', 'ticket'), max(ticket)) FROM spending
    HAVING max(ticket) IS NOT NULL;
END;

REVOKE ALL ON FUNCTION follow_tickets() FROM PUBLIC;
