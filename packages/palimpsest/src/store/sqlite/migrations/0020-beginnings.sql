-- Where contexts begin anew: after a message. `folded_through` is how far the session was folded then, so that taking
-- it back shows again what was raw. The newest of a session is also in its own row.
CREATE TABLE beginnings (
  session_id INTEGER NOT NULL,
  after_seq INTEGER NOT NULL,
  folded_through INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_id, after_seq)
) STRICT, WITHOUT ROWID;
-- 0: contexts begin with the first message.
ALTER TABLE sessions ADD COLUMN begins_after INTEGER NOT NULL DEFAULT 0;
