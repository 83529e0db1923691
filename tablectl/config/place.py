"""Which table a file is for, and as whom it speaks to its broker; nothing else of the file need be right."""

from pathlib import Path

from tablectl.config.form import Mqtt, Place, TableFile
from tablectl.config.source import Source
from tablectl.errors import ConfigError

_READ = ("table", "mqtt")


def place_of(path: Path) -> tuple[str, str]:
    """Return ``site/pit/id`` and the user at the broker: ``mqtt.username``, or else the table's id.

    Raises:
        ConfigError: what is wrong with these sections, with file, line and key.
    """
    try:
        source = Source(str(path), path.read_text(encoding="utf-8"), TableFile)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    wrong = [mistake for mistake in source.mistakes if not mistake.key or mistake.key[0] in _READ]
    table, mqtt = source.part(Place, "table"), source.part(Mqtt, "mqtt") or Mqtt()
    if wrong or table is None:
        raise ConfigError(*wrong)
    return table.name, mqtt.username or table.id
