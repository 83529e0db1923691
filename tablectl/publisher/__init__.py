"""Journal to MQTT: numbered events, retained topics, and commands in."""

from tablectl.publisher.broker import Address
from tablectl.publisher.failure import RECORD, tell_failure
from tablectl.publisher.publisher import Publisher, Table

__all__ = ["RECORD", "Address", "Publisher", "Table", "tell_failure"]
