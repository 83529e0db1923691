"""Frames from a terminal to a broker with aiomqtt at QoS 1: the daemon without its journal, rules and contract.

``python tests/bench/_bridge.py TERMINAL PORT``; run by ``pipeline.py``.
"""

import asyncio
import os
import socket
import sys

import aiomqtt

from tablectl.devices.framing import Deframer
from tablectl.devices.link import open_link

TOPIC = "bench/frames"
NODELAY = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]


async def bridge(path: str, port: int) -> None:
    link, deframer = await open_link(f"serial:{path}?baud=115200"), Deframer()
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, socket_options=NODELAY) as client:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
            to.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
        while True:
            for body in deframer.feed(await link.read()):
                await client.publish(TOPIC, body, qos=1)


if __name__ == "__main__":
    asyncio.run(bridge(sys.argv[1], int(sys.argv[2])))
