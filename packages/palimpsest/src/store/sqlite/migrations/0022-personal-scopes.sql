-- Whose a scope's memory is, where the scope was declared personal: no other person's session is shown it.
-- NULL: every session of the scope is.
ALTER TABLE documents ADD COLUMN owner_id TEXT;
CREATE INDEX documents_by_owner ON documents (namespace, owner_id) WHERE owner_id IS NOT NULL;
