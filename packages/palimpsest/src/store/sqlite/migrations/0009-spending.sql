-- What was spent on models, an hour at a time, by all processes together: counted before a call is made, and corrected by
-- what it took. Old hours go.
CREATE TABLE spending (
  -- 0: all sessions of the namespace together.
  session_id INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  model TEXT NOT NULL,
  window_start INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (session_id, namespace, model, window_start)
) STRICT, WITHOUT ROWID;

CREATE INDEX spending_by_window ON spending (window_start);
