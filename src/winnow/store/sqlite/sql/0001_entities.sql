-- The first tables. Texts in JSON are written by winnow.store.rows.
-- "WNNW": tells our files from other programs'.
PRAGMA application_id = 0x574E4E57;

-- One row. `change` is the number of the last committed change.
CREATE TABLE meta (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  store_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  change INTEGER NOT NULL,
  changed_at TEXT NOT NULL
) STRICT;

INSERT INTO meta
SELECT 1, lower(hex(randomblob(16))), now, 0, now
FROM (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS now);

CREATE TABLE namespace (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE schema (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE pack (
  namespace INTEGER NOT NULL REFERENCES namespace,
  name TEXT NOT NULL,
  source TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (namespace, name)
) STRICT;

CREATE TABLE vault (
  key INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespace,
  root TEXT NOT NULL,
  name TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  packs TEXT NOT NULL,
  UNIQUE (namespace, root)
) STRICT;

-- The text stands last: listing the notes then skips the overflow pages of long ones.
CREATE TABLE note (
  key INTEGER PRIMARY KEY,
  vault INTEGER NOT NULL REFERENCES vault,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  digest TEXT NOT NULL,
  change INTEGER NOT NULL,
  title TEXT NOT NULL,
  snippet TEXT NOT NULL,
  created_at TEXT NOT NULL,
  tags TEXT NOT NULL,
  findings TEXT NOT NULL,
  links TEXT NOT NULL,
  metadata TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (vault, path)
) STRICT;

CREATE INDEX note_found ON note (vault, path) WHERE findings <> '[]';

-- `imported` is what imports say, NULL if none does; `noted` tells whether a note declares it.
-- A dead entity stays as a row, so that others see by its change number that it died. Numbers
-- instead of names keep the indexes small; (schema, id, namespace) is the order of a scan.
CREATE TABLE entity (
  key INTEGER PRIMARY KEY,
  schema INTEGER NOT NULL REFERENCES schema,
  namespace INTEGER NOT NULL REFERENCES namespace,
  id TEXT NOT NULL,
  imported TEXT,
  noted INTEGER NOT NULL DEFAULT 0,
  change INTEGER NOT NULL,
  live INTEGER NOT NULL AS (imported IS NOT NULL OR noted) VIRTUAL,
  UNIQUE (schema, id, namespace)
) STRICT;

CREATE INDEX entity_change ON entity (schema, change);
CREATE INDEX entity_live ON entity (namespace, schema) WHERE live;

CREATE TABLE contribution (
  entity INTEGER NOT NULL REFERENCES entity,
  note INTEGER NOT NULL REFERENCES note,
  fields TEXT NOT NULL,
  PRIMARY KEY (entity, note)
) STRICT, WITHOUT ROWID;

CREATE INDEX contribution_note ON contribution (note);

PRAGMA user_version = 1;
