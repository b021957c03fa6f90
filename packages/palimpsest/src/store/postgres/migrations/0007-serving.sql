-- What a server needs beside the conversations: who may call it, what it was asked already, and whether what it
-- keeps in memory of settings and keys still holds.

CREATE TABLE api_keys (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  namespace TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  -- As JSON.
  scopes TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX api_keys_by_name ON api_keys (namespace, name);

-- Requests that may be repeated. Name and fingerprint are hashes, and an answer holds nothing that was said.
CREATE TABLE requests (
  namespace TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT NOT NULL,
  -- As JSON; NULL: it is under way.
  answer TEXT,
  until BIGINT NOT NULL,
  PRIMARY KEY (namespace, name)
);

CREATE INDEX requests_by_end ON requests (until);

-- At most one row. It grows with every change of settings or keys, whatever the namespace.
CREATE TABLE revision (
  id BIGINT NOT NULL PRIMARY KEY,
  value BIGINT NOT NULL
);
