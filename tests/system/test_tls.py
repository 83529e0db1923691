"""The pit's broker as it is shipped: TLS, passwords, certificates and the generated access list, with a real table."""

import asyncio
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from tablectl.publisher.broker import Address, Broker, BrokerLost, Outgoing, PublishRefused, connected
from tablectl.publisher.payloads import Command, Reply
from tests.brokers import free_port
from tests.system.harness import Program, tablectl
from tests.system.test_mosquitto_samples import SAMPLES, running
from tests.table_files import RED_DOG, RED_DOG_HOUSE

PASSWORDS = ("display", "display-pit1", "dealer-t01", "dealer-t02", "supervisor", "service", "auditor", "t02")
TABLE = RED_DOG.split("[[device]]")[0].replace('site = "test"', 'site = "demo"')


class Site(NamedTuple):
    """A folder of certificates, table files and a broker. passwords, certificates: its two ports."""

    folder: Path
    passwords: int
    certificates: int

    def address(self, user: str, password: str | None = None) -> Address:
        trust = ssl.create_default_context(cafile=self.folder / "house.crt")
        return Address("127.0.0.1", self.passwords, "5", user, password or user, trust)

    def machine(self, name: str) -> Address:
        trust = ssl.create_default_context(cafile=self.folder / "house.crt")
        if name:
            trust.load_cert_chain(self.folder / f"{name}.crt", self.folder / f"{name}.key")
        return Address("127.0.0.1", self.certificates, "5", tls=trust)


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def certify(folder: Path, name: str, common_name: str) -> None:
    """Make a key and a certificate that the house has signed."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key")
    names = ("-subj", f"/CN={common_name}", "-addext", "subjectAltName=IP:127.0.0.1")
    signed = ("-CA", "house.crt", "-CAkey", "house.key") if name != "house" else ()
    openssl(folder, "req", "-x509", *key, *names, *signed, "-days", "2", "-out", f"{name}.crt")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two tables, and the broker of their pit, configured from the samples and by `tablectl broker-acl`."""
    folder = tmp_path_factory.mktemp("site")
    for name, common_name in (("house", "House"), ("broker", "127.0.0.1"), ("t01", "t01")):
        certify(folder, name, common_name)
    site = Site(folder, free_port(), free_port())
    for table in ("t01", "t02"):
        (folder / f"{table}.toml").write_text(TABLE.replace('id = "t01"', f'id = "{table}"'))
    listed = [str(folder / f"{table}.toml") for table in ("t01", "t02")]
    command = [sys.executable, "-m", "tablectl", "broker-acl", *listed]
    acl = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for file, text in (("tablectl.acl", acl), ("tablectl.passwd", "")):
        (folder / file).touch(0o600)
        (folder / file).write_text(text)
    for user in PASSWORDS:
        subprocess.run(["mosquitto_passwd", "-b", folder / "tablectl.passwd", user, user], check=True)
    config = (SAMPLES / "pit.conf").read_text().replace("/etc/mosquitto/certs", str(folder))
    config = config.replace("/etc/mosquitto", str(folder)).replace("listener 8883", f"listener {site.passwords}")
    # Started by root, mosquitto would become a user that cannot read this folder.
    (folder / "pit.conf").write_text(config.replace("listener 8884", f"listener {site.certificates}") + "\nuser root\n")
    with running(folder / "pit.conf"):
        yield site


@asynccontextmanager
async def joined(address: Address, name: str = "tester") -> AsyncIterator[Broker]:
    async with connected(address, name, Outgoing("will/of/a/tester", b"")) as broker:
        yield broker


async def may_write(broker: Broker, topic: str) -> bool:
    try:
        await broker.publish(Outgoing(topic, b"{}"))
    except PublishRefused:
        return False
    return True


