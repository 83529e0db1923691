"""The files of one record. It is kept in volumes, ``journal.db``, ``journal.0002.db`` and so on; the last is written.

No volume is ever renamed: whoever reads one keeps on reading the same rows.
"""

import re
from pathlib import Path

from tablectl.errors import JournalError


def named(path: Path, number: int) -> Path:
    """Return the file of a volume, from 1; path names the record and is that of the first."""
    return path if number == 1 else path.with_name(f"{path.stem}.{number:04}{path.suffix}")


def volumes(path: Path) -> list[Path]:
    """Return the volumes that there are, in order. path: the record's, its folder, or one later volume by itself.

    Raises:
        JournalError: a folder that does not hold one record.
    """
    path = _only_record(path) if path.is_dir() else path
    return [file for _, file in sorted(_numbered(path))] or [path] * path.exists()


def present(path: Path) -> Path:
    """Return the volume that is written, or would be."""
    return next(reversed(volumes(path)), path)


def following(path: Path) -> Path:
    """Return the volume after the present one."""
    return named(path, max(number for number, _ in _numbered(path)) + 1)


def _numbered(path: Path) -> list[tuple[int, Path]]:
    form = re.compile(rf"{re.escape(path.stem)}(?:\.(\d{{4,}}))?{re.escape(path.suffix)}")
    files = path.parent.iterdir() if path.parent.is_dir() else ()
    return [(int(match[1] or 1), file) for file in files if (match := form.fullmatch(file.name))]


def _only_record(folder: Path) -> Path:
    names = {re.sub(r"\.\d{4,}\.db$", ".db", file.name) for file in folder.glob("*.db")}
    if len(names) != 1:
        raise JournalError(f"folder {folder}: awaited the volumes of one record, there are {len(names)} records")
    return folder / names.pop()
