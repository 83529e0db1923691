"""Logs say where they are from and hide what is secret; figures are what a scraper reads."""

import asyncio
import io
import json
import logging
import re
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from tablectl.telemetry.logs import HIDDEN, Redact, Style, begin
from tablectl.telemetry.metrics import BOUNDS, Histogram, Sample, exposed, serve

SECRET = "korrekt-horse"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()


def test_a_machine_reads_table_round_and_device_in_each_line(stream: io.StringIO) -> None:
    """JSON lines of ours and of libraries name the table and the present round; a device is named by who logs of it."""
    where = begin(Style.JSON, "demo/pit1/t01", (), stream)
    where.round = lambda: 1182
    structlog.get_logger().warning("device lost", device="shoe1", reason="unplugged")
    logging.getLogger("aiomqtt").error("%s messages dropped", 3)

    ours, theirs = map(json.loads, stream.getvalue().splitlines())
    assert {"table": "demo/pit1/t01", "round": 1182, "device": "shoe1", "level": "warning"}.items() <= ours.items()
    assert (theirs["event"], theirs["table"], theirs["round"]) == ("3 messages dropped", "demo/pit1/t01", 1182)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", ours["timestamp"])


@pytest.mark.parametrize("style", Style)
def test_no_secret_reaches_a_line(stream: io.StringIO, style: Style) -> None:
    """A secret is hidden wherever it stands: in a value, deep inside one, in an exception, or under a telling name."""
    begin(style, "demo/pit1/t01", {SECRET}, stream)
    log = structlog.get_logger()
    log.info("connecting", url=f"mqtt://t01:{SECRET}@pit", more={"a": [SECRET.encode(), ("x", f"{SECRET}!")]})
    log.info("badge read", badge="4711", PIN="0815")
    try:
        int(f"refused for {SECRET}")
    except ValueError:
        log.exception("failed")
    logging.getLogger("paho").warning("password is %s", SECRET)

    text = stream.getvalue()
    assert SECRET not in text
    assert "4711" not in text
    assert "0815" not in text
    assert "refused for" in text
    assert text.count(HIDDEN) >= 7


@given(st.text(min_size=1), st.text(), st.text())
def test_a_secret_is_hidden_whatever_it_is(secret: str, before: str, after: str) -> None:
    """Also one that is part of another, or that looks like a pattern."""
    shown = Redact({secret, secret + secret})(None, "", {"event": before + secret + after})

    if secret not in HIDDEN and not set(secret) & set(HIDDEN):
        assert secret not in shown["event"] or secret in before + after or joined(before, secret, after)


def joined(before: str, secret: str, after: str) -> bool:
    """Tell whether what is left would hold the secret by chance, once what stood between was hidden."""
    return secret in (before + secret + after).replace(secret + secret, HIDDEN).replace(secret, HIDDEN)


def test_people_on_a_terminal_read_lines_and_machines_json() -> None:
    """Without a choice, who reads decides."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert Style.of(Terminal()) is Style.CONSOLE
    assert Style.of(io.StringIO()) is Style.JSON


@given(st.lists(st.floats(min_value=0, max_value=10)))
def test_a_histogram_counts_each_once(times: list[float]) -> None:
    """Each bucket holds all that took no longer than its bound, and the last one everything."""
    histogram = Histogram("lag", "")
    for seconds in times:
        histogram.add(seconds)
    told = {(sample.suffix, *dict(sample.labels).values()): sample.value for sample in histogram.samples()}

    for bound in BOUNDS:
        assert told["_bucket", str(bound)] == sum(seconds <= bound for seconds in times)
    assert told["_bucket", "+Inf"] == told["_count",] == len(times)
    assert told["_sum",] == pytest.approx(sum(times))


def test_figures_of_one_name_stand_together_under_one_head() -> None:
    """The form of Prometheus allows one HELP and TYPE for each name, and wants its labels escaped."""
    figures = [Sample("a", "A.", "gauge", 1, (("device", 'x"\\'),)), Sample("b", "B.", "counter", 2.5)]

    assert exposed([*figures, Sample("a", "A.", "gauge", 0)], table="t") == (
        '# HELP a A.\n# TYPE a gauge\na{table="t",device="x\\"\\\\"} 1\na{table="t"} 0\n'
        '# HELP b B.\n# TYPE b counter\nb{table="t"} 2.5\n'
    )


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", b"200"),
        (b"GET / HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", b"404"),
        (b"\x16\x03\x01" + bytes(8000), b""),
    ],
)
async def test_the_port_answers_a_scraper_and_nobody_else(request_: bytes, status: bytes) -> None:
    """Anything but GET /metrics is refused, rubbish is dropped, and the next caller is served."""
    server = await serve("127.0.0.1", 0, lambda: "a 1\n")
    port = server.sockets[0].getsockname()[1]
    for asked, awaited in ((request_, status), (b"GET /metrics HTTP/1.0\r\n\r\n", b"200")):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(asked)
        answer = b""
        try:
            answer = await reader.read()
        except ConnectionResetError:
            assert not awaited
        writer.close()
        assert answer[9:12] == awaited
    assert answer.endswith(b"\r\n\r\na 1\n")
    server.close()
    await server.wait_closed()
