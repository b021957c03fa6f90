-- What is asked of facts and memos, by an index: there are as many of them as a chat is old.

-- What a version replaced, for a rollback that takes the version back. Where there are very many facts, make it
-- beforehand with CREATE INDEX CONCURRENTLY: then nobody waits here.
CREATE INDEX IF NOT EXISTS facts_superseded ON facts (document_id, superseded_by) WHERE superseded_by IS NOT NULL;

-- The memos that have read as far as a message, for whoever takes that back.
CREATE INDEX IF NOT EXISTS memos_by_cursor ON memos (session_id, through_seq);
