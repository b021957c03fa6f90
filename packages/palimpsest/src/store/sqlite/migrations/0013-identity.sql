-- Which database this is. A folder of files names it, so that no other database writes there. Copies of a database have
-- the same id. They are told apart by the generation: a restore advances it.
CREATE TABLE identity (
  row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
  id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  -- Two copies of one backup have the same generation, and each a key of its own.
  generation_key TEXT NOT NULL
) STRICT;

INSERT INTO identity (row, id, generation, generation_key)
VALUES (1, lower(hex(randomblob(16))), 1, lower(hex(randomblob(8))));
