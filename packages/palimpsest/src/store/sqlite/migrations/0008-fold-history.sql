-- The folds of a session, out of the outbox: committed and failed ones. Appends, which are most events, are not in it.
CREATE INDEX events_of_folds ON events (session_id, id) WHERE type IN (6, 7);
