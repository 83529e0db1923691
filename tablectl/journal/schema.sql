-- The journal. Its rows, an input and each fact that followed, are numbered and chained one by one; an input and its
-- facts are stored together, since what a commit costs is the pages that it touches.
-- before: the last row before this volume, as {number, seq, hash}; its first row is chained to that hash.
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE boot (number INTEGER PRIMARY KEY, id TEXT NOT NULL, wall INTEGER NOT NULL) STRICT;

-- number: of the input's row; its facts have the numbers after it. words: its JSON and that of its facts, an array,
-- deflated against words.txt (packing.py). seq: of the last fact up to here. hash: of the last row up to here.
CREATE TABLE entry (
  number INTEGER PRIMARY KEY,
  boot INTEGER NOT NULL REFERENCES boot (number),
  wall INTEGER NOT NULL,
  mono INTEGER NOT NULL,
  round INTEGER NOT NULL,
  source TEXT NOT NULL,
  event_boot TEXT NOT NULL,
  event INTEGER NOT NULL,
  by TEXT NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  words BLOB NOT NULL,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL
) STRICT;

-- No index: each would cost every commit a page or two. Keys of people and numbers of events are known in memory, facts
-- are numbered in row order: a seq is found by bisection.

CREATE TRIGGER entry_stands BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;

CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
