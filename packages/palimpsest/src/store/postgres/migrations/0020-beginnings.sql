-- Where contexts begin anew: after a message. `folded_through` is how far the session was folded then, so that taking
-- it back shows again what was raw. The newest of a session is also in its own row.
CREATE TABLE beginnings (
  session_id BIGINT NOT NULL,
  after_seq BIGINT NOT NULL,
  folded_through BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (session_id, after_seq)
);
-- 0: contexts begin with the first message.
ALTER TABLE sessions ADD COLUMN begins_after BIGINT NOT NULL DEFAULT 0;
