-- Texts of messages that are too long for their rows. SQLite compares keys to find a row, and reads a row whole to
-- compare its key: beside a text of 15 MB each look took 10 ms, of any session. So such a text stands here. Its row has
-- in place of it a mark, `long text ID`, and a `format` that is 8 higher: only that tells a mark from a text.
-- The database does it itself, so that a program of an earlier version keeps to it as well. To such a program a mark
-- makes no sense, since it is no JSON: it refuses to read the message, and does nothing wrong with it.
-- Rows that were written before keep their texts.
CREATE TABLE long_texts (
  -- No other database has the same: a mark that comes from one means nothing here.
  id TEXT NOT NULL PRIMARY KEY DEFAULT (lower(hex(randomblob(16)))),
  content TEXT NOT NULL
) STRICT;

-- Which rows still have a text: a fork and a kept version have the same one.
CREATE INDEX messages_by_long_text ON messages (content) WHERE format >= 8;
CREATE INDEX message_versions_by_long_text ON message_versions (content) WHERE format >= 8;

CREATE TRIGGER long_message_known AFTER INSERT ON messages
WHEN NEW.format > 3 AND NOT EXISTS (SELECT 1 FROM long_texts WHERE id = substr(NEW.content, 11)) BEGIN
  SELECT RAISE(ABORT, 'the long text of this message is not in this database');
END;

CREATE TRIGGER long_message_comes AFTER INSERT ON messages
WHEN NEW.format BETWEEN 0 AND 3 AND octet_length(NEW.content) > 65536 BEGIN
  INSERT INTO long_texts (content) VALUES (NEW.content);
  UPDATE messages SET format = NEW.format + 8,
      content = 'long text ' || (SELECT id FROM long_texts WHERE rowid = last_insert_rowid())
    WHERE session_id = NEW.session_id AND seq = NEW.seq;
END;

CREATE TRIGGER long_message_changes AFTER UPDATE OF content ON messages
WHEN NEW.format BETWEEN 0 AND 3 AND octet_length(NEW.content) > 65536 BEGIN
  INSERT INTO long_texts (content) VALUES (NEW.content);
  UPDATE messages SET format = NEW.format + 8,
      content = 'long text ' || (SELECT id FROM long_texts WHERE rowid = last_insert_rowid())
    WHERE session_id = NEW.session_id AND seq = NEW.seq;
END;

CREATE TRIGGER long_message_replaced AFTER UPDATE OF content ON messages WHEN OLD.format >= 8 BEGIN
  DELETE FROM long_texts WHERE id = substr(OLD.content, 11)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE format >= 8 AND content = OLD.content)
    AND NOT EXISTS (SELECT 1 FROM message_versions WHERE format >= 8 AND content = OLD.content);
END;

CREATE TRIGGER long_message_deleted AFTER DELETE ON messages WHEN OLD.format >= 8 BEGIN
  DELETE FROM long_texts WHERE id = substr(OLD.content, 11)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE format >= 8 AND content = OLD.content)
    AND NOT EXISTS (SELECT 1 FROM message_versions WHERE format >= 8 AND content = OLD.content);
END;

CREATE TRIGGER long_version_known AFTER INSERT ON message_versions
WHEN NEW.format > 3 AND NOT EXISTS (SELECT 1 FROM long_texts WHERE id = substr(NEW.content, 11)) BEGIN
  SELECT RAISE(ABORT, 'the long text of this message is not in this database');
END;

CREATE TRIGGER long_version_comes AFTER INSERT ON message_versions
WHEN NEW.format BETWEEN 0 AND 3 AND octet_length(NEW.content) > 65536 BEGIN
  INSERT INTO long_texts (content) VALUES (NEW.content);
  UPDATE message_versions SET format = NEW.format + 8,
      content = 'long text ' || (SELECT id FROM long_texts WHERE rowid = last_insert_rowid())
    WHERE session_id = NEW.session_id AND seq = NEW.seq AND version = NEW.version;
END;

CREATE TRIGGER long_version_changes AFTER UPDATE OF content ON message_versions
WHEN NEW.format BETWEEN 0 AND 3 AND octet_length(NEW.content) > 65536 BEGIN
  INSERT INTO long_texts (content) VALUES (NEW.content);
  UPDATE message_versions SET format = NEW.format + 8,
      content = 'long text ' || (SELECT id FROM long_texts WHERE rowid = last_insert_rowid())
    WHERE session_id = NEW.session_id AND seq = NEW.seq AND version = NEW.version;
END;

CREATE TRIGGER long_version_replaced AFTER UPDATE OF content ON message_versions WHEN OLD.format >= 8 BEGIN
  DELETE FROM long_texts WHERE id = substr(OLD.content, 11)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE format >= 8 AND content = OLD.content)
    AND NOT EXISTS (SELECT 1 FROM message_versions WHERE format >= 8 AND content = OLD.content);
END;

CREATE TRIGGER long_version_deleted AFTER DELETE ON message_versions WHEN OLD.format >= 8 BEGIN
  DELETE FROM long_texts WHERE id = substr(OLD.content, 11)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE format >= 8 AND content = OLD.content)
    AND NOT EXISTS (SELECT 1 FROM message_versions WHERE format >= 8 AND content = OLD.content);
END;
