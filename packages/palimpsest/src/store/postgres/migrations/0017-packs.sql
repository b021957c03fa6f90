-- What is hardly ever read again takes little room: the texts of segments that others stand for, lines of documents that
-- hold no longer, and old versions. Several are compressed together into a pack. The row has a mark in place of the text,
-- `packed PACK PLACE`. All these texts are JSON and a mark is not: nothing that is said can look like one.
CREATE TABLE packs (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Whose texts they are: a session's segments, or a document's facts and versions.
  session_id BIGINT,
  document_id BIGINT,
  -- How many of its places are taken, and what they take when they are read. 0: the texts of one row that is read often,
  -- by themselves and not compressed. They stand here so that its own table stays small.
  places INTEGER NOT NULL,
  octets INTEGER NOT NULL,
  -- By place, as JSON, compressed.
  data BYTEA NOT NULL
);

CREATE INDEX packs_of_session ON packs (session_id, id) WHERE session_id IS NOT NULL;
CREATE INDEX packs_of_document ON packs (document_id, id) WHERE document_id IS NOT NULL;

-- The document as it was then, of a version now and then, as JSON: so that an old one is not far from one that is whole.
ALTER TABLE document_versions ADD COLUMN whole TEXT;

-- Through which version the document's past is packed.
ALTER TABLE documents ADD COLUMN packed_through BIGINT NOT NULL DEFAULT 0;
-- Days that are over, and not packed yet.
CREATE INDEX documents_to_pack ON documents (session_id, day) WHERE day IS NOT NULL AND packed_through = 0;

-- Whether all this is done. A program of an earlier version that is running would not understand it: so it is done in
-- new databases, and in others once an operator says that there is none (`palimpsest migrate --compact`).
CREATE TABLE layout (
  row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
  is_compact INTEGER NOT NULL
);

INSERT INTO layout (row, is_compact)
SELECT 1, CASE WHEN EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM documents) THEN 0 ELSE 1 END;
