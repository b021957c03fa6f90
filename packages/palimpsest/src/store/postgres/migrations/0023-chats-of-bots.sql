-- Other names under which a session is reached: a group that a chat platform gave another id stays the session it was.
CREATE TABLE aliases (
  namespace TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  session_id BIGINT NOT NULL,
  PRIMARY KEY (namespace, name_key)
);
CREATE INDEX aliases_by_session ON aliases (session_id);
-- What a bot does in a session only so often in a while: the instants at which it did, as JSON.
CREATE TABLE allowances (
  session_id BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  instants TEXT NOT NULL,
  PRIMARY KEY (session_id, kind)
);
