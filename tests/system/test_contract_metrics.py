"""A running table as a scraper and a log collector see it."""

import asyncio
import json
import urllib.request
from pathlib import Path

from tablectl.events.announcements import OpenTable, Role
from tests.brokers import Mosquitto, free_port, mosquitto
from tests.system.harness import tablectl
from tests.system.test_contract_record import at_the_table, table_file, until

__all__ = ["mosquitto"]

PASSWORD = "korrekt-horse"


def scraped(port: int) -> dict[str, float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return figures(answer.read().decode())


def figures(text: str) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


async def test_a_table_tells_its_figures_and_logs_for_machines(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """Port and file tell the same figures, which follow the record; every line of the log is JSON that names the table,
    and none holds the password.
    """
    port, table = free_port(), '{table="demo/pit1/t01"}'
    file = table_file(tmp_path, mosquitto.port, tmp_path / "journal.db")
    (tmp_path / "password").write_text(PASSWORD)
    text = file.read_text().replace("[mqtt]", '[mqtt]\nusername = "t01"\npassword_file = "password"')
    file.write_text(f'{text}\n[metrics]\nlisten = "127.0.0.1:{port}"\nfile = "t01.prom"\n')
    daemon = await tablectl(tmp_path, "run", "run", str(file))
    try:
        async with at_the_table(mosquitto.port) as line:
            await until(line, lambda: line.online)
            assert await line.say(OpenTable(("Dealer 7", "Supervisor 3")), Role.SUPERVISOR), line.refused
            told = await asyncio.to_thread(scraped, port)

            assert told[f"tablectl_facts_total{table}"] >= line.at_seq > 0
            assert told[f"tablectl_outbox_lag_facts{table}"] <= 2
            assert told[f"tablectl_commands_dropped_total{table}"] == 0
            assert told[f"tablectl_journal_commit_seconds_count{table}"] >= 3
            assert f"tablectl_event_loop_lag_seconds_sum{table}" in told
            assert told.keys() == figures((tmp_path / "t01.prom").read_text()).keys()
    finally:
        assert await daemon.stop() == 0, daemon.log()
    lines = [json.loads(line) for line in daemon.log().splitlines()]
    assert {line["table"] for line in lines} == {"demo/pit1/t01"}
    assert {"table.ready", "broker.reached", "table.stopped"} <= {line["event"] for line in lines}
    assert PASSWORD not in daemon.log()