def topics(table: str) -> dict[str, str]:
    """Return a topic of each kind, by its kind."""
    base = f"tablectl/v1/demo/pit1/{table}"
    told = ("status", "meta", "state", "alarms", "bridge")
    kinds = {f"cmd/{role}": f"{base}/cmd/{role}/void-round" for role in ("dealer", "supervisor", "service", "auditor")}
    kinds |= {"device": f"{base}/device/shoe1", "evt": f"{base}/evt/round/opened", "rsp": f"{base}/rsp/console"}
    return {f"{table} {kind}": topic for kind, topic in {**{name: f"{base}/{name}" for name in told}, **kinds}.items()}


TOLD = {"status", "meta", "state", "alarms", "bridge", "device", "evt", "rsp"}


@pytest.mark.parametrize(
    ("user", "writes"),
    [
        ("t01", {f"t01 {kind}" for kind in TOLD}),
        ("t02", {f"t02 {kind}" for kind in TOLD}),
        ("dealer-t01", {"t01 cmd/dealer"}),
        ("supervisor", {"t01 cmd/supervisor", "t02 cmd/supervisor"}),
        ("service", {"t01 cmd/service", "t02 cmd/service"}),
        ("display", set[str]()),
        ("display-pit1", set[str]()),
        ("auditor", {"t01 cmd/auditor", "t02 cmd/auditor"}),
    ],
)
async def test_each_user_writes_what_is_its_own(site: Site, user: str, writes: set[str]) -> None:
    """The broker takes from each user exactly the topics of its role: no table another's, no display any at all."""
    address = site.machine("t01") if user == "t01" else site.address(user)
    async with joined(address) as broker:
        every = topics("t01") | topics("t02") | {"elsewhere": "tablectl/v1/demo/pit9/t01/state", "$SYS": "$SYS/x"}

        assert {name for name, topic in every.items() if await may_write(broker, topic)} - {"$SYS"} == writes


@pytest.mark.parametrize(
    "wrong", ["no password", "wrong password", "no certificate", "a stranger's certificate", "no TLS", "other broker"]
)
@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket")  # of paho, which drops it unclosed
async def test_who_cannot_show_who_it_is_stays_outside(site: Site, tmp_path: Path, wrong: str) -> None:
    """No connection comes about without the right password or certificate, in the clear, or to a broker not trusted."""
    certify(tmp_path, "house", "Stranger")
    stranger = msgspec.structs.replace(
        site.machine(""), tls=ssl.create_default_context(cafile=site.folder / "house.crt")
    )
    assert stranger.tls
    stranger.tls.load_cert_chain(tmp_path / "house.crt", tmp_path / "house.key")
    untrusting = ssl.create_default_context(cafile=tmp_path / "house.crt")
    right = site.address("display")
    addresses = {
        "no password": msgspec.structs.replace(right, username=None, password=None),
        "wrong password": site.address("display", "guess"),
        "no certificate": site.machine(""),
        "a stranger's certificate": stranger,
        "no TLS": msgspec.structs.replace(right, tls=None),
        "other broker": msgspec.structs.replace(right, tls=untrusting),
    }
    async with joined(right):
        pass
    with pytest.raises(BrokerLost):
        async with joined(addresses[wrong]):
            pass


@asynccontextmanager
async def table(site: Site, folder: Path) -> AsyncIterator[Program]:
    """Run a table at which people do everything, known to the broker by its certificate."""
    section = f'\n[mqtt]\nhost = "127.0.0.1"\nport = {site.certificates}\n'
    names = {"ca": "house.crt", "cert": "t01.crt", "key": "t01.key"}
    files = "".join(f'{name} = "{site.folder}/{file}"\n' for name, file in names.items())
    (folder / "house.toml").write_text(RED_DOG_HOUSE)
    (folder / "t01.toml").write_text(TABLE + section + f"[mqtt.tls]\n{files}" + '[journal]\npath = "journal.db"\n')
    program = await tablectl(folder, "run", "run", str(folder / "t01.toml"))
    try:
        yield program
    finally:
        await program.kill()


