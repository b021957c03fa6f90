-- A row of a table without row numbers that has over 1,002 octets takes a page more, of 4,096 octets, for the little that
-- is too much. So in a compact database (see `layout`) the text of such a message stands here, in equal parts of which four
-- fill a page. Its row has in place of it a mark, `FIRST COUNT OCTETS`: the id of the first part, how many there are, and
-- how long the text is. Its `format` is 4 higher: only that tells a mark from a text. A text of over 65,536 octets stands
-- in `long_texts` as before.
CREATE TABLE text_parts (
  id INTEGER PRIMARY KEY,
  -- Of a first part: how many rows have the text. A fork and a kept version have the same one.
  holders INTEGER,
  content TEXT NOT NULL
) STRICT;

-- Ids begin where no other database's do, as good as surely: a mark that comes from one means nothing here.
INSERT INTO text_parts (id, holders, content) VALUES (34359738368 + abs(random() % 2000000000000), NULL, '');

-- As before, but for marks of this kind.
DROP TRIGGER long_message_known;
CREATE TRIGGER long_message_known AFTER INSERT ON messages
WHEN NEW.format >= 8 AND NOT EXISTS (SELECT 1 FROM long_texts WHERE id = substr(NEW.content, 11)) BEGIN
  SELECT RAISE(ABORT, 'the long text of this message is not in this database');
END;

DROP TRIGGER long_version_known;
CREATE TRIGGER long_version_known AFTER INSERT ON message_versions
WHEN NEW.format >= 8 AND NOT EXISTS (SELECT 1 FROM long_texts WHERE id = substr(NEW.content, 11)) BEGIN
  SELECT RAISE(ABORT, 'the long text of this message is not in this database');
END;

CREATE TRIGGER message_in_parts_comes AFTER INSERT ON messages WHEN NEW.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders + 1 WHERE id = CAST(NEW.content AS INTEGER) AND holders IS NOT NULL;
  SELECT RAISE(ABORT, 'the text of this message is not in this database') WHERE changes() = 0;
END;

CREATE TRIGGER message_in_parts_changes AFTER UPDATE OF content, format ON messages
WHEN OLD.format BETWEEN 4 AND 7 OR NEW.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders + 1
    WHERE NEW.format BETWEEN 4 AND 7 AND id = CAST(NEW.content AS INTEGER) AND holders IS NOT NULL;
  SELECT RAISE(ABORT, 'the text of this message is not in this database')
    WHERE NEW.format BETWEEN 4 AND 7 AND changes() = 0;
  UPDATE text_parts SET holders = holders - 1
    WHERE OLD.format BETWEEN 4 AND 7 AND id = CAST(OLD.content AS INTEGER);
  DELETE FROM text_parts WHERE OLD.format BETWEEN 4 AND 7
    AND (SELECT holders FROM text_parts WHERE id = CAST(OLD.content AS INTEGER)) = 0
    AND id BETWEEN CAST(OLD.content AS INTEGER)
      AND CAST(OLD.content AS INTEGER) + CAST(substr(OLD.content, instr(OLD.content, ' ')) AS INTEGER) - 1;
END;

CREATE TRIGGER message_in_parts_goes AFTER DELETE ON messages WHEN OLD.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders - 1 WHERE id = CAST(OLD.content AS INTEGER);
  DELETE FROM text_parts WHERE (SELECT holders FROM text_parts WHERE id = CAST(OLD.content AS INTEGER)) = 0
    AND id BETWEEN CAST(OLD.content AS INTEGER)
      AND CAST(OLD.content AS INTEGER) + CAST(substr(OLD.content, instr(OLD.content, ' ')) AS INTEGER) - 1;
END;

CREATE TRIGGER version_in_parts_comes AFTER INSERT ON message_versions WHEN NEW.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders + 1 WHERE id = CAST(NEW.content AS INTEGER) AND holders IS NOT NULL;
  SELECT RAISE(ABORT, 'the text of this message is not in this database') WHERE changes() = 0;
END;

CREATE TRIGGER version_in_parts_changes AFTER UPDATE OF content, format ON message_versions
WHEN OLD.format BETWEEN 4 AND 7 OR NEW.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders + 1
    WHERE NEW.format BETWEEN 4 AND 7 AND id = CAST(NEW.content AS INTEGER) AND holders IS NOT NULL;
  SELECT RAISE(ABORT, 'the text of this message is not in this database')
    WHERE NEW.format BETWEEN 4 AND 7 AND changes() = 0;
  UPDATE text_parts SET holders = holders - 1
    WHERE OLD.format BETWEEN 4 AND 7 AND id = CAST(OLD.content AS INTEGER);
  DELETE FROM text_parts WHERE OLD.format BETWEEN 4 AND 7
    AND (SELECT holders FROM text_parts WHERE id = CAST(OLD.content AS INTEGER)) = 0
    AND id BETWEEN CAST(OLD.content AS INTEGER)
      AND CAST(OLD.content AS INTEGER) + CAST(substr(OLD.content, instr(OLD.content, ' ')) AS INTEGER) - 1;
END;

CREATE TRIGGER version_in_parts_goes AFTER DELETE ON message_versions WHEN OLD.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders - 1 WHERE id = CAST(OLD.content AS INTEGER);
  DELETE FROM text_parts WHERE (SELECT holders FROM text_parts WHERE id = CAST(OLD.content AS INTEGER)) = 0
    AND id BETWEEN CAST(OLD.content AS INTEGER)
      AND CAST(OLD.content AS INTEGER) + CAST(substr(OLD.content, instr(OLD.content, ' ')) AS INTEGER) - 1;
END;
