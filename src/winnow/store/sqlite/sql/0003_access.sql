-- Who may do what, and what they are told of changes.

-- `digest` is the SHA-256 of the secret, which is kept nowhere. `namespaces` is NULL for all.
CREATE TABLE access_key (
  name TEXT PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  scopes TEXT NOT NULL,
  namespaces TEXT,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How many transactions have changed a namespace, and when the last one did: who may see some
-- namespaces only is told of their changes, and not even how often others change.
ALTER TABLE namespace ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespace ADD COLUMN changed_at TEXT NOT NULL DEFAULT '';

UPDATE namespace SET (changes, changed_at) = (SELECT 1, changed_at FROM meta);

PRAGMA user_version = 3;
