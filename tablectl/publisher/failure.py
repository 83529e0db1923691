"""The word of a table that cannot even begin, since it cannot keep its record."""

import msgspec
import structlog

from tablectl import __version__
from tablectl.events.facts import Alarm
from tablectl.publisher.broker import Address, BrokerLost, Outgoing, connected
from tablectl.publisher.payloads import Alarms, Status, V
from tablectl.publisher.topics import Topics

RECORD = "record"
"""The alarm, and the reason of ``offline``."""

_log = structlog.get_logger()


async def tell_failure(address: Address, table: str, text: str) -> None:
    """Publish the alarm, and that the table is offline; what stood on the other topics stays."""
    topics = Topics(table)
    alarms = Alarms(v=V, table=table, at_seq=0, alarms=[Alarm(RECORD, text, latched=True)])
    status = Status(v=V, state="offline", boot="", epoch="", program=__version__, reason=RECORD)
    offline = Outgoing(topics.status, msgspec.json.encode(status), f"status/{V}", retain=True)
    try:
        async with connected(address, topics.client_id, offline) as broker:
            await broker.publish(Outgoing(topics.alarms, msgspec.json.encode(alarms), f"alarms/{V}", retain=True))
            await broker.publish(offline)
    except BrokerLost as lost:
        _log.warning("broker.lost", reason=str(lost))
