-- What was spent on models, an hour at a time, by all processes together: counted before a call is made, and corrected by
-- what it took. Old hours go.
CREATE TABLE spending (
  -- 0: all sessions of the namespace together.
  session_id BIGINT NOT NULL,
  namespace TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  window_start BIGINT NOT NULL,
  calls BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  PRIMARY KEY (session_id, namespace, model, window_start)
);

CREATE INDEX spending_by_window ON spending (window_start);
