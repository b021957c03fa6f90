-- Under which an erasure stands in the list of what was erased, which is kept outside of the database: so a restore knows
-- which erasures a backup has already. NULL: it was begun by a program that kept no such list.
ALTER TABLE erasures ADD COLUMN list_id TEXT;
