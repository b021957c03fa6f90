-- Who speaks in what a segment stands for, with the names that they had, as JSON; NULL: that was not kept.
ALTER TABLE segments ADD COLUMN people TEXT;
-- A program of the version before knows nothing of it: where an erasure of its empties a segment, this goes with the text.
CREATE TRIGGER segment_people_erased AFTER UPDATE OF text ON segments
WHEN NEW.text = '""' AND NEW.people IS NOT NULL BEGIN
  UPDATE segments SET people = NULL WHERE session_id = NEW.session_id AND id = NEW.id;
END;
