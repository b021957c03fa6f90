-- Other names under which a session is reached: a group that a chat platform gave another id stays the session it was.
CREATE TABLE aliases (
  namespace TEXT NOT NULL,
  name_key TEXT NOT NULL,
  session_id INTEGER NOT NULL,
  PRIMARY KEY (namespace, name_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_session ON aliases (session_id);
-- What a bot does in a session only so often in a while: the instants at which it did, as JSON.
CREATE TABLE allowances (
  session_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  instants TEXT NOT NULL,
  PRIMARY KEY (session_id, kind)
) STRICT, WITHOUT ROWID;
