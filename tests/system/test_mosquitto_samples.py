"""The sample broker of systemd/mosquitto/, run as it is shipped save for its paths and ports."""

import socket
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "systemd" / "mosquitto"
USERS = ("t01", "t02", "display", "dealer-t01", "supervisor", "service")
TABLE = "tablectl/v1/demo/pit1/t01"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def complaints(said: Iterable[str]) -> list[str]:
    """Return what mosquitto finds wrong, other than that root runs the tests."""
    return [line for line in said if ("Warning" in line or "Error" in line) and "run as root" not in line]


@contextmanager
def running(config: Path) -> Iterator[None]:
    """Run mosquitto until the block ends; it has nothing to complain of in its configuration."""
    with subprocess.Popen(["mosquitto", "-c", config], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = list(takewhile(lambda line: not line.endswith(" running\n"), process.stderr))
            assert process.poll() is None, said
            assert complaints(said) == []
            yield
        finally:
            process.terminate()


class Broker:
    """The sample broker on a free port, with each user's name for its password."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.config = folder / "tablectl.conf"
        folder.mkdir()
        self._write("tablectl.passwd", "")
        for user in USERS:
            subprocess.run(["mosquitto_passwd", "-b", folder / "tablectl.passwd", user, user], check=True)
        self._write("tablectl.acl", (SAMPLES / "tablectl.acl").read_text())
        listener = (SAMPLES / "tablectl.conf").read_text().replace("/etc/mosquitto", str(folder))
        # Started by root, mosquitto would become a user that cannot read this folder.
        self._write("tablectl.conf", listener.replace("listener 1883", f"listener {self.port}") + "\nuser root\n")

    def _write(self, name: str, text: str) -> None:
        path = self.config.with_name(name)
        path.touch(0o600)
        path.write_text(text)

    def bridge(self, pit: "Broker") -> None:
        """Add the sample bridge, which needs no certificate on loopback."""
        sample = (SAMPLES / "bridge.conf").read_text()
        sample = sample.replace("pit-broker.lan:8883", f"127.0.0.1:{pit.port}").replace("change-me", "t01")
        lines = [line for line in sample.splitlines() if not line.startswith("bridge_cafile")]
        self._write("tablectl.conf", "\n".join((self.config.read_text(), *lines, "")))

    def client(self, program: str, user: str, *arguments: str) -> str:
        """Run a client of mosquitto's own and return what it prints; what the broker refuses is printed to nobody."""
        access = ("-V", "5", "-h", "127.0.0.1", "-p", str(self.port), "-u", user, "-P", user, "-q", "1")
        return subprocess.run([program, *access, *arguments], stdout=subprocess.PIPE, text=True, check=False).stdout

    def publish(self, user: str, *topics: str) -> None:
        for topic in topics:
            self.client("mosquitto_pub", user, "-r", "-t", f"{TABLE}/{topic}", "-m", "said")

    def listen(self, user: str, topics: str, name: str) -> None:
        """Open a session that keeps what it is sent until it is asked by :meth:`heard`."""
        self.client("mosquitto_sub", user, "-i", name, "-c", "-x", "60", "-E", "-t", topics)

    def heard(self, user: str, topics: str, name: str = "ear", count: int = 1) -> list[str]:
        """Return the topics of the next messages, as many as asked for, in order."""
        session = ("-i", name, "-c", "-x", "60", "-C", str(count), "-W", "10", "-F", "%t")
        return self.client("mosquitto_sub", user, *session, "-t", topics).replace(f"{TABLE}/", "").split()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(tmp_path / "table")
    with running(broker.config):
        yield broker


def test_a_role_asks_only_for_what_is_its_own(broker: Broker) -> None:
    """Each role's commands arrive in its own name alone, and no table speaks for another."""
    commands = ("cmd/dealer/ask", "cmd/supervisor/ask", "cmd/service/ask")
    broker.listen("t01", f"{TABLE}/#", "ear")

    broker.publish("display", *commands, "state")
    broker.publish("t02", *commands, "state")
    for user in ("service", "dealer-t01", "supervisor"):
        broker.publish(user, *commands, "state")
    broker.publish("t01", "state")

    due = ["cmd/service/ask", "cmd/dealer/ask", "cmd/supervisor/ask", "state"]
    assert due == broker.heard("t01", f"{TABLE}/#", count=4)


def test_a_display_reads_what_is_told_and_no_request_or_reply(broker: Broker) -> None:
    """Who subscribes to everything hears the six kinds of message that are told, and neither commands nor replies."""
    told = ["status", "meta", "state", "alarms", "device/shoe1", "evt/round/opened"]
    broker.listen("display", "#", "ear")

    broker.publish("t01", "cmd/supervisor/ask", "rsp/console", *told)

    assert told == broker.heard("display", "#", count=len(told))


def test_a_reply_is_read_by_its_client_alone(broker: Broker) -> None:
    """A reply reaches the client id that it names and no other of the same role."""
    replies = f"{TABLE}/rsp/#"
    broker.listen("dealer-t01", replies, "one")
    broker.listen("dealer-t01", replies, "other")

    broker.publish("t01", "rsp/one", "rsp/other")

    assert broker.heard("dealer-t01", replies, "one") == ["rsp/one"]
    assert broker.heard("dealer-t01", replies, "other") == ["rsp/other"]


def test_a_pit_that_was_away_gets_the_table_and_asks_it(tmp_path: Path) -> None:
    """What a table said while its pit's broker was down is there soon after, and the pit's commands reach the table."""
    table, pit = Broker(tmp_path / "table"), Broker(tmp_path / "pit")
    table.bridge(pit)
    with running(table.config):
        table.publish("t01", "state")
        with running(pit.config):
            assert pit.heard("display", f"{TABLE}/state") == ["state"]

            pit.publish("supervisor", "cmd/supervisor/void-round")

            assert table.heard("t01", f"{TABLE}/cmd/#") == ["cmd/supervisor/void-round"]
