-- The journal: rows are only ever added. `boot` keeps the id of a process start out of each row.
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE boot (number INTEGER PRIMARY KEY, id TEXT NOT NULL, wall INTEGER NOT NULL) STRICT;

CREATE TABLE record (
  number INTEGER PRIMARY KEY,
  boot INTEGER NOT NULL REFERENCES boot (number),
  wall INTEGER NOT NULL,
  mono INTEGER NOT NULL,
  round INTEGER NOT NULL,
  cause INTEGER REFERENCES record (number),
  source TEXT NOT NULL,
  event_boot TEXT NOT NULL,
  event INTEGER NOT NULL,
  by TEXT NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  body TEXT NOT NULL,
  seq INTEGER,
  hash BLOB NOT NULL
) STRICT;

-- Each index costs every commit a page or two, so there is one. The events of a device come in order: the last of each
-- boot, kept in memory, tells a repeated one. Facts are numbered in row order: a seq is found by bisection.
CREATE UNIQUE INDEX keyed ON record (key, source) WHERE key <> '';

CREATE TRIGGER record_stands BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;

CREATE TRIGGER record_stays BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;

CREATE VIEW journal AS
SELECT record.number, boot.id AS boot, record.wall, mono, meta.value AS "table", round, cause, source, event_boot, event,
  by, key, version, body, seq, hash
FROM record JOIN boot ON boot.number = record.boot JOIN meta ON meta.name = 'table';
