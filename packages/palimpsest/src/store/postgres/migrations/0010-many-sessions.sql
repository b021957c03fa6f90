-- For many sessions in one namespace: those of one user, or of one scope, without a look at the others. The beginning
-- of an id will do: a whole one may be longer than an index takes. Where there are very many sessions, make both
-- beforehand with CREATE INDEX CONCURRENTLY: then nobody waits here.
CREATE INDEX IF NOT EXISTS sessions_of_user ON sessions (namespace, substr(user_id, 1, 200), name_key) WHERE user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS sessions_of_scope ON sessions (namespace, substr(scope_id, 1, 200), name_key) WHERE scope_id IS NOT NULL;
