-- What is asked of facts and memos, by an index: there are as many of them as a chat is old.

-- With the column that decides: without it SQLite reads all facts of the document to find that none is to be erased.
DROP INDEX facts_gone;
CREATE INDEX facts_gone ON facts (document_id, gone) WHERE gone > 1;

-- By a sum, which no other index is of: asked for many lines at once, either database may take the facts of a document
-- for few, and read every one of them by the primary key. `document_id + 0 = ?` leaves it this index alone.
DROP INDEX facts_by_line;
CREATE INDEX facts_by_line ON facts (document_id + 0, line_key);

-- What a version replaced, for a rollback that takes the version back.
CREATE INDEX facts_superseded ON facts (document_id, superseded_by) WHERE superseded_by IS NOT NULL;

-- The memos that have read as far as a message, for a rollback or an erasure that takes it back.
CREATE INDEX memos_by_cursor ON memos (session_id, through_seq);
