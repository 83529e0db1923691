"""Journal to MQTT: numbered events, retained topics, and commands in."""

from tablectl.publisher.broker import Address
from tablectl.publisher.publisher import Publisher, Table

__all__ = ["Address", "Publisher", "Table"]
