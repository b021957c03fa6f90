-- Segments whose words somebody chose.

-- The messages that stand for the range, as JSON; NULL: none, or an erasure took them away.
ALTER TABLE segments ADD COLUMN window_messages TEXT;
-- The newest message that whoever chose them had read. It stays after an erasure.
ALTER TABLE segments ADD COLUMN window_through BIGINT;
CREATE INDEX segments_windows ON segments (session_id, window_through) WHERE window_through IS NOT NULL;

-- What a segment stands for was there before it, whatever their levels.
DROP INDEX segments_withheld;
CREATE INDEX segments_withheld ON segments (session_id, id) WHERE withheld > 0;
