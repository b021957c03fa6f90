-- A program of an earlier version that runs on in a compact database knows nothing of packs. It would delete rows, empty them
-- or copy their marks, and leave the texts in the packs: also those of an erasure. So a row with a mark changes only once
-- its place in the pack was given up, which programs of an earlier version never do. A row without a mark costs nothing.

-- The places that were given up: ' 3 17 '.
ALTER TABLE packs ADD COLUMN released TEXT NOT NULL DEFAULT ' ';

-- Its arguments are the columns that may have a mark.
CREATE FUNCTION keep_packed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  mark TEXT;
BEGIN
  FOR place IN 0 .. TG_NARGS - 1 LOOP
    mark := to_jsonb(OLD) ->> TG_ARGV[place];
    IF left(mark, 7) = 'packed ' AND (TG_OP = 'DELETE' OR to_jsonb(NEW) ->> TG_ARGV[place] IS DISTINCT FROM mark) AND EXISTS (
      SELECT 1 FROM packs WHERE id = CAST(split_part(mark, ' ', 2) AS BIGINT)
        AND strpos(released, ' ' || split_part(mark, ' ', 3) || ' ') = 0
    ) THEN
      RAISE EXCEPTION 'the database is compact: a program of an earlier version cannot change this, and has to be replaced';
    END IF;
  END LOOP;
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END
$$;

-- A mark leads to a pack of its own. The first argument is whose pack it has to be, the second the column that says whose.
CREATE FUNCTION know_packed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  mark TEXT;
BEGIN
  FOR place IN 2 .. TG_NARGS - 1 LOOP
    mark := to_jsonb(NEW) ->> TG_ARGV[place];
    IF left(mark, 7) = 'packed ' AND NOT EXISTS (
      SELECT 1 FROM packs WHERE id = CAST(split_part(mark, ' ', 2) AS BIGINT)
        AND to_jsonb(packs) ->> TG_ARGV[0] = to_jsonb(NEW) ->> TG_ARGV[1]
    ) THEN
      RAISE EXCEPTION 'the database is compact: a program of an earlier version cannot change this, and has to be replaced';
    END IF;
  END LOOP;
  RETURN NEW;
END
$$;

CREATE TRIGGER packed_segment_goes BEFORE DELETE ON segments FOR EACH ROW
WHEN (left(OLD.text, 7) = 'packed ') EXECUTE FUNCTION keep_packed('text');

CREATE TRIGGER packed_segment_changes BEFORE UPDATE OF text ON segments FOR EACH ROW
WHEN (left(OLD.text, 7) = 'packed ') EXECUTE FUNCTION keep_packed('text');

CREATE TRIGGER packed_segment_comes BEFORE INSERT ON segments FOR EACH ROW
WHEN (left(NEW.text, 7) = 'packed ') EXECUTE FUNCTION know_packed('session_id', 'session_id', 'text');

CREATE TRIGGER packed_fact_goes BEFORE DELETE ON facts FOR EACH ROW
WHEN (left(OLD.line, 7) = 'packed ') EXECUTE FUNCTION keep_packed('line');

CREATE TRIGGER packed_fact_changes BEFORE UPDATE OF line ON facts FOR EACH ROW
WHEN (left(OLD.line, 7) = 'packed ') EXECUTE FUNCTION keep_packed('line');

CREATE TRIGGER packed_fact_comes BEFORE INSERT ON facts FOR EACH ROW
WHEN (left(NEW.line, 7) = 'packed ') EXECUTE FUNCTION know_packed('document_id', 'document_id', 'line');

CREATE TRIGGER packed_version_goes BEFORE DELETE ON document_versions FOR EACH ROW
WHEN (left(OLD.back, 7) = 'packed ' OR left(OLD.whole, 7) = 'packed ') EXECUTE FUNCTION keep_packed('back', 'whole');

CREATE TRIGGER packed_version_changes BEFORE UPDATE OF back, whole ON document_versions FOR EACH ROW
WHEN (left(OLD.back, 7) = 'packed ' OR left(OLD.whole, 7) = 'packed ') EXECUTE FUNCTION keep_packed('back', 'whole');

CREATE TRIGGER packed_version_comes BEFORE INSERT ON document_versions FOR EACH ROW
WHEN (left(NEW.back, 7) = 'packed ' OR left(NEW.whole, 7) = 'packed ') EXECUTE FUNCTION know_packed('document_id', 'document_id', 'back', 'whole');

CREATE TRIGGER packed_document_goes BEFORE DELETE ON documents FOR EACH ROW
WHEN (left(OLD.content, 7) = 'packed ') EXECUTE FUNCTION keep_packed('content');

CREATE TRIGGER packed_document_changes BEFORE UPDATE OF content ON documents FOR EACH ROW
WHEN (left(OLD.content, 7) = 'packed ') EXECUTE FUNCTION keep_packed('content');

CREATE TRIGGER packed_document_comes BEFORE INSERT ON documents FOR EACH ROW
WHEN (left(NEW.content, 7) = 'packed ') EXECUTE FUNCTION know_packed('document_id', 'id', 'content');
