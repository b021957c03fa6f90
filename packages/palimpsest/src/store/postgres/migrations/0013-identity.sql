-- Which database this is. A folder of files names it, so that no other database writes there. Copies of a database have
-- the same id. They are told apart by the generation: a restore advances it.
CREATE TABLE identity (
  row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
  id TEXT NOT NULL,
  generation BIGINT NOT NULL,
  -- Two copies of one backup have the same generation, and each a key of its own.
  generation_key TEXT NOT NULL,
  -- Where it stood when it was last opened: the server, its line of history, the table of events. A restore changes it.
  place TEXT
);

INSERT INTO identity (row, id, generation, generation_key)
VALUES (1, replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 1, left(replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 16));
