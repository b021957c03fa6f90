-- Who speaks in what a segment stands for, with the names that they had, as JSON; NULL: that was not kept.
ALTER TABLE segments ADD COLUMN people TEXT;
-- A program of the version before knows nothing of it: where an erasure of its empties a segment, this goes with the text.
CREATE FUNCTION forget_segment_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.people := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER segment_people_erased BEFORE UPDATE OF text ON segments FOR EACH ROW
WHEN (NEW.text = '""' AND NEW.people IS NOT NULL) EXECUTE FUNCTION forget_segment_people();
