-- Records: stored memories, and pieces of notes.
--
-- Columns of the type ANY hold texts; a value that is not UTF-8 can stand there as a blob.

-- `counter` is the number of the last automatic id.
ALTER TABLE namespace ADD COLUMN counter INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespace ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';

-- How often terms were taken out of the dictionary: numbers known from before may be gone.
ALTER TABLE meta ADD COLUMN prunings INTEGER NOT NULL DEFAULT 0;

-- What made a vector.
CREATE TABLE model (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- A deleted record stays until it is purged; a piece of a note goes at once. Keys are never used
-- again. What is short stands first and the text last, where its overflow pages are skipped.
CREATE TABLE record (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace INTEGER NOT NULL REFERENCES namespace,
  id ANY NOT NULL,
  change INTEGER NOT NULL,
  deleted_at INTEGER,
  note INTEGER REFERENCES note,
  line INTEGER,
  model INTEGER REFERENCES model,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  importance REAL NOT NULL,
  digest INTEGER NOT NULL, -- of the text, to find equal ones
  kind TEXT NOT NULL,
  kind_provenance TEXT,
  memory_type TEXT,
  entity ANY,
  source ANY,
  heading ANY,
  title ANY NOT NULL,
  tags TEXT NOT NULL,
  metadata ANY NOT NULL,
  terms BLOB NOT NULL,
  text ANY NOT NULL,
  UNIQUE (namespace, id)
) STRICT;

CREATE INDEX record_change ON record (change);
CREATE INDEX record_text ON record (namespace, digest) WHERE deleted_at IS NULL;
CREATE INDEX record_note ON record (note) WHERE note IS NOT NULL;
CREATE INDEX record_expires ON record (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX record_deleted ON record (deleted_at) WHERE deleted_at IS NOT NULL;

-- Apart, so that reading all records does not read them.
CREATE TABLE vector (
  record INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
  vector BLOB NOT NULL
) STRICT;

-- One row for each change of a record, counted from 1. `before` has the columns that the change
-- gave another value, as they were.
CREATE TABLE past (
  record INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
  step INTEGER NOT NULL,
  at INTEGER NOT NULL,
  before TEXT NOT NULL,
  PRIMARY KEY (record, step)
) STRICT, WITHOUT ROWID;

-- All that is left of purged records, so that others see by the change number that they are gone.
CREATE TABLE purged (
  change INTEGER NOT NULL,
  key INTEGER NOT NULL,
  PRIMARY KEY (change, key)
) STRICT, WITHOUT ROWID;

-- Numbers that the counter of a namespace must pass over: of ids that were given by hand and
-- purged before it came to them.
CREATE TABLE spent (
  namespace INTEGER NOT NULL REFERENCES namespace,
  number INTEGER NOT NULL,
  PRIMARY KEY (namespace, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE term (
  number INTEGER PRIMARY KEY AUTOINCREMENT CHECK (number < 2147483648),
  text TEXT NOT NULL UNIQUE
) STRICT;

PRAGMA user_version = 2;
