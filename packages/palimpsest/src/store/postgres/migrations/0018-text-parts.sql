-- Nothing: PostgreSQL keeps texts that are too long for their rows apart by itself. The schema of SQLite has this version.
SELECT 1;
