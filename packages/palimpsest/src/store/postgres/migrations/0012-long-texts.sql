-- Nothing: PostgreSQL keeps long texts apart from their rows by itself. The schema of SQLite has this version.
SELECT 1;
