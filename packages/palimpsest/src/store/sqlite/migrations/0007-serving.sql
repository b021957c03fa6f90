-- What a server needs beside the conversations: who may call it, what it was asked already, and whether what it
-- keeps in memory of settings and keys still holds.

CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  -- As JSON.
  scopes TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX api_keys_by_name ON api_keys (namespace, name);

-- Requests that may be repeated. Name and fingerprint are hashes, and an answer holds nothing that was said.
CREATE TABLE requests (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  -- As JSON; NULL: it is under way.
  answer TEXT,
  until INTEGER NOT NULL,
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX requests_by_end ON requests (until);

-- At most one row. It grows with every change of settings or keys, whatever the namespace.
CREATE TABLE revision (
  id INTEGER NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT;
