-- Nothing: PostgreSQL keeps long texts apart from their rows by itself. SQLite's schema has this version.
SELECT 1;
