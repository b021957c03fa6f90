-- The zone in which those of its messages were said that name none: a change of the setting does not change it.
-- NULL: not known; nothing was appended since there is this column.
ALTER TABLE sessions ADD COLUMN zone TEXT;
