-- Messages that were edited after something was made of them, as JSON: those that segments tell of as they were, those
-- that user or scope memory is to read again, and how often making a segment anew has failed. NULL: there are none.
ALTER TABLE sessions ADD COLUMN corrections TEXT;
-- When segments over edited messages are made anew. NULL: there are none.
ALTER TABLE sessions ADD COLUMN rebuild_at BIGINT;

-- What was edited before there was a way to clean it.
UPDATE sessions SET rebuild_at = 0
  WHERE id IN (SELECT session_id FROM segments WHERE state = 'dirty' AND withheld = 0);

CREATE INDEX sessions_to_rebuild ON sessions (namespace, rebuild_at) WHERE rebuild_at IS NOT NULL;
CREATE INDEX segments_outdated ON segments (session_id, from_seq) WHERE state = 'dirty' OR withheld < 0;
