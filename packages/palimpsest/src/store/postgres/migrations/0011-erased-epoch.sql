-- The epoch that the last erasure of messages in a session began; NULL: nothing was erased there, as far as is known.
-- What was begun in an earlier epoch may quote what is gone: it stores nothing any more.
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS erased_epoch bigint;
