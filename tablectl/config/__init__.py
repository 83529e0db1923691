"""The table file and the house file: read, checked against their game, and turned into the table's terms."""

from tablectl.config.form import Device
from tablectl.config.load import Broker, Settings, load, read
from tablectl.config.place import place_of
from tablectl.config.source import Mistake
from tablectl.config.terms import build_terms, hashes_of

__all__ = ["Broker", "Device", "Mistake", "Settings", "build_terms", "hashes_of", "load", "place_of", "read"]
