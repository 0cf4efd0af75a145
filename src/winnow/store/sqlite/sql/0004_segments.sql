-- Files beside the store with columns, postings and vectors that were made from its rows.
--
-- All of a topic shows the rows as they stood at `change`; it is of use only to a program with the
-- same `stamp`. Whatever is missing, or doubtful, is made from the rows again.
CREATE TABLE derived (
  topic TEXT PRIMARY KEY,
  stamp TEXT NOT NULL,
  change INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Part `place` of a topic is number `entry` of a file. `dead` has a bit for each row that was
-- replaced or deleted, compressed; NULL if there is none.
CREATE TABLE segment (
  topic TEXT NOT NULL REFERENCES derived ON DELETE CASCADE,
  place INTEGER NOT NULL,
  label TEXT NOT NULL,
  file TEXT NOT NULL,
  entry INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  size INTEGER NOT NULL, -- of the file, in bytes
  checksum INTEGER NOT NULL, -- of the file
  dead BLOB,
  PRIMARY KEY (topic, place)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 4;