async def an_auditor_reads(site: Site, display: Broker) -> None:
    """Note a reading, which everybody may know of, and rule on nothing, even in the auditor's own name."""
    base = "tablectl/v1/demo/pit1/t01"
    async with joined(site.address("auditor"), "audit") as audit:
        await audit.subscribe(f"{base}/rsp/audit")
        for key, verb, data in (("r1", "read", {"what": "round 1"}), ("r2", "close-table", {})):
            command = Command(1, key, "a01", data=data, reply_to="audit")
            await audit.publish(Outgoing(f"{base}/cmd/auditor/{verb}", msgspec.json.encode(command)))
        replies = [msgspec.json.decode(await heard(audit, "/rsp/audit"), type=Reply) for _ in range(2)]
    assert [reply.error and reply.error.code for reply in replies] == [None, "role-not-allowed"]
    assert b'"a01"' in await heard(display, "/evt/record/read")


async def heard(broker: Broker, wanted: str) -> bytes:
    """Return the next payload on a topic that ends like this."""
    async with asyncio.timeout(10):
        async for message in broker.messages():
            if str(message.topic).endswith(wanted) and message.payload:
                return bytes(message.payload)
    raise AssertionError(wanted)


async def test_a_table_is_reached_through_tls_by_those_who_may(site: Site, tmp_path: Path) -> None:
    """A daemon with a client certificate goes online; a supervisor opens the table by password and is answered, which
    a dealer's console cannot, whatever it claims to be.
    """
    base = "tablectl/v1/demo/pit1/t01"
    names = {"inspected_by": ["Dealer 7", "Supervisor 3"]}
    command = msgspec.json.encode(Command(1, "k1", "Supervisor 3", data=names, reply_to="tablet"))
    async with table(site, tmp_path) as daemon, joined(site.address("display-pit1"), "display") as display:
        await display.subscribe(f"{base}/#")
        assert b'"online"' in await heard(display, "/status"), daemon.log()
        async with joined(site.address("dealer-t01"), "console") as console:
            assert not await may_write(console, f"{base}/cmd/supervisor/open-table")
        async with joined(site.address("supervisor"), "tablet") as tablet:
            await tablet.subscribe(f"{base}/rsp/tablet")
            await tablet.publish(Outgoing(f"{base}/cmd/supervisor/open-table", command))

            assert msgspec.json.decode(await heard(tablet, "/rsp/tablet"), type=Reply).ok
            assert b'"table.opened"' in await heard(display, "/evt/table/opened")
            await an_auditor_reads(site, display)
        assert await daemon.stop() == 0, daemon.log()
        assert b'"stopped"' in await heard(display, "/status")


def test_the_sample_list_is_what_the_command_prints(tmp_path: Path) -> None:
    """systemd/mosquitto/tablectl.acl is the list of one table, t01."""
    (tmp_path / "t01.toml").write_text('[table]\nsite = "demo"\npit = "pit1"\nid = "t01"\npositions = 6\n')
    command = [sys.executable, "-m", "tablectl", "broker-acl", str(tmp_path / "t01.toml")]

    assert (SAMPLES / "tablectl.acl").read_text() == subprocess.check_output(command, text=True)


def test_two_tables_of_one_name_get_no_list(tmp_path: Path) -> None:
    """Two users of the same name could write each other's topics: the command names them, and prints no list."""
    for name, pit in (("a", "pit1"), ("b", "pit2")):
        text = f'[table]\nsite = "demo"\npit = "{pit}"\nid = "t01"\npositions = 6\n'
        (tmp_path / f"{name}.toml").write_text(text)
    command = [sys.executable, "-m", "tablectl", "broker-acl", *map(str, sorted(tmp_path.glob("*.toml")))]

    printed = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (printed.returncode, printed.stdout) == (78, "")
    assert "dealer-t01, t01: more than one user of this name" in printed.stderr
