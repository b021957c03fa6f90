-- Texts of messages that are too long for their rows. A row is looked for by comparing keys with those of others, and
-- SQLite reads a row whole to compare its key: beside one of 15 MB each look took 10 ms, of any session. In place of
-- such a text its row has a mark with its number, which is a text in JSON for programs that know nothing of it.
CREATE TABLE long_texts (
  id INTEGER PRIMARY KEY,
  content TEXT NOT NULL
) STRICT;

-- In how many rows: a fork and an earlier version have the same text. Apart, since a change of it would write the text anew.
CREATE TABLE long_text_uses (
  id INTEGER PRIMARY KEY,
  uses INTEGER NOT NULL
) STRICT;

CREATE TRIGGER message_uses_long_text AFTER INSERT ON messages WHEN NEW.content GLOB '"long:*' BEGIN
  UPDATE long_text_uses SET uses = uses + 1 WHERE id = CAST(substr(NEW.content, 8) AS INTEGER);
END;

CREATE TRIGGER message_leaves_long_text AFTER DELETE ON messages WHEN OLD.content GLOB '"long:*' BEGIN
  UPDATE long_text_uses SET uses = uses - 1 WHERE id = CAST(substr(OLD.content, 8) AS INTEGER);
  DELETE FROM long_texts WHERE id = CAST(substr(OLD.content, 8) AS INTEGER)
    AND (SELECT uses FROM long_text_uses WHERE id = CAST(substr(OLD.content, 8) AS INTEGER)) < 1;
  DELETE FROM long_text_uses WHERE id = CAST(substr(OLD.content, 8) AS INTEGER) AND uses < 1;
END;

CREATE TRIGGER version_uses_long_text AFTER INSERT ON message_versions WHEN NEW.content GLOB '"long:*' BEGIN
  UPDATE long_text_uses SET uses = uses + 1 WHERE id = CAST(substr(NEW.content, 8) AS INTEGER);
END;

CREATE TRIGGER version_leaves_long_text AFTER DELETE ON message_versions WHEN OLD.content GLOB '"long:*' BEGIN
  UPDATE long_text_uses SET uses = uses - 1 WHERE id = CAST(substr(OLD.content, 8) AS INTEGER);
  DELETE FROM long_texts WHERE id = CAST(substr(OLD.content, 8) AS INTEGER)
    AND (SELECT uses FROM long_text_uses WHERE id = CAST(substr(OLD.content, 8) AS INTEGER)) < 1;
  DELETE FROM long_text_uses WHERE id = CAST(substr(OLD.content, 8) AS INTEGER) AND uses < 1;
END;

CREATE TRIGGER message_changes_to_long_text AFTER UPDATE OF content ON messages WHEN NEW.content GLOB '"long:*' BEGIN
  UPDATE long_text_uses SET uses = uses + 1 WHERE id = CAST(substr(NEW.content, 8) AS INTEGER);
END;

CREATE TRIGGER message_changes_from_long_text AFTER UPDATE OF content ON messages WHEN OLD.content GLOB '"long:*' BEGIN
  UPDATE long_text_uses SET uses = uses - 1 WHERE id = CAST(substr(OLD.content, 8) AS INTEGER);
  DELETE FROM long_texts WHERE id = CAST(substr(OLD.content, 8) AS INTEGER)
    AND (SELECT uses FROM long_text_uses WHERE id = CAST(substr(OLD.content, 8) AS INTEGER)) < 1;
  DELETE FROM long_text_uses WHERE id = CAST(substr(OLD.content, 8) AS INTEGER) AND uses < 1;
END;
