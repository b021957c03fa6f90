-- A program of an earlier version that runs on in a compact database knows nothing of packs. It would delete rows, empty them
-- or copy their marks, and leave the texts in the packs: also those of an erasure. So a row with a mark changes only once
-- its place in the pack was given up, which programs of an earlier version never do. A row without a mark costs nothing.

-- The places that were given up: ' 3 17 '.
ALTER TABLE packs ADD COLUMN released TEXT NOT NULL DEFAULT ' ';

CREATE TRIGGER packed_segment_goes BEFORE DELETE ON segments WHEN substr(OLD.text, 1, 7) = 'packed ' BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE id = CAST(substr(OLD.text, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.text, 8 + instr(substr(OLD.text, 8), ' ')) || ' ') = 0;
END;

CREATE TRIGGER packed_segment_changes BEFORE UPDATE OF text ON segments
WHEN (substr(OLD.text, 1, 7) = 'packed ' AND NEW.text IS NOT OLD.text) BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE id = CAST(substr(OLD.text, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.text, 8 + instr(substr(OLD.text, 8), ' ')) || ' ') = 0;
END;

-- A mark leads to a pack of its own.
CREATE TRIGGER packed_segment_comes BEFORE INSERT ON segments WHEN substr(NEW.text, 1, 7) = 'packed ' BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced')
  WHERE NOT EXISTS (SELECT 1 FROM packs WHERE id = CAST(substr(NEW.text, 8) AS INTEGER) AND session_id = NEW.session_id);
END;

CREATE TRIGGER packed_fact_goes BEFORE DELETE ON facts WHEN substr(OLD.line, 1, 7) = 'packed ' BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE id = CAST(substr(OLD.line, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.line, 8 + instr(substr(OLD.line, 8), ' ')) || ' ') = 0;
END;

CREATE TRIGGER packed_fact_changes BEFORE UPDATE OF line ON facts
WHEN (substr(OLD.line, 1, 7) = 'packed ' AND NEW.line IS NOT OLD.line) BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE id = CAST(substr(OLD.line, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.line, 8 + instr(substr(OLD.line, 8), ' ')) || ' ') = 0;
END;

-- A mark leads to a pack of its own.
CREATE TRIGGER packed_fact_comes BEFORE INSERT ON facts WHEN substr(NEW.line, 1, 7) = 'packed ' BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced')
  WHERE NOT EXISTS (SELECT 1 FROM packs WHERE id = CAST(substr(NEW.line, 8) AS INTEGER) AND document_id = NEW.document_id);
END;

CREATE TRIGGER packed_version_goes BEFORE DELETE ON document_versions
WHEN substr(OLD.back, 1, 7) = 'packed ' OR substr(OLD.whole, 1, 7) = 'packed ' BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE substr(OLD.back, 1, 7) = 'packed ' AND id = CAST(substr(OLD.back, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.back, 8 + instr(substr(OLD.back, 8), ' ')) || ' ') = 0;
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE substr(OLD.whole, 1, 7) = 'packed ' AND id = CAST(substr(OLD.whole, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.whole, 8 + instr(substr(OLD.whole, 8), ' ')) || ' ') = 0;
END;

CREATE TRIGGER packed_version_changes BEFORE UPDATE OF back, whole ON document_versions
WHEN (substr(OLD.back, 1, 7) = 'packed ' AND NEW.back IS NOT OLD.back)
  OR (substr(OLD.whole, 1, 7) = 'packed ' AND NEW.whole IS NOT OLD.whole) BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE substr(OLD.back, 1, 7) = 'packed ' AND NEW.back IS NOT OLD.back
    AND id = CAST(substr(OLD.back, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.back, 8 + instr(substr(OLD.back, 8), ' ')) || ' ') = 0;
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE substr(OLD.whole, 1, 7) = 'packed ' AND NEW.whole IS NOT OLD.whole
    AND id = CAST(substr(OLD.whole, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.whole, 8 + instr(substr(OLD.whole, 8), ' ')) || ' ') = 0;
END;

-- A mark leads to a pack of its own.
CREATE TRIGGER packed_version_comes BEFORE INSERT ON document_versions
WHEN substr(NEW.back, 1, 7) = 'packed ' OR substr(NEW.whole, 1, 7) = 'packed ' BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced')
  WHERE substr(NEW.back, 1, 7) = 'packed ' AND NOT EXISTS (
    SELECT 1 FROM packs WHERE id = CAST(substr(NEW.back, 8) AS INTEGER) AND document_id = NEW.document_id);
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced')
  WHERE substr(NEW.whole, 1, 7) = 'packed ' AND NOT EXISTS (
    SELECT 1 FROM packs WHERE id = CAST(substr(NEW.whole, 8) AS INTEGER) AND document_id = NEW.document_id);
END;

CREATE TRIGGER packed_document_goes BEFORE DELETE ON documents WHEN substr(OLD.content, 1, 7) = 'packed ' BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE id = CAST(substr(OLD.content, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.content, 8 + instr(substr(OLD.content, 8), ' ')) || ' ') = 0;
END;

CREATE TRIGGER packed_document_changes BEFORE UPDATE OF content ON documents
WHEN (substr(OLD.content, 1, 7) = 'packed ' AND NEW.content IS NOT OLD.content) BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced') FROM packs
  WHERE id = CAST(substr(OLD.content, 8) AS INTEGER)
    AND instr(released, ' ' || substr(OLD.content, 8 + instr(substr(OLD.content, 8), ' ')) || ' ') = 0;
END;

-- A mark leads to a pack of its own.
CREATE TRIGGER packed_document_comes BEFORE INSERT ON documents WHEN substr(NEW.content, 1, 7) = 'packed ' BEGIN
  SELECT RAISE(ABORT, 'the database is compact: a program of an earlier version cannot change this, and has to be replaced')
  WHERE NOT EXISTS (SELECT 1 FROM packs WHERE id = CAST(substr(NEW.content, 8) AS INTEGER) AND document_id = NEW.id);
END;
